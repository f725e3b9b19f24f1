// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "../../../backends/algorithms/host_copy.hpp"
#include "../../../core/arena.hpp"
#include "../../../core/search.hpp"
#include "../../../core/types.hpp"
#include "../../ordered/levels.hpp"
#include "../../triangle/ordered_triangle.hpp"
#include "../select/published.hpp"

namespace heddle::detail::sptrsv {

/// Largest number of rows of a group: as many as a warp has lanes.
inline constexpr int most_rows = 32;

/// Largest number of groups that one row may unite.
inline constexpr int most_groups = 8;

/// A group of rows while groups grow, stored at the place of its first row.
template <Ordinal O>
struct GrowingGroup {
  static constexpr O none = -1;
  static constexpr O nobody = std::numeric_limits<O>::max();

  std::int64_t entries;
  std::int64_t entries_asking;  ///< entries of the rows that ask to join in this round
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
  /// Whether all rows that ask to join may.
  KOKKOS_FORCEINLINE_FUNCTION bool takes_all(const Merging& merging) const {
    return rows_asking > 0 && rows + rows_asking <= most_rows &&
           entries + entries_asking <= merging.most_entries;
  }
};

/// The groups of the places of a triangle, before they are put in order. A group's name is its
/// first place, its head.
template <ExecutionSpace Exec, Ordinal O>
struct GrowingGroups {
  using Space = typename Exec::memory_space;

  Arena<Space> memory;
  O* head;                  ///< the head of each place's group
  GrowingGroup<O>* groups;  ///< the group of each head
  int* level;               ///< its level, among all groups
  int levels = 0;

  GrowingGroups(const Exec& exec, std::int64_t places) {
    memory = Arena<Space>(exec, "heddle::sptrsv::growing", arena_array(head, places),
                          arena_array(groups, places), arena_array(level, places));
  }
};

/// Merges consecutive places into groups, by any Merging::Kind but parents. Groups are intervals of
/// an order in which every row is after those that it needs, so their graph has no cycle. A thread
/// cuts `share` places, and its groups end with them.
template <Ordinal O, Offset Off>
struct MergeRunsKernel {
  static constexpr std::int64_t share = 2048;

  const Off* row_ptr;
  std::int64_t places;
  const std::int64_t* level_begin;  ///< the first place of each level, and the end
  std::int64_t levels;
  Merging merging;
  O* head;
  GrowingGroup<O>* groups;

  KOKKOS_FUNCTION void operator()(std::int64_t index) const {
    const std::int64_t begin = index * share;
    const std::int64_t stop = begin + share < places ? begin + share : places;
    std::int64_t level = last_not_above(level_begin, std::int64_t{0}, levels, begin);
    std::int64_t first = begin;
    auto group = GrowingGroup<O>::of_one_row(first, entries(first), 0);
    head[first] = static_cast<O>(first);
    for (std::int64_t p = begin + 1; p < stop; ++p) {
      const bool level_ends = p >= level_begin[level + 1];
      if (level_ends) ++level;
      if (joins(group, p, level_ends)) {
        ++group.rows;
        group.entries += entries(p);
      } else {
        groups[first] = group;
        first = p;
        group = GrowingGroup<O>::of_one_row(first, entries(first), 0);
      }
      head[p] = static_cast<O>(first);
    }
    groups[first] = group;
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t entries(std::int64_t place) const {
    return static_cast<std::int64_t>(row_ptr[place + 1] - row_ptr[place]);
  }
  KOKKOS_FORCEINLINE_FUNCTION bool joins(const GrowingGroup<O>& group, std::int64_t place,
                                         bool level_ends) const {
    using Kind = Merging::Kind;
    const std::int64_t row = entries(place);
    if (group.rows == most_rows || group.entries + row > merging.most_entries) return false;
    switch (merging.kind) {
      case Kind::none: return !level_ends;
      case Kind::fixed: return group.rows < merging.number;
      case Kind::average: return group.entries + row <= merging.number * (group.rows + 1);
      default: return row <= merging.number && entries(place - 1) <= merging.number;
    }
  }
};

/// The reads of groups of runs, as a loop over places: the first place of a group reads the groups
/// that its rows need.
template <Ordinal O, Offset Off>
struct ReadsOfRuns {
  const Off* row_ptr;
  const O* needed;
  const O* head;
  const GrowingGroup<O>* groups;

  template <class Visit>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(O i, const Visit& visit) const {
    if (head[i] != i) return;
    for (Off k = row_ptr[i]; k < row_ptr[i + static_cast<O>(groups[i].rows)]; ++k) {
      visit(head[needed[k]]);
    }
  }
};

/// Merges consecutive places, which are in the order of levels; level l begins at level_begin[l].
/// Three allocations, two of which are freed again; two launches and a copy from the host, besides
/// the search for levels; waits.
template <ExecutionSpace Exec, Ordinal O, Offset Off>
GrowingGroups<Exec, O> merge_runs(const Exec& exec,
                                  const triangle::OrderedPattern<Exec, O, Off>& pattern,
                                  const std::vector<std::int64_t>& level_begin,
                                  const Merging& merging) {
  using Kernel = MergeRunsKernel<O, Off>;
  const std::int64_t n = pattern.rows();
  GrowingGroups<Exec, O> grown(exec, n);
  const std::size_t edges = level_begin.size();
  std::int64_t* begin = nullptr;
  const Arena<typename Exec::memory_space> work(exec, "heddle::sptrsv::edges",
                                                arena_array(begin, edges));
  ordered::copy_from_host(exec, begin, level_begin);
  Kokkos::parallel_for(
      "heddle::sptrsv::runs", range_policy(exec, ceil_div(n, Kernel::share)),
      Kernel{pattern.row_ptr().data(), n, begin, static_cast<std::int64_t>(edges) - 1, merging,
             grown.head, grown.groups});
  const ordered::Loop<O, ReadsOfRuns<O, Off>> loop{
      static_cast<O>(n),
      SweepDirection::forward,
      ReadsAhead::error,
      {pattern.row_ptr().data(), pattern.needed().data(), grown.head, grown.groups}};
  const ordered::Levels<Exec> levels(exec, loop);
  copy(exec, "heddle::sptrsv::run_levels", grown.level, n, levels.of().data());
  exec.fence("heddle::sptrsv::merged");  // before the levels are freed
  grown.levels = levels.count();
  return grown;
}

}  // namespace heddle::detail::sptrsv
