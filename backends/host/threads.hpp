// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../core/from_threads.hpp"
#include "../profiled_kernel.hpp"
#include "device.hpp"
#include "one_thread.hpp"
#ifdef KOKKOS_ENABLE_OPENMP
#include <omp.h>
#endif

namespace heddle::backends {

/// Launches kernel(me, threads) on that many threads of a CPU, me from 0 to threads - 1. They run
/// at the same time and may wait for each other: the operating system schedules all of them, though
/// slowly if there are more than threads_at_once. `threads` is from 1 to `asked`, and may be less
/// than `asked`. The kernel must not throw: others may wait for its thread.
template <BackendIs<Host> Exec, class Kernel>
void launch_threads(const Exec& exec, const char* label, int asked, const Kernel& kernel) {
  using Policy = Kokkos::RangePolicy<Exec, Kokkos::Schedule<Kokkos::Static>>;
  const int threads = exec.concurrency();
  if (asked <= 1 || runs_on_one_thread(exec)) {
    const ProfiledKernel profiled(exec, label);
    return kernel(0, 1);
  }
  const int used = asked < threads ? asked : threads;
  // Chunks of one: one index a thread.
  Kokkos::parallel_for(label, Policy(exec, 0, threads, Kokkos::ChunkSize(1)), [=](int me) {
    if (me < used) kernel(me, used);
  });
}

#ifdef KOKKOS_ENABLE_OPENMP
/// Enters a parallel region directly, as launch does; for one thread none. It may get fewer threads
/// than it asks for, inside another region or under a limit. The region has all threads of the
/// instance, even if some do nothing: after one of fewer threads gcc's runtime ends the others, and
/// the next region creates them again, which takes longer than to wake them.
template <class Kernel>
void launch_threads(const Kokkos::OpenMP& exec, const char* label, int asked,
                    const Kernel& kernel) {
  const ProfiledKernel profiled(exec, label);
  if (asked <= 1 || runs_on_one_thread(exec)) return kernel(0, 1);
#pragma omp parallel num_threads(exec.concurrency())
  {
    const int granted = omp_get_num_threads(), me = omp_get_thread_num();
    const int used = asked < granted ? asked : granted;
    if (me < used) kernel(me, used);
  }
}
#endif

/// Runs body(me, threads) as launch_threads does, and waits. The body's threads do not wait for
/// each other, so it may throw: the exception of the lowest thread is thrown here, a std::bad_alloc
/// as OutOfMemory.
template <BackendIs<Host> Exec, class Body>
void run_on_threads(const Exec& exec, const char* label, int asked, const Body& body) {
  heddle::detail::FromThreads thrown;
  launch_threads(exec, label, asked,
                 [&](int me, int threads) { thrown.run(me, [&] { body(me, threads); }); });
  exec.fence(label);
  thrown.rethrow(label);
}

}  // namespace heddle::backends
