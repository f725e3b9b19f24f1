// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Main program of tests on an emulated device: HEDDLE_EMULATED_SEED=N gives another order, and the
// folder HEDDLE_EMULATED_LABELS gets a file that lists the kernels that were launched
// (dev/lint labels).
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <Kokkos_Core.hpp>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "../../backends/emulated/scheduler.hpp"
#include "../../backends/emulated/space.hpp"
#ifdef HEDDLE_TESTED_TYPE  // the suite of SpMV, which has the format as an option
#include "../../testing/format_suite/patterns.hpp"
#include "../support/format_under_test.hpp"

namespace heddle::test {
static bool take_format(int argc, char** argv, std::string& name) {
  if (!FormatUnderTest::take(argc, argv)) return false;
  name = FormatUnderTest::name;
  if (name == TiledFormat::name ||
      name == CsbFormat::name) {  // it uses a word of all lanes for every few entries
    one_pattern_in = 4;
    first_pattern = HEDDLE_EMULATED == 64 ? 2 : 0;
  }
  return true;
}
}  // namespace heddle::test
#endif

int main(int argc, char** argv) {
  std::string format;
#ifdef HEDDLE_TESTED_TYPE
  if (!heddle::test::take_format(argc, argv, format)) return 2;
#endif
  if (const char* const seed = std::getenv("HEDDLE_EMULATED_SEED")) {
    heddle::backends::emulated_options().seed = std::strtoull(seed, nullptr, 10);
  }
  std::printf("seed %llu\n",
              static_cast<unsigned long long>(heddle::backends::emulated_options().seed));
  Kokkos::ScopeGuard kokkos(argc, argv);
  const int result = doctest::Context(argc, argv).run();
  if (const char* const folder = std::getenv("HEDDLE_EMULATED_LABELS")) {
    std::filesystem::create_directories(folder);
    const std::string program = std::filesystem::path(argv[0]).filename();
    std::ofstream file(std::filesystem::path(folder) / (program + format));
    for (const auto& label : heddle::backends::emulated::launched_labels().all()) {
      file << label << '\n';
    }
  }
  return result;
}
