// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A user's format of the library's recipes, through all that is asked of the library's own, in one
// type: the recipes are tested in all of them.
#include "../support/spmv_suite.hpp"
#include "user_block_diagonals.hpp"

HEDDLE_TEST_SPMV(std::tuple<OnePlanType<Formats<user::BlockDiagonalFormat>>>);
