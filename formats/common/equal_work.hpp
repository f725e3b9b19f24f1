// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../backends/launch.hpp"
#include "../../backends/loops.hpp"
#include "../../core/arena.hpp"
#include "../../core/matrix.hpp"
#include "../../core/partition.hpp"
#include "prediction.hpp"
#include "share.hpp"

namespace heddle::detail {

/// Vectors of x that one launch over shares serves.
template <ExecutionSpace Exec>
inline constexpr int vectors_per_launch = most_vectors_per_launch(backends::has_lanes<Exec>);

/// How the edges between shares are placed.
enum class Cutting {
  equal_work,         ///< equal rows plus nonzeros; an edge may be inside a row (csr/merge)
  around_short_rows,  ///< equal_work, but short rows are not cut (csr/adaptive)
};

/// Fills a share table: an item an edge, found by a binary search of its own.
template <Ordinal O, Offset Off, class Carries>
struct FindShareEdges {
  const Off* row_ptr;
  O rows;
  Off nonzeros;
  std::int64_t share_work;
  int row_steps;
  Cutting cutting;
  Off short_row;
  std::int64_t shares;
  ShareEdge<O, Off>* edges;
  Carries carries;
  backends::Tickets tickets;
  bool waits;

  KOKKOS_FUNCTION void operator()(std::int64_t t) const {
    const std::int64_t work =
        merge_path_steps(rows, static_cast<std::int64_t>(nonzeros), row_steps);
    const std::int64_t steps = t * share_work < work ? t * share_work : work;
    Cut<O, Off> cut = merge_path_cut(row_ptr, rows, nonzeros, steps, row_steps);
    if (cutting == Cutting::around_short_rows) {
      cut = cut_outside_short_rows(row_ptr, rows, cut, short_row);
    }
    const bool inside = cut.row < rows && row_ptr[cut.row] < cut.nonzero;
    edges[t] = {cut.nonzero, cut.row, inside ? share_of_first_step(cut.row) : -1};
    if (t < shares) carries.clear(t);
    if (t < shares && !waits) carries.clear(shares + t);
    if (t == 0) tickets.clear();
  }

  /// The share in which row r begins: the steps before its first are the rows and nonzeros above.
  KOKKOS_FUNCTION int share_of_first_step(O r) const {
    return static_cast<int>(merge_path_steps(r, static_cast<std::int64_t>(row_ptr[r]), row_steps) /
                            share_work);
  }
};

/// A share table and its memory.
template <ExecutionSpace Exec, Ordinal O, Offset Off, Scalar Acc>
class EqualWork {
 public:
  using Space = typename Exec::memory_space;
  using Table =
      ShareTable<O, Off, Acc, vectors_per_launch<Exec>, backends::waits_make_progress<Exec>>;

  EqualWork() = default;

  /// Cuts A into shares of `share_work` steps on the device, in the order of `exec`: a nonzero is
  /// one step, a row `row_steps`. One allocation, one launch, no wait. `room_bytes` of the
  /// allocation are left for take().
  template <Scalar S>
  EqualWork(const Exec& exec, const CsrMatrix<S, O, Off, Space>& A, std::int64_t share_work,
            int row_steps, Cutting cutting, Off short_row, std::size_t room_bytes = 0) {
    const std::int64_t work =
        merge_path_steps(A.rows(), static_cast<std::int64_t>(A.nonzeros()), row_steps);
    const std::int64_t shares = ceil_div(work, share_work);
    if (shares > backends::max_teams_in_order) {
      throw Refusal("equal work would cut this matrix into " + std::to_string(shares) +
                        " shares, more than can wait for each other",
                    "use csr/subwarp for so large a matrix");
    }
    const auto n = static_cast<std::size_t>(shares);
    const std::size_t places = Table::waits ? n : 2 * n;
    using Edge = ShareEdge<O, Off>;
    using Carries = decltype(Table::carries);
    using Word = typename Carries::Word;
    arena_ = Arena<Space>(
        exec, "heddle::spmv::shares",
        arena_bytes<Edge, Word, std::uint32_t>(n + 1, places * Carries::words_per_place, 1) +
            room_bytes);
    auto edges = arena_.template take<Edge>(n + 1);
    auto words = arena_.template take<Word>(places * Carries::words_per_place);
    table_ = {
        shares, edges.data(), {words.data()}, {arena_.template take<std::uint32_t>(1).data()}};
    Kokkos::parallel_for(
        "heddle::spmv::cut", range_policy(exec, shares + 1),
        FindShareEdges<O, Off, Carries>{A.row_ptr().data(), A.rows(), A.nonzeros(), share_work,
                                        row_steps, cutting, short_row, shares, edges.data(),
                                        table_.carries, table_.tickets, Table::waits});
  }

  const Table& table() const { return table_; }
  /// Takes `count` elements of the room that the constructor left.
  template <class T>
  auto take(std::size_t count) {
    return arena_.template take<T>(count);
  }
  std::size_t bytes() const { return arena_.bytes(); }
  /// Bytes that a pass reads, and bytes that each vector adds: carry-outs, posted and collected.
  double read_bytes() const {
    return table_.shares > 0 ? static_cast<double>(table_.shares + 1) * sizeof(ShareEdge<O, Off>)
                             : 0;
  }
  double carried_bytes() const {
    return static_cast<double>(table_.shares) * (Table::waits ? 2 : 4) * sizeof(Acc);
  }

 private:
  Arena<Space> arena_;
  Table table_;
};

/// Launches a team a share, in order if teams wait for each other's carry-outs.
template <class LaunchShape, ExecutionSpace Exec, class Table, class Kernel>
void launch_shares(const Exec& exec, const char* label, const Table& table, const Kernel& kernel) {
  if constexpr (Table::waits) {
    backends::launch_in_order<LaunchShape>(exec, label, table.shares, kernel, table.tickets);
  } else {
    backends::launch<LaunchShape>(exec, label, table.shares, kernel);
  }
}

/// The second launch over shares, if teams may not wait for each other: an item a share, which adds
/// up the row that it finishes from all carry-outs posted for it. Never waits, and empties the
/// mailbox for the next apply.
template <class Operands, class Table>
struct FinishKernel {
  Operands operands;
  Table table;

  KOKKOS_FUNCTION void operator()(std::int64_t t) const {
    const auto begin = table.edges[t];
    const auto end = table.edges[t + 1];
    if (begin.first_share < 0 || begin.row >= end.row) return;
    for (int v = 0; v < operands.x.count; ++v) {
      const auto carried = table.carries.collect_all(begin.first_share, static_cast<int>(t), 1, v);
      operands.store(begin.row, v, carried + table.carries.collect(table.shares + t, v));
    }
  }
};

/// Launches a team a share, and a second launch if the first does not finish all rows.
template <class Shape, ExecutionSpace Exec, class Operands, class Table, class Kernel>
void launch_shares_and_finish(const Exec& exec, const char* label, const Operands& operands,
                              const Table& table, const Kernel& kernel) {
  launch_shares<Shape>(exec, label, table, kernel);
  if constexpr (!Table::waits) {
    parallel_for(exec, "heddle::spmv::finish", table.shares,
                 FinishKernel<Operands, Table>{operands, table});
  }
}

}  // namespace heddle::detail
