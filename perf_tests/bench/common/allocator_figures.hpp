// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <vector>

namespace heddle::bench {

/// Seconds to allocate and to release a block of `bytes` bytes, each with a fence.
struct AllocationTime {
  std::size_t bytes = 0;
  double allocate_seconds = 0;
  double release_seconds = 0;
};

/// Blocks of at least this many bytes are large: Kokkos gets them from another allocator of CUDA.
inline constexpr std::size_t large_block_bytes = std::size_t{64} << 10;

/// Times and granularity of the allocator of device memory, through Kokkos.
struct AllocatorFigures {
  /// Addresses of blocks differ by multiples of this: for up to 2.5 KB, and for 64 to 200 KB.
  std::size_t small_unit_bytes = 0;
  std::size_t large_unit_bytes = 0;
  /// Medians, for blocks from 1 KB to 256 MB.
  std::vector<AllocationTime> times;
  /// Fit of the times of large blocks, allocation and release together, with the smallest relative
  /// errors: call_seconds + bytes byte_seconds.
  double call_seconds = 0;
  double byte_seconds = 0;
};

AllocatorFigures measure_allocator(const Kokkos::DefaultExecutionSpace& exec);

/// Sets call_seconds and byte_seconds by least squares of relative errors, neither below 0.
void fit_line(AllocatorFigures& figures);

}  // namespace heddle::bench
