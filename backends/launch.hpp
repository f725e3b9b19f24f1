// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

#include "../core/error.hpp"
#include "host/launch.hpp"
#include "kokkos/launch.hpp"
#ifdef KOKKOS_ENABLE_CUDA
#include "cuda/launch.hpp"
#endif
#ifdef KOKKOS_ENABLE_HIP
#include "hip/launch.hpp"
#endif
#ifdef HEDDLE_EMULATED
#include "emulated/launch.hpp"
#endif

namespace heddle::backends {

/// Approximate number of warps or wavefronts of a launch that a multiprocessor runs at once; 0: as
/// many as fit. For kernels whose teams poll for results of others: teams far ahead slow down the
/// others. Only a hint, on which nothing may depend; it has no effect on devices other than CUDA
/// and HIP, and through Portable.
struct Residency {
  int warps = 0;
};

/// Bytes of scratch that a team requests so that no more teams fit: one more than its share.
template <class LaunchShape, ExecutionSpace Exec>
std::size_t scratch_of(const Exec& exec, const Residency& residency) {
  if constexpr (has_lanes<Exec>) {
    if (residency.warps <= 0) return 0;
    constexpr int warps_per_team = ceil_div(LaunchShape::team_threads, max_subwarp_width<Exec>);
    const int teams = residency.warps / warps_per_team;
    return max_scratch_bytes(exec) / (static_cast<std::size_t>(teams > 1 ? teams : 1) + 1) + 1;
  } else {
    return 0;
  }
}

/// The common part of launch, launch_by_ticket and launch_in_order.
template <class LaunchShape, ExecutionSpace Exec, class Kernel, class Order>
void launch_checked(const Exec& exec, const char* label, std::int64_t teams, const Kernel& kernel,
                    Order order, std::size_t scratch_bytes, const Residency& residency) {
  if constexpr (has_dynamic_scratch<Kernel>) {
    const std::size_t most = max_scratch_bytes(exec);
    if (scratch_bytes > most) {
      throw Error(std::string(label) + " asks for " + std::to_string(scratch_bytes) +
                      " bytes of scratch a team, and this device has " + std::to_string(most),
                  "ask for no more than Device::scratch_bytes");
    }
  }
  const std::size_t reserved = scratch_of<LaunchShape>(exec, residency);
  if (reserved > scratch_bytes) scratch_bytes = reserved;
  if (teams > 0) launch_teams<LaunchShape>(exec, label, teams, kernel, order, scratch_bytes);
}

/// Runs `kernel(team, scratch)` for `teams` teams on `exec`, in any order, and returns at once.
///
/// Kernel is small enough to be passed by value and declares `Scratch`, the uninitialized memory
/// that the team shares: a trivial type, NoScratch, or DynamicScratch, of which a team gets
/// `scratch_bytes`, up to Device::scratch_bytes. (On a CPU the first launch with DynamicScratch
/// allocates it for each thread, and no later one does.) `label` is a literal of the form
/// "heddle::op::phase". Nothing is launched when there are no teams. If there are lanes every
/// thread of the team calls the kernel.
///
/// Teams need not be resident together. A kernel whose teams wait for each other in any order
/// launches at most resident_teams<LaunchShape, Kernel>(exec, scratch_bytes), and nothing else may
/// run on the device meanwhile; one whose teams wait only for lower ones uses launch_in_order.
/// Throws Error if more scratch is asked for than there is, or the device refuses the launch.
template <class LaunchShape, ExecutionSpace Exec, class Kernel>
  requires(!has_dynamic_scratch<Kernel>)
void launch(const Exec& exec, const char* label, std::int64_t teams, const Kernel& kernel,
            const Residency& residency = {}) {
  launch_checked<LaunchShape>(exec, label, teams, kernel, AnyOrder(), 0, residency);
}
template <class LaunchShape, ExecutionSpace Exec, class Kernel>
  requires has_dynamic_scratch<Kernel>
void launch(const Exec& exec, const char* label, std::int64_t teams, const Kernel& kernel,
            std::size_t scratch_bytes, const Residency& residency = {}) {
  launch_checked<LaunchShape>(exec, label, teams, kernel, AnyOrder(), scratch_bytes, residency);
}

/// Launches as launch does, with indices that follow the order in which teams begin, on every
/// backend: by tickets unless they follow it anyway.
template <class LaunchShape, ExecutionSpace Exec, class Kernel>
void launch_by_ticket(const Exec& exec, const char* label, std::int64_t teams, const Kernel& kernel,
                      const Tickets& tickets, std::size_t scratch_bytes = 0,
                      const Residency& residency = {}) {
  launch_checked<LaunchShape>(exec, label, teams, kernel, tickets, scratch_bytes, residency);
}

/// Launches as launch does, for a kernel whose teams wait for ones of lower index. When a team
/// begins all lower ones have begun. So if waits_make_progress<Exec>, the lowest team that has not
/// ended is running and waits for nobody, and every wait ends. At most max_teams_in_order teams.
/// Tickets are cleared once, before the first launch, and serve one launch at a time. They cost a
/// team one atomic operation and one barrier if the backend's tag has orders_teams_by_ticket, and
/// nothing otherwise.
template <class LaunchShape, ExecutionSpace Exec, class Kernel>
void launch_in_order(const Exec& exec, const char* label, std::int64_t teams, const Kernel& kernel,
                     const Tickets& tickets, std::size_t scratch_bytes = 0,
                     const Residency& residency = {}) {
  if constexpr (Tag<Exec>::orders_teams_by_ticket) {
    launch_checked<LaunchShape>(exec, label, teams, kernel, tickets, scratch_bytes, residency);
  } else {
    launch_checked<LaunchShape>(exec, label, teams, kernel, InOrder(), scratch_bytes, residency);
  }
}

}  // namespace heddle::backends
