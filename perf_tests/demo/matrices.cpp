// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "matrices.hpp"

namespace demo {

namespace {

/// Makes a matrix whose row i has length(i) entries; entry(i, place, column, value) sets each.
template <class Length, class Entry>
Rows make(const Exec& exec, int rows, const Length& length, const Entry& entry) {
  Rows A;
  A.rows = rows;
  A.row_ptr = Array<int>("demo::row_ptr", rows + 1);
  int nonzeros = 0;
  const auto row_ptr = A.row_ptr;
  Kokkos::parallel_scan(
      "demo::row_ptr", Kokkos::RangePolicy<Exec>(exec, 0, rows),
      KOKKOS_LAMBDA(int i, int& sum, bool last) {
        sum += length(i);
        if (last) row_ptr(i + 1) = sum;
      },
      nonzeros);
  // The arrays are not set to zero: each thread first touches the entries that it multiplies later.
  A.col_idx =
      Array<int>(Kokkos::view_alloc(Kokkos::WithoutInitializing, "demo::col_idx"), nonzeros);
  A.values =
      Array<double>(Kokkos::view_alloc(Kokkos::WithoutInitializing, "demo::values"), nonzeros);
  const auto filled = A;
  Kokkos::parallel_for(
      "demo::fill", Kokkos::RangePolicy<Exec>(exec, 0, rows), KOKKOS_LAMBDA(int i) {
        const int begin = filled.row_ptr(i), end = filled.row_ptr(i + 1);
        for (int k = begin; k < end; ++k) entry(i, k - begin, filled.col_idx(k), filled.values(k));
      });
  exec.fence("demo::make");
  return A;
}

/// A pseudo-random number of a place: the mixing of splitmix64 (G. Steele and others, 2014).
KOKKOS_INLINE_FUNCTION std::uint64_t mixed(std::uint64_t place) {
  place += 0x9e3779b97f4a7c15u;
  place = (place ^ (place >> 30)) * 0xbf58476d1ce4e5b9u;
  place = (place ^ (place >> 27)) * 0x94d049bb133111ebu;
  return place ^ (place >> 31);
}

struct Point {
  int x, y, z;
};
KOKKOS_INLINE_FUNCTION Point point_of(int i, int side) {
  return {i % side, i / side % side, i / (side * side)};
}
KOKKOS_INLINE_FUNCTION int neighbours(int at, int side) { return 1 + (at > 0) + (at < side - 1); }

/// Conductance of the layer at height y.
KOKKOS_INLINE_FUNCTION double conductance(int y) {
  return Kokkos::pow(10.0, static_cast<double>(mixed(static_cast<std::uint64_t>(y / 4)) % 4));
}

/// Conductance between two heights: two resistances in series.
KOKKOS_INLINE_FUNCTION double conductance(int a, int b) {
  return 2 / (1 / conductance(a) + 1 / conductance(b));
}

}  // namespace

Rows elastic_body(const Exec& exec, int side) {
  return make(
      exec, 3 * side * side * side,
      KOKKOS_LAMBDA(int row) {
        const Point p = point_of(row / 3, side);
        return 3 * neighbours(p.x, side) * neighbours(p.y, side) * neighbours(p.z, side);
      },
      KOKKOS_LAMBDA(int row, int place, int& column, double& value) {
        const Point p = point_of(row / 3, side);
        const int node = place / 3, wide = neighbours(p.x, side), high = neighbours(p.y, side);
        const Point q{p.x - (p.x > 0) + node % wide, p.y - (p.y > 0) + node / wide % high,
                      p.z - (p.z > 0) + node / (wide * high)};
        column = 3 * ((q.z * side + q.y) * side + q.x) + place % 3;
        value = column == row ? 81 : -1.0 / (1 + (row + column) % 3);
      });
}

Rows network(const Exec& exec, int rows) {
  constexpr int hub_length = 8192;
  const int hubs = rows / 4096;
  const auto count = static_cast<std::uint64_t>(rows);
  return make(
      exec, rows,
      KOKKOS_LAMBDA(int i) {
        return i < hubs ? hub_length
                        : 2 + static_cast<int>(mixed(static_cast<std::uint64_t>(i)) % 5);
      },
      KOKKOS_LAMBDA(int i, int place, int& column, double& value) {
        const auto at = static_cast<std::uint64_t>(i), k = static_cast<std::uint64_t>(place);
        // Entries of a hub are anywhere in its row, others among the next 4096 columns.
        const std::uint64_t reach = i < hubs ? count : 4096;
        column = static_cast<int>((at + mixed(at * hub_length + k) % reach) % count);
        value = 1;
      });
}

Rows heat(const Exec& exec, int side) {
  return make(
      exec, side * side,
      KOKKOS_LAMBDA(int i) { return neighbours(i % side, side) + neighbours(i / side, side) - 1; },
      KOKKOS_LAMBDA(int i, int place, int& column, double& value) {
        const int x = i % side, y = i / side;
        const double here = conductance(y), below = conductance(y - 1, y),
                     above = conductance(y, y + 1);
        const int steps[5] = {-side, -1, 0, 1, side};
        const bool inside[5] = {y > 0, x > 0, true, x < side - 1, y < side - 1};
        // The edges of the plate are cold: the flow through them counts on the diagonal.
        const double weights[5] = {-below, -here, 2 * here + below + above, -here, -above};
        int at = 0;
        while (!inside[at]) ++at;
        for (int k = 0; k < place; ++k) {
          do ++at;
          while (!inside[at]);
        }
        column = i + steps[at];
        value = weights[at];
      });
}

}  // namespace demo
