// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../core/arena.hpp"
#include "../../core/loops.hpp"
#include "bad_row.hpp"
#include "graph.hpp"
#include "ordered_triangle.hpp"

namespace heddle::detail::triangle {

/// A triangle in the order that it is solved in, as a thread that reads straight on likes it: the
/// row at place p is entries row_ptr[p] to row_ptr[p + 1], of which the last is the diagonal. That
/// one's column is the row of the matrix, and its value is the reciprocal, or zero where the
/// reciprocal is no normal number; but where D (DiagonalOf) is wider than S, reciprocals stand
/// apart, and that value is not read.
template <Scalar S, Ordinal O, Offset Off, Scalar D>
struct RowsView {
  static constexpr bool apart = !std::same_as<S, D>;

  const Off* row_ptr;
  const O* col_idx;
  const S* values;
  const D* diagonal;    ///< of each place; null for a unit diagonal
  const D* reciprocal;  ///< of each place, if they stand apart
};

/// The same where who makes a triangle writes it, which is not kept `apart`: the last value of a
/// place is reciprocal_or_zero of its diagonal, or one for a unit diagonal.
template <Scalar S, Ordinal O, Offset Off>
struct RowsWriter {
  const Off* row_ptr;
  const O* col_idx;
  S* values;
  S* diagonal;  ///< of each place; null for a unit diagonal
};

template <Ordinal O, Offset Off>
struct CopyRowsTriangle {
  Graph<O, Off> graph;
  const Off* origin;
  ordered::PlaceOrder<O> order;
  const Off* row_ptr;
  O* col_idx;
  Off* source;

  KOKKOS_FUNCTION void operator()(std::int64_t p) const {
    const O i = order(p);
    const Off end = row_ptr[p + 1] - 1;
    Off to = row_ptr[p];
    for (Off k = graph.row_ptr[i]; k < graph.row_ptr[i + 1]; ++k) {
      const O j = graph.col_idx[k];
      if (j == i && origin) source[end] = origin[k];
      if (!in_triangle(graph.triangle, i, j)) continue;
      col_idx[to] = j;
      if (origin) source[to] = origin[k];
      ++to;
    }
    col_idx[end] = i;
  }
};

/// Where entries of a triangle went, those of its diagonal too.
template <Ordinal O, Offset Off>
struct PlacesOfEntries {
  Graph<O, Off> graph;
  ordered::PlaceOrder<O> order;
  const Off* row_ptr;
  Off* place;

  KOKKOS_FUNCTION void operator()(std::int64_t p) const {
    const O i = order(p);
    Off to = row_ptr[p];
    for (Off k = graph.row_ptr[i]; k < graph.row_ptr[i + 1]; ++k) {
      const O j = graph.col_idx[k];
      if (in_triangle(graph.triangle, i, j)) place[k] = to++;
      if (j == i) place[k] = row_ptr[p + 1] - 1;
    }
  }
};

template <Scalar S, Ordinal O, Offset Off>
struct TransposeRowsTriangle {
  RowsWriter<S, O, Off> from;
  ordered::PlaceOf<O> place;  ///< of its rows
  const Off* source;
  RowsWriter<S, O, Off> to;

  KOKKOS_FUNCTION void operator()(std::int64_t p) const {
    const Off end = to.row_ptr[p + 1];
    for (Off k = to.row_ptr[p]; k < end; ++k) to.values[k] = from.values[source[k]];
    if (to.diagonal) to.diagonal[p] = from.diagonal[place(to.col_idx[end - 1])];
  }
};

/// Of a matrix with another pattern nothing is written beyond the row.
template <Scalar S, Ordinal O, Offset Off, Scalar D>
struct UpdateRowsTriangle {
  const Off* row_ptr;
  const O* col_idx;
  const S* from;
  Triangle triangle;
  const Off* place_ptr;
  const O* place_columns;
  const Off* source;  ///< of each value at its place; null: in the order of the row
  S* values;
  D* diagonal;    ///< null for a unit diagonal
  D* reciprocal;  ///< where they stand apart
  std::int64_t* bad_diagonal;

  KOKKOS_FUNCTION void operator()(std::int64_t p) const {
    const Off end = place_ptr[p + 1] - 1;
    const O i = place_columns[end];
    Off to = place_ptr[p];
    D sum(0);
    for (Off k = row_ptr[i]; k < row_ptr[i + 1]; ++k) {
      const O j = col_idx[k];
      if (j == i) {
        sum += D(from[k]);
      } else if (!source && to < end && in_triangle(triangle, i, j)) {
        values[to++] = from[k];
      }
    }
    for (; source && to < end; ++to) values[to] = from[source[to]];
    const D inverse = diagonal ? reciprocal_or_zero(sum) : D(1);
    if constexpr (RowsView<S, O, Off, D>::apart) {
      reciprocal[p] = inverse;
    } else {
      values[end] = inverse;
    }
    if (!diagonal) return;
    diagonal[p] = sum;
    if (bad_diagonal && is_bad_diagonal(sum)) mark_bad_row(bad_diagonal, i);
  }
};

/// The copy of a triangle that a RowsView looks at.
template <ExecutionSpace Exec, Scalar S, Ordinal O, Offset Off, Scalar D>
class RowsTriangle {
 public:
  using Space = typename Exec::memory_space;
  using Matrix = CsrMatrix<S, O, Off, Space>;
  using Order = ordered::PlaceOrder<O>;
  using View = RowsView<S, O, Off, D>;

  RowsTriangle() = default;

  /// One allocation and two launches in the order of `exec`, and the values, unless T's are null;
  /// no wait. Rows keep the order of their entries. `entries` are those off the diagonal. Entry k
  /// of the graph is entry origin[k] of T, or k if that is null.
  RowsTriangle(const Exec& exec, const Matrix& T, const Graph<O, Off>& graph, const Off* origin,
               const Order& order, std::int64_t entries, Diagonal diagonal)
      : rows_(T.rows()), unit_(diagonal == Diagonal::unit), triangle_(graph.triangle) {
    const auto n = static_cast<std::size_t>(rows_);
    const std::size_t nnz = entries_with_diagonal<Off>(entries, rows_);
    const std::size_t sources = origin ? nnz : 0, diagonals = unit_ ? 0 : n;
    const std::size_t reciprocals = View::apart ? n : 0;
    memory_ = Arena<Space>(
        exec, "heddle::triangle::triangle",
        arena_bytes<Off, O, Off, S, D, D>(n + 1, nnz, sources, nnz, diagonals, reciprocals));
    row_ptr_ = memory_.template take<Off>(n + 1);
    col_idx_ = memory_.template take<O>(nnz);
    source_ = memory_.template take<Off>(sources);
    values_ = memory_.template take<S>(nnz);
    diagonal_ = memory_.template take<D>(diagonals);
    reciprocal_ = memory_.template take<D>(reciprocals);
    copy_pattern(exec, graph, origin, order);
    if (T.nonzeros() == 0 || T.values().data()) update_values(exec, T, nullptr);
  }

  /// The values of a matrix of the same pattern, in the order of `exec`: one launch, no allocation,
  /// no wait. The lowest row whose diagonal turns out to be bad (is_bad_diagonal) is marked in
  /// *bad_diagonal, if that is given (mark_bad_row).
  void update_values(const Exec& exec, const Matrix& T, std::int64_t* bad_diagonal) {
    const Off* const source = source_.extent(0) > 0 ? source_.data() : nullptr;
    Kokkos::parallel_for("heddle::triangle::values", range_policy(exec, rows_),
                         UpdateRowsTriangle<S, O, Off, D>{
                             T.row_ptr().data(), T.col_idx().data(), T.values().data(), triangle_,
                             row_ptr_.data(), col_idx_.data(), source, values_.data(),
                             unit_ ? nullptr : diagonal_.data(), reciprocal_.data(), bad_diagonal});
  }

  RowsWriter<S, O, Off> writer() const
    requires(!View::apart)
  {
    return {row_ptr_.data(), col_idx_.data(), values_.data(), unit_ ? nullptr : diagonal_.data()};
  }
  /// Where entry k of the graph went, for each in the triangle or on its diagonal. One launch.
  void find_entries(const Exec& exec, const Graph<O, Off>& graph, const Order& order,
                    Off* place) const {
    Kokkos::parallel_for("heddle::triangle::places", range_policy(exec, rows_),
                         PlacesOfEntries<O, Off>{graph, order, row_ptr_.data(), place});
  }
  /// The values of the same triangle before it was transposed, where its rows have these places,
  /// and `origin` said where its entries are. One launch, no wait.
  void take_transposed(const Exec& exec, const RowsTriangle& from,
                       const ordered::PlaceOf<O>& place) const
    requires(!View::apart)
  {
    Kokkos::parallel_for(
        "heddle::triangle::transpose", range_policy(exec, rows_),
        TransposeRowsTriangle<S, O, Off>{from.writer(), place, source_.data(), writer()});
  }

  View view() const {
    return {row_ptr_.data(), col_idx_.data(), values_.data(), unit_ ? nullptr : diagonal_.data(),
            reciprocal_.data()};
  }
  std::size_t bytes() const { return memory_.bytes(); }

  void copy_pattern(const Exec& exec, const Graph<O, Off>& graph, const Off* origin,
                    const Order& order) {
    constexpr Off diagonal = 1;
    running_sum<Off>(exec, "heddle::triangle::row_ptr", row_ptr_.data(), rows_,
                     EntriesInTriangle<O, Off>{graph, order, diagonal});
    Kokkos::parallel_for("heddle::triangle::pattern", range_policy(exec, rows_),
                         CopyRowsTriangle<O, Off>{graph, origin, order, row_ptr_.data(),
                                                  col_idx_.data(), source_.data()});
  }

 private:
  template <class T>
  using Array = typename Arena<Space>::template Array<T>;

  std::int64_t rows_ = 0;
  bool unit_ = true;
  Triangle triangle_ = Triangle::lower;
  Arena<Space> memory_;
  Array<Off> row_ptr_, source_;
  Array<O> col_idx_;
  Array<S> values_;
  Array<D> diagonal_, reciprocal_;
};

}  // namespace heddle::detail::triangle
