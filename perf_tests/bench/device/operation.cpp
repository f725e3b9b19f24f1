// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../operation.hpp"

#include <iostream>

#include "../common/table.hpp"

namespace heddle::bench {

Operation device_operation() {
  const auto run = [](const std::vector<std::string>&) -> int {
    const DeviceFigures figures = measure_device({});
    print_machine(std::cout, describe_machine(""), figures);
    print_allocator(std::cout, figures);
    const std::string steps = dependent_steps(figures.steps);
    std::cout << "a dependent step: " << (steps.empty() ? "not measured" : steps) << '\n';
    return all_well;
  };
  return {.name = "device",
          .description =
              "Measured bandwidth (copy, STREAM triad), latency of launches and readbacks, "
              "allocations and dependent steps of this machine",
          .run = run};
}

}  // namespace heddle::bench
