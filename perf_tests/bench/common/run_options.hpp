// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

#include "matrix_options.hpp"

namespace CLI {
class App;
}

namespace heddle::bench {

/// Options of every operation that is timed.
struct RunOptions {
  MatrixOptions matrices;
  int repetitions = 100;
  double budget_seconds = 2;
  bool flush = false;
  bool no_verify = false;
  std::string json_path, commit;

  void define(CLI::App& app);
  bool verify() const { return !no_verify; }
};

}  // namespace heddle::bench
