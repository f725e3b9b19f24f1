// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

#include "../../../backends/atomics.hpp"
#include "../../../core/arena.hpp"
#include "../../../core/types.hpp"
#include "../../triangle/ordered_triangle.hpp"
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

}  // namespace heddle::detail::sptrsv
