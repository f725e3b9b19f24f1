// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "../../solvers/ordered/schedule.hpp"
#include "../../solvers/sptrsv/transform/merge.hpp"

namespace heddle::test {

using heddle::detail::ordered::LaunchRange;
using heddle::detail::ordered::Task;

/// The graph of a triangle whose rows are in the order of their levels, on the host: the row at
/// place p needs those at needed[row_ptr[p]] to needed[row_ptr[p + 1]], which are lower.
template <class O, class Off>
struct PlaceGraph {
  std::int64_t places;
  const Off* row_ptr;
  const O* needed;

  std::int64_t entries(std::int64_t place) const { return row_ptr[place + 1] - row_ptr[place]; }
};

/// Rows that are solved together. Group g has the rows order[begin[g]] to order[begin[g + 1]]; a
/// row needs rows before it in its group, and groups of lower levels; level l has the groups
/// level_begin[l] to level_begin[l + 1].
struct RowGroups {
  std::vector<std::int64_t> order;
  std::vector<std::int64_t> begin{0};
  std::vector<std::int64_t> level_begin{0};

  std::int64_t groups() const { return static_cast<std::int64_t>(begin.size()) - 1; }
  int levels() const { return static_cast<int>(level_begin.size()) - 1; }
};

/// Upper bounds of a group.
struct GroupBounds {
  std::int64_t rows;
  /// Entries of a row that need other groups are cut into pieces of this length; a group of several
  /// rows has at most `pieces` pieces.
  std::int64_t piece = 1;
  std::int64_t pieces = std::numeric_limits<std::int64_t>::max();
  bool rows_may_meet = true;  ///< whether a row may need one before it in its group
};

/// Whether a solve group by group keeps every dependence of a triangle, and ends: "" if so, else
/// the error at the first place. The proof is on the host: a missing wait rarely shows in x.
///
/// Every row must occur once, in a group within the bounds. Rows that a row needs must be before it
/// in its group, if rows may meet there, since they are solved in order; or in an earlier launch;
/// or, in a launch of several levels, whose groups take tickets in order and wait for values, in a
/// group of a lower ticket. A group that waits for lower tickets alone ends, whichever others are
/// resident: the lowest that has not ended waits for none.
template <class Graph>
std::string broken_dependence(const Graph& graph, const RowGroups& groups,
                              const std::vector<LaunchRange>& launches, const GroupBounds& bounds) {
  const auto n = static_cast<std::size_t>(graph.places);
  if (groups.order.size() != n || groups.begin.back() != graph.places) return "rows are missing";
  std::vector<std::int64_t> place(n, -1), group(n), launch(n);
  for (std::size_t p = 0; p < n; ++p) {
    place[static_cast<std::size_t>(groups.order[p])] = static_cast<std::int64_t>(p);
  }
  for (std::size_t p = 0; p < n; ++p) {
    if (place[p] < 0) return "row " + std::to_string(p) + " is in no group";
  }
  std::int64_t solved = 0;
  for (std::size_t l = 0; l < launches.size(); ++l) {
    if (launches[l].first != solved) return "launch " + std::to_string(l) + " skips groups";
    solved = launches[l].stop;
    if (solved > groups.groups()) return "a launch of groups that are not";
    for (auto g = launches[l].first; g < launches[l].stop; ++g) {
      const auto at = static_cast<std::size_t>(g);
      const std::int64_t rows = groups.begin[at + 1] - groups.begin[at];
      if (rows < 1 || rows > bounds.rows) return "a group of " + std::to_string(rows) + " rows";
      for (auto p = groups.begin[at]; p < groups.begin[at + 1]; ++p) {
        group[static_cast<std::size_t>(p)] = g;
        launch[static_cast<std::size_t>(p)] = static_cast<std::int64_t>(l);
      }
    }
  }
  if (solved != groups.groups()) return "groups are missing";
  std::vector<std::int64_t> pieces(static_cast<std::size_t>(solved));
  for (std::size_t p = 0; p < n; ++p) {
    const std::int64_t from = groups.order[p];
    std::int64_t outside = 0;
    for (auto k = graph.row_ptr[from]; k < graph.row_ptr[from + 1]; ++k) {
      const auto needs = static_cast<std::size_t>(place[static_cast<std::size_t>(graph.needed[k])]);
      const bool waits = !launches[static_cast<std::size_t>(launch[p])].one_level;
      const bool kept = group[needs] == group[p]     ? bounds.rows_may_meet && needs < p
                        : launch[needs] == launch[p] ? waits && group[needs] < group[p]
                                                     : launch[needs] < launch[p];
      if (!kept) {
        return "place " + std::to_string(p) + " does not wait for place " + std::to_string(needs);
      }
      outside += group[needs] == group[p] ? 0 : 1;
    }
    pieces[static_cast<std::size_t>(group[p])] += (outside + bounds.piece - 1) / bounds.piece;
  }
  for (std::size_t g = 0; g < pieces.size(); ++g) {
    if (groups.begin[g + 1] - groups.begin[g] > 1 && pieces[g] > bounds.pieces) {
      return "a group of " + std::to_string(pieces[g]) + " pieces";
    }
  }
  return "";
}

/// Tasks are groups whose places follow each other; warps take them by ticket. A task has a
/// lane for each of at most `lanes` rows; they may need each other if the lanes of a warp loop
/// together and none waits inside the loop (`rows_may_meet`).
template <class Graph>
std::string broken_task(const Graph& graph, const std::vector<Task>& tasks,
                        const std::vector<LaunchRange>& launches, int lanes, bool rows_may_meet) {
  GroupBounds bounds{lanes};
  bounds.rows_may_meet = rows_may_meet;
  RowGroups groups;
  for (std::int64_t p = 0; p < graph.places; ++p) groups.order.push_back(p);
  for (const Task& task : tasks) {
    const std::int64_t stop = task.first + task.rows;
    if (task.first != groups.begin.back() || stop > graph.places) {
      return "task " + std::to_string(groups.groups()) + " skips places";
    }
    groups.begin.push_back(stop);
  }
  return broken_dependence(graph, groups, launches, bounds);
}

/// Merged rows, on the host. Waits.
template <ExecutionSpace Exec, Ordinal O>
RowGroups groups_on_host(const Exec& exec,
                         const heddle::detail::sptrsv::MergedRows<Exec, O>& merged,
                         std::int64_t places) {
  const auto copied = [&](const auto* from, std::int64_t count) {
    return heddle::detail::ordered::copied_to_host(exec, "heddle::test::groups_on_host", from,
                                                   count);
  };
  RowGroups groups;
  const std::vector<O> order = copied(merged.order(), places);
  groups.order.assign(order.begin(), order.end());
  if (merged.count() > 0) groups.begin = copied(merged.begin(), merged.count() + 1);
  groups.level_begin = merged.level_begin();
  return groups;
}

/// broken_dependence of merged groups.
template <ExecutionSpace Exec, Ordinal O, Offset Off>
std::string broken_groups(const Exec& exec,
                          const heddle::detail::triangle::OrderedPattern<Exec, O, Off>& pattern,
                          const heddle::detail::sptrsv::MergedRows<Exec, O>& groups,
                          const std::vector<LaunchRange>& launches, const GroupBounds& bounds) {
  const auto on_host = [&](const auto* from, std::int64_t count) {
    return heddle::detail::ordered::copied_to_host(exec, "heddle::test::pattern_on_host", from,
                                                   count);
  };
  const auto row_ptr = on_host(pattern.row_ptr().data(), pattern.rows() + 1);
  const auto needed = on_host(pattern.needed().data(), pattern.entries());
  const PlaceGraph<O, Off> graph{pattern.rows(), row_ptr.data(), needed.data()};
  return broken_dependence(graph, groups_on_host(exec, groups, pattern.rows()), launches, bounds);
}

}  // namespace heddle::test
