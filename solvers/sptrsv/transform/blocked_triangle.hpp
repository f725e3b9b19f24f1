// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../../backends/two_loops.hpp"
#include "../../triangle/ordered_triangle.hpp"
#include "blocks.hpp"
#include "merge.hpp"
#include "pieces.hpp"

namespace heddle::detail::sptrsv {

/// A triangle copied in groups: dense blocks on the diagonal, pieces beside them. The diagonal is
/// kept in D (DiagonalOf).
template <ExecutionSpace Exec, Scalar S, Ordinal O, Offset Off, Scalar Acc, Scalar D>
class BlockedTriangle {
 public:
  using Space = typename Exec::memory_space;
  using Matrix = CsrMatrix<S, O, Off, Space>;

  BlockedTriangle() = default;

  /// Seven allocations, three of which are freed again; waits. The order has the places of the
  /// groups, and a row needs rows of lower groups, or before it in its own.
  BlockedTriangle(const Exec& exec, const Matrix& T, const triangle::Graph<O, Off>& graph,
                  const Off* origin, const ordered::PlaceOrder<O>& order,
                  const MergedRows<Exec, O>& groups, std::int64_t entries, Diagonal diagonal,
                  int piece, bool invert)
      : row_(exec, graph.rows) {
    const triangle::OrderedPattern<Exec, O, Off> pattern(exec, graph, origin, order, entries);
    row_.copy(exec, pattern.row());
    groups_ = GroupTable<Exec>(exec, groups.begin(), groups.count());
    const GroupOfPlaces<Exec, O> group_of(exec, groups_, graph.rows);
    pieces_ = Pieces<Exec, S, O, Off>(exec, pattern, groups_, group_of, piece);
    blocks_ = DenseBlocks<Exec, O, Off, Acc>(exec, pattern, groups_, group_of, invert);
    diagonal_ = triangle::DiagonalStorage<Exec, S, O, Off, D>(exec, row_.rows(),
                                                              diagonal == Diagonal::unit);
    update_values(exec, T, nullptr);
    exec.fence("heddle::sptrsv::blocked");  // before the pattern is freed
  }

  /// The values of a matrix of the same pattern, in the order of `exec`: two launches, no
  /// allocation, no wait. *bad_diagonal: see DiagonalStorage.
  void update_values(const Exec& exec, const Matrix& T, std::int64_t* bad_diagonal) {
    two_loops(exec, "heddle::sptrsv::values", pieces_.slots(), pieces_.loop(T), diagonal_.places(),
              diagonal_.loop(T, bad_diagonal));
    blocks_.update_values(exec, T, groups_, diagonal_.diagonal());
  }

  /// What Operands need of a triangle.
  triangle::View<S, O, Off, D> rows() const {
    return {static_cast<std::int64_t>(row_.rows().extent(0)),
            nullptr,
            nullptr,
            nullptr,
            diagonal_.diagonal(),
            diagonal_.reciprocal(),
            row_.rows().data()};
  }
  BlockedView<S, O, Acc> view() const {
    return {groups_.groups(), pieces_.first_piece(), pieces_.needed(),  pieces_.values(),
            blocks_.values(), blocks_.inside(),      blocks_.inverted()};
  }
  std::int64_t groups() const { return groups_.count(); }
  std::size_t bytes() const {
    return row_.bytes() + groups_.bytes() + pieces_.bytes() + blocks_.bytes() + diagonal_.bytes();
  }

 private:
  RowOfPlace<Exec, O> row_;
  GroupTable<Exec> groups_;
  Pieces<Exec, S, O, Off> pieces_;
  DenseBlocks<Exec, O, Off, Acc> blocks_;
  triangle::DiagonalStorage<Exec, S, O, Off, D> diagonal_;
};

}  // namespace heddle::detail::sptrsv
