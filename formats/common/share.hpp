// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../backends/mailbox.hpp"
#include "../../backends/tickets.hpp"
#include "../../backends/unroll.hpp"
#include "../../core/types.hpp"
#include "share_alignment.hpp"

namespace heddle::detail {

/// The edge between two shares. Aligned, so that a GPU reads it in one load.
template <Ordinal O, Offset Off>
struct alignas(16) ShareEdge {
  Off nonzero;
  O row;
  int first_share;  ///< the share in which the row begins that the edge is inside, or -1
};

/// A CSR matrix cut into shares of equal work, as kernels see it: plain pointers.
///
/// Share t is from edge t to edge t + 1. An edge may be inside a row. Each share of such a row,
/// from first_share on, posts the sum of its part, a carry-out. The share in which the row ends
/// finishes it: it waits for the carry-outs of the shares before it, and adds them in order. Every
/// wait is for a share of lower index, and shares are launched in order
/// (backends::launch_in_order), so the lowest unfinished share never waits and every wait ends.
///
/// If teams may not wait (backends::waits_make_progress), a share that finishes a row posts its own
/// part too, at index `shares` + its own, and a second launch, FinishKernel, adds up.
template <Ordinal O, Offset Off, Scalar Acc, int Vectors, bool Waits>
struct ShareTable {
  static constexpr bool waits = Waits;
  std::int64_t shares = 0;
  const ShareEdge<O, Off>* edges = nullptr;  ///< length shares + 1
  backends::Mailbox<Acc, Vectors> carries;   ///< the carry-out of each share
  backends::Tickets tickets;                 ///< for the launches over all shares
};

/// A share as a team of a GPU sees it: nonzeros [origin + begin, origin + end) of rows [first_row,
/// first_row + rows), of which the first `ended` end in the share, and one more may go on beyond
/// it. If `first_share` is not -1, the first row began in that share and ends in this one.
template <Ordinal O, Offset Off>
struct Share {
  int index;
  Off origin;
  int begin;
  int end;
  O first_row;
  int rows;
  int ended;
  int first_share;

  template <class Table>
  KOKKOS_FORCEINLINE_FUNCTION static Share at(const Table& table, std::int64_t t) {
    const ShareEdge<O, Off> from = table.edges[t];
    const ShareEdge<O, Off> to = table.edges[t + 1];
    Share share;
    share.index = static_cast<int>(t);
    share.begin = static_cast<int>(from.nonzero % share_alignment);
    share.origin = from.nonzero - static_cast<Off>(share.begin);
    share.end = static_cast<int>(to.nonzero - share.origin);
    share.first_row = from.row;
    share.ended = static_cast<int>(to.row - from.row);
    share.rows = share.ended + (to.first_share >= 0 ? 1 : 0);
    share.first_share = share.ended > 0 ? from.first_share : -1;
    return share;
  }

  /// A share of whole rows [row, stop).
  KOKKOS_FORCEINLINE_FUNCTION static Share of_rows(const Off* row_ptr, O row, O stop) {
    const Off from = row_ptr[row];
    Share share;
    share.index = 0;
    share.begin = static_cast<int>(from % share_alignment);
    share.origin = from - static_cast<Off>(share.begin);
    share.end = static_cast<int>(row_ptr[stop] - share.origin);
    share.first_row = row;
    share.rows = share.ended = static_cast<int>(stop - row);
    share.first_share = -1;
    return share;
  }

  /// Loads the nonzeros of one of Threads threads: every Threads-th from the origin on, zeros
  /// beyond the end. Returns their number.
  template <int Threads, class Operands, class S, int Items>
  KOKKOS_FORCEINLINE_FUNCTION int load(const Operands& operands, int thread, S (&value)[Items],
                                       O (&column)[Items]) const {
    const int items = ceil_div(end - thread, Threads);
    const auto nonzeros = operands.from(origin + static_cast<Off>(thread));
    HEDDLE_UNROLL(Items)
    for (int i = 0; i < Items; ++i) {
      column[i] = nonzeros.column_once(i * Threads, i < items);
      value[i] = nonzeros.value_once(i * Threads, i < items);
    }
    return items;
  }

  /// Whether the row began in another share and ends in this one.
  KOKKOS_FORCEINLINE_FUNCTION bool finishes(int row) const { return row == 0 && first_share >= 0; }

  /// Sets [from, to) to the nonzeros of a row of the share, counted from the origin; empty for a
  /// row beyond the last.
  KOKKOS_FORCEINLINE_FUNCTION void bounds(const Off* row_ptr, int row, int& from, int& to) const {
    from = to = 0;
    if (row >= rows) return;
    from = begin;
    to = end;
    const Off row_begin = row_ptr[first_row + row];
    const Off row_end = row_ptr[first_row + row + 1];
    if (row_begin > origin + static_cast<Off>(from)) from = static_cast<int>(row_begin - origin);
    if (row_end < origin + static_cast<Off>(to)) to = static_cast<int>(row_end - origin);
  }
};

}  // namespace heddle::detail
