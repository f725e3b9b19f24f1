// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The main function of a test program by doctest, with Kokkos. Included by one source of a program.
#pragma once

#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <Kokkos_Core.hpp>

#include "../backends/host/processors.hpp"

int main(int argc, char** argv) {
  Kokkos::ScopeGuard kokkos(argc, argv);
  // What is tested may not depend on how many processors the machine has.
  heddle::backends::assume_processors(1 << 20);
  return doctest::Context(argc, argv).run();
}
