// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <vector>

#include "../../../backends/algorithms/host_copy.hpp"
#include "../../../backends/algorithms/sort.hpp"
#include "../../../backends/atomics.hpp"
#include "../../../backends/launch.hpp"
#include "../../../backends/loops.hpp"
#include "../../../backends/unroll.hpp"
#include "../../ordered/schedule.hpp"
#include "../../triangle/ordered_triangle.hpp"
#include "merging.hpp"

namespace heddle::detail::sptrsv {

/// Runs of levels that are merged independently, one team for each: groups end with their band, so
/// bands have many levels.
struct MergingBands {
  static constexpr int most = 64;
  static constexpr std::int64_t least_rows = 50000, least_levels = 200;

  int count = 1;
  std::int64_t begin[most + 1] = {};  ///< the first place of each, and the end
  int first_level[most] = {};         ///< the first level of its groups, for each

  /// Cuts bands of equal numbers of rows, as nearly as levels allow; level l begins at place
  /// level_begin[l].
  explicit MergingBands(const std::vector<std::int64_t>& level_begin) {
    const auto levels = static_cast<std::int64_t>(level_begin.size()) - 1;
    const std::int64_t rows = level_begin.back();
    count = static_cast<int>(
        std::clamp<std::int64_t>(std::min(rows / least_rows, levels / least_levels), 1, most));
    for (int band = 1; band < count; ++band) {
      begin[band] = *std::lower_bound(level_begin.begin(), level_begin.end(), rows * band / count);
    }
    begin[count] = rows;
  }

  KOKKOS_FORCEINLINE_FUNCTION int band_of(std::int64_t place) const {
    int band = 0;
    while (band + 1 < count && begin[band + 1] <= place) ++band;
    return band;
  }
};

/// Merging::Kind::parents: a row joins the group of its parents, those rows that it needs and that
/// are of the highest level among groups. If they are in several groups, these become one. If that
/// would be too large, or would unite groups of more than `number` first rows or more than
/// most_groups groups, the row starts a group one level higher.
///
/// So all of a row's parents are in its group, or in groups of lower levels: the graph of groups
/// has no cycle, and groups of one level need nothing of each other. On a mesh, groups are
/// triangles and tetrahedra over a few neighbours of one level, without waits inside.
///
/// A team merges a band, in rounds. Rows of a window of places ask, each once all that it needs is
/// decided. A group accepts all rows that ask to join it if it has room for all; else the lowest
/// place that asks, also among rows that ask to unite it with others. A refused row asks again in
/// the next round. Every round accepts a row: the lowest place that asks is refused only if rows
/// join instead.
///
/// Requests and answers depend only on the previous round, and the window has the same length on
/// every device, so groups are the same on every run. Source: G. Blelloch et al., "Internally
/// deterministic parallel algorithms can be fast", PPoPP 2012, for such rounds.
template <Ordinal O, Offset Off>
struct MergeParentsKernel {
  using Scratch = backends::DynamicScratch;
  using Group = GrowingGroup<O>;

  const Off* row_ptr;  ///< for places in the order of levels
  const O* needed;
  MergingBands bands;
  Merging merging;
  O* head;        ///< for each place: a group that it is part of, or none
  Group* groups;  ///< the group of each place that started one
  O* asked;       ///< one for each entry: the groups that a row asks
  int* levels;    ///< number of levels of groups, for each band

  static constexpr std::int64_t window = 1024;  ///< places
  using Shape = backends::Shape<32, 1024>;

  enum class State { waits, starts, joins, unites };
  /// The undecided place of a slot. Its next place is `window` places further.
  struct Slot {
    std::int64_t place;
    Off known;    ///< entries before this one are of decided rows
    O waits_for;  ///< the undecided place that the entry `known` needs, or none
    int level;    ///< highest level of the groups of decided entries
    int groups;   ///< groups of this level, at asked[row_ptr[place]]; most_groups + 1: too many
    State state;
    bool granted;
  };
  static constexpr std::size_t scratch_bytes() {
    return backends::scratch_bytes<Slot, int, int>(window, 1, 1);
  }

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Team& team, Scratch& scratch) const {
    Slot* const slots = scratch.take<Slot>(window);
    int* const open = scratch.take<int>(1);  // slots that have places left
    int* const highest = scratch.take<int>(1);
    const std::int64_t first = bands.begin[team.index()], stop = bands.begin[team.index() + 1];
    const auto used = static_cast<int>(stop - first < window ? stop - first : window);
    int highest_here = -1;
    const auto each_slot = [&](const auto& visit) {
      for (int s = team.thread(); s < used; s += Team::threads) visit(slots[s]);
    };
    for (int s = team.thread(); s < used; s += Team::threads) slots[s] = at(first + s);
    if (team.thread() == 0) {
      *open = used;
      *highest = -1;
    }
    team.barrier();
    while (*open > 0) {
      each_slot([&](Slot& slot) {
        if (slot.place < stop) ask(slot, static_cast<O>(first));
      });
      team.barrier();
      each_slot([&](Slot& slot) {
        if (slot.place < stop) slot.granted = is_granted(slot);
      });
      team.barrier();
      each_slot([&](Slot& slot) {
        if (slot.place >= stop || slot.state == State::waits) return;
        settle(slot);
        if (!slot.granted) return;
        const int level = slot.state == State::starts ? slot.level + 1 : slot.level;
        highest_here = highest_here < level ? level : highest_here;
        const std::int64_t next = slot.place + window;
        if (next < stop) {
          slot = at(next);
        } else {
          slot.place = stop;
          backends::atomic_add(open, -1);
        }
      });
      team.barrier();
    }
    backends::atomic_max(highest, highest_here);
    team.barrier();
    if (team.thread() == 0) levels[team.index()] = *highest + 1;
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION Slot at(std::int64_t place) const {
    return {place, row_ptr[place], Group::none, -1, 0, State::waits, false};
  }
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t entries(std::int64_t place) const {
    return static_cast<std::int64_t>(row_ptr[place + 1] - row_ptr[place]);
  }
  KOKKOS_FORCEINLINE_FUNCTION O* groups_of(const Slot& slot) const {
    return asked + row_ptr[slot.place];
  }
  KOKKOS_FORCEINLINE_FUNCTION O whole(O group) const {
    while (groups[group].united_with != group) group = groups[group].united_with;
    return group;
  }

  /// The groups of the highest level among the decided entries of a row.
  struct Parents {
    O group[most_groups];
    int count;  ///< most_groups + 1: too many
    int level;

    KOKKOS_FORCEINLINE_FUNCTION void add(O one, int its_level) {
      if (its_level > level) {
        level = its_level;
        count = 0;
      }
      bool seen = its_level < level || count > most_groups;
      HEDDLE_UNROLL(most_groups)
      for (int i = 0; i < most_groups; ++i) seen = seen || (i < count && group[i] == one);
      if (seen) return;
      HEDDLE_UNROLL(most_groups)
      for (int i = 0; i < most_groups; ++i) {
        if (i == count) group[i] = one;
      }
      ++count;
    }
  };

  /// The parents found in the last round, each group replaced by the one that it is part of.
  KOKKOS_FORCEINLINE_FUNCTION Parents known_parents(const Slot& slot) const {
    Parents parents;
    parents.count = slot.groups;
    parents.level = slot.level;
    const O* const its = groups_of(slot);
    const bool kept = slot.groups <= most_groups;
    HEDDLE_UNROLL(most_groups)
    for (int i = 0; i < most_groups; ++i) {
      parents.group[i] = kept && i < slot.groups ? whole(its[i]) : Group::none;
    }
    return parents;
  }

  /// Adds the groups of the next entries, up to the first undecided one; returns whether there is
  /// none. The loads of a batch are in flight together, so it costs three memory latencies.
  KOKKOS_FORCEINLINE_FUNCTION bool learn(Parents& parents, Off& known, Off end, O first) const {
    constexpr int batch = 8;
    const Off left = end - known;
    const int count = left < Off(batch) ? static_cast<int>(left) : batch;
    bool in_band[batch];
    O group[batch], united[batch];
    int level[batch];
    HEDDLE_UNROLL(batch)
    for (int i = 0; i < batch; ++i) {
      group[i] = i < count ? needed[known + static_cast<Off>(i)] : O(-1);
      in_band[i] = group[i] >= first;
    }
    HEDDLE_UNROLL(batch)
    for (int i = 0; i < batch; ++i) group[i] = in_band[i] ? head[group[i]] : Group::none;
    HEDDLE_UNROLL(batch)
    for (int i = 0; i < batch; ++i) {
      const bool decided = group[i] != Group::none;
      united[i] = decided ? groups[group[i]].united_with : Group::none;
      level[i] = decided ? groups[group[i]].level : -1;
    }
    HEDDLE_UNROLL(batch)
    for (int i = 0; i < batch; ++i) {
      if (i >= count) continue;
      if (in_band[i] && group[i] == Group::none) return false;
      ++known;
      if (level[i] < parents.level || !in_band[i]) continue;
      parents.add(united[i] == group[i] ? group[i] : whole(united[i]), level[i]);
    }
    return true;
  }

  /// Updates what a slot knows; if all its entries are decided, it asks.
  KOKKOS_FORCEINLINE_FUNCTION void ask(Slot& slot, O first) const {
    slot.state = State::waits;
    if (slot.waits_for != Group::none && head[slot.waits_for] == Group::none) return;
    const Off begin = row_ptr[slot.place], end = row_ptr[slot.place + 1];
    Parents parents = known_parents(slot);
    Off known = slot.known;
    bool all = true, again = false;
    do {
      if (again) {  // some of too many may have been united
        known = begin;
        parents.count = 0;
        parents.level = -1;
      }
      while (all && known < end) all = learn(parents, known, end, first);
      again = all && !again && parents.count > most_groups;
    } while (again);
    slot.known = known;
    slot.level = parents.level;
    slot.groups = parents.count;
    slot.waits_for = all ? Group::none : needed[known];
    if (all) return request(slot, parents);
    O* const its = groups_of(slot);
    HEDDLE_UNROLL(most_groups)
    for (int i = 0; i < most_groups; ++i) {
      if (i < parents.count) its[i] = parents.group[i];
    }
  }

  /// Asks the parents' groups of a row, whose entries are all decided, to accept it, or starts a
  /// group of its own.
  KOKKOS_FORCEINLINE_FUNCTION void request(Slot& slot, const Parents& parents) const {
    slot.state = State::starts;
    if (parents.count == 0 || parents.count > most_groups) return;
    O* const its = groups_of(slot);
    Group sum = Group::of_one_row(slot.place, entries(slot.place), parents.level);
    sum.first_rows = 0;
    int distinct = 0;
    HEDDLE_UNROLL(most_groups)
    for (int i = 0; i < most_groups; ++i) {
      const O group = parents.group[i];
      bool counts = i < parents.count;
      for (int j = 0; j < i; ++j) counts = counts && parents.group[j] != group;
      if (!counts) continue;
      its[distinct++] = group;
      sum.entries += groups[group].entries;
      sum.rows += groups[group].rows;
      sum.first_rows += groups[group].first_rows;
    }
    slot.groups = distinct;
    if (sum.rows > most_rows || sum.entries > merging.most_entries) return;
    if (distinct > 1 && sum.first_rows > merging.number) return;
    slot.state = distinct == 1 ? State::joins : State::unites;
    for (int i = 0; i < distinct; ++i) {
      backends::atomic_min(&groups[its[i]].first_asking, static_cast<O>(slot.place));
    }
    if (distinct > 1) return;
    backends::atomic_inc(&groups[its[0]].rows_asking);
    backends::atomic_add(&groups[its[0]].entries_asking, entries(slot.place));
  }

  KOKKOS_FORCEINLINE_FUNCTION bool is_granted(const Slot& slot) const {
    if (slot.state == State::starts) return true;
    if (slot.state == State::waits) return false;
    const O* const its = groups_of(slot);
    bool first = true, all_join = false;
    HEDDLE_UNROLL(most_groups)
    for (int i = 0; i < most_groups; ++i) {
      if (i >= slot.groups) continue;
      const Group group = groups[its[i]];
      first = first && group.first_asking == static_cast<O>(slot.place);
      all_join = all_join || group.takes_all(merging);
    }
    return slot.state == State::joins ? first || all_join : first && !all_join;
  }

  /// Starts the row's group, or adds the row to the groups that it asked if they accept it.
  KOKKOS_FORCEINLINE_FUNCTION void settle(const Slot& slot) const {
    if (slot.state == State::starts) {
      groups[slot.place] = Group::of_one_row(slot.place, entries(slot.place), slot.level + 1);
      head[slot.place] = static_cast<O>(slot.place);
      return;
    }
    const O* const its = groups_of(slot);
    O into = its[0];
    for (int i = 0; i < slot.groups; ++i) {
      Group& group = groups[its[i]];
      backends::atomic_store(&group.first_asking, Group::nobody);
      backends::atomic_store(&group.rows_asking, 0);
      backends::atomic_store(&group.entries_asking, 0);
      into = its[i] < into ? its[i] : into;
    }
    if (!slot.granted) return;
    head[slot.place] = into;
    for (int i = 0; i < slot.groups; ++i) {
      if (its[i] == into) continue;
      Group& other = groups[its[i]];
      other.united_with = into;
      groups[into].rows += other.rows;
      groups[into].entries += other.entries;
      groups[into].first_rows += other.first_rows;
    }
    backends::atomic_inc(&groups[into].rows);
    backends::atomic_add(&groups[into].entries, entries(slot.place));
  }
};

/// Writes the final group of each place, and the level of each group.
template <Ordinal O>
struct FinishMerging {
  MergingBands bands;
  const GrowingGroup<O>* groups;
  O* head;
  int* level;

  KOKKOS_FUNCTION void operator()(std::int64_t p) const {
    O group = head[p];
    while (groups[group].united_with != group) group = groups[group].united_with;
    head[p] = group;
    if (group == static_cast<O>(p)) {
      level[p] = bands.first_level[bands.band_of(p)] + groups[p].level;
    }
  }
};

/// Merges places, which are in the order of levels, by parents; level l begins at level_begin[l].
/// Two allocations, one of which is freed again, three launches and one readback; waits.
template <ExecutionSpace Exec, Ordinal O, Offset Off>
GrowingGroups<Exec, O> merge_parents(const Exec& exec,
                                     const triangle::OrderedPattern<Exec, O, Off>& pattern,
                                     const std::vector<std::int64_t>& level_begin,
                                     const Merging& merging) {
  using Kernel = MergeParentsKernel<O, Off>;
  const std::int64_t n = pattern.rows();
  GrowingGroups<Exec, O> grown(exec, n);
  MergingBands bands(level_begin);
  const auto count = static_cast<std::size_t>(bands.count);
  O* asked = nullptr;
  int* levels = nullptr;
  const Arena<typename Exec::memory_space> work(exec, "heddle::sptrsv::merging",
                                                arena_array(asked, pattern.entries()),
                                                arena_array(levels, count));
  fill(exec, "heddle::sptrsv::no_heads", grown.head, n, GrowingGroup<O>::none);
  backends::launch<typename Kernel::Shape>(
      exec, "heddle::sptrsv::merge", bands.count,
      Kernel{pattern.row_ptr().data(), pattern.needed().data(), bands, merging, grown.head,
             grown.groups, asked, levels},
      Kernel::scratch_bytes());
  const std::vector<int> of_bands =
      ordered::copied_to_host(exec, "heddle::sptrsv::merged", levels, bands.count);
  for (int band = 0; band < bands.count; ++band) {
    bands.first_level[band] = grown.levels;
    grown.levels += of_bands[static_cast<std::size_t>(band)];
  }
  Kokkos::parallel_for("heddle::sptrsv::heads", range_policy(exec, n),
                       FinishMerging<O>{bands, grown.groups, grown.head, grown.level});
  return grown;
}

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
