// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../../backends/scratch.hpp"
#include "../../../backends/team.hpp"
#include "../../../core/search.hpp"
#include "operands.hpp"
#include "table.hpp"

/// A walk over the products of a matrix product whose pattern is known. Every entry has one owner,
/// a subwarp, which takes the entries of A's row one after the other, its lanes those of B's row,
/// whose columns differ: an entry meets its products in the order of A's row, whatever runs when.
namespace heddle::detail::matrix_product {

/// What is done with them: C = alpha A B is added up, where C has the columns of each row in
/// ascending order. Any other work says the same: what a sum starts with, what it takes of an entry
/// k of A, how it meets an entry l of B, and what is left in sums.
template <Scalar S, Ordinal O, Offset OffA, Offset OffB, Offset OffC>
struct Product {
  using Sum = S;
  using Factor = S;

  Operand<S, O, OffA> A;
  Operand<S, O, OffB> B;
  PatternOperand<O, OffC> C;
  S* sums;
  S alpha;

  KOKKOS_FORCEINLINE_FUNCTION S start(std::int64_t) const { return S(0); }
  KOKKOS_FORCEINLINE_FUNCTION S factor(std::int64_t k) const { return A.values[k]; }
  KOKKOS_FORCEINLINE_FUNCTION void add(S& sum, const S& a, std::int64_t l) const {
    sum += a * B.values[l];
  }
  KOKKOS_FORCEINLINE_FUNCTION S finish(const S& sum) const {
    return alpha == S(1) ? sum : alpha * sum;
  }
};

/// A row whose table fits into scratch.
template <Ordinal O, class Work>
struct TableSums {
  using Scratch = backends::DynamicScratch;
  using Sum = typename Work::Sum;

  Work work;
  const O* rows = nullptr;
  std::int64_t count = 0;
  int most = 0;

  static constexpr std::size_t bytes_per_column = 2 * (sizeof(O) + sizeof(Sum));
  static std::size_t scratch_bytes(int subwarps, int most) {
    const auto slots = 2 * static_cast<std::size_t>(subwarps) * static_cast<std::size_t>(most);
    return backends::scratch_bytes<O, Sum>(slots, slots);
  }

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team, Scratch& scratch) const {
    const auto subwarp = team.subwarp();
    const int me = team.subwarp_index();
    O* const keys = scratch.template take<O>(2 * Team::subwarps * most) + 2 * me * most;
    Sum* const sums = scratch.template take<Sum>(2 * Team::subwarps * most) + 2 * me * most;
    const std::int64_t place = team.index() * Team::subwarps + me;
    if (place >= count) return;
    const std::int64_t row = rows[place];
    const auto& B = work.B;
    const auto& C = work.C;
    const ColumnTable<typename Team::subwarp_type, O> table{keys, table_bits(C.length(row))};
    table.clear(subwarp);
    subwarp.sync();
    for (std::int64_t p = C.begin(row) + subwarp.lane(); p < C.end(row); p += Team::subwarp_width) {
      int slot;
      table.insert(C.col_idx[p], slot);
      sums[slot] = work.start(p);
    }
    subwarp.sync();
    each_row_of_B(
        subwarp, work.A, B, row, [&](std::int64_t k) { return work.factor(k); },
        [&](const auto& a, std::int64_t first, std::int64_t last) {
          for (std::int64_t l = first + subwarp.lane(); l < last; l += Team::subwarp_width) {
            const int slot = table.find(B.col_idx[l]);
            if (slot >= 0) work.add(sums[slot], a, l);
          }
          subwarp.sync();
        });
    for (std::int64_t p = C.begin(row) + subwarp.lane(); p < C.end(row); p += Team::subwarp_width) {
      work.sums[p] = work.finish(sums[table.find(C.col_idx[p])]);
    }
  }
};

/// How many pieces a long row of C is cut into, each of a subwarp.
template <Ordinal O, Offset OffC>
struct PiecesOfRow {
  const O* rows;
  PatternOperand<O, OffC> C;
  std::int64_t piece;
  std::int64_t most;

  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t slot) const {
    const std::int64_t pieces = ceil_div(C.length(rows[slot]), piece);
    return pieces < most ? pieces : most;
  }
};

/// A piece of a row that is too long for scratch: sums lie in memory, where C has them, and places
/// are searched for. Of rows of B it takes the part that meets the piece.
template <Ordinal O, class Work, int Width>
struct SearchedSums {
  using Scratch = backends::NoScratch;
  using Shape = backends::Shape<Width, 4 * Width>;
  using Factor = typename Work::Factor;

  Work work;
  const O* rows;
  std::int64_t count;
  const std::int64_t* first_piece;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team, Scratch&) const {
    const auto subwarp = team.subwarp();
    const std::int64_t item = team.index() * Team::subwarps + team.subwarp_index();
    if (item >= first_piece[count]) return;
    const std::int64_t slot = last_not_above(first_piece, std::int64_t{0}, count, item);
    const std::int64_t row = rows[slot], pieces = first_piece[slot + 1] - first_piece[slot];
    const std::int64_t piece = item - first_piece[slot];
    const auto& C = work.C;
    const std::int64_t length = C.length(row);
    const std::int64_t begin =
        C.begin(row) + length / pieces * piece + length % pieces * piece / pieces;
    const std::int64_t end =
        C.begin(row) + length / pieces * (piece + 1) + length % pieces * (piece + 1) / pieces;
    for (std::int64_t p = begin + subwarp.lane(); p < end; p += Team::subwarp_width) {
      work.sums[p] = work.start(p);
    }
    subwarp.sync();
    if (pieces == 1) {
      add_all(subwarp, row, begin, end);
    } else {
      add_those_that_meet(subwarp, row, begin, end);
    }
    for (std::int64_t p = begin + subwarp.lane(); p < end; p += Team::subwarp_width) {
      work.sums[p] = work.finish(work.sums[p]);
    }
  }

  /// a times entries [first, last) of B, which lie within the piece.
  template <class Subwarp>
  KOKKOS_FORCEINLINE_FUNCTION void add(const Subwarp& subwarp, const Factor& a, std::int64_t first,
                                       std::int64_t last, std::int64_t begin,
                                       std::int64_t end) const {
    const auto& C = work.C;
    for (std::int64_t l = first + subwarp.lane(); l < last; l += Subwarp::width) {
      const O column = work.B.col_idx[l];
      const std::int64_t p = begin + first_not_below(C.col_idx + begin, end - begin, column);
      if (p < end && C.col_idx[p] == column) work.add(work.sums[p], a, l);
    }
    subwarp.sync();
  }

  template <class Subwarp>
  KOKKOS_FUNCTION void add_all(const Subwarp& subwarp, std::int64_t row, std::int64_t begin,
                               std::int64_t end) const {
    each_row_of_B(
        subwarp, work.A, work.B, row, [&](std::int64_t k) { return work.factor(k); },
        [&](const Factor& a, std::int64_t first, std::int64_t last) {
          add(subwarp, a, first, last, begin, end);
        });
  }

  /// Lanes look at entries of A side by side; those whose row of B meets the piece are then taken
  /// in their order.
  template <class Subwarp>
  KOKKOS_FUNCTION void add_those_that_meet(const Subwarp& subwarp, std::int64_t row,
                                           std::int64_t begin, std::int64_t end) const {
    const auto& A = work.A;
    const auto& B = work.B;
    const auto lowest = static_cast<std::int64_t>(work.C.col_idx[begin]);
    const auto highest = static_cast<std::int64_t>(work.C.col_idx[end - 1]);
    for (std::int64_t first = A.begin(row); first < A.end(row); first += Subwarp::width) {
      const std::int64_t k = first + subwarp.lane();
      std::int64_t from = 0, to = 0;
      Factor a(0);
      if (k < A.end(row)) {
        const std::int64_t j = A.col_idx[k];
        from = B.begin(j) + first_not_below(B.col_idx + B.begin(j), B.length(j), lowest);
        to = from + first_not_below(B.col_idx + from, B.end(j) - from, highest + 1);
        if (from < to) a = work.factor(k);
      }
      for (std::uint64_t left = subwarp.ballot(from < to); left != 0; left &= left - 1) {
        const int lane = Kokkos::countr_zero(left);
        add(subwarp, subwarp.shuffle(a, lane), subwarp.shuffle(from, lane),
            subwarp.shuffle(to, lane), begin, end);
      }
    }
  }
};

/// C += beta D, of which columns ascend in each row: the first entry of a place adds all that
/// repeat it, in their order.
template <Scalar S, Ordinal O, Offset OffD, Offset OffC>
struct AddEntryOfD {
  Operand<S, O, OffD> D;
  PatternOperand<O, OffC> C;
  S* values;
  S beta;

  KOKKOS_FORCEINLINE_FUNCTION void operator()(std::int64_t row, std::int64_t k) const {
    const O column = D.col_idx[k];
    if (k > D.begin(row) && D.col_idx[k - 1] == column) return;
    const std::int64_t p =
        C.begin(row) + first_not_below(C.col_idx + C.begin(row), C.length(row), column);
    if (p == C.end(row) || C.col_idx[p] != column) return;
    for (std::int64_t l = k; l < D.end(row) && D.col_idx[l] == column; ++l) {
      values[p] += beta == S(1) ? D.values[l] : beta * D.values[l];
    }
  }
};

}  // namespace heddle::detail::matrix_product
