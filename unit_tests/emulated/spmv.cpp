// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What every format of SpMV promises, on an emulated device: a program for each HEDDLE_FORMAT.
#include "../support/spmv_suite.hpp"

HEDDLE_TEST_SPMV(PlanTypes<Formats<HEDDLE_FORMAT>>);
