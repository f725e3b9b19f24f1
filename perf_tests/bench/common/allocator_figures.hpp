// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <vector>

namespace heddle::bench {

/// Of a block of `bytes` bytes, with the wait for its end each.
struct AllocationTime {
  std::size_t bytes = 0;
  double allocate_seconds = 0;
  double release_seconds = 0;
};

/// Blocks of this number of bytes and more are large: Kokkos asks another allocator of CUDA for
/// them.
inline constexpr std::size_t large_block_bytes = std::size_t{64} << 10;

/// What the allocator of the device's memory takes, in time and in bytes, through Kokkos.
struct AllocatorFigures {
  /// Blocks begin at multiples of this apart from each other: blocks of up to 2.5 KB, and of 64 to
  /// 200 KB.
  std::size_t small_unit_bytes = 0;
  std::size_t large_unit_bytes = 0;
  /// Medians, from 1 KB to 256 MB.
  std::vector<AllocationTime> times;
  /// The line through those of large blocks, allocation and release together, that is nearest in
  /// proportion: call_seconds + bytes byte_seconds.
  double call_seconds = 0;
  double byte_seconds = 0;
};

AllocatorFigures measure_allocator(const Kokkos::DefaultExecutionSpace& exec);

/// Sets call_seconds and byte_seconds: the least sum of squared relative errors, neither below 0.
void fit_line(AllocatorFigures& figures);

}  // namespace heddle::bench
