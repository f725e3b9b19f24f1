// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The main function of a test program by doctest, with Kokkos. Included by one source of a program.
#pragma once

#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <Kokkos_Core.hpp>

#include "../backends/host/processors.hpp"
#include "../backends/host/thread_costs.hpp"

int main(int argc, char** argv) {
  Kokkos::ScopeGuard kokkos(argc, argv);
  // What is tested may not depend on how many processors the machine has, nor on how soon threads
  // are called.
  heddle::backends::assume_processors(1 << 20);
  heddle::backends::assume_thread_costs(heddle::backends::ThreadCosts());
  return doctest::Context(argc, argv).run();
}
