// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../../bench/operation.hpp"

#include <cstdio>
#include <memory>

#include "launches.hpp"

namespace heddle::bench {

Operation launches_operation() {
  const auto repetitions = std::make_shared<int>(51);
  Operation operation;
  operation.name = "launches";
  operation.description =
      "What tickets cost, and launches by Kokkos' team policy: docs/backends.md";
  operation.define = [repetitions](CLI::App& app) {
    app.add_option("--repeat", *repetitions, "Runs of about a millisecond; the median counts")
        ->check(CLI::Range(1, 100000))
        ->capture_default_str();
  };
  operation.run = [repetitions](const std::vector<std::string>&) -> int {
    const Kokkos::DefaultExecutionSpace exec;
    print_ticket_costs(exec, *repetitions);
    std::printf("\n");
    print_portable_costs(exec, *repetitions);
    return all_well;
  };
  return operation;
}

}  // namespace heddle::bench
