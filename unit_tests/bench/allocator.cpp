// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "../../perf_tests/bench/common/machine.hpp"

using namespace heddle::bench;

TEST_CASE("the line through times of allocations finds the call and the byte they are made of") {
  AllocatorFigures figures;
  figures.times.push_back({1000, 1, 1});  // no large block
  for (const std::size_t bytes : {100000, 1000000, 200000000}) {
    const double time = 4e-6 + 1e-12 * static_cast<double>(bytes);
    figures.times.push_back({bytes, 0.75 * time, 0.25 * time});
  }
  fit_line(figures);
  CHECK(figures.call_seconds == doctest::Approx(4e-6));
  CHECK(figures.byte_seconds == doctest::Approx(1e-12));

  figures.times = {{100000, 2e-6, 1e-6}, {200000, 1e-6, 1e-6}};  // the fitted line would fall
  fit_line(figures);
  CHECK(figures.byte_seconds == 0);
  CHECK(figures.call_seconds == doctest::Approx(30.0 / 13 * 1e-6));
  figures.times = {{100000, 1e-6, 0}, {300000, 4e-6, 1e-6}};  // the fitted line would begin below 0
  fit_line(figures);
  CHECK(figures.call_seconds == 0);
  CHECK(figures.byte_seconds > 1e-11);
}

TEST_CASE("the allocator of the device is measured") {
  const AllocatorFigures figures = measure_allocator(Kokkos::DefaultExecutionSpace());
  CHECK(figures.small_unit_bytes > 0);
  CHECK(figures.large_unit_bytes > 0);
  CHECK(figures.times.size() == 7);
  CHECK(figures.times.front().bytes == 1024);
  for (const AllocationTime& one : figures.times) {
    CHECK(one.allocate_seconds > 0);
    CHECK(one.release_seconds > 0);
  }
}
