// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <vector>

namespace heddle::detail::order {

/// The graph of a triangle whose rows are in the order of their levels, on the host: the row at
/// place p needs those at needed[row_ptr[p]] to needed[row_ptr[p + 1]], which are lower.
template <class O, class Off>
struct PlaceGraph {
  std::int64_t places;
  const Off* row_ptr;
  const O* needed;

  std::int64_t entries(std::int64_t place) const { return row_ptr[place + 1] - row_ptr[place]; }
};

/// Rows that are solved together. Group g holds the rows that were at order[begin[g]] to
/// order[begin[g + 1]]; a row needs rows before it in its group, and groups of lower levels; level
/// l is the groups from level_begin[l] to level_begin[l + 1].
struct RowGroups {
  std::vector<std::int64_t> order;
  std::vector<std::int64_t> begin{0};
  std::vector<std::int64_t> level_begin{0};

  std::int64_t groups() const { return static_cast<std::int64_t>(begin.size()) - 1; }
  int levels() const { return static_cast<int>(level_begin.size()) - 1; }
};

}  // namespace heddle::detail::order
