// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "../common/run_options.hpp"

namespace heddle::bench {

/// What `heddle-bench spmv` was asked for.
struct SpmvRequest : RunOptions {
  std::vector<std::string> schemes = {"all"};
  std::vector<std::string> baselines = {"all"};
  std::string scalar = "double";
  int offset_bits = 32;
  int columns = 1;
  /// Of x and y with several columns: left (a column's entries side by side) or right (a row's).
  std::string layout = "left";
  int expected_applies = 1000;

  bool row_major() const { return layout == "right"; }
  bool all_schemes() const { return contains(schemes, "all"); }
  bool automatic() const { return all_schemes() || contains(schemes, "auto"); }
  /// A baseline is asked for by its name or by its family, the part before the first dash.
  bool wants_baseline(const std::string& name) const {
    return contains(baselines, "all") || contains(baselines, name) ||
           contains(baselines, name.substr(0, name.find('-')));
  }

  static bool contains(const std::vector<std::string>& list, const std::string& word) {
    return std::find(list.begin(), list.end(), word) != list.end();
  }
};

}  // namespace heddle::bench
