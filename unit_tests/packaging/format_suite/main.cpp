// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#define HEDDLE_DEFINITIONS
#include <heddle/testing/format_suite.hpp>
#include <heddle/testing/main.hpp>
#include <heddle/testing/user_format.hpp>

HEDDLE_TEST_FORMAT(user::DenseFormat);
