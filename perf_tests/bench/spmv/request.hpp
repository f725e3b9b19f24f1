// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <memory>

#include "../../../formats/model.hpp"
#include "../common/contest_options.hpp"

namespace heddle::bench {

/// What `heddle-bench spmv` was asked for.
struct SpmvRequest : ContestOptions {
  int expected_applies = 1000;
  std::string model_path;
  /// What is read from there, or nothing.
  std::shared_ptr<const Model> model = nullptr;
  /// SpmvOptions::measure_seconds and cache of "auto".
  double measure_seconds = 0;
  std::string cache;
  /// Whether Choice::explain is printed.
  bool explain = false;
};

}  // namespace heddle::bench
