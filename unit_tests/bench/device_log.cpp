// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "../../perf_tests/bench/common/allocations.hpp"

using namespace heddle::bench;

namespace {

using Exec = DeviceLog::Exec;
using Block = Kokkos::View<char*, Exec::memory_space>;
using Range = Kokkos::RangePolicy<Exec>;

struct Nothing {
  KOKKOS_FUNCTION void operator()(int) const {}
};
struct One {
  KOKKOS_FUNCTION void operator()(int, int& sum) const { ++sum; }
};

Block make(const Exec& exec, std::size_t bytes) {
  return Block(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "heddle::test::block"), bytes);
}

}  // namespace

TEST_CASE("a log sees what is allocated and released on the device, and a replay does the same") {
  const Exec exec;
  const auto shape = [](const DeviceLog::Seen& seen) {
    std::vector<std::pair<bool, std::size_t>> all;
    for (const auto& step : seen.steps) all.emplace_back(step.allocates, step.bytes);
    return all;
  };
  DeviceLog::Seen seen;
  Block before = make(exec, 16);
  {
    const DeviceLog log;
    before = Block();
    Block kept = make(exec, 1024);
    {
      const Block scratch = make(exec, 256);
    }
    seen = log.seen();
  }
  using Shape = std::vector<std::pair<bool, std::size_t>>;
  CHECK(shape(seen) == Shape{{false, 16}, {true, 1024}, {true, 256}, {false, 256}});
  {
    const DeviceLog log;
    const Replayed kept = replay(exec, seen.steps);
    CHECK(kept.size() == 1);
    CHECK(shape(log.seen()) == Shape{{true, 1024}, {true, 256}, {false, 256}});
  }
  make(exec, 5);
  CHECK(DeviceLog::seen().steps.size() == 4);  // without a log nothing more is recorded
}

TEST_CASE("a log counts how often the host waits, for a readback or by a fence") {
  const Exec exec;
  const auto launch = [&] {
    Kokkos::parallel_for("heddle::test::nothing", Range(exec, 0, 1), Nothing());
  };
  const DeviceLog log;
  exec.fence("heddle::test::fence");
  CHECK(log.seen().waits == 0);  // no work is queued
  launch();
  launch();
  CHECK(log.seen().waits == 0);
  exec.fence("heddle::test::fence");
  exec.fence("heddle::test::fence");
  CHECK(log.seen().waits == 1);
  int sum = 0;
  Kokkos::parallel_reduce("heddle::test::one", Range(exec, 0, 1), One(), sum);
  CHECK(log.seen().waits == 2);
  const Block block = make(exec, 8);
  const auto host = Kokkos::create_mirror(Kokkos::HostSpace(), block);
  exec.fence("heddle::test::fence");
  const int before = log.seen().waits;
  Kokkos::deep_copy(exec, host, block);
  exec.fence("heddle::test::fence");
  CHECK(log.seen().waits == before + 1);
}

TEST_CASE("allocations are counted, and timed alone") {
  const Exec exec;
  int calls = 0;
  const Allocations allocations = measure_allocations(exec, true, [&] {
    ++calls;
    make(exec, 104);
    return make(exec, 4096);
  });
  CHECK(calls == 1);
  CHECK(allocations.count == 2);
  CHECK(allocations.bytes == 4200);
  CHECK(allocations.time.seconds.size() >= 5);
}
