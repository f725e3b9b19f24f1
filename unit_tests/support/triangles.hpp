// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Common parts of tests of triangular solves: triangles of every shape, and an oracle.
#pragma once

#include <heddle/sptrsv.hpp>

#include "../../testing/format_suite/check.hpp"
#include "../../testing/plan_types.hpp"
#include "../../testing/residual.hpp"

namespace heddle::test {

/// A lower triangle with a full diagonal; row i has columns(i), all less than i, before it.
template <class Columns>
Pattern lower_pattern(std::string name, std::int64_t rows, Columns columns) {
  Pattern pattern{std::move(name), rows, {}};
  for (std::int64_t i = 0; i < rows; ++i) {
    std::vector<std::int64_t> row = columns(i);
    row.push_back(i);
    pattern.rows.push_back(row);
  }
  return pattern;
}

/// A lower triangle whose row i has the columns i - distance that exist.
inline Pattern lower_band(std::string name, std::int64_t rows,
                          std::vector<std::int64_t> distances) {
  for (std::int64_t& distance : distances) distance = -distance;
  distances.push_back(0);
  return banded_pattern(std::move(name), rows, rows, distances);
}

/// The lower triangle of a grid.
inline Pattern lower_grid(std::string name, std::int64_t side) {
  return lower_pattern(std::move(name), side * side, [=](std::int64_t i) {
    std::vector<std::int64_t> row;
    if (i >= side) row.push_back(i - side);
    if (i % side > 0) row.push_back(i - 1);
    return row;
  });
}

/// Lower triangles with every shape of dependence that may break a schedule.
inline std::vector<Pattern> triangle_patterns() {
  std::vector<Pattern> all;
  const auto random_lower = [&](const char* name, std::int64_t rows, auto length) {
    Random random(100 + all.size());
    all.push_back(lower_pattern(name, rows, [&](std::int64_t i) {
      return random_row(random, i, std::min<std::int64_t>(i, length(i)));
    }));
  };
  all.push_back(lower_band("0 x 0", 0, {}));
  all.push_back(lower_band("1 x 1", 1, {}));
  all.push_back(lower_band("diagonal", 300, {}));
  all.push_back(lower_band("bidiagonal", 700, {1}));
  all.push_back(lower_band("two chains", 1000, {2}));
  all.push_back(lower_band("warps of chains", 1000, {32, 33}));
  all.push_back(lower_grid("grid", 50));
  all.push_back(lower_band("two wide levels", emulated ? 1000 : 9000, {emulated ? 500 : 4500}));
  random_lower("dense", 90, [](std::int64_t i) { return i; });
  random_lower("random", cut(3000), [](std::int64_t i) { return i % 7; });
  random_lower("long rows", 500, [](std::int64_t i) { return i % 3 ? 2 : 150; });
  random_lower("parents of many levels", 900, [](std::int64_t i) { return i % 4 ? 2 : 80; });
  random_lower("one huge row", cut(3000) + 1,
               [](std::int64_t i) { return i == cut(3000) ? cut(2900) : i % 2; });
  all.push_back(lower_pattern("arrow", cut(5000), [](std::int64_t i) {
    return i ? std::vector<std::int64_t>{0} : std::vector<std::int64_t>{};
  }));
  // Elements of 1 to 9 unknowns, which need the same columns.
  all.push_back(lower_pattern("elements", 450, [](std::int64_t i) {
    const std::int64_t element = i % 45, ends[] = {1, 3, 6, 10, 15, 21, 28, 36, 45};
    const std::int64_t* end = std::upper_bound(ends, ends + 9, element);
    const std::int64_t first = i - element + (end == ends ? 0 : end[-1]);
    std::vector<std::int64_t> row;
    for (const std::int64_t distance : {200, 199, 90, 9, 2}) {
      if (distance <= first) row.push_back(first - distance);
    }
    for (std::int64_t j = first; j < i; ++j) row.push_back(j);
    return row;
  }));
  all.push_back(lower_pattern("unsorted with duplicates", 700, [](std::int64_t i) {
    if (i < 5) return std::vector<std::int64_t>{};
    return std::vector<std::int64_t>{i, i - 1, i - 5, i - 2, i - 5};  // the diagonal is repeated
  }));
  return all;
}

inline Pattern triangle_named(const std::string& name) {
  for (Pattern& pattern : triangle_patterns()) {
    if (pattern.name == name) return std::move(pattern);
  }
  throw std::runtime_error("no triangle " + name);
}

/// The number of levels of lower triangles, by their names.
inline constexpr std::pair<const char*, int> levels_of_triangles[] = {
    {"0 x 0", 0}, {"1 x 1", 1}, {"diagonal", 1},        {"bidiagonal", 700},    {"two chains", 500},
    {"grid", 99}, {"arrow", 2}, {"two wide levels", 2}, {"warps of chains", 32}};

/// The pattern with rows and columns in reverse order: a lower triangle becomes an upper one.
inline Pattern reversed(const Pattern& pattern) {
  Pattern result{pattern.name + ", upper", pattern.columns, {}};
  const auto n = static_cast<std::int64_t>(pattern.rows.size());
  for (std::int64_t i = n - 1; i >= 0; --i) {
    std::vector<std::int64_t> row;
    for (const std::int64_t j : pattern.rows[static_cast<std::size_t>(i)]) row.push_back(n - 1 - j);
    result.rows.push_back(row);
  }
  return result;
}

/// Another pattern with as many rows and entries, and a full diagonal: all other entries fill the
/// last rows, left of the diagonal or on both sides of it.
inline Pattern crowded(const Pattern& like, bool both_sides) {
  const auto n = static_cast<std::int64_t>(like.rows.size());
  std::int64_t left = like.nonzeros() - n;
  std::vector<std::vector<std::int64_t>> rows(like.rows.size());
  for (std::int64_t i = n - 1; i >= 0; --i) {
    auto& row = rows[static_cast<std::size_t>(i)];
    for (std::int64_t j = 0; j < (both_sides ? n : i) && left > 0; ++j) {
      if (j != i) row.push_back(j), --left;
    }
    row.push_back(i);
  }
  Pattern pattern{like.name + ", crowded", n, {}};
  for (const auto& row : rows) pattern.rows.push_back(row);
  return pattern;
}

/// Values that keep solutions of moderate size: small off the diagonal, 1 to 2 on it.
template <class Host>
void set_triangle_values(const Host& host, std::uint64_t seed) {
  using S = typename Host::Matrix::scalar_type;
  Random random(seed);
  for (std::size_t i = 0; i < static_cast<std::size_t>(host.rows()); ++i) {
    const auto length = static_cast<double>(host.row_ptr()(i + 1) - host.row_ptr()(i));
    for (auto k = host.row_ptr()(i); k < host.row_ptr()(i + 1); ++k) {
      const auto e = static_cast<std::size_t>(k);
      const bool diagonal = static_cast<std::size_t>(host.col_idx()(e)) == i;
      const auto draw = random.template scalar<S>();
      host.values()(e) =
          diagonal ? S(1.5) + S(0.3) * draw : draw * S(static_cast<RealOf<S>>(0.9 / length));
    }
  }
}

template <class T>
DeviceMatrix<T> triangle_on_device(const typename T::Exec& exec, const Pattern& pattern,
                                   std::uint64_t seed = 1) {
  using D = DeviceMatrix<T>;
  auto host = make_matrix<typename D::S, typename D::O, typename D::Off>(pattern);
  set_triangle_values(host, seed);
  return to_device<T>(exec, pattern.name, host);
}

/// The triangle that a plan solves with, its diagonal stored.
template <class Host>
Host triangle_of(const Host& host, Triangle triangle, Diagonal diagonal) {
  using Matrix = typename Host::Matrix;
  using S = typename Matrix::scalar_type;
  using O = typename Matrix::ordinal_type;
  using Off = typename Matrix::offset_type;
  std::vector<Off> row_ptr{0};
  std::vector<O> col_idx;
  std::vector<S> values;
  for (O i = 0; i < host.rows(); ++i) {
    const auto row = static_cast<std::size_t>(i);
    for (auto k = host.row_ptr()(row); k < host.row_ptr()(row + 1); ++k) {
      const O j = host.col_idx()(static_cast<std::size_t>(k));
      const bool off_diagonal = triangle == Triangle::lower ? j < i : j > i;
      if (!off_diagonal && (j != i || diagonal == Diagonal::unit)) continue;
      col_idx.push_back(j);
      values.push_back(host.values()(static_cast<std::size_t>(k)));
    }
    if (diagonal == Diagonal::unit) {
      col_idx.push_back(i);
      values.push_back(S(1));
    }
    row_ptr.push_back(static_cast<Off>(col_idx.size()));
  }
  return host_matrix<S, O, Off>(host.columns(), row_ptr, col_idx,
                                [&](std::size_t k) { return values[k]; });
}

/// Every scheme of a device, with every value of every parameter.
inline std::vector<Scheme> sptrsv_variants(const Device& device) {
  return variants_of(heddle::detail::sptrsv::grammar(device));
}

/// The types that triangular solves are tested for.
template <class E, class S, class I>
struct TriangleType : Types<E, S, I> {
  using Matrix = CsrMatrix<S, typename I::Ordinal, typename I::Offset, typename E::memory_space>;
  template <class V = S, class Acc = V>
  using Plan = SptrsvPlan<E, Matrix, V, Acc>;
};
namespace detail {
template <class Tuple>
struct Triangles;
template <class... E, class... S, class... I>
struct Triangles<std::tuple<Types<E, S, I>...>> {
  using type = std::tuple<TriangleType<E, S, I>...>;
};
}  // namespace detail

using TriangleTypes = detail::Triangles<FewTypes>::type;
using SuiteTriangleTypes = detail::Triangles<TestedTypes>::type;
using OneTriangleType = TriangleType<DefaultDevice, double, Indices32>;

}  // namespace heddle::test
