// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../gpu/cooperative.hpp"
#include "launch.hpp"

namespace heddle::backends {

template <class LaunchShape, class Kernel>
int cooperative_teams(const Kokkos::Cuda& exec) {
  const char* const what = "a kernel's count of cooperative teams";
  make_current(exec, what);
  int per_multiprocessor = 0, multiprocessors = 0;
  check_launch(what, cudaOccupancyMaxActiveBlocksPerMultiprocessor(
                         &per_multiprocessor, run_all_teams<Kokkos::Cuda, LaunchShape, Kernel>,
                         LaunchShape::team_threads, 0));
  check_launch(what, cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount,
                                            exec.cuda_device()));
  return per_multiprocessor * multiprocessors;
}

template <class LaunchShape, class Kernel>
void launch_all_teams(const Kokkos::Cuda& exec, const char* label, int teams, const Kernel& kernel,
                      const MeetingWords& words) {
  const ProfiledKernel profiled(exec, label);
  make_current(exec, label);
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeCooperative;
  attribute.val.cooperative = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>(teams));
  config.blockDim = dim3(LaunchShape::team_threads);
  config.stream = exec.cuda_stream();
  config.attrs = &attribute;
  config.numAttrs = 1;
  check_launch(label, cudaLaunchKernelEx(&config, run_all_teams<Kokkos::Cuda, LaunchShape, Kernel>,
                                         kernel, words));
}

}  // namespace heddle::backends
