// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <heddle/backends/team.hpp>

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

template <class LaunchShape, class Kernel, ExecutionSpace Exec>
int resident_teams(const Exec& exec) {
  return exec.concurrency();
}

}  // namespace heddle::backends
