// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include "../../order/groups.hpp"

namespace heddle::detail::sptrsv {

/// Rows of a group, at most: as many as a warp has lanes.
inline constexpr int most_rows = 32;

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
  int number = 4;  ///< rows, entries, or of parents: groups that one row may unite
  std::int64_t most_entries = std::numeric_limits<std::int64_t>::max();  ///< of more than one row
};

/// Which group every place belongs to, and the level of every group, before either is put in order.
struct Grouping {
  std::vector<std::int64_t> group;
  std::vector<int> level;
};

/// Puts groups in the order of their levels, and of their first places within a level; where `pack`
/// is given, small groups of a level that follow each other become one, up to its bounds.
template <class Graph>
order::RowGroups arrange(const Graph& graph, const Grouping& grouping, const Merging* pack) {
  const auto n = static_cast<std::size_t>(graph.places);
  const std::size_t count = grouping.level.size();
  struct Size {
    std::int64_t rows = 0, entries = 0, first = -1;
  };
  std::vector<Size> size(count);
  std::vector<std::size_t> found;  // groups that have rows, by their first place
  for (std::size_t p = 0; p < n; ++p) {
    Size& one = size[static_cast<std::size_t>(grouping.group[p])];
    if (one.rows++ == 0) found.push_back(static_cast<std::size_t>(grouping.group[p]));
    one.entries += graph.entries(static_cast<std::int64_t>(p));
  }
  std::stable_sort(found.begin(), found.end(), [&](std::size_t a, std::size_t b) {
    return grouping.level[a] < grouping.level[b];
  });
  order::RowGroups result;
  std::vector<std::int64_t> next(count);  // the group that each becomes part of
  int level = -1;
  Size filled;
  for (const std::size_t g : found) {
    const bool same_level = grouping.level[g] == level;
    const bool fits = same_level && pack && filled.rows + size[g].rows <= most_rows &&
                      filled.entries + size[g].entries <= pack->most_entries;
    if (!fits) {
      if (!same_level && level >= 0) result.level_begin.push_back(result.groups());
      result.begin.push_back(result.begin.back());
      filled = Size();
      level = grouping.level[g];
    }
    filled.rows += size[g].rows;
    filled.entries += size[g].entries;
    result.begin.back() += size[g].rows;
    next[g] = result.groups() - 1;
  }
  if (n > 0) result.level_begin.push_back(result.groups());
  result.order.resize(n);
  std::vector<std::int64_t> at(result.begin.begin(), result.begin.end() - 1);
  for (std::size_t p = 0; p < n; ++p) {
    const auto g = static_cast<std::size_t>(next[static_cast<std::size_t>(grouping.group[p])]);
    result.order[static_cast<std::size_t>(at[g]++)] = static_cast<std::int64_t>(p);
  }
  return result;
}

/// The level of every group where groups are intervals of the places, numbered in their order.
template <class Graph>
std::vector<int> levels_of_runs(const Graph& graph, const std::vector<std::int64_t>& group) {
  std::vector<int> level;
  for (std::int64_t p = 0; p < graph.places; ++p) {
    const auto g = static_cast<std::size_t>(group[static_cast<std::size_t>(p)]);
    if (g == level.size()) level.push_back(0);
    graph.parents(p, [&](std::int64_t needed) {
      const auto other = static_cast<std::size_t>(group[static_cast<std::size_t>(needed)]);
      if (other != g) level[g] = std::max(level[g], level[other] + 1);
    });
  }
  return level;
}

/// Places that follow each other in one group, as the kind says. Intervals of an order in which
/// every row comes after those that it needs: so their graph has no cycle. Source: Z. Hu et al.,
/// "AG-SpTRSV", TACO 2024, for the kinds.
template <class Graph>
Grouping merge_runs(const Graph& graph, const std::vector<std::int64_t>& row_level_begin,
                    const Merging& merging) {
  using Kind = Merging::Kind;
  Grouping result;
  result.group.resize(static_cast<std::size_t>(graph.places));
  std::int64_t group = -1, rows = 0, entries = 0;
  std::size_t level = 0;
  bool was_short = false;
  for (std::int64_t p = 0; p < graph.places; ++p) {
    const std::int64_t row = graph.entries(p);
    const bool is_short = row <= merging.number;
    bool joins = group >= 0 && rows < most_rows && entries + row <= merging.most_entries;
    if (merging.kind == Kind::none) joins = joins && p < row_level_begin[level];
    if (merging.kind == Kind::fixed) joins = joins && rows < merging.number;
    if (merging.kind == Kind::average)
      joins = joins && entries + row <= merging.number * (rows + 1);
    if (merging.kind == Kind::short_rows) joins = joins && is_short && was_short;
    while (p >= row_level_begin[level]) ++level;
    if (!joins) {
      ++group;
      rows = entries = 0;
    }
    ++rows;
    entries += row;
    was_short = is_short;
    result.group[static_cast<std::size_t>(p)] = group;
  }
  result.level = levels_of_runs(graph, result.group);
  return result;
}

/// A row joins the group of those that it needs and that are of the highest level among groups; if
/// these are in several groups, they become one. Where that would be too large, or unite groups of
/// more than `number` first rows, the row starts a group one level higher.
///
/// So all of a row's parents are in its group, or in groups of lower levels: the graph of groups
/// has no cycle, and groups of one level need nothing of each other. On a mesh, groups are
/// triangles and tetrahedra over a few neighbours of one level, which share no waits inside.
template <class Graph>
Grouping merge_parents(const Graph& graph, const Merging& merging) {
  struct Group {
    std::int64_t united_with;
    std::int64_t entries;
    std::int32_t rows;
    std::int32_t first_rows;
  };
  const auto n = static_cast<std::size_t>(graph.places);
  Grouping result;
  result.group.resize(n);
  std::vector<Group> groups;
  groups.reserve(n);
  result.level.reserve(n);
  const auto find = [&](std::int64_t g) {
    auto at = static_cast<std::size_t>(g);
    while (groups[at].united_with != static_cast<std::int64_t>(at)) {
      const auto above = static_cast<std::size_t>(groups[at].united_with);
      groups[at].united_with = groups[above].united_with;
      at = above;
    }
    return at;
  };
  std::vector<std::size_t> parents;  // groups, of the highest level
  for (std::int64_t p = 0; p < graph.places; ++p) {
    int level = -1;
    parents.clear();
    graph.parents(p, [&](std::int64_t needed) {
      const std::size_t g = find(result.group[static_cast<std::size_t>(needed)]);
      if (result.level[g] > level) {
        level = result.level[g];
        parents.clear();
      }
      if (result.level[g] < level || parents.size() > most_rows) return;
      if (std::find(parents.begin(), parents.end(), g) == parents.end()) parents.push_back(g);
    });
    Group sum{0, graph.entries(p), 1, 0};
    for (const std::size_t g : parents) {
      sum.entries += groups[g].entries;
      sum.rows += groups[g].rows;
      sum.first_rows += groups[g].first_rows;
    }
    const bool fits = sum.rows <= most_rows && sum.entries <= merging.most_entries &&
                      (parents.size() == 1 || sum.first_rows <= merging.number);
    if (parents.empty() || !fits) {
      const auto fresh = static_cast<std::int64_t>(groups.size());
      groups.push_back({fresh, graph.entries(p), 1, 1});
      result.level.push_back(level + 1);
      result.group[static_cast<std::size_t>(p)] = fresh;
      continue;
    }
    const std::size_t into = parents.front();
    for (const std::size_t g : parents) groups[g].united_with = static_cast<std::int64_t>(into);
    sum.united_with = static_cast<std::int64_t>(into);
    groups[into] = sum;
    result.group[static_cast<std::size_t>(p)] = static_cast<std::int64_t>(into);
  }
  for (auto& g : result.group) g = static_cast<std::int64_t>(find(g));
  return result;
}

/// Bands of levels that are merged each for itself, so that threads can: rows that make a band
/// worth a thread, and levels that a band has at least, since groups end where it does.
inline constexpr std::int64_t band_rows = 100000, band_levels = 32, most_bands = 16;

/// The first level of each band, and the end.
inline std::vector<std::size_t> bands_of(const std::vector<std::int64_t>& row_level_begin) {
  const auto levels = static_cast<std::int64_t>(row_level_begin.size()) - 1;
  const std::int64_t most =
      std::min({row_level_begin.back() / band_rows, levels / band_levels, most_bands});
  const std::int64_t bands = std::max<std::int64_t>(1, most);
  std::vector<std::size_t> first{0};
  for (std::int64_t band = 1; band < bands; ++band) {
    // Of equal rows, as nearly as levels allow.
    const std::int64_t rows = row_level_begin.back() * band / bands;
    const auto at = std::lower_bound(row_level_begin.begin(), row_level_begin.end(), rows);
    first.push_back(static_cast<std::size_t>(at - row_level_begin.begin()));
  }
  first.push_back(static_cast<std::size_t>(levels));
  return first;
}

/// Groups of places that follow those of `to`, and need nothing later.
inline void append(order::RowGroups& to, const order::RowGroups& band) {
  const auto first = static_cast<std::int64_t>(to.order.size());
  const std::int64_t groups = to.groups();
  for (const std::int64_t place : band.order) to.order.push_back(first + place);
  for (std::size_t g = 1; g < band.begin.size(); ++g) to.begin.push_back(first + band.begin[g]);
  for (std::size_t l = 1; l < band.level_begin.size(); ++l) {
    to.level_begin.push_back(groups + band.level_begin[l]);
  }
}

/// The rows of a triangle in groups of at most most_rows. Rows are given level by level, and level
/// l of rows begins at row_level_begin[l]. On the host; the same every time, on any number of
/// threads. for_each(n, task) runs task(0) to task(n - 1), side by side if it can.
template <class Graph, class ForEach>
order::RowGroups merge(const Graph& graph, const std::vector<std::int64_t>& row_level_begin,
                       const Merging& merging, const ForEach& for_each) {
  if (merging.kind != Merging::Kind::parents) {
    const std::vector<std::int64_t> ends(row_level_begin.begin() + 1, row_level_begin.end());
    return arrange(graph, merge_runs(graph, ends, merging), nullptr);
  }
  const std::vector<std::size_t> first_level = bands_of(row_level_begin);
  std::vector<order::RowGroups> bands(first_level.size() - 1);
  for_each(static_cast<int>(bands.size()), [&](int band) {
    const auto b = static_cast<std::size_t>(band);
    const auto part =
        graph.part(row_level_begin[first_level[b]], row_level_begin[first_level[b + 1]]);
    bands[b] = arrange(part, merge_parents(part, merging), &merging);
  });
  order::RowGroups all;
  all.order.reserve(static_cast<std::size_t>(graph.places));
  for (const order::RowGroups& band : bands) append(all, band);
  return all;
}

}  // namespace heddle::detail::sptrsv
