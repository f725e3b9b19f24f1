// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Of programs on an emulated device: HEDDLE_EMULATED_SEED=N gives another order.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <Kokkos_Core.hpp>
#include <cstdio>
#include <cstdlib>

#include "../../backends/emulated/space.hpp"

int main(int argc, char** argv) {
  if (const char* const seed = std::getenv("HEDDLE_EMULATED_SEED")) {
    heddle::backends::emulated_options().seed = std::strtoull(seed, nullptr, 10);
  }
  std::printf("seed %llu\n",
              static_cast<unsigned long long>(heddle::backends::emulated_options().seed));
  Kokkos::ScopeGuard kokkos(argc, argv);
  return doctest::Context(argc, argv).run();
}
