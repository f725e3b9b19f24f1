// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <heddle/backends/host/launch.hpp>
#ifdef KOKKOS_ENABLE_CUDA
#include <heddle/backends/cuda/launch.hpp>
#endif
#ifdef KOKKOS_ENABLE_HIP
#include <heddle/backends/hip/launch.hpp>
#endif

namespace heddle::backends {

/// Runs `kernel(team, scratch)` for `teams` teams on `exec`, in any order, and returns at once.
///
/// Kernel declares `Scratch`, a trivial type that the team shares, uninitialized (NoScratch if it
/// needs none), and is small enough to be passed by value. `label` is a literal of the form
/// "heddle::op::phase". Nothing is launched when there are no teams. On a GPU every thread of the
/// team calls the kernel. Teams need not be resident together: a kernel whose teams wait for each
/// other in any order launches no more than resident_teams<LaunchShape, Kernel>(exec), and one
/// whose teams wait only for lower ones no more than max_teams_in_order. Throws Error if the device
/// refuses the launch.
template <class LaunchShape, ExecutionSpace Exec, class Kernel>
void launch(const Exec& exec, const char* label, std::int64_t teams, const Kernel& kernel) {
  if (teams > 0) launch_teams<LaunchShape>(exec, label, teams, kernel);
}

}  // namespace heddle::backends
