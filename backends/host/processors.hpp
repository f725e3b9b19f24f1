// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Macros.hpp>
#include <algorithm>
#include <atomic>
#include <thread>
#ifdef __linux__
#include <sched.h>
#endif
#ifdef KOKKOS_ENABLE_OPENMP
#include <omp.h>
#endif

namespace heddle::backends {

namespace detail {

inline std::atomic<int> assumed_processors = 0;

}  // namespace detail

/// For tests: sets the assumed number of processors; 0: the real number. Returns the number assumed
/// before.
inline int assume_processors(int n) { return detail::assumed_processors.exchange(n); }

/// Number of processors that threads of this program may run on. On Linux those of the calling
/// thread's affinity (taskset, cgroups' cpusets, srun), queried at every call, since it may change:
/// about 100 ns. If OpenMP's runtime has bound threads to places, the processors of all places.
inline int processors_available() {
  const int assumed = detail::assumed_processors.load(std::memory_order_relaxed);
  if (assumed > 0) return assumed;
#ifdef KOKKOS_ENABLE_OPENMP
  // The affinity of a bound thread, this one too, is a single processor.
  if (omp_get_proc_bind() != omp_proc_bind_false) return std::max(1, omp_get_num_procs());
#endif
#ifdef __linux__
  cpu_set_t processors;
  if (sched_getaffinity(0, sizeof(processors), &processors) == 0) {
    return std::max(1, CPU_COUNT(&processors));
  }
#endif
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

}  // namespace heddle::backends
