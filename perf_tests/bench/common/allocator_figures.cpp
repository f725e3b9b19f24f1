// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "allocator_figures.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>

#include "results.hpp"
#include "timing.hpp"

namespace heddle::bench {

namespace {

using Exec = Kokkos::DefaultExecutionSpace;
using Block = Kokkos::View<std::byte*, Exec::memory_space>;

Block allocate(const Exec& exec, std::size_t bytes) {
  return Block(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "heddle::bench::block"),
               bytes);
}

/// Greatest common divisor of the differences between the addresses of live blocks, in bytes.
std::size_t unit_of(const Exec& exec, std::size_t first_bytes, std::size_t step_bytes) {
  constexpr std::size_t blocks = 64;
  std::vector<Block> live;
  for (std::size_t i = 0; i < blocks; ++i) {
    live.push_back(allocate(exec, first_bytes + i * step_bytes));
  }
  const auto address = [&](std::size_t i) {
    return reinterpret_cast<std::uintptr_t>(live[i].data());
  };
  std::size_t unit = 0;
  for (std::size_t i = 1; i < blocks; ++i) {
    unit = std::gcd(unit, std::max(address(0), address(i)) - std::min(address(0), address(i)));
  }
  return unit;
}

AllocationTime time_of(const Exec& exec, std::size_t bytes) {
  constexpr int warm_up = 2, repetitions = 15;
  Samples allocations, releases;
  for (int i = -warm_up; i < repetitions; ++i) {
    exec.fence("heddle::bench::allocator");
    const double begin = host_seconds();
    Block block = allocate(exec, bytes);
    exec.fence("heddle::bench::allocated");
    const double middle = host_seconds();
    block = Block();
    exec.fence("heddle::bench::released");
    const double end = host_seconds();
    if (i < 0) continue;
    allocations.seconds.push_back(middle - begin);
    releases.seconds.push_back(end - middle);
  }
  return {bytes, allocations.median(), releases.median()};
}

}  // namespace

void fit_line(AllocatorFigures& figures) {
  // The minimum of the sum of (c / t + b n / t - 1)^2 over times t of blocks of n bytes.
  double cc = 0, cb = 0, bb = 0, c1 = 0, b1 = 0;
  for (const AllocationTime& one : figures.times) {
    if (one.bytes < large_block_bytes) continue;
    const double time = one.allocate_seconds + one.release_seconds;
    const double c = 1 / time, b = static_cast<double>(one.bytes) / time;
    cc += c * c;
    cb += c * b;
    bb += b * b;
    c1 += c;
    b1 += b;
  }
  const double determinant = cc * bb - cb * cb;
  figures.call_seconds = (c1 * bb - b1 * cb) / determinant;
  figures.byte_seconds = (b1 * cc - c1 * cb) / determinant;
  if (figures.call_seconds < 0) {
    figures.call_seconds = 0;
    figures.byte_seconds = b1 / bb;
  } else if (figures.byte_seconds < 0) {
    figures.call_seconds = c1 / cc;
    figures.byte_seconds = 0;
  }
}

AllocatorFigures measure_allocator(const Exec& exec) {
  AllocatorFigures figures;
  figures.small_unit_bytes = unit_of(exec, 1, 37);
  figures.large_unit_bytes = unit_of(exec, large_block_bytes + 1, 2111);
  for (int power = 10; power <= 28; power += 3) {
    figures.times.push_back(time_of(exec, std::size_t{1} << power));
  }
  fit_line(figures);
  return figures;
}

}  // namespace heddle::bench
