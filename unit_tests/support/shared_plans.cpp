// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The plans of type number HEDDLE_TESTED_TYPE of TestedTypes, and inspections of their patterns.
#include "../../formats/definitions.hpp"
#include "shared_formats.hpp"

#ifndef HEDDLE_FULL_TESTS
#define HEDDLE_JOIN(a, b) a##b
#define HEDDLE_PLANS_OF(k) HEDDLE_JOIN(HEDDLE_SHARED_PLANS_, k)
#define HEDDLE_MAKE_PLAN(k, V, ACC) template class HEDDLE_SHARED_CORE(k, V, ACC);
#define HEDDLE_MAKE_PATTERN(k) HEDDLE_SHARED_PATTERN(, k)
HEDDLE_PLANS_OF(HEDDLE_TESTED_TYPE)(HEDDLE_MAKE_PLAN, HEDDLE_MAKE_PATTERN)
#endif
