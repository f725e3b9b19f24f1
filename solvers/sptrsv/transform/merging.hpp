// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <limits>

#include "../../../core/arena.hpp"
#include "../../../core/types.hpp"

namespace heddle::detail::sptrsv {

/// Rows of a group, at most: as many as a warp has lanes.
inline constexpr int most_rows = 32;

/// Groups that one row may unite, at most.
inline constexpr int most_groups = 8;

/// How rows are merged into groups.
struct Merging {
  enum class Kind {
    none,        ///< rows of one level
    fixed,       ///< a fixed number of consecutive places
    average,     ///< places in a row while their mean row is at most the threshold
    short_rows,  ///< places in a row whose rows have at most the threshold of entries each; others
                 ///< alone
    parents      ///< a row joins the group that its latest parents are in
  };

  Kind kind = Kind::parents;
  int number = 4;  ///< rows, entries, or of parents: first rows of groups that one row may unite
  std::int64_t most_entries = std::numeric_limits<std::int64_t>::max();  ///< of more than one row
};

/// A group of rows while groups grow; it stands at the place of its first row.
template <Ordinal O>
struct GrowingGroup {
  static constexpr O none = -1;
  static constexpr O nobody = std::numeric_limits<O>::max();

  std::int64_t entries;
  std::int64_t entries_asking;  ///< of the rows that ask in this round to join it
  O united_with;                ///< the group that it has become part of, or itself
  O first_asking;               ///< the lowest place that asks in this round
  int level;
  int rows;
  int rows_asking;
  int first_rows;  ///< rows that started a group which is part of this one

  KOKKOS_FORCEINLINE_FUNCTION static GrowingGroup of_one_row(std::int64_t place,
                                                             std::int64_t entries, int level) {
    return {entries, 0, static_cast<O>(place), nobody, level, 1, 0, 1};
  }
  /// Whether all that ask to join it do.
  KOKKOS_FORCEINLINE_FUNCTION bool takes_all(const Merging& merging) const {
    return rows_asking > 0 && rows + rows_asking <= most_rows &&
           entries + entries_asking <= merging.most_entries;
  }
};

/// The groups of the places of a triangle, before they are put in order. A group is named by its
/// first place, its head.
template <ExecutionSpace Exec, Ordinal O>
struct GrowingGroups {
  using Space = typename Exec::memory_space;

  Arena<Space> memory;
  O* head;                  ///< of each place
  GrowingGroup<O>* groups;  ///< of each head
  int* level;               ///< of each head, among all groups
  int levels = 0;

  GrowingGroups(const Exec& exec, std::int64_t places) {
    const auto n = static_cast<std::size_t>(places);
    memory = Arena<Space>(exec, "heddle::sptrsv::growing",
                          arena_bytes<O, GrowingGroup<O>, int>(n, n, n));
    head = memory.template take<O>(n).data();
    groups = memory.template take<GrowingGroup<O>>(n).data();
    level = memory.template take<int>(n).data();
  }
};

}  // namespace heddle::detail::sptrsv
