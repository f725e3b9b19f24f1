// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

#include "../../../core/device.hpp"
#include "device_figures.hpp"

namespace heddle::bench {

/// Facts that a result depends on, other than the code of Heddle's kernels.
struct Machine {
  Device device;
  std::string backend;  // Kokkos' name of the default execution space
  int concurrency = 0;
  std::string threads;  // their placement, or why they are not bound: bind_threads()
  std::string cpu, compiler, kokkos_version, heddle_version, commit, date;
};

/// `commit` is used as given, or, if it is empty, the one that this program was configured with.
Machine describe_machine(const std::string& commit);

}  // namespace heddle::bench
