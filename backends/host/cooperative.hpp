// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../all_teams.hpp"
#include "threads.hpp"

namespace heddle::backends {

template <class LaunchShape, class Kernel, BackendIs<Host> Exec>
int cooperative_teams(const Exec& exec) {
  return exec.concurrency();
}

template <class LaunchShape, BackendIs<Host> Exec, class Kernel>
void launch_all_teams(const Exec& exec, const char* label, int teams, const Kernel& kernel,
                      const MeetingWords& words) {
  launch_threads(exec, label, teams, [=](int me, int granted) {
    typename Kernel::Scratch scratch;
    kernel(AllTeams<Exec, LaunchShape>(me, granted, words), scratch);
  });
}

}  // namespace heddle::backends
