// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <limits>

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

}  // namespace heddle::detail::sptrsv
