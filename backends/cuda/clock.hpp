// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

#ifdef __CUDA_ARCH__
namespace heddle::backends {

/// The clock that the multiprocessors of a CUDA device share, in nanoseconds; its resolution is
/// coarser.
struct CudaClock {
  __device__ static std::int64_t ticks() {
    std::int64_t now;
    // The clobber keeps the read between the memory accesses around it.
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now)::"memory");
    return now;
  }
};

}  // namespace heddle::backends
#endif
