// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../core/error.hpp"

namespace heddle {

/// A format's word that it does not hold this matrix sensibly, or that a scheme cannot run with
/// these types or on this processor. Thrown before anything is allocated that a plan keeps.
class Refusal : public Error {
 public:
  using Error::Error;
};

}  // namespace heddle
