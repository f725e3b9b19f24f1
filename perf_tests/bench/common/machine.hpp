// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

#include "../../../core/device.hpp"
#include "device_figures.hpp"

namespace heddle::bench {

/// What a result depends on beside the code of Heddle's kernels.
struct Machine {
  Device device;
  std::string backend;  // Kokkos' name of the default execution space
  int concurrency = 0;
  std::string threads;  // how they are placed, or why they are not bound: bind_threads()
  std::string cpu, compiler, kokkos_version, heddle_version, commit, date;
};

/// `commit` as given, or, if empty, the one that was configured into this program.
Machine describe_machine(const std::string& commit);

}  // namespace heddle::bench
