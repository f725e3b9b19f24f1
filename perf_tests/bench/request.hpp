// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace heddle::bench {

/// Where a matrix comes from: a file, or a generator such as "grid2d:1000,5".
struct Source {
  std::string text;
  bool generated = false;
};

/// What `heddle-bench spmv` was asked for.
struct SpmvRequest {
  std::vector<Source> sources;
  std::vector<std::string> schemes = {"all"};
  std::vector<std::string> baselines = {"all"};
  std::string scalar = "double";
  int offset_bits = 32;
  int columns = 1;
  /// Of x and y with several columns: left (a column's entries side by side) or right (a row's).
  std::string layout = "left";
  int repetitions = 100;
  int expected_applies = 1000;
  double budget_seconds = 2;
  bool flush = false;
  bool verify = true;
  std::uint64_t seed = 1;

  bool row_major() const { return layout == "right"; }
  bool all_schemes() const { return contains(schemes, "all"); }
  bool automatic() const { return all_schemes() || contains(schemes, "auto"); }
  /// A baseline is asked for by its name or by its family, the part before the first dash.
  bool wants_baseline(const std::string& name) const {
    return contains(baselines, "all") || contains(baselines, name) ||
           contains(baselines, name.substr(0, name.find('-')));
  }

  static bool contains(const std::vector<std::string>& list, const std::string& word) {
    for (const auto& entry : list) {
      if (entry == word) return true;
    }
    return false;
  }
};

}  // namespace heddle::bench
