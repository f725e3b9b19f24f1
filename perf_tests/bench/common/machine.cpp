// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "machine.hpp"

#include <ctime>
#include <heddle/config.hpp>

#include "../../../backends/device.hpp"
#include "../../../backends/host/device.hpp"
#include "bind_threads.hpp"
#include "commit.hpp"

namespace heddle::bench {

namespace {

std::string compiler_name() {
  std::string name;
#if defined(__clang__)
  name = "clang " __clang_version__;
#elif defined(__GNUC__)
  name = "gcc " __VERSION__;
#endif
#if defined(__CUDACC_VER_MAJOR__)
  name = "nvcc " + std::to_string(__CUDACC_VER_MAJOR__) + "." +
         std::to_string(__CUDACC_VER_MINOR__) + "." + std::to_string(__CUDACC_VER_BUILD__) + ", " +
         name;
#endif
  return name;
}

std::string utc_date() {
  const std::time_t now = std::time(nullptr);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&now));
  return text;
}

}  // namespace

Machine describe_machine(const std::string& commit) {
  const Kokkos::DefaultExecutionSpace exec;
  Machine machine;
  machine.device = backends::describe(exec);
  machine.backend = exec.name();
  machine.concurrency = exec.concurrency();
  machine.threads = placement_of_threads();
  machine.cpu = backends::processor_name();
  machine.compiler = compiler_name();
  machine.kokkos_version = std::to_string(KOKKOS_VERSION / 10000) + "." +
                           std::to_string(KOKKOS_VERSION / 100 % 100) + "." +
                           std::to_string(KOKKOS_VERSION % 100);
  machine.heddle_version = HEDDLE_VERSION;
  machine.commit = commit.empty() ? HEDDLE_BENCH_COMMIT : commit;
  machine.date = utc_date();
  return machine;
}

}  // namespace heddle::bench
