// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The suite of type number HEDDLE_TESTED_TYPE of the tested types, for any format.
#include "../../testing/format_suite.hpp"
#include "../support/format_under_test.hpp"

HEDDLE_TEST_SPMV(std::tuple<TestedPlanType<Formats<FormatUnderTest>, HEDDLE_TESTED_TYPE>>);
