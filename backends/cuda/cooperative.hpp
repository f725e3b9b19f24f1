// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../gpu/cooperative.hpp"
#include "../gpu/known_device.hpp"
#include "launch.hpp"

namespace heddle::backends {

/// Most teams of a launch, cached: every apply needs it, and the driver takes microseconds.
template <class LaunchShape, class Kernel>
int cooperative_teams(const Kokkos::Cuda& exec) {
  return asked_once(exec.cuda_device(), [&] {
    const char* const what = "a kernel's count of cooperative teams";
    make_current(exec, what);
    int per_multiprocessor = 0, multiprocessors = 0;
    check_launch(what, cudaOccupancyMaxActiveBlocksPerMultiprocessor(
                           &per_multiprocessor, run_all_teams<Kokkos::Cuda, LaunchShape, Kernel>,
                           LaunchShape::team_threads, 0));
    check_launch(what, cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount,
                                              exec.cuda_device()));
    return per_multiprocessor * multiprocessors;
  });
}

template <class LaunchShape, class Kernel>
void launch_all_teams(const Kokkos::Cuda& exec, const char* label, int teams, const Kernel& kernel,
                      const MeetingWords& words) {
  const ProfiledKernel profiled(exec, label);
  make_current(exec, label);
  run_kernel<Kernel, MeetingWords>(exec, label,
                                   LaunchConfig{.teams = static_cast<unsigned>(teams),
                                                .threads = LaunchShape::team_threads,
                                                .cooperative = true},
                                   run_all_teams<Kokkos::Cuda, LaunchShape, Kernel>, kernel, words);
}

}  // namespace heddle::backends
