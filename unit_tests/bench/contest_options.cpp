// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "../../perf_tests/bench/common/options.hpp"

TEST_CASE("a baseline is asked for by its name, or by the parts of it before a dash") {
  heddle::bench::ContestOptions options;
  CHECK(options.wants_baseline("anything"));  // all baselines
  options.baselines = {"kk", "cusparse-bsr", "mkl-plain"};
  for (const char* name : {"kk-native", "cusparse-bsr-2", "cusparse-bsr", "mkl-plain"}) {
    CHECK(options.wants_baseline(name));
  }
  for (const char* name : {"kkk", "cusparse-sell", "cusparse", "mkl-optimized", "mkl-plainer"}) {
    CHECK_FALSE(options.wants_baseline(name));
  }
}
