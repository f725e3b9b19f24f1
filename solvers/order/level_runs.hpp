// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace heddle::detail::order {

/// Levels [first, stop) that one launch solves: a level whose rows do not wait, or several thin
/// ones, with a barrier behind each.
struct LevelRun {
  int first;
  int stop;

  int levels() const { return stop - first; }
};

/// Cuts levels into launches: levels of at most `most` rows that follow each other share one, and
/// a wider level has its own. level_begin: the first place of each level, and the end.
inline std::vector<LevelRun> runs_of_levels(const std::vector<std::int64_t>& level_begin,
                                            std::int64_t most) {
  std::vector<LevelRun> runs;
  bool thin = false;
  for (int level = 0; level + 1 < static_cast<int>(level_begin.size()); ++level) {
    const auto at = static_cast<std::size_t>(level);
    const bool was_thin = thin;
    thin = level_begin[at + 1] - level_begin[at] <= most;
    if (thin && was_thin) {
      runs.back().stop = level + 1;
    } else {
      runs.push_back({level, level + 1});
    }
  }
  return runs;
}

/// Whether a solve run by run keeps every dependence: empty if so, else what is wrong. On the host,
/// for tests and debug builds.
///
/// A row needs rows of lower levels alone. So it is enough that the launches have all levels, in
/// their order; and that of a launch of several levels none has more rows than `most`, of which
/// each has lanes of its own: nobody then solves two rows of a level one after the other, and a
/// barrier behind the level is one behind all of it.
inline std::string broken_run(const std::vector<std::int64_t>& level_begin,
                              const std::vector<LevelRun>& runs, std::int64_t most) {
  int solved = 0;
  for (const LevelRun& run : runs) {
    if (run.first != solved) return "level " + std::to_string(solved) + " is not solved in turn";
    if (run.levels() < 1) return "a launch of no levels";
    solved = run.stop;
    for (int level = run.first; run.levels() > 1 && level < run.stop; ++level) {
      const auto at = static_cast<std::size_t>(level);
      if (level_begin[at + 1] - level_begin[at] > most) {
        return "level " + std::to_string(level) + " is too wide for a launch with others";
      }
    }
  }
  const auto levels = static_cast<int>(level_begin.size()) - 1;
  return solved == levels ? "" : "level " + std::to_string(solved) + " is not solved";
}

}  // namespace heddle::detail::order
