// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

#include "groups.hpp"
#include "launches.hpp"

namespace heddle::detail::order {

/// Whether a solve group by group keeps every dependence of a triangle, and ends: empty if so, else
/// what is wrong with the first place that it does not hold for. On the host, for tests and debug
/// builds: a wait that is missing rarely shows in x.
///
/// Every row has to be there once, in a group of at most `most_rows`. What a row needs must come
/// before it in its group, whose rows are solved in their order; or be in an earlier launch; or, of
/// a launch of several levels, whose groups take tickets in their order and wait for values, in a
/// group of a lower ticket. A group that waits for lower tickets alone ends, whichever others are
/// resident: the lowest that has not ended waits for nobody.
template <class Graph>
std::string broken_dependence(const Graph& graph, const RowGroups& groups,
                              const std::vector<Launch>& launches, std::int64_t most_rows) {
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
      if (rows < 1 || rows > most_rows) return "a group of " + std::to_string(rows) + " rows";
      for (auto p = groups.begin[at]; p < groups.begin[at + 1]; ++p) {
        group[static_cast<std::size_t>(p)] = g;
        launch[static_cast<std::size_t>(p)] = static_cast<std::int64_t>(l);
      }
    }
  }
  if (solved != groups.groups()) return "groups are missing";
  for (std::size_t p = 0; p < n; ++p) {
    const std::int64_t from = groups.order[p];
    for (auto k = graph.row_ptr[from]; k < graph.row_ptr[from + 1]; ++k) {
      const auto needs = static_cast<std::size_t>(place[static_cast<std::size_t>(graph.needed[k])]);
      const bool waits = !launches[static_cast<std::size_t>(launch[p])].one_level;
      const bool kept = group[needs] == group[p]     ? needs < p
                        : launch[needs] == launch[p] ? waits && group[needs] < group[p]
                                                     : launch[needs] < launch[p];
      if (!kept) {
        return "place " + std::to_string(p) + " does not wait for place " + std::to_string(needs);
      }
    }
  }
  return "";
}

}  // namespace heddle::detail::order
