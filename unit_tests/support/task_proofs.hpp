// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "../../solvers/ordered/schedule.hpp"
#include "../../solvers/sptrsv/transform/merge.hpp"

namespace heddle::test {

using heddle::detail::ordered::Launch;
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
};

/// Whether a solve group by group keeps every dependence of a triangle, and ends: "" if so, else
/// the error at the first place. The proof is on the host: a missing wait rarely shows in x.
///
/// Every row must occur once, in a group within the bounds. Rows that a row needs must be before it
/// in its group, whose rows are solved in order; or in an earlier launch; or, in a launch of
/// several levels, whose groups take tickets in order and wait for values, in a group of a lower
/// ticket. A group that waits for lower tickets alone ends, whichever others are resident: the
/// lowest that has not ended waits for none.
template <class Graph>
std::string broken_dependence(const Graph& graph, const RowGroups& groups,
                              const std::vector<Launch>& launches, const GroupBounds& bounds) {
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
      const bool kept = group[needs] == group[p]     ? needs < p
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

/// Whether a solve task by task keeps every dependence of a triangle whose rows are in their
/// places, and ends: "" if so, else the error at the first place. The proof is on the host: a
/// missing wait rarely shows in x.
///
/// Every place must be in one task, in order. Places that a place needs must be in an earlier
/// launch; or, in a launch of several levels, whose warps take tasks by ticket and wait for values,
/// in a lower task; or, if the lanes of a warp loop together and none waits inside the loop
/// (`rows_may_meet`), at a lower place of its own task, which has a lane for each of at most
/// `lanes` rows. So the lowest place that is not solved waits for none, whichever others are
/// resident.
template <class Graph>
std::string broken_task(const Graph& graph, const std::vector<Task>& tasks,
                        const std::vector<Launch>& launches, int lanes, bool rows_may_meet) {
  const auto n = static_cast<std::size_t>(graph.places);
  std::vector<std::int64_t> task(n), launch(n);
  std::int64_t place = 0, next = 0;
  for (std::size_t l = 0; l < launches.size(); ++l) {
    if (launches[l].first != next) return "launch " + std::to_string(l) + " skips tasks";
    next = launches[l].stop;
    if (next > static_cast<std::int64_t>(tasks.size())) return "a launch of tasks that are not";
    for (auto t = launches[l].first; t < next; ++t) {
      const Task& its = tasks[static_cast<std::size_t>(t)];
      const std::string name = "task " + std::to_string(t);
      if (its.first != place) return name + " skips places";
      if (its.rows < 1 || its.rows > lanes) return name + " has no lane for each row";
      if (its.first + its.rows > graph.places) return name + " has rows that are not";
      for (int row = 0; row < its.rows; ++row, ++place) {
        task[static_cast<std::size_t>(place)] = t;
        launch[static_cast<std::size_t>(place)] = static_cast<std::int64_t>(l);
      }
    }
  }
  if (place != graph.places) return "places are missing";
  for (std::size_t p = 0; p < n; ++p) {
    for (auto k = graph.row_ptr[p]; k < graph.row_ptr[p + 1]; ++k) {
      const auto needs = static_cast<std::size_t>(graph.needed[k]);
      const bool waits = !launches[static_cast<std::size_t>(launch[p])].one_level;
      const bool kept =
          launch[needs] < launch[p] ||
          (launch[needs] == launch[p] && waits &&
           (task[needs] < task[p] || (task[needs] == task[p] && rows_may_meet && needs < p)));
      if (!kept) {
        return "place " + std::to_string(p) + " does not wait for place " + std::to_string(needs);
      }
    }
  }
  return "";
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
                          const std::vector<Launch>& launches, const GroupBounds& bounds) {
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
