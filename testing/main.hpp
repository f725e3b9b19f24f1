// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The main function of a test program by doctest, with Kokkos. One source of a program includes it.
#pragma once

#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <Kokkos_Core.hpp>

#include "../backends/host/one_thread.hpp"
#include "../backends/host/processors.hpp"
#include "../backends/host/thread_costs.hpp"

int main(int argc, char** argv) {
  Kokkos::ScopeGuard kokkos(argc, argv);
  // The tests must not depend on how many processors the machine has, nor on how fast its threads
  // start.
  heddle::backends::assume_processors(1 << 20);
  heddle::backends::assume_thread_costs(heddle::backends::ThreadCosts());
  // Matrices of tests are small, and threads are to work together on them.
  heddle::backends::let_small_plans_take_one_thread(false);
  return doctest::Context(argc, argv).run();
}
