// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../all_teams.hpp"
#include "launch.hpp"

namespace heddle::backends {

template <class LaunchShape, class Kernel, ExecutionSpace Base, int Width>
int cooperative_teams(const Emulated<Base, Width>& exec) {
  return resident_teams<LaunchShape, Kernel>(exec);
}

template <class LaunchShape, ExecutionSpace Base, int Width, class Kernel>
void run_all_teams(const Emulated<Base, Width>& exec, const char* label, int teams,
                   const Kernel& kernel, const MeetingWords& words) {
  using Exec = Emulated<Base, Width>;
  struct Given {
    const Kernel& kernel;
    const MeetingWords& words;
    int teams;
  };
  const ProfiledKernel profiled(exec, label);
  const Given given{kernel, words, teams};
  emulated::Launch launch = emulated::describe_launch<Exec, LaunchShape, Kernel>(
      label, teams, 1, sizeof(typename Kernel::Scratch));
  launch.places = teams;
  launch.kernel = &given;
  launch.run = [](const void* what, emulated::Lane& lane) {
    const auto& [kernel, words, teams] = *static_cast<const Given*>(what);
    kernel(AllTeams<Exec, LaunchShape>(lane.team->index, teams, words),
           *reinterpret_cast<typename Kernel::Scratch*>(lane.team->scratch));
  };
  emulated::Scheduler::here().run(launch);
}

template <class LaunchShape, ExecutionSpace Base, int Width, class Kernel>
void launch_all_teams(const Emulated<Base, Width>& exec, const char* label, int teams,
                      const Kernel& kernel, const MeetingWords& words) {
  emulated::queue(exec, [=](const Emulated<Base, Width>& instance) {
    run_all_teams<LaunchShape>(instance, label, teams, kernel, words);
  });
}

}  // namespace heddle::backends
