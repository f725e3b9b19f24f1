// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

#include "../../../backends/atomics.hpp"
#include "../../../backends/launch.hpp"
#include "../../../backends/loops.hpp"
#include "../../../core/arena.hpp"
#include "../../../core/types.hpp"
#include "../../triangle/ordered_triangle.hpp"
#include "merge.hpp"
#include "merging.hpp"

namespace heddle::detail::sptrsv {

/// A group of rows, as kernels see it.
struct Group {
  std::int64_t first;        ///< its first place
  std::int64_t first_block;  ///< begin of its dense block, if it is coupled
  std::uint32_t awaited;     ///< a bit for each row: 1 if rows of other groups need it
  std::int32_t rows;
  bool coupled;            ///< whether its rows need each other
  bool one_piece_per_row;  ///< each row has exactly one piece: piece i is of row i
};

/// The offset of column j of a dense lower block of `rows` rows, less j: entry (i, j), i >= j, is
/// at this offset + i. Columns are contiguous, without their zeros.
KOKKOS_FORCEINLINE_FUNCTION constexpr int block_column(int j, int rows) {
  return j * rows - j * (j + 1) / 2;
}
/// Number of entries of a dense lower block.
KOKKOS_FORCEINLINE_FUNCTION constexpr int block_size(int rows) { return rows * (rows + 1) / 2; }
inline constexpr int most_block = block_size(most_rows);

/// A triangle in groups. The entries of a row in other groups are cut into *pieces* of `piece`
/// entries, the last filled up with entries of the place `nowhere`. The entries within its group
/// are in the group's dense block; a group whose rows need none of each other has no block.
///
/// The pieces of place p are first_piece[p] to first_piece[p + 1]. A group's pieces are in chunks
/// of 32, for coalesced reads: entry e of piece i of a chunk that has c pieces and begins with
/// piece f is entry f * piece + e * c + i.
template <Scalar S, Ordinal O, Scalar Acc>
struct BlockedView {
  static constexpr O nowhere = O(-1);

  const Group* groups;
  const std::int64_t* first_piece;  ///< the first piece of each place, and the end
  const O* needed;                  ///< the place of each entry of a piece
  const S* values;                  ///< zero for an entry that fills up a piece
  /// The dense block of each group, by columns (block_column), and its inverse if `inverted` is not
  /// null.
  const Acc* blocks;
  const std::uint32_t* inside;  ///< for each place a bit for each row of its group: 1: needs it
  /// For each group: 1 if its inverse may be used. Null if there are no inverses.
  const std::uint8_t* inverted;
};

struct WriteGroups {
  const std::int64_t* begin;
  Group* groups;

  KOKKOS_FUNCTION void operator()(std::int64_t g) const {
    groups[g] = {begin[g], 0, 0, static_cast<std::int32_t>(begin[g + 1] - begin[g]), false, false};
  }
};

/// Groups on the device.
template <ExecutionSpace Exec>
class GroupTable {
 public:
  using Space = typename Exec::memory_space;

  GroupTable() = default;

  /// Group g has the places from begin[g] to begin[g + 1], on the device. One allocation and one
  /// launch; no wait. Members that depend on entries are not set yet.
  GroupTable(const Exec& exec, const std::int64_t* begin, std::int64_t count)
      : count_(count),
        memory_(exec, "heddle::sptrsv::groups",
                arena_bytes<Group>(static_cast<std::size_t>(count_))),
        groups_(memory_.template take<Group>(static_cast<std::size_t>(count_))) {
    Kokkos::parallel_for("heddle::sptrsv::write_groups", range_policy(exec, count),
                         WriteGroups{begin, groups_.data()});
  }

  std::int64_t count() const { return count_; }
  Group* groups() const { return groups_.data(); }
  std::size_t bytes() const { return memory_.bytes(); }

 private:
  std::int64_t count_ = 0;
  Arena<Space> memory_;
  typename Arena<Space>::template Array<Group> groups_;
};

template <Ordinal O>
struct WriteGroupOfPlaces {
  const Group* groups;
  O* group_of;

  KOKKOS_FUNCTION void operator()(std::int64_t g) const {
    for (std::int64_t p = groups[g].first; p < groups[g].first + groups[g].rows; ++p) {
      group_of[p] = static_cast<O>(g);
    }
  }
};

/// The group of each place, for kernels with one thread for each place. One allocation and one
/// launch; no wait.
template <ExecutionSpace Exec, Ordinal O>
class GroupOfPlaces {
 public:
  GroupOfPlaces(const Exec& exec, const GroupTable<Exec>& groups, std::int64_t places)
      : memory_(exec, "heddle::sptrsv::group_of", arena_bytes<O>(static_cast<std::size_t>(places))),
        group_of_(memory_.template take<O>(static_cast<std::size_t>(places)).data()) {
    Kokkos::parallel_for("heddle::sptrsv::group_of", range_policy(exec, groups.count()),
                         WriteGroupOfPlaces<O>{groups.groups(), group_of_});
  }

  const O* data() const { return group_of_; }

 private:
  Arena<typename Exec::memory_space> memory_;
  O* group_of_;
};

/// The row of the matrix at each place, which outlives the pattern.
template <ExecutionSpace Exec, Ordinal O>
class RowOfPlace {
 public:
  using Space = typename Exec::memory_space;
  using Rows = typename Arena<Space>::template Array<O>;

  RowOfPlace() = default;
  RowOfPlace(const Exec& exec, std::int64_t places)
      : memory_(exec, "heddle::sptrsv::row", arena_bytes<O>(static_cast<std::size_t>(places))),
        rows_(memory_.template take<O>(static_cast<std::size_t>(places))) {}

  void copy(const Exec& exec, const Rows& from) {
    Kokkos::deep_copy(kokkos_space(exec), rows_, from);
  }
  Rows rows() const { return rows_; }
  std::size_t bytes() const { return memory_.bytes(); }

 private:
  Arena<Space> memory_;
  Rows rows_;
};

/// Pieces of a chunk, one for each lane.
inline constexpr int chunk_pieces = 32;
/// Largest number of pieces of a group of several rows, whose sums `subwarps` subwarps keep in
/// scratch.
constexpr int most_pieces_of(int subwarps) {
  return (subwarps == 1 ? 3 : 2) * subwarps * chunk_pieces;
}

/// The source of an entry that only fills up a piece.
template <Offset Off>
inline constexpr Off no_entry = Off(-1);

template <Ordinal O, Offset Off>
struct CountOutside {
  const Off* row_ptr;
  const O* needed;
  const O* group_of;
  const Group* groups;
  std::int64_t* counts;  ///< for each place: entries in other groups

  KOKKOS_FUNCTION void operator()(std::int64_t p) const {
    const auto first = static_cast<O>(groups[group_of[p]].first);
    std::int64_t outside = 0;
    for (Off k = row_ptr[p]; k < row_ptr[p + 1]; ++k) outside += needed[k] < first ? 1 : 0;
    counts[p] = outside;
  }
};

struct CountPieces {
  Group* groups;
  int piece;
  std::int64_t* counts;  ///< for each place: entries on entry, pieces on return

  KOKKOS_FUNCTION void operator()(std::int64_t g) const {
    Group& group = groups[g];
    const std::int64_t stop = group.first + group.rows;
    std::int64_t longest = 0;
    for (std::int64_t p = group.first; p < stop; ++p) {
      longest = longest < counts[p] ? counts[p] : longest;
    }
    group.one_piece_per_row = longest <= piece;
    for (std::int64_t p = group.first; p < stop; ++p) {
      counts[p] = group.one_piece_per_row ? 1 : (counts[p] + piece - 1) / piece;
    }
  }
};

template <Scalar S, Ordinal O, Offset Off>
struct ClearSlots {
  O* needed;
  Off* source;

  KOKKOS_FUNCTION void operator()(std::int64_t k) const {
    needed[k] = BlockedView<S, O, S>::nowhere;
    source[k] = no_entry<Off>;
  }
};

template <Ordinal O, Offset Off>
struct FillSlots {
  const Off* row_ptr;
  const O* from_needed;
  const Off* from_source;
  const O* group_of;
  Group* groups;
  int piece;
  const std::int64_t* first_piece;
  O* needed;
  Off* source;

  KOKKOS_FUNCTION void operator()(std::int64_t p) const {
    const Group& group = groups[group_of[p]];
    const auto first = static_cast<O>(group.first);
    const std::int64_t begin = first_piece[first];
    const std::int64_t pieces = first_piece[first + group.rows] - begin;
    std::int64_t entry = 0;
    for (Off k = row_ptr[p]; k < row_ptr[p + 1]; ++k) {
      const O place = from_needed[k];
      if (place >= first) continue;
      const std::int64_t of_group = first_piece[p] - begin + entry / piece;
      const std::int64_t chunk = of_group / chunk_pieces * chunk_pieces;
      const std::int64_t left = pieces - chunk;
      const std::int64_t width = left < chunk_pieces ? left : chunk_pieces;
      const std::int64_t slot =
          (begin + chunk) * piece + entry % piece * width + of_group % chunk_pieces;
      needed[slot] = place;
      source[slot] = from_source[k];
      ++entry;
      await(place);
    }
  }

 private:
  /// Marks the place as one that another group waits for.
  KOKKOS_FUNCTION void await(O place) const {
    Group& group = groups[group_of[place]];
    const auto bit = std::uint32_t{1} << (static_cast<std::int64_t>(place) - group.first);
    if ((backends::atomic_load(&group.awaited) & bit) == 0) {
      backends::atomic_or(&group.awaited, bit);
    }
  }
};

template <Scalar S, Offset Off>
struct FillPieces {
  const S* from;
  const Off* source;
  S* values;

  KOKKOS_FUNCTION void operator()(std::int64_t k) const {
    values[k] = source[k] == no_entry<Off> ? S(0) : from[source[k]];
  }
};

/// The entries of rows in other groups, cut into pieces (BlockedView), and the user's entry of
/// each.
template <ExecutionSpace Exec, Scalar S, Ordinal O, Offset Off>
class Pieces {
 public:
  using Space = typename Exec::memory_space;
  using Pattern = triangle::OrderedPattern<Exec, O, Off>;
  template <class T>
  using Array = typename Arena<Space>::template Array<T>;

  Pieces() = default;

  /// Two allocations and a readback between them; waits. Sets the members of groups about pieces,
  /// and which rows other groups wait for. No values yet.
  Pieces(const Exec& exec, const Pattern& pattern, const GroupTable<Exec>& groups,
         const GroupOfPlaces<Exec, O>& group_of, int piece)
      : piece_(piece),
        count_memory_(exec, "heddle::sptrsv::first_piece",
                      arena_bytes<std::int64_t>(static_cast<std::size_t>(pattern.rows()) + 1)),
        first_piece_(count_memory_.template take<std::int64_t>(
            static_cast<std::size_t>(pattern.rows()) + 1)) {
    count(exec, pattern, groups, group_of);
    std::int64_t pieces = 0;
    Kokkos::deep_copy(kokkos_space(exec), pieces, Kokkos::subview(first_piece_, pattern.rows()));
    exec.fence("heddle::sptrsv::pieces");
    const auto slots = static_cast<std::size_t>(pieces * piece);
    memory_ = Arena<Space>(exec, "heddle::sptrsv::slots", arena_array(needed_, slots),
                           arena_array(source_, slots), arena_array(values_, slots));
    fill(exec, pattern, groups, group_of);
  }

  /// A body that copies the values of a matrix of the same pattern; to be run for each i < slots().
  template <class Matrix>
  FillPieces<S, Off> loop(const Matrix& T) const {
    return {T.values().data(), source_.data(), values_.data()};
  }
  std::int64_t slots() const { return static_cast<std::int64_t>(source_.extent(0)); }

  const std::int64_t* first_piece() const { return first_piece_.data(); }
  const O* needed() const { return needed_.data(); }
  const S* values() const { return values_.data(); }
  std::size_t bytes() const { return count_memory_.bytes() + memory_.bytes(); }

 private:
  void count(const Exec& exec, const Pattern& pattern, const GroupTable<Exec>& groups,
             const GroupOfPlaces<Exec, O>& group_of) const {
    Kokkos::parallel_for(
        "heddle::sptrsv::count_outside", range_policy(exec, pattern.rows()),
        CountOutside<O, Off>{pattern.row_ptr().data(), pattern.needed().data(), group_of.data(),
                             groups.groups(), first_piece_.data()});
    Kokkos::parallel_for("heddle::sptrsv::count_pieces", range_policy(exec, groups.count()),
                         CountPieces{groups.groups(), piece_, first_piece_.data()});
    running_sum(exec, "heddle::sptrsv::first_piece", first_piece_.data(), pattern.rows(),
                Terms<std::int64_t>{first_piece_.data()});
  }

  void fill(const Exec& exec, const Pattern& pattern, const GroupTable<Exec>& groups,
            const GroupOfPlaces<Exec, O>& group_of) {
    Kokkos::parallel_for("heddle::sptrsv::no_slots",
                         range_policy(exec, static_cast<std::int64_t>(needed_.extent(0))),
                         ClearSlots<S, O, Off>{needed_.data(), source_.data()});
    Kokkos::parallel_for(
        "heddle::sptrsv::slots", range_policy(exec, pattern.rows()),
        FillSlots<O, Off>{pattern.row_ptr().data(), pattern.needed().data(),
                          pattern.source().data(), group_of.data(), groups.groups(), piece_,
                          first_piece_.data(), needed_.data(), source_.data()});
  }

  int piece_ = 1;
  Arena<Space> count_memory_;
  Array<std::int64_t> first_piece_;
  Arena<Space> memory_;
  Array<O> needed_;
  Array<Off> source_;
  Array<S> values_;
};

/// A block is not inverted if its Skeel condition number, the largest row sum of |inverse| |block|,
/// is above this: BlocksKernel would often reject its products.
inline constexpr double most_skeel = 8;

/// Fills the dense block of every group that has one, with one subwarp of 32 lanes for each group:
/// with the block itself, one lane for each row; then, if asked for and if it neither overflows nor
/// is ill-conditioned, with its inverse, one lane for each column. Source: N. Higham, "Accuracy and
/// stability of numerical algorithms", chapters 8 and 14.
template <Scalar S, Offset Off, Scalar Acc, Scalar D>
struct FillBlocksKernel {
  using Scratch = backends::DynamicScratch;
  using Real = heddle::RealOf<Acc>;

  const Group* groups;
  const Off* inner_ptr;        ///< begin of each place's entries within its group
  const std::uint8_t* column;  ///< the row of the group that each such entry needs
  const Off* source;
  const S* values;    ///< values of the user's matrix
  const D* diagonal;  ///< the diagonal of each place; null: ones
  Acc* blocks;
  std::uint8_t* inverted;  ///< for each group: 1 if its inverse may be used; null: no inverses

  /// Row stride in scratch: odd, so that lanes that read down a column have no bank conflicts.
  static constexpr int stride = most_rows + 1;
  /// Entries kept in scratch: more would reduce occupancy. Others are read from global memory.
  static constexpr int staged_entries = 160;

  static constexpr std::size_t scratch_bytes() {
    return backends::scratch_bytes<Acc, Acc, Acc, Acc, Real, int, std::uint8_t>(
        most_rows * stride, staged_entries, most_rows, most_rows, most_rows, most_rows + 1,
        staged_entries);
  }

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Team& team, Scratch& scratch) const {
    const Group group = groups[team.index()];
    if (!group.coupled) return;
    const auto subwarp = team.subwarp();
    const int lane = subwarp.lane();
    const Staged inner = stage(subwarp, group, scratch);
    subwarp.sync();
    copy_row(group, inner, lane);
    write_row(group, inner, lane, group.first_block);
    if (!inverted) return;
    subwarp.sync();
    solve_column(group, inner, lane);
    subwarp.sync();
    const bool good = subwarp.all(lane >= group.rows || well_conditioned(inner, lane));
    if (lane == 0) inverted[team.index()] = good ? 1 : 0;
    if (good) write_row(group, inner, lane, group.first_block + block_size(group.rows));
  }

 private:
  /// The entries within a group, in scratch, so that the loop over rows, each of which waits for
  /// the previous one, does not wait for memory too.
  struct Staged {
    Acc* block;
    Acc* values;
    Acc* diagonal;
    Acc* reciprocal;  ///< zero if the row must be divided
    Real* row_sum;    ///< sum of the magnitudes of each row of the block
    int* begin;       ///< first entry of each row, and the end
    std::uint8_t* column;
    Off first;  ///< the group's first entry
  };

  template <class Subwarp>
  KOKKOS_FORCEINLINE_FUNCTION Staged stage(const Subwarp& subwarp, const Group& group,
                                           Scratch& scratch) const {
    Staged inner;
    inner.block = scratch.take<Acc>(most_rows * stride);
    inner.values = scratch.take<Acc>(staged_entries);
    inner.diagonal = scratch.take<Acc>(most_rows);
    inner.reciprocal = scratch.take<Acc>(most_rows);
    inner.row_sum = scratch.take<Real>(most_rows);
    inner.begin = scratch.take<int>(most_rows + 1);
    inner.column = scratch.take<std::uint8_t>(staged_entries);
    inner.first = inner_ptr[group.first];
    const int lane = subwarp.lane();
    const auto entries =
        static_cast<std::int64_t>(inner_ptr[group.first + group.rows] - inner.first);
    for (std::int64_t e = lane; e < entries && e < staged_entries; e += most_rows) {
      inner.values[e] = Acc(values[source[inner.first + e]]);
      inner.column[e] = column[inner.first + e];
    }
    if (lane < group.rows) {
      inner.diagonal[lane] = diagonal ? Acc(diagonal[group.first + lane]) : Acc(1);
      inner.reciprocal[lane] = triangle::reciprocal_or_zero(inner.diagonal[lane]);
      inner.begin[lane] = static_cast<int>(inner_ptr[group.first + lane] - inner.first);
    }
    if (lane == 0) inner.begin[group.rows] = static_cast<int>(entries);
    return inner;
  }

  KOKKOS_FORCEINLINE_FUNCTION Acc value_of(const Staged& inner, int e) const {
    return e < staged_entries ? inner.values[e] : Acc(values[source[inner.first + e]]);
  }
  KOKKOS_FORCEINLINE_FUNCTION int column_of(const Staged& inner, int e) const {
    return e < staged_entries ? inner.column[e] : column[inner.first + e];
  }

  /// Computes column `j` of the inverse, and lane 0 the row sums.
  KOKKOS_FORCEINLINE_FUNCTION void solve_column(const Group& group, const Staged& inner,
                                                int j) const {
    for (int r = 0; r < group.rows; ++r) {
      Acc sum(r == j ? 1 : 0);
      Real magnitudes = Kokkos::abs(inner.diagonal[r]);
      for (int e = inner.begin[r]; e < inner.begin[r + 1]; ++e) {
        const Acc entry = value_of(inner, e);
        const int s = column_of(inner, e);
        magnitudes += Kokkos::abs(entry);
        if (s >= j) sum -= entry * inner.block[s * stride + j];
      }
      const Acc factor = inner.reciprocal[r];
      if (factor == Acc(0)) {
        sum /= inner.diagonal[r];
      } else {
        sum *= factor;
      }
      inner.block[r * stride + j] = r < j ? Acc(0) : sum;
      if (j == 0) inner.row_sum[r] = magnitudes;
    }
  }

  /// Whether row `r` of the inverse may be used: it has no NaN, and is well-conditioned.
  KOKKOS_FORCEINLINE_FUNCTION static bool well_conditioned(const Staged& inner, int r) {
    Real condition(0);
    for (int j = 0; j <= r; ++j) {
      condition += Kokkos::abs(inner.block[r * stride + j]) * inner.row_sum[j];
    }
    return condition <= Real(most_skeel);
  }

  /// Copies row `r` of the block, not inverted, to scratch.
  KOKKOS_FORCEINLINE_FUNCTION void copy_row(const Group& group, const Staged& inner, int r) const {
    if (r >= group.rows) return;
    Acc* const row = inner.block + r * stride;
    for (int j = 0; j < r; ++j) row[j] = Acc(0);
    row[r] = inner.diagonal[r];
    for (int e = inner.begin[r]; e < inner.begin[r + 1]; ++e) {
      row[column_of(inner, e)] += value_of(inner, e);
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION void write_row(const Group& group, const Staged& inner, int r,
                                             std::int64_t first) const {
    if (r >= group.rows) return;
    for (int j = 0; j <= r; ++j) {
      blocks[first + block_column(j, group.rows) + r] = inner.block[r * stride + j];
    }
  }
};

template <Ordinal O, Offset Off>
struct CountInner {
  const Off* row_ptr;
  const O* needed;
  const O* group_of;
  const Group* groups;
  Off* inner;             ///< number of each place's entries within its group
  std::uint32_t* inside;  ///< for each place a bit for each row of its group: 1: needs it

  KOKKOS_FUNCTION void operator()(std::int64_t p) const {
    const auto first = static_cast<O>(groups[group_of[p]].first);
    Off count = 0;
    std::uint32_t needs = 0;
    for (Off k = row_ptr[p]; k < row_ptr[p + 1]; ++k) {
      if (needed[k] < first) continue;
      ++count;
      needs |= std::uint32_t{1} << static_cast<int>(needed[k] - first);
    }
    inside[p] = needs;
    inner[p] = count;
  }
};

struct CoupleGroups {
  Group* groups;
  const std::uint32_t* inside;

  KOKKOS_FUNCTION void operator()(std::int64_t g) const {
    Group& group = groups[g];
    for (std::int64_t p = group.first; p < group.first + group.rows; ++p) {
      group.coupled = group.coupled || inside[p] != 0;
    }
  }
};

struct BeginBlocks {
  Group* groups;
  std::int64_t count;
  int blocks;  ///< blocks of each coupled group: 1, or 2 with the inverse
  std::int64_t* block_entries;

  KOKKOS_FUNCTION void operator()(std::int64_t g, std::int64_t& sum, bool last) const {
    if (last) (g < count ? groups[g].first_block : *block_entries) = sum;
    sum += g < count && groups[g].coupled ? blocks * block_size(groups[g].rows) : 0;
  }
};

template <Ordinal O, Offset Off>
struct FillInner {
  const Off* row_ptr;
  const O* needed;
  const Off* from_source;
  const O* group_of;
  const Group* groups;
  const Off* inner_ptr;
  std::uint8_t* column;
  Off* source;

  KOKKOS_FUNCTION void operator()(std::int64_t p) const {
    const auto first = static_cast<O>(groups[group_of[p]].first);
    Off to = inner_ptr[p];
    for (Off k = row_ptr[p]; k < row_ptr[p + 1]; ++k) {
      if (needed[k] < first) continue;
      column[to] = static_cast<std::uint8_t>(needed[k] - first);
      source[to] = from_source[k];
      ++to;
    }
  }
};

/// The dense blocks of all coupled groups: the entries within the group, and the diagonal.
template <ExecutionSpace Exec, Ordinal O, Offset Off, Scalar Acc>
class DenseBlocks {
 public:
  using Space = typename Exec::memory_space;
  using Pattern = triangle::OrderedPattern<Exec, O, Off>;
  template <class T>
  using Array = typename Arena<Space>::template Array<T>;

  DenseBlocks() = default;

  /// Two allocations and a readback between them; waits. Sets which groups are coupled, and where
  /// their blocks begin. No values yet. `invert`: each block is followed by its inverse.
  DenseBlocks(const Exec& exec, const Pattern& pattern, const GroupTable<Exec>& groups,
              const GroupOfPlaces<Exec, O>& group_of, bool invert)
      : invert_(invert) {
    const auto places = static_cast<std::size_t>(pattern.rows());
    const auto count = static_cast<std::size_t>(groups.count());
    memory_ = Arena<Space>(
        exec, "heddle::sptrsv::inside",
        arena_bytes<Off, std::uint32_t, std::uint8_t, std::int64_t>(places + 1, places, count, 1));
    inner_ptr_ = memory_.template take<Off>(places + 1);
    inside_ = memory_.template take<std::uint32_t>(places);
    inverted_ = memory_.template take<std::uint8_t>(count);
    const auto block_entries = memory_.template take<std::int64_t>(1);
    this->count(exec, pattern, groups, group_of, block_entries);
    Off inner = 0;
    std::int64_t entries = 0;
    Kokkos::deep_copy(kokkos_space(exec), inner, Kokkos::subview(inner_ptr_, places));
    Kokkos::deep_copy(kokkos_space(exec), entries, Kokkos::subview(block_entries, 0));
    exec.fence("heddle::sptrsv::inner_entries");
    entry_memory_ = Arena<Space>(exec, "heddle::sptrsv::blocks", arena_array(column_, inner),
                                 arena_array(source_, inner), arena_array(values_, entries));
    fill(exec, pattern, groups, group_of);
  }

  /// Fills the blocks: one launch, one subwarp for each group. diagonal[p] is that of place p;
  /// null: ones.
  template <class Matrix, Scalar D>
  void update_values(const Exec& exec, const Matrix& T, const GroupTable<Exec>& groups,
                     const D* diagonal) {
    using Kernel = FillBlocksKernel<typename Matrix::scalar_type, Off, Acc, D>;
    backends::launch<backends::Shape<most_rows, most_rows>>(
        exec, "heddle::sptrsv::fill_blocks", groups.count(),
        Kernel{groups.groups(), inner_ptr_.data(), column_.data(), source_.data(),
               T.values().data(), diagonal, values_.data(), invert_ ? inverted_.data() : nullptr},
        Kernel::scratch_bytes());
  }

  const Acc* values() const { return values_.data(); }
  const std::uint32_t* inside() const { return inside_.data(); }
  const std::uint8_t* inverted() const { return invert_ ? inverted_.data() : nullptr; }
  std::size_t bytes() const { return memory_.bytes() + entry_memory_.bytes(); }

 private:
  void count(const Exec& exec, const Pattern& pattern, const GroupTable<Exec>& groups,
             const GroupOfPlaces<Exec, O>& group_of, const Array<std::int64_t>& block_entries) {
    const std::int64_t count = groups.count();
    Kokkos::parallel_for(
        "heddle::sptrsv::count_inner", range_policy(exec, pattern.rows()),
        CountInner<O, Off>{pattern.row_ptr().data(), pattern.needed().data(), group_of.data(),
                           groups.groups(), inner_ptr_.data(), inside_.data()});
    Kokkos::parallel_for("heddle::sptrsv::coupled", range_policy(exec, count),
                         CoupleGroups{groups.groups(), inside_.data()});
    Kokkos::parallel_scan(
        "heddle::sptrsv::first_block", scan_policy(exec, count + 1),
        BeginBlocks{groups.groups(), count, invert_ ? 2 : 1, block_entries.data()});
    running_sum<Off>(exec, "heddle::sptrsv::inner_ptr", inner_ptr_.data(), pattern.rows(),
                     Terms<Off>{inner_ptr_.data()});
  }

  void fill(const Exec& exec, const Pattern& pattern, const GroupTable<Exec>& groups,
            const GroupOfPlaces<Exec, O>& group_of) {
    Kokkos::parallel_for(
        "heddle::sptrsv::inner", range_policy(exec, pattern.rows()),
        FillInner<O, Off>{pattern.row_ptr().data(), pattern.needed().data(),
                          pattern.source().data(), group_of.data(), groups.groups(),
                          inner_ptr_.data(), column_.data(), source_.data()});
  }

  bool invert_ = false;
  Arena<Space> memory_, entry_memory_;
  Array<Off> inner_ptr_, source_;
  Array<std::uint8_t> column_, inverted_;
  Array<std::uint32_t> inside_;
  Array<Acc> values_;
};

/// A copy of a triangle in groups: dense blocks on the diagonal, pieces outside of them. The
/// diagonal is kept in D (DiagonalOf).
template <ExecutionSpace Exec, Scalar S, Ordinal O, Offset Off, Scalar Acc, Scalar D>
class BlockedTriangle {
 public:
  using Space = typename Exec::memory_space;
  using Matrix = CsrMatrix<S, O, Off, Space>;

  BlockedTriangle() = default;

  /// Seven allocations, three of which are freed again; waits. `order` has the places of the
  /// groups. A row needs only rows of lower groups, and earlier rows of its own.
  BlockedTriangle(const Exec& exec, const Matrix& T, const triangle::DependencyGraph<O, Off>& graph,
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

  /// Copies the values of a matrix of the same pattern, in the order of `exec`: two launches, no
  /// allocation, no wait. *bad_diagonal: see DiagonalStorage.
  void update_values(const Exec& exec, const Matrix& T, std::int64_t* bad_diagonal) {
    two_loops(exec, "heddle::sptrsv::values", pieces_.slots(), pieces_.loop(T), diagonal_.places(),
              diagonal_.loop(T, bad_diagonal));
    blocks_.update_values(exec, T, groups_, diagonal_.diagonal());
  }

  /// The view of rows and diagonal that Operands need; it has no entries.
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
