// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The number of threads of a CPU for which triangular solves are scheduled.
#include <doctest/doctest.h>

#include "../../../testing/events.hpp"
#include "../../support/assumed_processors.hpp"
#include "../../support/sptrsv_check.hpp"

namespace heddle::test {

namespace {

using Exec = Kokkos::DefaultHostExecutionSpace;
using Type = TriangleType<Exec, double, Indices32>;
using Plan = Type::Plan<>;

/// A triangle on which two threads are predicted to be faster.
Pattern wide_triangle() { return lower_band("two wide levels", 60000, {30000}); }

std::string kernel_of(const Plan& plan) { return plan.scheme().terms().front().key; }

}  // namespace

TEST_CASE("sptrsv: threads that have no processor are not counted on") {
  const Exec exec;
  if (exec.concurrency() < 2) return;
  const auto A = triangle_on_device<Type>(exec, wide_triangle());
  {
    const AssumedProcessors two(2);
    CHECK(kernel_of(Plan(exec, A.matrix())) == "point-to-point");
  }
  const AssumedProcessors one(1);
  CHECK(kernel_of(Plan(exec, A.matrix())) == "sequential");
  // A user's number of threads counts, since solves may run elsewhere than the inspection.
  CHECK(kernel_of(Plan(exec, A.matrix(), {.threads = 2})) != "sequential");
}

TEST_CASE("sptrsv: a solve is scheduled for the threads that are asked for, and runs on any") {
  const Exec exec;
  const auto A = triangle_on_device<Type>(exec, wide_triangle());
  CHECK(kernel_of(Plan(exec, A.matrix(), {.threads = 1})) == "sequential");
  CHECK_THROWS_WITH((Plan(exec, A.matrix(), {.threads = -1})),
                    doctest::Contains("options.threads is -1"));
  const auto B = triangle_on_device<Type>(exec, triangle_named("grid"));
  for (const char* scheme : {"sptrsv/point-to-point,grain=1", "sptrsv/level-set,grain=1"}) {
    CAPTURE(std::string(scheme));
    std::size_t bytes = 0;
    for (const int threads : {1, 2, 3, 8}) {
      CAPTURE(threads);
      Plan plan(exec, B.matrix(), {.scheme = Scheme::parse(scheme), .threads = threads});
      CHECK(solve_randomly<Type>(exec, plan, B, Triangle::lower, 2, 3) <= 1);
      CHECK(plan.bytes() > bytes);  // at least one word a thread
      bytes = plan.bytes();
    }
  }
}

TEST_CASE("sptrsv: without a plan too, no thread waits for one that has no processor") {
  const Exec exec;
  if (exec.concurrency() < 2) return;
  const auto A = triangle_on_device<Type>(exec, wide_triangle());
  const Kokkos::View<double*, Exec> x("heddle::test::x", 60000);
  const SptrsvWorkspace<Exec, double> workspace(exec, A.host.rows());
  const auto launches = [&](int processors) {
    const AssumedProcessors assumed(processors);
    const Recording recording;
    sptrsv(exec, 1.0, A.matrix(), x, x, workspace);
    exec.fence("heddle::test::solved");
    return count(recording.seen(), Event::kernel);
  };
  CHECK(launches(1) == 1);  // one thread needs no tickets
  CHECK(launches(2) == 2);
}

}  // namespace heddle::test
