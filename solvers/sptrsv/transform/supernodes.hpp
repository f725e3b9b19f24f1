// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <vector>

#include "../../../backends/loops.hpp"
#include "../../../core/arena.hpp"
#include "../../ordered/levels.hpp"
#include "../../triangle/graph.hpp"
#include "../../triangle/ordered_triangle.hpp"

namespace heddle::detail::sptrsv {

/// Largest number of rows of a supernode: the partial sums that a kernel keeps in registers.
inline constexpr int most_supernode_rows = 8;

/// Whether row i needs exactly the rows that row `before` needs, in the same order, and `before`
/// once.
template <Ordinal O, Offset Off>
KOKKOS_FUNCTION bool shares_columns(const triangle::DependencyGraph<O, Off>& graph, O i, O before) {
  Off k = graph.row_ptr[before];
  const auto next_of_before = [&] {
    while (k < graph.row_ptr[before + 1] &&
           !triangle::in_triangle(graph.triangle, before, graph.col_idx[k])) {
      ++k;
    }
    return k < graph.row_ptr[before + 1];
  };
  int found = 0;
  for (Off at = graph.row_ptr[i]; at < graph.row_ptr[i + 1]; ++at) {
    const O j = graph.col_idx[at];
    if (!triangle::in_triangle(graph.triangle, i, j)) continue;
    if (j == before) {
      ++found;
    } else if (next_of_before() && graph.col_idx[k] == j) {
      ++k;
    } else {
      return false;
    }
  }
  return found == 1 && !next_of_before();
}

template <Ordinal O, Offset Off>
struct CountSharedRows {
  triangle::DependencyGraph<O, Off> graph;

  KOKKOS_FUNCTION void operator()(std::int64_t p, std::int64_t& count) const {
    count += p > 0 && shares_columns(graph, graph.row(p), graph.row(p - 1)) ? 1 : 0;
  }
};

/// Number of rows that share the columns of the previous row. One launch; waits for `exec`.
template <ExecutionSpace Exec, Ordinal O, Offset Off>
std::int64_t count_shared_rows(const Exec& exec, const triangle::DependencyGraph<O, Off>& graph) {
  std::int64_t count = 0;
  Kokkos::parallel_reduce("heddle::sptrsv::shared_rows", range_policy(exec, graph.rows),
                          CountSharedRows<O, Off>{graph}, count);
  return count;
}

/// Marks the rows that start a supernode, by position in the loop, before long ones are cut.
template <Ordinal O, Offset Off>
struct FindFirstRows {
  triangle::DependencyGraph<O, Off> graph;
  O* starts;

  KOKKOS_FUNCTION void operator()(std::int64_t p) const {
    starts[p] = p == 0 || !shares_columns(graph, graph.row(p), graph.row(p - 1)) ? O(1) : O(0);
  }
};

/// Consecutive rows that share their columns: each needs the rows that the first of them needs, and
/// the rows between. A row that shares with none is a supernode of one row. Supernode g begins at
/// position first()[g] of the loop over the rows, in which numbers of supernodes ascend.
template <ExecutionSpace Exec, Ordinal O>
class Supernodes {
 public:
  using Space = typename Exec::memory_space;

  /// Two allocations and a launch; waits for `exec`, since the host cuts them to size.
  template <Offset Off>
  Supernodes(const Exec& exec, const triangle::DependencyGraph<O, Off>& graph)
      : memory_(exec, "heddle::sptrsv::supernode_of",
                arena_bytes<O>(static_cast<std::size_t>(graph.rows))),
        of_(memory_.template take<O>(static_cast<std::size_t>(graph.rows))) {
    static_assert(ordered::on_threads<Exec>, "the host reads what `exec` wrote");
    Kokkos::parallel_for("heddle::sptrsv::first_rows", range_policy(exec, graph.rows),
                         FindFirstRows<O, Off>{graph, of_.data()});
    exec.fence("heddle::sptrsv::first_rows");
    O rows = 0;
    for (O p = 0; p < graph.rows; ++p) {
      if (of_(p) == 1 || rows == most_supernode_rows) {
        first_.push_back(p);
        rows = 0;
      }
      ++rows;
      of_(p) = static_cast<O>(first_.size()) - 1;
    }
    first_.push_back(graph.rows);
  }

  O count() const { return static_cast<O>(first_.size()) - 1; }
  const O* first() const { return first_.data(); }
  /// The supernode at each position of the loop.
  const O* of() const { return of_.data(); }

 private:
  std::vector<O> first_;
  Arena<Space> memory_;  // the last handle waits for kernels that read first_ too
  typename Arena<Space>::template Array<O> of_;
};

/// The reads of supernode g of a triangle: the supernodes of its first row's columns.
template <Ordinal O, Offset Off>
struct SupernodeReads {
  triangle::DependencyGraph<O, Off> graph;
  const O* first;
  const O* of;

  template <class Visit>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(O g, const Visit& visit) const {
    const O i = graph.row(first[g]);
    for (Off k = graph.row_ptr[i]; k < graph.row_ptr[i + 1]; ++k) {
      const O j = graph.col_idx[k];
      if (triangle::in_triangle(graph.triangle, i, j))
        visit(of[graph.row(j)]);  // the position of j
    }
  }
};

/// A triangle whose supernodes are stored in the order in which they are solved, so that a thread
/// reads memory contiguously.
///
/// The columns of supernode g begin at col_idx[column_ptr[g]]; the last is its first row. Its
/// values begin at value_ptr[g]: column by column those of all its rows, then the entries among its
/// rows, again column by column (SupernodeSlots). Its diagonal begins at place[g].
template <Scalar S, Ordinal O, Offset Off, Scalar D>
struct SupernodeView {
  const O* place;
  const Off* column_ptr;
  const Off* value_ptr;
  const O* col_idx;
  const S* values;
  const D* diagonal;    ///< the diagonal of each row; null if it is unit
  const D* reciprocal;  ///< of each row; 0 if it is no normal number, 1 for a unit diagonal
  int step;             ///< from one row of a supernode to the next
};

/// The layout of the values of a supernode of `rows` rows that share `columns` columns.
struct SupernodeSlots {
  std::int64_t rows, columns;

  KOKKOS_FORCEINLINE_FUNCTION std::int64_t shared(std::int64_t column, std::int64_t row) const {
    return column * rows + row;
  }
  /// The slot of row `row` in the column of the earlier row `of`.
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t inner(std::int64_t row, std::int64_t of) const {
    return columns * rows + of * (2 * rows - of - 1) / 2 + (row - of - 1);
  }
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t size() const {
    return columns * rows + rows * (rows - 1) / 2;
  }
};

template <Ordinal O>
struct SupernodeRows {
  const O* first;
  ordered::PlaceOrder<O> order;

  KOKKOS_FUNCTION O operator()(std::int64_t g) const {
    const O supernode = order(g);
    return first[supernode + 1] - first[supernode];
  }
};

/// Number of columns of each supernode, and one for its first row.
template <Ordinal O, Offset Off>
struct SupernodeColumns {
  triangle::DependencyGraph<O, Off> graph;
  const O* first;
  ordered::PlaceOrder<O> order;

  KOKKOS_FUNCTION Off operator()(std::int64_t g) const {
    const O i = graph.row(first[order(g)]);
    Off columns = 1;
    for (Off k = graph.row_ptr[i]; k < graph.row_ptr[i + 1]; ++k) {
      columns += triangle::in_triangle(graph.triangle, i, graph.col_idx[k]) ? 1 : 0;
    }
    return columns;
  }
};

template <Ordinal O, Offset Off>
struct SupernodeValues {
  const O* place;
  const Off* column_ptr;

  KOKKOS_FUNCTION Off operator()(std::int64_t g) const {
    const Off columns = column_ptr[g + 1] - column_ptr[g] - 1;
    return static_cast<Off>(SupernodeSlots{place[g + 1] - place[g], columns}.size());
  }
};

/// Calls visit(slot, k) for every entry k of row `row` of a supernode that is in the triangle, and
/// diagonal(k) for those on the diagonal. If the pattern is not the inspected one, entries without
/// a slot are left out.
template <Ordinal O, Offset Off, class Visit, class Diagonal>
KOKKOS_FORCEINLINE_FUNCTION void visit_slots(const triangle::DependencyGraph<O, Off>& graph,
                                             const SupernodeSlots& slots, O first_row, int step,
                                             std::int64_t row, const Visit& visit,
                                             const Diagonal& diagonal) {
  const O i = static_cast<O>(first_row + step * row);
  std::int64_t column = 0;
  for (Off k = graph.row_ptr[i]; k < graph.row_ptr[i + 1]; ++k) {
    const O j = graph.col_idx[k];
    if (j == i) {
      diagonal(k);
    } else if (triangle::in_triangle(graph.triangle, i, j)) {
      const std::int64_t of = (static_cast<std::int64_t>(j) - first_row) * step;
      if (of >= 0) {
        visit(slots.inner(row, of), k);
      } else if (column < slots.columns) {
        visit(slots.shared(column++, row), k);
      }
    }
  }
}

template <Ordinal O, Offset Off>
struct CopySupernodes {
  triangle::DependencyGraph<O, Off> graph;
  const Off* origin;  ///< entry k of the graph is entry origin[k] of the matrix; null: entry k
  const O* first;
  ordered::PlaceOrder<O> order;
  const O* place;
  const Off* column_ptr;
  const Off* value_ptr;
  int step;
  O* col_idx;
  Off* source;

  KOKKOS_FUNCTION void operator()(std::int64_t g) const {
    const O i = graph.row(first[order(g)]);
    Off to = column_ptr[g];
    for (Off k = graph.row_ptr[i]; k < graph.row_ptr[i + 1]; ++k) {
      if (!triangle::in_triangle(graph.triangle, i, graph.col_idx[k])) continue;
      col_idx[to++] = graph.col_idx[k];
    }
    col_idx[to] = i;
    if (!origin) return;
    const SupernodeSlots slots{place[g + 1] - place[g], to - column_ptr[g]};
    for (std::int64_t row = 0; row < slots.rows; ++row) {
      visit_slots(
          graph, slots, i, step, row,
          [&](std::int64_t slot, Off k) { source[value_ptr[g] + slot] = origin[k]; }, [](Off) {});
    }
  }
};

template <Scalar S, Ordinal O, Offset Off, Scalar D>
struct UpdateSupernodes {
  triangle::DependencyGraph<O, Off> T;  ///< the matrix, and the triangle to solve with
  const S* from;
  SupernodeView<S, O, Off, D> view;
  const Off* source;  ///< the entry of T of each value; null: the order of the rows of T
  S* values;
  D* diagonal;  ///< null for a unit diagonal
  D* reciprocal;
  std::int64_t* bad_diagonal;

  KOKKOS_FUNCTION void operator()(std::int64_t g) const {
    const Off end = view.column_ptr[g + 1] - 1;
    const SupernodeSlots slots{view.place[g + 1] - view.place[g], end - view.column_ptr[g]};
    S* const to = values + view.value_ptr[g];
    for (std::int64_t row = 0; row < slots.rows; ++row) {
      D sum(0);
      visit_slots(
          T, slots, view.col_idx[end], view.step, row,
          [&](std::int64_t slot, Off k) {
            if (!source) to[slot] = from[k];
          },
          [&](Off k) { sum += D(from[k]); });
      const std::int64_t at = view.place[g] + row;
      reciprocal[at] = diagonal ? triangle::reciprocal_or_zero(sum) : D(1);
      if (!diagonal) continue;
      diagonal[at] = sum;
      if (bad_diagonal && triangle::is_bad_diagonal(sum)) {
        triangle::mark_bad_row(bad_diagonal, view.col_idx[end] + view.step * row);
      }
    }
    if (!source) return;
    for (std::int64_t slot = 0; slot < slots.size(); ++slot) {
      to[slot] = from[source[view.value_ptr[g] + slot]];
    }
  }
};

/// The storage of a SupernodeView: a copy of a triangle, for CPU threads.
template <ExecutionSpace Exec, Scalar S, Ordinal O, Offset Off, Scalar D>
class SupernodeTriangle {
 public:
  using Space = typename Exec::memory_space;
  using Matrix = CsrMatrix<S, O, Off, Space>;
  using View = SupernodeView<S, O, Off, D>;
  /// Number of values that a pack may read past the last, whatever they are.
  static constexpr std::size_t read_beyond = most_supernode_rows;

  SupernodeTriangle() = default;

  /// Copies the supernodes in `order`. Entry k of the graph is entry origin[k] of T, or k if that
  /// is null. Two allocations, with a wait between them.
  SupernodeTriangle(const Exec& exec, const Matrix& T,
                    const triangle::DependencyGraph<O, Off>& graph, const Off* origin,
                    const Supernodes<Exec, O>& supernodes, const ordered::PlaceOrder<O>& order,
                    Diagonal diagonal)
      : count_(supernodes.count()), triangle_(graph.triangle), unit_(diagonal == Diagonal::unit) {
    table_memory_ =
        Arena<Space>(exec, "heddle::sptrsv::supernode_table", arena_array(place_, count_ + 1),
                     arena_array(column_ptr_, count_ + 1), arena_array(value_ptr_, count_ + 1));
    running_sum<O>(exec, "heddle::sptrsv::supernode_places", place_.data(), count_,
                   SupernodeRows<O>{supernodes.first(), order});
    const std::int64_t with_first_rows =
        running_sum_and_total(exec, "heddle::sptrsv::supernode_columns", column_ptr_.data(), count_,
                              SupernodeColumns<O, Off>{graph, supernodes.first(), order});
    const std::size_t columns =
        ordered::entries_with_diagonal<Off>(with_first_rows - count_, count_);
    const auto entries = static_cast<std::size_t>(running_sum_and_total<Off>(
        exec, "heddle::sptrsv::supernode_values", value_ptr_.data(), count_,
        SupernodeValues<O, Off>{place_.data(), column_ptr_.data()}));
    const auto rows = static_cast<std::size_t>(graph.rows);
    const std::size_t sources = origin ? entries : 0, diagonals = unit_ ? 0 : rows;
    memory_ =
        Arena<Space>(exec, "heddle::sptrsv::supernodes", arena_array(col_idx_, columns),
                     arena_array(source_, sources), arena_array(values_, entries + read_beyond),
                     arena_array(diagonal_, diagonals), arena_array(reciprocal_, rows));
    fill(exec, "heddle::sptrsv::no_values", values_.data() + entries, read_beyond, S(0));
    Kokkos::parallel_for(
        "heddle::sptrsv::copy_supernodes", range_policy(exec, count_),
        CopySupernodes<O, Off>{graph, origin, supernodes.first(), order, place_.data(),
                               column_ptr_.data(), value_ptr_.data(), step(), col_idx_.data(),
                               source_.data()});
    update_values(exec, T, nullptr);
  }

  /// Copies the values of a matrix of the same pattern, in the order of `exec`: one launch, no
  /// allocation, no wait. The lowest row with a bad diagonal (is_bad_diagonal) is marked in
  /// *bad_diagonal, if that is given (mark_bad_row).
  void update_values(const Exec& exec, const Matrix& T, std::int64_t* bad_diagonal) {
    const triangle::DependencyGraph<O, Off> rows{T.row_ptr().data(), T.col_idx().data(), T.rows(),
                                                 triangle_};
    const Off* const source = source_.extent(0) > 0 ? source_.data() : nullptr;
    Kokkos::parallel_for("heddle::sptrsv::supernode_values", range_policy(exec, count_),
                         UpdateSupernodes<S, O, Off, D>{
                             rows, T.values().data(), view(), source, values_.data(),
                             unit_ ? nullptr : diagonal_.data(), reciprocal_.data(), bad_diagonal});
  }

  View view() const {
    return {place_.data(),      column_ptr_.data(),
            value_ptr_.data(),  col_idx_.data(),
            values_.data(),     unit_ ? nullptr : diagonal_.data(),
            reciprocal_.data(), step()};
  }
  std::int64_t supernodes() const { return count_; }
  std::size_t bytes() const { return table_memory_.bytes() + memory_.bytes(); }

 private:
  template <class T>
  using Array = typename Arena<Space>::template Array<T>;

  int step() const { return triangle_ == Triangle::lower ? 1 : -1; }

  std::int64_t count_ = 0;
  Triangle triangle_ = Triangle::lower;
  bool unit_ = true;
  Arena<Space> table_memory_, memory_;
  Array<O> place_, col_idx_;
  Array<Off> column_ptr_, value_ptr_, source_;
  Array<S> values_;
  Array<D> diagonal_, reciprocal_;
};

}  // namespace heddle::detail::sptrsv
