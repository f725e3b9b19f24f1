// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <Kokkos_Core.hpp>

#include "../../backends/host/one_thread.hpp"
#include "../../backends/host/processors.hpp"
#include "../../backends/host/thread_costs.hpp"
#include "../support/format_under_test.hpp"

int main(int argc, char** argv) {
  if (!heddle::test::FormatUnderTest::take(argc, argv)) return 2;
  Kokkos::ScopeGuard kokkos(argc, argv);
  // Tests may not depend on the machine; see support/assumed_processors.hpp.
  heddle::backends::assume_processors(1 << 20);
  heddle::backends::assume_thread_costs(heddle::backends::ThreadCosts());
  // Matrices of tests are small, and threads are to work together on them.
  heddle::backends::let_small_plans_take_one_thread(false);
  return doctest::Context(argc, argv).run();
}
