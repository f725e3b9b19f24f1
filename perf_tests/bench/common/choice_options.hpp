// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

#include "contest_options.hpp"

namespace heddle::bench {

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
