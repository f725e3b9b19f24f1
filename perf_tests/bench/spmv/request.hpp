// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <memory>

#include "../../../formats/model/read.hpp"
#include "../common/choice_options.hpp"

namespace heddle::bench {

/// Options of `heddle-bench spmv`.
struct SpmvRequest : ChoiceOptions {
  int expected_applies = 1000;
  /// The model that was read from model_path, or null.
  std::shared_ptr<const Model> model = nullptr;
};

}  // namespace heddle::bench
