// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "groups.hpp"
#include "launches.hpp"

namespace heddle::detail::order {

/// What a group may have, at most.
struct GroupBounds {
  std::int64_t rows;
  /// Where rows need rows of other groups, their entries are cut into pieces of so many, a row's by
  /// themselves; and a group of several rows has no more pieces than this.
  std::int64_t piece = 1;
  std::int64_t pieces = std::numeric_limits<std::int64_t>::max();
};

/// Whether a solve group by group keeps every dependence of a triangle, and ends: empty if so, else
/// what is wrong with the first place that it does not hold for. On the host, for tests and debug
/// builds: a wait that is missing rarely shows in x.
///
/// Every row has to be there once, in a group within the bounds. What a row needs must come
/// before it in its group, whose rows are solved in their order; or be in an earlier launch; or, of
/// a launch of several levels, whose groups take tickets in their order and wait for values, in a
/// group of a lower ticket. A group that waits for lower tickets alone ends, whichever others are
/// resident: the lowest that has not ended waits for nobody.
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

}  // namespace heddle::detail::order
