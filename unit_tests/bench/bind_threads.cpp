// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../../perf_tests/bench/common/bind_threads.hpp"

#include <doctest/doctest.h>

using heddle::bench::reason_not_to_bind;

TEST_CASE("threads are bound unless the environment has a say, or they share processors") {
  CHECK(reason_not_to_bind(nullptr, 0, 8) == "");
  CHECK(reason_not_to_bind(nullptr, 8, 8) == "");
  CHECK(reason_not_to_bind(nullptr, 9, 8) == "9 threads share 8 processors");
  CHECK(reason_not_to_bind(nullptr, 2, 1) == "2 threads share 1 processor");
  CHECK(reason_not_to_bind("false", 2, 8) == "the environment asks for \"false\"");
  CHECK(reason_not_to_bind(nullptr, 0, 0) == "this system does not say which processors there are");
}
