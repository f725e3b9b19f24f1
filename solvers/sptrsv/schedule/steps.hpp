// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <vector>

namespace heddle::detail::sptrsv {

/// Places that one launch solves: all of one level by many threads, or one after the other by one.
struct Step {
  std::int64_t first;
  std::int64_t stop;
  bool parallel;
};

inline std::vector<Step> one_step(std::int64_t places) {
  if (places == 0) return {};
  return {{0, places, false}};
}

/// Every level a parallel step; but levels of at most `thin` rows, where they follow each other,
/// one step of one thread.
inline std::vector<Step> steps_of(const std::vector<std::int64_t>& level_begin, std::int64_t thin) {
  std::vector<Step> steps;
  for (std::size_t level = 0; level + 1 < level_begin.size(); ++level) {
    const std::int64_t first = level_begin[level], stop = level_begin[level + 1];
    const bool parallel = stop - first > thin;
    if (!parallel && !steps.empty() && !steps.back().parallel) {
      steps.back().stop = stop;
    } else {
      steps.push_back({first, stop, parallel});
    }
  }
  return steps;
}

}  // namespace heddle::detail::sptrsv
