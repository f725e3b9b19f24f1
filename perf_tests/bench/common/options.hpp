// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "matrix_set.hpp"

namespace CLI {
class App;
}

namespace heddle::bench {

/// Options of every operation that runs over matrices.
struct MatrixOptions {
  std::vector<std::string> files, generated, sets;
  /// Folder of the files that a set names.
  std::string folder = ".";
  std::uint64_t seed = 1;
  /// Orders in which every square matrix is run.
  std::vector<std::string> orders{"own"};

  void define(CLI::App& app);
  /// Prints on standard error the files that a set names and the folder lacks: they are left out.
  /// Throws heddle::Error if nothing is left to run, or if a set does not exist.
  std::vector<Source> sources() const;

 private:
  std::vector<Source> matrices() const;
};

/// Help for the generators with their arguments and for the sets, one line each.
std::string matrix_help();

/// Help for the times of contestants: when not to compare them, and what triad's arrays hold.
std::string timing_help();

/// Returns "" for a number of seconds above 0, else the error. CLI11's own check of positive
/// numbers accepts NaN.
std::string check_seconds(const std::string& text);

/// Options of every operation that is timed.
struct RunOptions {
  MatrixOptions matrices;
  int repetitions = 1000;
  double precision = 0.02;
  double budget_seconds = 2;
  bool flush = false;
  bool no_verify = false;
  std::string json_path, csv_path, commit;
  /// Other files that an operation writes; results omit their folders.
  std::vector<std::string> other_paths;

  void define(CLI::App& app);
  bool verify() const { return !no_verify; }
};

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
  /// Whether schemes include this word, or "all".
  bool asks_for(const std::string& word) const {
    return contains(schemes, "all") || contains(schemes, word);
  }
  bool automatic() const { return asks_for("auto"); }
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

/// Options of operations whose "auto" may choose by a model, by timing or from a cache.
struct ChoiceOptions : ContestOptions {
  std::string model_path;
  /// Options measure_seconds and cache of a plan with "auto".
  double measure_seconds = 0;
  std::string cache;
  /// Whether the plan's explain() is printed.
  bool explain = false;

  /// Defines only these options; `about_model` and `about_measure` are the help of the first two.
  void define_choice(CLI::App& app, const std::string& about_model,
                     const std::string& about_measure);
};

}  // namespace heddle::bench
