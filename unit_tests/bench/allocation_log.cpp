// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../../perf_tests/bench/convert/allocation_log.hpp"

#include <doctest/doctest.h>

using heddle::bench::AllocationLog;

TEST_CASE("a log sees what is allocated and released on the device, and a replay does the same") {
  using Exec = Kokkos::DefaultExecutionSpace;
  using Block = Kokkos::View<char*, Exec::memory_space>;
  const Exec exec;
  const auto make = [&](std::size_t bytes) {
    return Block(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "heddle::test::block"),
                 bytes);
  };
  const auto shape = [](const std::vector<AllocationLog::Step>& steps) {
    std::vector<std::pair<bool, std::size_t>> all;
    for (const auto& step : steps) all.emplace_back(step.allocates, step.bytes);
    return all;
  };
  std::vector<AllocationLog::Step> steps;
  Block before = make(16);
  {
    const AllocationLog log;
    before = Block();
    Block kept = make(1024);
    {
      const Block scratch = make(256);
    }
    steps = log.seen();
  }
  using Shape = std::vector<std::pair<bool, std::size_t>>;
  CHECK(shape(steps) == Shape{{false, 16}, {true, 1024}, {true, 256}, {false, 256}});
  {
    const AllocationLog log;
    heddle::bench::replay(exec, steps);
    CHECK(shape(log.seen()) == Shape{{true, 1024}, {true, 256}, {false, 256}, {false, 1024}});
  }
  make(5);
  CHECK(AllocationLog::seen().size() == 4);  // nothing is noted without a log
}
