// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The suite of one type, the HEDDLE_TESTED_TYPE-th of those that are tested, for any format.
#include "../support/format_under_test.hpp"
#include "../support/spmv_suite.hpp"

HEDDLE_TEST_SPMV(std::tuple<TestedPlanType<Formats<FormatUnderTest>, HEDDLE_TESTED_TYPE>>);
