// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "trial_plans.hpp"

namespace heddle::test {

const AddTrialsOf<DoubleType> added("double");

}  // namespace heddle::test
