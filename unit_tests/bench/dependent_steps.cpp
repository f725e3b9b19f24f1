// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Times of dependent steps are measured on every device, and the measurement ends. The measurement
// itself checks the values.
#include <doctest/doctest.h>

#include "../../backends/device.hpp"
#include "../../perf_tests/bench/common/machine.hpp"
#include "../support/watchdog.hpp"

namespace heddle::bench {

TEST_CASE("steps are measured as far as the device has them") {
  const test::Watchdog watchdog("dependent steps");
  using Exec = Kokkos::DefaultExecutionSpace;
  const Exec exec;
  const DependentSteps steps = measure_dependent_steps(exec);
  const bool lanes = backends::has_lanes<Exec>;
  CHECK(steps.team.has_value() == lanes);
  CHECK(steps.warp.has_value() == lanes);
  if (lanes) CHECK_FALSE(steps.barrier.has_value());
  const bool clusters = backends::describe(exec).most_teams_per_cluster > 0;
  CHECK(steps.cluster.has_value() == clusters);
  CHECK(steps.cluster_barrier.has_value() == clusters);
  for (const auto& step : {steps.memory, steps.cluster, steps.cluster_barrier, steps.team,
                           steps.warp, steps.barrier}) {
    if (step) CHECK(*step > 0);
  }
}

TEST_CASE("threads that do not run at the same time give up") {
  const test::Watchdog watchdog("dependent steps");
  const Kokkos::DefaultExecutionSpace exec;
  // More threads than there are: two of them run one after the other on the same thread.
  const int threads = 2 * exec.concurrency();
  CHECK_FALSE(measure_thread_step(exec, threads).has_value());
  CHECK_FALSE(measure_thread_barrier(exec, threads).has_value());
  CHECK_FALSE(measure_thread_step(exec, 1).has_value());
  CHECK_FALSE(measure_thread_barrier(exec, 1).has_value());
}

}  // namespace heddle::bench
