// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <utility>

#include "../../backends/launch.hpp"
#include "../../backends/loops.hpp"
#include "../../backends/scratch.hpp"
#include "../../backends/team.hpp"
#include "../../core/search.hpp"
#include "columns.hpp"

/// Iterates over the products of a matrix product with a known pattern. Each entry of C has one
/// owner, a subwarp: it visits A's row entry by entry, and its lanes divide B's row, whose columns
/// differ. So products of an entry are in the order of A's row, in every schedule.
namespace heddle::detail::matrix_product {

/// Sums up C = alpha A B, where C has ascending columns in each row. Other work has the same
/// members: the start of a sum, the factor of entry k of A, the update with entry l of B, and the
/// final sum.
template <Scalar S, Ordinal O, Offset OffA, Offset OffB, Offset OffC>
struct SumProducts {
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

/// Sums up a row whose table fits into scratch.
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

/// The number of pieces of a long row of C, a subwarp for each.
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

/// Sums up a piece of a row that is too long for scratch: sums are in memory, in C, and their
/// places are found by search. Of rows of B it uses the part that meets the piece.
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

  /// Adds a times entries [first, last) of B, which are within the piece.
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

  /// Lanes load entries of A in parallel; those whose row of B meets the piece are then added in
  /// order.
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
        const int lane = countr_zero(left);
        add(subwarp, subwarp.shuffle(a, lane), subwarp.shuffle(from, lane),
            subwarp.shuffle(to, lane), begin, end);
      }
    }
  }
};

/// C += beta D, where columns of D ascend in each row: the first of repeated entries adds all of
/// them, in their order.
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

/// Indices of the entries of A and B in a product, which one load brings.
struct alignas(8) FactorIndices {
  std::int32_t a, b;
};

/// Counts the products of each entry of C.
template <Ordinal O, Offset OffA, Offset OffB, Offset OffC>
struct CountedProducts {
  using Sum = std::int32_t;
  using Factor = std::int64_t;

  PatternOperand<O, OffA> A;
  PatternOperand<O, OffB> B;
  PatternOperand<O, OffC> C;
  std::int32_t* sums;

  KOKKOS_FORCEINLINE_FUNCTION Sum start(std::int64_t) const { return 0; }
  KOKKOS_FORCEINLINE_FUNCTION Factor factor(std::int64_t k) const { return k; }
  KOKKOS_FORCEINLINE_FUNCTION void add(Sum& sum, Factor, std::int64_t) const { ++sum; }
  KOKKOS_FORCEINLINE_FUNCTION Sum finish(Sum sum) const { return sum; }
};

/// Writes the list of products, entry by entry of C. `sums` has the begin of each entry's list
/// before, and its end afterwards.
template <Ordinal O, Offset OffA, Offset OffB, Offset OffC>
struct ListedProducts : CountedProducts<O, OffA, OffB, OffC> {
  using typename CountedProducts<O, OffA, OffB, OffC>::Sum;
  using typename CountedProducts<O, OffA, OffB, OffC>::Factor;

  FactorIndices* list;

  KOKKOS_FORCEINLINE_FUNCTION Sum start(std::int64_t p) const { return this->sums[p]; }
  KOKKOS_FORCEINLINE_FUNCTION void add(Sum& place, Factor k, std::int64_t l) const {
    list[place++] = {static_cast<std::int32_t>(k), static_cast<std::int32_t>(l)};
  }
};

struct MostOfCounts {
  const std::int32_t* counts;
  KOKKOS_FUNCTION void operator()(std::int64_t p, std::int32_t& most) const {
    if (counts[p] > most) most = counts[p];
  }
};

/// Sums up an entry of C from its list, a thread for each.
template <Scalar S>
struct SumOfList {
  const FactorIndices* list;
  const std::int32_t* ends;
  const S* a;
  const S* b;
  S* values;
  S alpha;

  KOKKOS_FORCEINLINE_FUNCTION std::int32_t begin(std::int64_t p) const {
    return p > 0 ? ends[p - 1] : 0;
  }
  KOKKOS_FORCEINLINE_FUNCTION S scaled(const S& sum) const {
    return alpha == S(1) ? sum : alpha * sum;
  }
  KOKKOS_FUNCTION void operator()(std::int64_t p) const {
    S sum(0);
    for (std::int32_t j = begin(p); j < ends[p]; ++j) {
      const FactorIndices factors = list[j];
      sum += a[factors.a] * b[factors.b];
    }
    values[p] = scaled(sum);
  }
};

/// The number of pieces of a block of `width` entries of C, of about `most` products each.
struct PiecesOfBlock {
  const std::int32_t* ends;
  std::int64_t entries;
  std::int64_t width;
  std::int64_t most;

  KOKKOS_FORCEINLINE_FUNCTION std::int64_t begin(std::int64_t block) const {
    return block > 0 ? ends[block * width - 1] : 0;
  }
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t end(std::int64_t block) const {
    const std::int64_t last = (block + 1) * width < entries ? (block + 1) * width : entries;
    return ends[last - 1];
  }
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t block) const {
    const std::int64_t pieces = ceil_div(end(block) - begin(block), most);
    return pieces < 1 ? 1 : pieces < width ? pieces : width;
  }
};

/// Writes the first entry of each piece. Entries are not split; a piece may be empty.
struct PutPieces {
  PiecesOfBlock of;
  const std::int32_t* before;  ///< exclusive prefix sum of pieces
  std::int32_t* piece;

  KOKKOS_FUNCTION void operator()(std::int64_t block) const {
    const std::int64_t first = block * of.width;
    const std::int64_t last = first + of.width < of.entries ? first + of.width : of.entries;
    const std::int64_t pieces = before[block + 1] - before[block];
    const std::int64_t begin = of.begin(block), length = of.end(block) - begin;
    std::int64_t p = first;
    for (std::int64_t i = 0; i < pieces; ++i) {
      const std::int64_t from = begin + length * i / pieces;
      while (p < last && (p > 0 ? of.ends[p - 1] : 0) < from) ++p;
      piece[before[block] + i] = static_cast<std::int32_t>(i == 0 ? first : p);
    }
    if (last == of.entries) piece[before[block + 1]] = static_cast<std::int32_t>(last);
  }
};

/// Sums up entries with many products: a subwarp loads the products of a piece, at most one entry
/// for each lane, in coalesced order, and each lane sums up its own entry.
template <Scalar S, int Width>
struct SumsOfList {
  using Scratch = backends::DynamicScratch;
  using Shape = backends::Shape<Width, 4 * Width>;
  static constexpr int tile = 4 * Width;  // products that a subwarp loads at a time
  static constexpr std::size_t scratch_bytes =
      backends::scratch_bytes<S, S>(4 * static_cast<std::size_t>(tile), 4 * std::size_t{tile});

  SumOfList<S> of;
  std::int64_t entries;
  const std::int32_t* piece;  ///< first entry of each piece; null: pieces of Width entries
  std::int64_t pieces;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team, Scratch& scratch) const {
    const auto subwarp = team.subwarp();
    const int me = team.subwarp_index();
    S* const a = scratch.template take<S>(Team::subwarps * tile) + me * tile;
    S* const b = scratch.template take<S>(Team::subwarps * tile) + me * tile;
    const std::int64_t mine = team.index() * Team::subwarps + me;
    if (mine >= pieces) return;
    const std::int64_t first = piece ? piece[mine] : mine * Width;
    const std::int64_t last = piece                     ? piece[mine + 1]
                              : first + Width < entries ? first + Width
                                                        : entries;
    if (first == last) return;
    const std::int64_t p = first + subwarp.lane() < last ? first + subwarp.lane() : last;
    const std::int32_t begin = of.begin(p), end = p < last ? of.ends[p] : begin;
    const std::int32_t stop = of.ends[last - 1];
    S sum(0);
    for (std::int32_t from = of.begin(first); from < stop; from += tile) {
      const std::int32_t to = stop - from < tile ? stop : from + tile;
      for (std::int32_t j = from + subwarp.lane(); j < to; j += Width) {
        const FactorIndices factors = of.list[j];
        a[j - from] = of.a[factors.a];
        b[j - from] = of.b[factors.b];
      }
      subwarp.sync();
      const std::int32_t until = end < to ? end : to;
      for (std::int32_t j = begin > from ? begin : from; j < until; ++j) {
        sum += a[j - from] * b[j - from];
      }
      subwarp.sync();
    }
    if (p < last) of.values[p] = of.scaled(sum);
  }
};

/// Lists the products of every entry of C, in the order of A's row, so that new values need no
/// search: 8 bytes for each product and 4 for each entry. Empty if an entry has more than
/// most_of_an_entry products, too many for one thread.
template <ExecutionSpace Exec>
class ProductList {
 public:
  static constexpr std::int32_t most_of_an_entry = 65536;

  ProductList() = default;

  static std::size_t bytes_for(std::int64_t products, std::int64_t entries) {
    const std::int64_t pieces =
        entries / backends::max_subwarp_width<Exec> + products / products_of_piece + 2;
    return arena_bytes<FactorIndices, std::int32_t, std::int32_t>(products, entries + 1, pieces);
  }
  /// Whether 32 bits can count these numbers, with a tile after the products.
  static bool fits(std::int64_t products, std::int64_t entries_of_A, std::int64_t entries_of_B) {
    constexpr std::int64_t tile = SumsOfList<double, backends::max_subwarp_width<Exec>>::tile;
    return std::in_range<std::int32_t>(std::max({products + tile, entries_of_A, entries_of_B}));
  }

  /// walk(label, label of long rows, work) visits all products. Waits for `exec`.
  template <Ordinal O, Offset OffA, Offset OffB, Offset OffC, class Walk>
  ProductList(const Exec& exec, const PatternOperand<O, OffA>& A, const PatternOperand<O, OffB>& B,
              const PatternOperand<O, OffC>& C, std::int64_t products, std::int64_t entries,
              const Walk& walk) {
    ends_memory_ = Arena<Space>(exec, "heddle::multiply::ends", arena_array(ends_, entries + 1));
    const CountedProducts<O, OffA, OffB, OffC> counted{A, B, C, ends_};
    walk("heddle::multiply::count_of_entry", "heddle::multiply::long_count_of_entry", counted);
    std::int32_t most = 0;
    Kokkos::parallel_reduce("heddle::multiply::most_of_entry", range_policy(exec, entries),
                            MostOfCounts{ends_}, Kokkos::Max<std::int32_t>(most));
    if (most > most_of_an_entry) {
      *this = ProductList();
      return;
    }
    running_sum(exec, "heddle::multiply::places", ends_, entries, Terms<std::int32_t>{ends_});
    apart_ = (products <= few * entries && most <= 32 * few) ||
             (entries >= enough_threads(exec) && most <= products / times_longest);
    memory_ = Arena<Space>(exec, "heddle::multiply::list", arena_array(list_, products));
    walk("heddle::multiply::list", "heddle::multiply::long_list",
         ListedProducts<O, OffA, OffB, OffC>{counted, list_});
    if constexpr (backends::has_lanes<Exec>) {
      if (!apart_) cut(exec, products, entries);
    }
  }

  explicit operator bool() const { return list_ != nullptr; }
  std::size_t bytes() const {
    return memory_.bytes() + ends_memory_.bytes() + piece_memory_.bytes();
  }

  template <Scalar S>
  void sum(const Exec& exec, const S* a, const S* b, S* values, std::int64_t entries,
           S alpha) const {
    const SumOfList<S> of{list_, ends_, a, b, values, alpha};
    if (apart_ || !backends::has_lanes<Exec>) {
      detail::parallel_for(exec, "heddle::multiply::sum_of_list", entries, of);
    } else {
      using Sums = SumsOfList<S, backends::max_subwarp_width<Exec>>;
      using Team = backends::Team<Exec, typename Sums::Shape>;
      backends::launch<typename Sums::Shape>(
          exec, "heddle::multiply::sums_of_list", ceil_div(pieces_, Team::subwarps),
          Sums{of, entries, piece_, pieces_}, Sums::scratch_bytes);
    }
  }

 private:
  using Space = typename Exec::memory_space;
  /// Mean number of products of an entry up to which a thread alone reads them as fast.
  static constexpr std::int64_t few = 3;
  /// Entries that occupy a device with a thread for each, whatever their products: eight times what
  /// it keeps resident, 2.2 million on an H100. times_longest: all products over those of the
  /// longest entry, so that its thread does not end last.
  static std::int64_t enough_threads(const Exec& exec) {
    return 8 * std::int64_t{exec.concurrency()};
  }
  static constexpr std::int64_t times_longest = std::int64_t{1} << 15;
  /// The fewest products of a piece: this many, and times_mean times the mean of a block, so that
  /// only blocks far longer than others are split.
  static constexpr std::int64_t products_of_piece = 1024;
  static constexpr std::int64_t times_mean = 2;
  /// Pieces are used only if they outnumber the blocks by more than blocks / share_of_blocks.
  static constexpr std::int64_t share_of_blocks = 64;

  /// Splits long blocks of entries into pieces of a subwarp each, if there are many. Waits for
  /// `exec`.
  void cut(const Exec& exec, std::int64_t products, std::int64_t entries) {
    constexpr std::int64_t width = backends::max_subwarp_width<Exec>;
    const std::int64_t blocks = ceil_div(entries, width);
    const PiecesOfBlock of{ends_, entries, width,
                           std::max(products_of_piece, times_mean * ceil_div(products, blocks))};
    std::int32_t* before = nullptr;
    const Arena<Space> work(exec, "heddle::multiply::blocks", arena_array(before, blocks + 1));
    pieces_ = running_sum_and_total(exec, "heddle::multiply::pieces_of_blocks", before, blocks, of);
    if (pieces_ - blocks <= blocks / share_of_blocks) {
      pieces_ = blocks;
      return;
    }
    piece_memory_ =
        Arena<Space>(exec, "heddle::multiply::list_pieces", arena_array(piece_, pieces_ + 1));
    parallel_for(exec, "heddle::multiply::list_pieces", blocks, PutPieces{of, before, piece_});
    exec.fence("heddle::multiply::list_pieces");
  }

  bool apart_ = true;
  Arena<Space> memory_, ends_memory_, piece_memory_;
  FactorIndices* list_ = nullptr;
  std::int32_t* ends_ = nullptr;
  std::int32_t* piece_ = nullptr;
  std::int64_t pieces_ = 0;
};

}  // namespace heddle::detail::matrix_product
