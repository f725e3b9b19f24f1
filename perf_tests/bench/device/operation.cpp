// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "operation.hpp"

#include <iostream>

#include "../common/table.hpp"

namespace heddle::bench {

Operation device_operation() {
  Operation operation;
  operation.name = "device";
  operation.description =
      "Measured bandwidth (copy, STREAM triad) and launch latency of this machine";
  operation.run = [](const std::vector<std::string>&) -> int {
    print_machine(std::cout, describe_machine(""), measure_device({}));
    return all_well;
  };
  return operation;
}

}  // namespace heddle::bench
