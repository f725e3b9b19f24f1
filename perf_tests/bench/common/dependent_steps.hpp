// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <optional>

namespace heddle::bench {

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

}  // namespace heddle::bench
