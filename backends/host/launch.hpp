// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <heddle/backends/profiled_kernel.hpp>
#include <heddle/backends/team.hpp>
#ifdef KOKKOS_ENABLE_OPENMP
#include <omp.h>
#endif

namespace heddle::backends {

/// On a CPU a team is one thread, and each thread takes a contiguous share of the teams.
template <class LaunchShape, ExecutionSpace Exec, class Kernel>
void launch_teams(const Exec& exec, const char* label, std::int64_t teams, const Kernel& kernel) {
  using Policy =
      Kokkos::RangePolicy<Exec, Kokkos::Schedule<Kokkos::Static>, Kokkos::IndexType<std::int64_t>>;
  Kokkos::parallel_for(label, Policy(exec, 0, teams), [=](std::int64_t index) {
    typename Kernel::Scratch scratch;
    kernel(Team<Exec, LaunchShape>(index), scratch);
  });
}

#ifdef KOKKOS_ENABLE_OPENMP
/// Straight into a parallel region. Kokkos' parallel_for first copies the instance three times and
/// locks it, all of it atomic, while the other threads wait to begin.
template <class LaunchShape, class Kernel>
void launch_teams(const Kokkos::OpenMP& exec, const char* label, std::int64_t teams,
                  const Kernel& kernel) {
  const ProfiledKernel profiled(exec, label);
#pragma omp parallel for schedule(static) num_threads(exec.concurrency())
  for (std::int64_t index = 0; index < teams; ++index) {
    typename Kernel::Scratch scratch;
    kernel(Team<Kokkos::OpenMP, LaunchShape>(index), scratch);
  }
}
#endif

template <class LaunchShape, class Kernel, ExecutionSpace Exec>
int resident_teams(const Exec& exec) {
  return exec.concurrency();
}

}  // namespace heddle::backends
