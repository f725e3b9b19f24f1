// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <optional>

namespace heddle::bench {

/// What one step of a chain takes in which every value is made of the one before, in seconds: what
/// a level of a triangular solve cannot be faster than. None where the device has no such step, or
/// where its threads did not run at the same time.
struct DependentSteps {
  /// To another team (on a CPU: thread) through memory: relaxed accesses, the value its own flag.
  std::optional<double> memory;
  /// To another team of a cluster of 8: pushed into its scratch, where it looks for it.
  std::optional<double> cluster;
  /// A barrier of such a cluster, with teams of 128 threads, which push that way.
  std::optional<double> cluster_barrier;
  /// To another warp of the team: through scratch, and a barrier of 128 threads.
  std::optional<double> team;
  /// To another lane of the warp: a shuffle and a multiply-add.
  std::optional<double> warp;
  /// A barrier of all threads of a CPU.
  std::optional<double> barrier;
};

/// Measures all of them, in some milliseconds. It ends on every device, whatever else runs there:
/// see the kernels. Throws Error where a value that was handed on is wrong.
DependentSteps measure_dependent_steps(const Kokkos::DefaultExecutionSpace& exec);

/// The two of a CPU, with `threads` threads. None with fewer than two, or if they are not there.
std::optional<double> measure_thread_step(const Kokkos::DefaultExecutionSpace& exec, int threads);
std::optional<double> measure_thread_barrier(const Kokkos::DefaultExecutionSpace& exec,
                                             int threads);

}  // namespace heddle::bench
