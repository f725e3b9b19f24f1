// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <vector>

#include "../../../backends/algorithms/host_copy.hpp"
#include "../../../backends/algorithms/sort.hpp"
#include "../../../backends/loops.hpp"
#include "../../ordered/schedule.hpp"
#include "merge_parents.hpp"
#include "merging.hpp"

namespace heddle::detail::sptrsv {

template <Ordinal O>
struct IsHead {
  const O* head;

  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t p) const {
    return head[p] == static_cast<O>(p) ? 1 : 0;
  }
};

/// Lists the heads of all groups and their levels, in the order of places.
template <Ordinal O>
struct ListHeads {
  const O* head;
  const int* level;
  const O* index;  ///< number of heads before each place
  O* heads;
  int* levels;

  KOKKOS_FUNCTION void operator()(std::int64_t p) const {
    if (head[p] != static_cast<O>(p)) return;
    heads[index[p]] = static_cast<O>(p);
    levels[index[p]] = level[p];
  }
};

/// Marks the groups that stay. If small ones are packed, consecutive groups of a level become part
/// of the marked group before them, up to the limits of rows and entries. A thread packs `share`
/// groups.
template <Ordinal O>
struct PackGroups {
  static constexpr std::int64_t share = 256;

  const O* heads;
  const O* by_level;  ///< number of the head at each position in the order of levels
  const int* level;   ///< level at each such position
  const GrowingGroup<O>* groups;
  std::int64_t count;
  bool pack;
  std::int64_t most_entries;
  O* marked;

  KOKKOS_FUNCTION void operator()(std::int64_t index) const {
    const std::int64_t begin = index * share;
    const std::int64_t stop = begin + share < count ? begin + share : count;
    std::int64_t rows = 0, entries = 0;
    for (std::int64_t i = begin; i < stop; ++i) {
      const GrowingGroup<O>& group = groups[heads[by_level[i]]];
      const bool fits = pack && i > begin && level[i] == level[i - 1] &&
                        rows + group.rows <= most_rows && entries + group.entries <= most_entries;
      if (!fits) rows = entries = 0;
      rows += group.rows;
      entries += group.entries;
      marked[i] = fits ? 0 : 1;
    }
  }
};

/// Numbers the marked groups, in this order; groups that became part of one have its number.
template <Ordinal O>
struct NumberGroups {
  const O* heads;
  const O* by_level;
  const int* level;
  const O* before;  ///< number of marked groups before each, and of all at the end
  O* number;        ///< number of the group of each head's place
  int* level_of;    ///< level of each marked group

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const O last = before[i + 1] - 1;
    number[heads[by_level[i]]] = last;
    if (before[i] == last) level_of[last] = level[i];
  }
};

template <Ordinal O>
struct NumberPlaces {
  const O* head;
  const O* number;
  O* keys;

  KOKKOS_FUNCTION void operator()(std::int64_t p) const { keys[p] = number[head[p]]; }
};

/// Groups in the order of their levels, and of their first places within a level.
template <ExecutionSpace Exec, Ordinal O>
class MergedRows {
 public:
  using Space = typename Exec::memory_space;
  template <class T>
  using Array = typename Arena<Space>::template Array<T>;

  MergedRows() = default;

  /// `pack`: small groups of a level become one, of at most most_entries entries. Two sorts, eight
  /// launches and three readbacks; waits.
  MergedRows(const Exec& exec, std::int64_t places, const GrowingGroups<Exec, O>& grown, bool pack,
             std::int64_t most_entries) {
    const auto n = static_cast<std::size_t>(places);
    memory_ = Arena<Space>(exec, "heddle::sptrsv::merged_rows", arena_array(order_, n));
    if (n == 0) return;
    O *index = nullptr, *heads = nullptr, *by_level = nullptr, *marked = nullptr, *number = nullptr;
    int *levels = nullptr, *level_of = nullptr;
    const Arena<Space> work(exec, "heddle::sptrsv::arranging", arena_array(index, n + 1),
                            arena_array(heads, n), arena_array(by_level, n), arena_array(levels, n),
                            arena_array(marked, n + 1), arena_array(number, n),
                            arena_array(level_of, n));

    const auto count = running_sum_and_total<std::int64_t>(exec, "heddle::sptrsv::head_index",
                                                           index, places, IsHead<O>{grown.head});
    Kokkos::parallel_for("heddle::sptrsv::list_heads", range_policy(exec, places),
                         ListHeads<O>{grown.head, grown.level, index, heads, levels});
    RadixSort<Exec, int, O> by(exec, count);
    by.sort(exec, levels, grown.levels - 1, by_level);
    Kokkos::parallel_for("heddle::sptrsv::pack",
                         range_policy(exec, ceil_div(count, PackGroups<O>::share)),
                         PackGroups<O>{heads, by_level, by.sorted(), grown.groups, count, pack,
                                       most_entries, marked});
    count_ = running_sum_and_total<std::int64_t>(exec, "heddle::sptrsv::group_index", marked, count,
                                                 Terms<O>{marked});
    Kokkos::parallel_for("heddle::sptrsv::number_groups", range_policy(exec, count),
                         NumberGroups<O>{heads, by_level, by.sorted(), marked, number, level_of});
    order_places(exec, grown.head, number);
    find_levels(exec, level_of, grown.levels);
  }

  std::int64_t count() const { return count_; }
  /// The place, in the order of row levels, of the row at each place in the order of groups.
  const O* order() const { return order_.data(); }
  /// The first place of each group, and the end.
  const std::int64_t* begin() const { return begin_.data(); }
  /// The first group of each level, and the end; on the host.
  const std::vector<std::int64_t>& level_begin() const { return level_begin_; }

 private:
  void order_places(const Exec& exec, const O* head, const O* number) {
    const auto places = static_cast<std::int64_t>(order_.extent(0));
    begin_memory_ = Arena<Space>(exec, "heddle::sptrsv::begin", arena_array(begin_, count_ + 1));
    RadixSort<Exec, O, O> by(exec, places);
    Kokkos::parallel_for("heddle::sptrsv::number_places", range_policy(exec, places),
                         NumberPlaces<O>{head, number, by.room()});
    by.sort(exec, by.room(), static_cast<O>(count_ - 1), order_.data());
    write_starts(exec, "heddle::sptrsv::group_begin", begin_.data(), count_, by.sorted(), places);
    exec.fence("heddle::sptrsv::ordered");  // before what was sorted is freed
  }

  void find_levels(const Exec& exec, const int* level_of, int levels) {
    const auto edges = static_cast<std::size_t>(levels) + 1;
    std::int64_t* begin = nullptr;
    const Arena<Space> work(exec, "heddle::sptrsv::group_levels", arena_array(begin, edges));
    write_starts(exec, "heddle::sptrsv::group_levels", begin, levels, level_of, count_);
    level_begin_ = copied(exec, begin, edges);
  }

  template <class T>
  static std::vector<T> copied(const Exec& exec, const T* from, std::size_t count) {
    return ordered::copied_to_host(exec, "heddle::sptrsv::groups_on_host", from,
                                   static_cast<std::int64_t>(count));
  }

  Arena<Space> memory_, begin_memory_;
  Array<O> order_;
  Array<std::int64_t> begin_;
  std::int64_t count_ = 0;
  std::vector<std::int64_t> level_begin_{0};
};

/// Merges the rows of a triangle into groups of at most most_rows rows. The pattern has them level
/// by level, and level l begins at level_begin[l]. A function of the pattern alone: the same on
/// every run, on any device and for any number of threads. Waits for `exec`.
template <ExecutionSpace Exec, Ordinal O, Offset Off>
MergedRows<Exec, O> merge(const Exec& exec, const triangle::OrderedPattern<Exec, O, Off>& pattern,
                          const std::vector<std::int64_t>& level_begin, const Merging& merging) {
  const std::int64_t n = pattern.rows();
  if (n == 0) return {};
  const bool by_parents = merging.kind == Merging::Kind::parents;
  const GrowingGroups<Exec, O> grown = by_parents
                                           ? merge_parents(exec, pattern, level_begin, merging)
                                           : merge_runs(exec, pattern, level_begin, merging);
  return {exec, n, grown, by_parents, merging.most_entries};
}

}  // namespace heddle::detail::sptrsv
