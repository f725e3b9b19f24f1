// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../core/error.hpp"

namespace heddle {

/// Says that a format does not hold this matrix sensibly, or that a scheme cannot run with these
/// types or on this processor. Thrown before a plan allocates any memory that it keeps.
class Refusal : public Error {
 public:
  using Error::Error;
};

}  // namespace heddle
