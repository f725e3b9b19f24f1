// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>

#include "allocator_figures.hpp"
#include "dependent_steps.hpp"

namespace heddle::bench {

/// What this machine can do at best, measured.
struct DeviceFigures {
  std::size_t array_bytes = 0;
  double copy_gbytes_per_second = 0;   // b = a: bytes read and written
  double triad_gbytes_per_second = 0;  // a = b + s c: bytes read and written
  double launch_seconds = 0;           // an empty kernel, from the call to the end of a fence
  double queued_launch_seconds = 0;    // one of many empty kernels behind each other
  double readback_seconds = 0;  // a sum over one item, from the call to its value on the host
  AllocatorFigures allocator;
  DependentSteps steps;
};

/// Bandwidths are the best of `repetitions` (as STREAM reports), latencies medians.
/// Arrays are of `array_bytes`, or, if 0, of as many MB as the environment's HEDDLE_BENCH_ARRAY_MB
/// says, or of four times the last-level cache: at least 64 MB, and at most 512 MB or a third of
/// that, whichever is more.
DeviceFigures measure_device(const Kokkos::DefaultExecutionSpace& exec, std::size_t array_bytes = 0,
                             int repetitions = 20);

}  // namespace heddle::bench
