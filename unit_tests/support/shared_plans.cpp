// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The plans of the HEDDLE_TESTED_TYPE-th of TestedTypes.
#include "shared_formats.hpp"

#ifndef HEDDLE_FULL_TESTS
#define HEDDLE_JOIN(a, b) a##b
#define HEDDLE_PLANS_OF(k) HEDDLE_JOIN(HEDDLE_SHARED_PLANS_, k)
namespace heddle {
HEDDLE_PLANS_OF(HEDDLE_TESTED_TYPE)()
}  // namespace heddle
#endif
