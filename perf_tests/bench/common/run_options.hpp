// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <vector>

#include "matrix_options.hpp"

namespace CLI {
class App;
}

namespace heddle::bench {

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

}  // namespace heddle::bench
