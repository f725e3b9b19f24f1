// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>

#include "allocator_figures.hpp"
#include "dependent_steps.hpp"

namespace heddle::bench {

/// Measured limits of this machine.
struct DeviceFigures {
  std::size_t array_bytes = 0;
  double copy_gbytes_per_second = 0;   // b = a: bytes read and written
  double triad_gbytes_per_second = 0;  // a = b + s c: bytes read and written
  double launch_seconds = 0;           // an empty kernel, from the call to the end of a fence
  double queued_launch_seconds = 0;    // one of many queued empty kernels
  double readback_seconds = 0;  // a sum over one item, from the call to its value on the host
  AllocatorFigures allocator;
  DependentSteps steps;
};

/// Bandwidths are the best of `repetitions` (as in STREAM), latencies are medians. Arrays have
/// `array_bytes` bytes; if that is 0, HEDDLE_BENCH_ARRAY_MB of the environment in MB; else four
/// times the last-level cache: at least 64 MB, and at most 512 MB or a third of that, whichever is
/// more. Throws Error if the variable is not a whole number of MB.
DeviceFigures measure_device(const Kokkos::DefaultExecutionSpace& exec, std::size_t array_bytes = 0,
                             int repetitions = 20);

}  // namespace heddle::bench
