// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "../../../core/device.hpp"

namespace heddle::bench {

/// Seconds to allocate and to release a block of `bytes` bytes, each with a fence.
struct AllocationTime {
  std::size_t bytes = 0;
  double allocate_seconds = 0;
  double release_seconds = 0;
};

/// Blocks of at least this many bytes are large: Kokkos gets them from another allocator of CUDA.
inline constexpr std::size_t large_block_bytes = std::size_t{64} << 10;

/// Times and granularity of the allocator of device memory, through Kokkos.
struct AllocatorFigures {
  /// Addresses of blocks differ by multiples of this: for up to 2.5 KB, and for 64 to 200 KB.
  std::size_t small_unit_bytes = 0;
  std::size_t large_unit_bytes = 0;
  /// Medians, for blocks from 1 KB to 256 MB.
  std::vector<AllocationTime> times;
  /// Fit of the times of large blocks, allocation and release together, with the smallest relative
  /// errors: call_seconds + bytes byte_seconds.
  double call_seconds = 0;
  double byte_seconds = 0;
};

AllocatorFigures measure_allocator(const Kokkos::DefaultExecutionSpace& exec);

/// Sets call_seconds and byte_seconds by least squares of relative errors, neither below 0.
void fit_line(AllocatorFigures& figures);

/// Seconds of one step of a chain in which every value depends on the one before: a lower bound for
/// a level of a triangular solve. Empty if the device has no such step, or if its threads did not
/// run at the same time.
struct DependentSteps {
  /// Step to another team (on a CPU: thread) through memory: relaxed accesses, no separate flag.
  std::optional<double> memory;
  /// Step to another team of a cluster of 8, which polls its scratch for the value.
  std::optional<double> cluster;
  /// Barrier of such a cluster of teams of 128 threads, with the value written to the next scratch.
  std::optional<double> cluster_barrier;
  /// Step to another warp of the team: through scratch, and a barrier of 128 threads.
  std::optional<double> team;
  /// Step to another lane of the warp: a shuffle and a multiply-add.
  std::optional<double> warp;
  /// A barrier of all threads of a CPU.
  std::optional<double> barrier;
};

/// Measures all of them, in some milliseconds. It ends on every device, whatever else runs there:
/// see the kernels. Throws Error if a value that was passed on is wrong.
DependentSteps measure_dependent_steps(const Kokkos::DefaultExecutionSpace& exec);

/// The steps of a CPU with `threads` threads. Empty for fewer than two, or without concurrency.
std::optional<double> measure_thread_step(const Kokkos::DefaultExecutionSpace& exec, int threads);
std::optional<double> measure_thread_barrier(const Kokkos::DefaultExecutionSpace& exec,
                                             int threads);

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

/// Bytes of each array that HEDDLE_BENCH_ARRAY_MB of the environment asks for; 0 if it is not set.
/// Throws Error if the variable is not a whole number of MB.
std::size_t asked_array_bytes();

/// Bandwidths are the best of `repetitions` (as in STREAM), latencies are medians. Arrays have
/// `array_bytes` bytes; if that is 0, asked_array_bytes(); if that is 0 too, four times the
/// last-level cache: at least 64 MB, and at most 512 MB or a third of that, whichever is more.
DeviceFigures measure_device(const Kokkos::DefaultExecutionSpace& exec, std::size_t array_bytes = 0,
                             int repetitions = 20);

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
