// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Of programs on an emulated device: HEDDLE_EMULATED_SEED=N gives another order, and into the
// folder HEDDLE_EMULATED_LABELS goes a file that lists the kernels that were launched
// (dev/kernel_labels).
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <Kokkos_Core.hpp>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "../../backends/emulated/labels.hpp"
#include "../../backends/emulated/space.hpp"

int main(int argc, char** argv) {
  if (const char* const seed = std::getenv("HEDDLE_EMULATED_SEED")) {
    heddle::backends::emulated_options().seed = std::strtoull(seed, nullptr, 10);
  }
  std::printf("seed %llu\n",
              static_cast<unsigned long long>(heddle::backends::emulated_options().seed));
  Kokkos::ScopeGuard kokkos(argc, argv);
  const int result = doctest::Context(argc, argv).run();
  if (const char* const folder = std::getenv("HEDDLE_EMULATED_LABELS")) {
    std::filesystem::create_directories(folder);
    std::ofstream file(std::filesystem::path(folder) / std::filesystem::path(argv[0]).filename());
    for (const auto& label : heddle::backends::emulated::launched_labels().all()) {
      file << label << '\n';
    }
  }
  return result;
}
