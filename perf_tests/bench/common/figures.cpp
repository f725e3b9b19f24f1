// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <string>

#include "../../../backends/device.hpp"
#include "../../../core/error.hpp"
#include "machine.hpp"
#include "timing.hpp"

namespace heddle::bench {

namespace {

using Exec = Kokkos::DefaultExecutionSpace;
using Array = Kokkos::View<double*, Exec::memory_space>;
using Range = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>;

struct Copy {
  Array from, to;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { to(i) = from(i); }
};

struct Triad {
  Array a, b, c;
  double factor;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { a(i) = b(i) + factor * c(i); }
};

struct One {
  KOKKOS_FUNCTION void operator()(std::int64_t, int& sum) const { ++sum; }
};

struct Nothing {
  KOKKOS_FUNCTION void operator()(std::int64_t) const {}
};

/// Four times the cache, as in STREAM. A virtual machine may see the cache of a whole server: above
/// 512 MB it is enough that the three arrays of a triad are four times the cache together.
std::size_t beyond_cache(std::size_t cache_bytes) {
  constexpr std::size_t least = std::size_t{64} << 20;
  constexpr std::size_t ample = std::size_t{512} << 20;
  return std::max({least, std::min(4 * cache_bytes, ample), 4 * cache_bytes / 3});
}

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

std::size_t asked_array_bytes() {
  const char* const value = std::getenv("HEDDLE_BENCH_ARRAY_MB");
  if (!value) return 0;
  constexpr std::int64_t most = std::int64_t{1} << 20;
  const std::string text = value;
  const char* const end = text.data() + text.size();
  std::int64_t megabytes = 0;
  const auto [stop, status] = std::from_chars(text.data(), end, megabytes);
  if (status != std::errc() || stop != end || megabytes < 0 || megabytes > most) {
    throw Error(
        "HEDDLE_BENCH_ARRAY_MB is \"" + text + "\"",
        "set it to a whole number of MB, at most " + std::to_string(most) + ", or leave it unset");
  }
  return static_cast<std::size_t>(megabytes) << 20;
}

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

DeviceFigures measure_device(const Exec& exec, std::size_t array_bytes, int repetitions) {
  DeviceFigures figures;
  if (array_bytes == 0) array_bytes = asked_array_bytes();
  if (array_bytes == 0) array_bytes = beyond_cache(backends::describe(exec).cache_bytes);
  const auto count = static_cast<std::int64_t>(array_bytes / sizeof(double));
  figures.array_bytes = array_bytes;
  const Array a(Kokkos::view_alloc(exec, "heddle::bench::triad_a"), count);
  const Array b(Kokkos::view_alloc(exec, "heddle::bench::triad_b"), count);
  const Array c(Kokkos::view_alloc(exec, "heddle::bench::triad_c"), count);

  const auto gbytes = 1e-9 * static_cast<double>(count) * sizeof(double);
  const Samples copy = time_repeated(exec, {repetitions, repetitions, 0}, [&] {
    Kokkos::parallel_for("heddle::bench::copy", Range(exec, 0, count), Copy{b, a});
  });
  figures.copy_gbytes_per_second = 2 * gbytes / copy.min();
  const Samples triad = time_repeated(exec, {repetitions, repetitions, 0}, [&] {
    Kokkos::parallel_for("heddle::bench::triad", Range(exec, 0, count), Triad{a, b, c, 3.0});
  });
  figures.triad_gbytes_per_second = 3 * gbytes / triad.min();

  constexpr int launches = 200;
  const auto launch = [&] {
    Kokkos::parallel_for("heddle::bench::nothing", Range(exec, 0, 1), Nothing{});
  };
  const auto waited_for = [&](const auto& work) {
    Samples single;
    for (int i = 0; i < launches; ++i) {
      const double begin = host_seconds();
      work();
      exec.fence("heddle::bench::launch");
      single.seconds.push_back(host_seconds() - begin);
    }
    return single.median();
  };
  figures.launch_seconds = waited_for(launch);
  int sum = 0;
  figures.readback_seconds = waited_for(
      [&] { Kokkos::parallel_reduce("heddle::bench::readback", Range(exec, 0, 1), One{}, sum); });
  const Samples queued = time_repeated(exec, {5, 5, 0}, [&] {
    for (int i = 0; i < launches; ++i) launch();
  });
  figures.queued_launch_seconds = queued.median() / launches;
  figures.allocator = measure_allocator(exec);
  figures.steps = measure_dependent_steps(exec);
  return figures;
}

}  // namespace heddle::bench
