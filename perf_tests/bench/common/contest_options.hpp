// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "run_options.hpp"

namespace heddle::bench {

/// Options of every operation that runs schemes and baselines.
struct ContestOptions : RunOptions {
  std::vector<std::string> schemes = {"all"};
  std::vector<std::string> baselines = {"all"};
  std::string scalar = "double";
  int offset_bits = 32;
  int columns = 1;
  /// Layout of several vectors: left (column-major) or right (row-major).
  std::string layout = "left";

  /// Defines only these options, not those of RunOptions.
  void define_contest(CLI::App& app, const std::string& about_schemes);
  /// Defines the options of operations with vectors; `vectors` names these in the help.
  void define_columns(CLI::App& app, const std::string& vectors);

  bool row_major() const { return layout == "right"; }
  bool all_schemes() const { return contains(schemes, "all"); }
  bool automatic() const { return all_schemes() || contains(schemes, "auto"); }
  bool wants_baseline(const std::string& name) const {
    return contains(baselines, "all") ||
           std::any_of(baselines.begin(), baselines.end(),
                       [&](const std::string& word) { return names(word, name); });
  }
  /// Whether a word asks for a baseline: by its name or by its family, the parts before a dash.
  static bool names(const std::string& word, const std::string& baseline) {
    return baseline == word || baseline.starts_with(word + "-");
  }

  static bool contains(const std::vector<std::string>& list, const std::string& word) {
    return std::find(list.begin(), list.end(), word) != list.end();
  }
};

}  // namespace heddle::bench
