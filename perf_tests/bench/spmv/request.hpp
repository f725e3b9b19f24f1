// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <memory>

#include "../../../formats/model/read.hpp"
#include "../common/choice_options.hpp"

namespace heddle::bench {

/// What `heddle-bench spmv` was asked for.
struct SpmvRequest : ChoiceOptions {
  int expected_applies = 1000;
  /// What is read from model_path, or nothing.
  std::shared_ptr<const Model> model = nullptr;
};

}  // namespace heddle::bench
