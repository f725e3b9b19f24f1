// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device_figures.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <string>

#include "../../../backends/device.hpp"
#include "../../../core/error.hpp"
#include "results.hpp"
#include "stopwatch.hpp"

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

template <class Work>
Samples sample(const Exec& exec, int repetitions, const Work& work) {
  Stopwatch stopwatch(exec);
  Samples samples;
  for (int i = -2; i < repetitions; ++i) {
    exec.fence("heddle::bench::device");
    stopwatch.start();
    work();
    const double seconds = stopwatch.stop();
    if (i >= 0) samples.seconds.push_back(seconds);
  }
  return samples;
}

/// Four times the cache, as in STREAM. A virtual machine may see the cache of a whole server: above
/// 512 MB it is enough that the three arrays of a triad are four times the cache together.
std::size_t beyond_cache(std::size_t cache_bytes) {
  constexpr std::size_t least = std::size_t{64} << 20;
  constexpr std::size_t ample = std::size_t{512} << 20;
  return std::max({least, std::min(4 * cache_bytes, ample), 4 * cache_bytes / 3});
}

/// Bytes of an array that the environment asks for; 0 if it asks for none.
std::size_t asked_bytes() {
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
}  // namespace

DeviceFigures measure_device(const Exec& exec, std::size_t array_bytes, int repetitions) {
  DeviceFigures figures;
  if (array_bytes == 0) array_bytes = asked_bytes();
  if (array_bytes == 0) array_bytes = beyond_cache(backends::describe(exec).cache_bytes);
  const auto count = static_cast<std::int64_t>(array_bytes / sizeof(double));
  figures.array_bytes = array_bytes;
  const Array a(Kokkos::view_alloc(exec, "heddle::bench::triad_a"), count);
  const Array b(Kokkos::view_alloc(exec, "heddle::bench::triad_b"), count);
  const Array c(Kokkos::view_alloc(exec, "heddle::bench::triad_c"), count);

  const auto gbytes = 1e-9 * static_cast<double>(count) * sizeof(double);
  const Samples copy = sample(exec, repetitions, [&] {
    Kokkos::parallel_for("heddle::bench::copy", Range(exec, 0, count), Copy{b, a});
  });
  figures.copy_gbytes_per_second = 2 * gbytes / copy.min();
  const Samples triad = sample(exec, repetitions, [&] {
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
      const auto begin = std::chrono::steady_clock::now();
      work();
      exec.fence("heddle::bench::launch");
      const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
      single.seconds.push_back(seconds.count());
    }
    return single.median();
  };
  figures.launch_seconds = waited_for(launch);
  int sum = 0;
  figures.readback_seconds = waited_for(
      [&] { Kokkos::parallel_reduce("heddle::bench::readback", Range(exec, 0, 1), One{}, sum); });
  const Samples queued = sample(exec, 5, [&] {
    for (int i = 0; i < launches; ++i) launch();
  });
  figures.queued_launch_seconds = queued.median() / launches;
  figures.allocator = measure_allocator(exec);
  figures.steps = measure_dependent_steps(exec);
  return figures;
}

}  // namespace heddle::bench
