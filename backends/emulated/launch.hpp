// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>

#include "../profiled_kernel.hpp"
#include "../team.hpp"
#include "../tickets.hpp"
#include "device.hpp"
#include "memory.hpp"
#include "scheduler.hpp"

namespace heddle::backends {

/// Occupancy: teams of this kernel that the device holds at once; few, so small launches fill it.
template <class LaunchShape, class Kernel, ExecutionSpace Base, int Width>
int resident_teams(const Emulated<Base, Width>& exec, std::size_t scratch_bytes = 0) {
  constexpr int most_per_multiprocessor = 4;
  const int by_threads = exec.threads_per_multiprocessor / LaunchShape::team_threads;
  std::size_t bytes = scratch_bytes;
  if constexpr (!has_dynamic_scratch<Kernel>) {
    bytes = std::max(bytes, sizeof(typename Kernel::Scratch));
  }
  const std::size_t by_scratch = max_scratch_bytes(exec) / std::max(bytes, std::size_t{1});
  const int held = static_cast<int>(std::min(
      by_scratch, static_cast<std::size_t>(std::min(by_threads, most_per_multiprocessor))));
  return exec.multiprocessors * std::max(held, 1);
}

namespace emulated {

/// Describes a launch of units in any order, with one resident unit.
template <class Exec, class LaunchShape, class Kernel>
Launch describe_launch(const char* label, std::int64_t units, int teams_per_unit,
                       std::size_t scratch_bytes) {
  Launch launch{};
  launch.label = label;
  launch.units = units;
  launch.teams_per_unit = teams_per_unit;
  launch.team_threads = LaunchShape::team_threads;
  launch.subwarp_width = LaunchShape::subwarp_width;
  launch.warp_width = Exec::width;
  launch.scratch_bytes = scratch_bytes;
  launch.places = 1;
  launch.order = StartOrder::any;
  return launch;
}

}  // namespace emulated

template <class LaunchShape, ExecutionSpace Base, int Width, class Kernel, class Order>
void run_teams(const Emulated<Base, Width>& exec, const char* label, std::int64_t teams,
               const Kernel& kernel, Order order, std::size_t scratch_bytes) {
  using Exec = Emulated<Base, Width>;
  using Team = backends::Team<Exec, LaunchShape>;
  using Scratch = typename Kernel::Scratch;
  static_assert(alignof(Scratch) <= 64);
  const ProfiledKernel profiled(exec, label);
  if constexpr (!has_dynamic_scratch<Kernel>) {
    scratch_bytes = std::max(scratch_bytes, sizeof(Scratch));
  }
  emulated::Launch launch =
      emulated::describe_launch<Exec, LaunchShape, Kernel>(label, teams, 1, scratch_bytes);
  launch.places = resident_teams<LaunchShape, Kernel>(exec, scratch_bytes);
  if constexpr (std::is_same_v<Order, AnyOrder>) {
    launch.order = emulated::StartOrder::any;
  } else if constexpr (std::is_same_v<Order, Tickets>) {
    launch.order = emulated::StartOrder::by_ticket;
    launch.next_ticket = order.next;
  } else {
    launch.order = emulated::StartOrder::by_index;
  }
  launch.kernel = &kernel;
  launch.run = [](const void* what, emulated::Lane& lane) {
    const auto& kernel = *static_cast<const Kernel*>(what);
    emulated::TeamState& team = *lane.team;
    if (team.index < 0) {  // the first lane to begin takes the team's ticket
      const emulated::races::Unwatched unwatched;
      const emulated::Launch& launch = team.scheduler->launch();
      team.index =
          HostMemory::next_ticket(launch.next_ticket, static_cast<std::uint32_t>(launch.units));
    }
    if constexpr (has_dynamic_scratch<Kernel>) {
      DynamicScratch scratch(team.scratch, team.scratch_bytes);
      kernel(Team(team.index), scratch);
    } else {
      kernel(Team(team.index), *reinterpret_cast<Scratch*>(team.scratch));
    }
  };
  emulated::Scheduler::here().run(launch);
}

template <class LaunchShape, ExecutionSpace Base, int Width, class Kernel, class Order>
void launch_teams(const Emulated<Base, Width>& exec, const char* label, std::int64_t teams,
                  const Kernel& kernel, Order order, std::size_t scratch_bytes) {
  emulated::queue(exec, [=](const Emulated<Base, Width>& instance) {
    run_teams<LaunchShape>(instance, label, teams, kernel, order, scratch_bytes);
  });
}

}  // namespace heddle::backends
