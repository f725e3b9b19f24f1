// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

#include "../../core/error.hpp"

namespace heddle::backends {

/// Throws Error if `problem`, the runtime's message about a launch, is not null.
inline void check_launch(const char* label, const char* problem) {
  if (problem) {
    throw Error(
        std::string("the device refused to launch ") + label + ": " + problem,
        "check that no earlier kernel failed, and that the program was built for this device");
  }
}

}  // namespace heddle::backends
