// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The suite of one type, the HEDDLE_TESTED_TYPE-th of those that are tested, for any format.
#include "../../testing/format_suite.hpp"
#include "../support/format_under_test.hpp"

HEDDLE_TEST_SPMV(std::tuple<TestedPlanType<Formats<FormatUnderTest>, HEDDLE_TESTED_TYPE>>);
