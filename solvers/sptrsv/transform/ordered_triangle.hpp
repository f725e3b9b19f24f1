// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../prepare/view.hpp"
#include "check_triangle.hpp"
#include "level_order.hpp"

namespace heddle::detail::sptrsv {

/// Whether entries name what they are multiplied by as a place of the order or as a row of x.
enum class Naming { places, rows };

/// A triangle copied in the order that it is solved in, with the way back to the user's entries.
template <ExecutionSpace Exec, Scalar S, Ordinal O, Offset Off>
class OrderedTriangle {
 public:
  using Space = typename Exec::memory_space;
  using Matrix = CsrMatrix<S, O, Off, Space>;

  OrderedTriangle() = default;

  /// One allocation and two launches in the order of `exec`, and the values; no wait. Rows keep the
  /// order of their entries. `entries` are those off the diagonal. Entry k of the graph is entry
  /// origin[k] of T, or k if that is null.
  OrderedTriangle(const Exec& exec, const Matrix& T, const Graph<O, Off>& graph, const Off* origin,
                  const LevelOrder<Exec, O>& order, std::int64_t entries, Diagonal diagonal,
                  Naming naming)
      : rows_(T.rows()), entries_(entries), unit_(diagonal == Diagonal::unit) {
    const auto n = static_cast<std::size_t>(rows_);
    const auto nnz = static_cast<std::size_t>(entries);
    const std::size_t diagonals = unit_ ? 0 : n;
    memory_ = Arena<Space>(
        exec, "heddle::sptrsv::triangle",
        arena_bytes<Off, O, O, Off, S, S, S>(n + 1, n, nnz, nnz, nnz, diagonals, diagonals));
    row_ptr_ = memory_.template take<Off>(n + 1);
    row_ = memory_.template take<O>(n);
    needed_ = memory_.template take<O>(nnz);
    source_ = memory_.template take<Off>(nnz);
    values_ = memory_.template take<S>(nnz);
    diagonal_ = memory_.template take<S>(diagonals);
    reciprocal_ = memory_.template take<S>(diagonals);
    copy_pattern(exec, graph, origin, order, naming);
    update_values(exec, T, nullptr);
  }

  /// The values of a matrix of the same pattern, in the order of `exec`: no allocation, no wait. An
  /// entry whose diagonal turns out to be zero or missing is reported by raising *bad_diagonal, if
  /// that is given, to the row + 1.
  void update_values(const Exec& exec, const Matrix& T, std::int64_t* bad_diagonal) {
    const auto from = T.values().data();
    const auto source = source_;
    const auto values = values_;
    Kokkos::parallel_for(
        "heddle::sptrsv::values", policy(exec, entries_),
        KOKKOS_LAMBDA(std::int64_t k) { values(k) = from[source(k)]; });
    if (unit_) return;
    const auto row_ptr = T.row_ptr().data();
    const auto col_idx = T.col_idx().data();
    const auto row = row_;
    const auto diagonal = diagonal_;
    const auto reciprocal = reciprocal_;
    Kokkos::parallel_for(
        "heddle::sptrsv::diagonal", policy(exec, rows_), KOKKOS_LAMBDA(std::int64_t p) {
          const O i = row(p);
          S sum(0);
          for (Off k = row_ptr[i]; k < row_ptr[i + 1]; ++k) {
            if (col_idx[k] == i) sum += from[k];
          }
          diagonal(p) = sum;
          reciprocal(p) = reciprocal_or_zero(sum);
          if (sum == S(0) && bad_diagonal) Kokkos::atomic_max(bad_diagonal, i + std::int64_t{1});
        });
  }

  View<S, O, Off> view() const {
    const S* diagonal = unit_ ? nullptr : diagonal_.data();
    return {rows_,    row_ptr_.data(),    needed_.data(), values_.data(),
            diagonal, reciprocal_.data(), row_.data()};
  }
  std::size_t bytes() const { return memory_.bytes(); }

  void copy_pattern(const Exec& exec, const Graph<O, Off>& graph, const Off* origin,
                    const LevelOrder<Exec, O>& order, Naming naming) {
    const auto rows = order.rows();
    const auto place = order.place();
    const auto row_ptr = row_ptr_;
    const auto row = row_;
    const auto needed = needed_;
    const auto source = source_;
    const std::int64_t n = rows_;
    Kokkos::parallel_scan(
        "heddle::sptrsv::row_ptr", policy(exec, n + 1),
        KOKKOS_LAMBDA(std::int64_t p, Off& sum, bool last) {
          if (last) row_ptr(p) = sum;
          if (p == n) return;
          const O i = rows(p);
          for (Off k = graph.row_ptr[i]; k < graph.row_ptr[i + 1]; ++k) {
            sum += in_triangle(graph.triangle, i, graph.col_idx[k]) ? 1 : 0;
          }
        });
    const bool by_place = naming == Naming::places;
    Kokkos::parallel_for(
        "heddle::sptrsv::pattern", policy(exec, n), KOKKOS_LAMBDA(std::int64_t p) {
          const O i = rows(p);
          row(p) = i;
          Off to = row_ptr(p);
          for (Off k = graph.row_ptr[i]; k < graph.row_ptr[i + 1]; ++k) {
            const O j = graph.col_idx[k];
            if (!in_triangle(graph.triangle, i, j)) continue;
            needed(to) = by_place ? place(j) : j;
            source(to) = origin ? origin[k] : k;
            ++to;
          }
        });
  }

  /// Zero where the reciprocal overflows, or loses digits below the smallest normal number.
  KOKKOS_FUNCTION static S reciprocal_or_zero(const S& value) {
    const S reciprocal = S(1) / value;
    const auto size = Kokkos::abs(reciprocal);
    using Real = heddle::RealOf<S>;
    const bool normal = size >= Kokkos::Experimental::norm_min_v<Real> &&
                        size <= Kokkos::Experimental::finite_max_v<Real>;
    return normal ? reciprocal : S(0);
  }

 private:
  static auto policy(const Exec& exec, std::int64_t n) {
    return Kokkos::RangePolicy<KokkosSpace<Exec>, Kokkos::IndexType<std::int64_t>>(
        kokkos_space(exec), 0, n);
  }

  template <class T>
  using Array = typename Arena<Space>::template Array<T>;

  std::int64_t rows_ = 0;
  std::int64_t entries_ = 0;
  bool unit_ = true;
  Arena<Space> memory_;
  Array<Off> row_ptr_, source_;
  Array<O> row_, needed_;
  Array<S> values_, diagonal_, reciprocal_;
};

}  // namespace heddle::detail::sptrsv
