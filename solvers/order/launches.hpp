// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <vector>

namespace heddle::detail::order {

/// Row groups that one launch solves.
struct Launch {
  std::int64_t first;
  std::int64_t stop;
  bool one_level;  ///< then nothing of the launch waits for it
};

/// Cuts levels into launches: a level of at least `least` groups is one of its own, and narrower
/// ones that follow each other share one. level_begin: the first group of each level, and the end.
/// Source: Z. Hu et al., "AG-SpTRSV", TACO 2024, for launches by width.
inline std::vector<Launch> launches_of(const std::vector<std::int64_t>& level_begin,
                                       std::int64_t least) {
  std::vector<Launch> launches;
  bool wide = true;
  for (std::size_t level = 0; level + 1 < level_begin.size(); ++level) {
    const std::int64_t first = level_begin[level], stop = level_begin[level + 1];
    const bool was_wide = wide;
    wide = stop - first >= least;
    if (wide || was_wide) {
      launches.push_back({first, stop, true});
    } else {
      launches.back().stop = stop;
      launches.back().one_level = false;
    }
  }
  return launches;
}

}  // namespace heddle::detail::order
