// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../core/from_threads.hpp"
#include "../profiled_kernel.hpp"
#include "../team.hpp"
#include "../tickets.hpp"
#include "device.hpp"
#include "one_thread.hpp"
#ifdef KOKKOS_ENABLE_OPENMP
#include <omp.h>
#endif

namespace heddle::backends {

/// Runs teams [first, stop) on this thread, one after the other.
template <class LaunchShape, ExecutionSpace Exec, class Kernel>
void run_teams_here(const Kernel& kernel, std::int64_t first, std::int64_t stop,
                    std::size_t scratch_bytes) {
  if constexpr (has_dynamic_scratch<Kernel>) {
    void* const memory = host_scratch();
    for (std::int64_t index = first; index < stop; ++index) {
      DynamicScratch scratch(memory, scratch_bytes);
      kernel(Team<Exec, LaunchShape>(index), scratch);
    }
  } else {
    for (std::int64_t index = first; index < stop; ++index) {
      typename Kernel::Scratch scratch;
      kernel(Team<Exec, LaunchShape>(index), scratch);
    }
  }
}

/// On a CPU a team is one thread, and each thread runs a contiguous share of the teams, in order.
/// So no launch needs tickets: the lowest team that has not ended begins as soon as its thread
/// runs, since that thread has finished its own lower ones, and all teams that it may wait for have
/// ended. However many threads there are, the operating system runs all of them.
template <class LaunchShape, BackendIs<Host> Exec, class Kernel, class Order>
void launch_teams(const Exec& exec, const char* label, std::int64_t teams, const Kernel& kernel,
                  Order, std::size_t scratch_bytes) {
  using Policy =
      Kokkos::RangePolicy<Exec, Kokkos::Schedule<Kokkos::Static>, Kokkos::IndexType<std::int64_t>>;
  if (teams == 1 || runs_on_one_thread(exec)) {
    const ProfiledKernel profiled(exec, label);
    return run_teams_here<LaunchShape, Exec>(kernel, 0, teams, scratch_bytes);
  }
  Kokkos::parallel_for(label, Policy(exec, 0, teams), [=](std::int64_t index) {
    run_teams_here<LaunchShape, Exec>(kernel, index, index + 1, scratch_bytes);
  });
}

#ifdef KOKKOS_ENABLE_OPENMP
/// Enters a parallel region directly. Kokkos' parallel_for first copies the instance three times
/// and locks it, with atomic operations, while the other threads wait to begin.
///
/// The region may get fewer threads than it asks for (inside another one, or under a limit), so the
/// shares are computed in it.
template <class LaunchShape, class Kernel, class Order>
void launch_teams(const Kokkos::OpenMP& exec, const char* label, std::int64_t teams,
                  const Kernel& kernel, Order, std::size_t scratch_bytes) {
  const ProfiledKernel profiled(exec, label);
  // A thread may find no memory for its scratch; if others wait for it, the program aborts.
  constexpr bool may_throw = has_dynamic_scratch<Kernel> && std::same_as<Order, AnyOrder>;
  [[maybe_unused]] heddle::detail::FromThreads thrown;
  const auto run_share = [&](std::int64_t me, std::int64_t threads) {
    const std::int64_t share = teams / threads, longer = teams % threads;
    const std::int64_t first = me * share + (me < longer ? me : longer);
    const std::int64_t stop = first + share + (me < longer ? 1 : 0);
    const auto run = [&] {
      run_teams_here<LaunchShape, Kokkos::OpenMP>(kernel, first, stop, scratch_bytes);
    };
    if constexpr (may_throw) {
      thrown.run(me, run);
    } else {
      run();
    }
  };
  if (teams == 1 || runs_on_one_thread(exec)) {
    run_share(0, 1);
  } else {
#pragma omp parallel num_threads(exec.concurrency())
    run_share(omp_get_thread_num(), omp_get_num_threads());
  }
  if constexpr (may_throw) thrown.rethrow(label);
}
#endif

/// Threads that can run teams. Inside a parallel region of the program's own there may be fewer.
template <class LaunchShape, class Kernel, BackendIs<Host> Exec>
int resident_teams(const Exec& exec, std::size_t /*scratch_bytes*/ = 0) {
  return exec.concurrency();
}

}  // namespace heddle::backends
