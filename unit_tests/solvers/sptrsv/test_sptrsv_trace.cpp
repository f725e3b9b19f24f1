// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Solves with time stamps: the stamps of every step, and the solutions.
#include <doctest/doctest.h>

#include "../../../testing/traced_solve.hpp"
#include "../../support/sptrsv_check.hpp"
#include "../../support/watchdog.hpp"

namespace heddle::test {

namespace {

using Type = OneTriangleType;
using Exec = Type::Exec;

/// A step ends after its parents have begun, since they post in between; on a CPU it begins after
/// they have ended.
template <class Host>
void check_order(const SolveTrace& trace, const Host& A, Triangle triangle, bool transposed) {
  const auto n = static_cast<std::size_t>(A.rows());
  for (std::size_t i = 0; i < n; ++i) {
    for (auto k = A.row_ptr()(i); k < A.row_ptr()(i + 1); ++k) {
      const auto j = static_cast<std::size_t>(A.col_idx()(static_cast<std::size_t>(k)));
      if (triangle == Triangle::lower ? j >= i : j <= i) continue;
      const auto step = static_cast<std::size_t>(trace.step_of_row[transposed ? j : i]);
      const auto parent = static_cast<std::size_t>(trace.step_of_row[transposed ? i : j]);
      if (step == parent) continue;
      const bool possible = backends::runs_on_host<Exec>
                                ? trace.end_ns[parent] <= trace.begin_ns[step]
                                : trace.begin_ns[parent] <= trace.end_ns[step] && parent < step;
      REQUIRE(possible);
    }
  }
}

}  // namespace

TEST_CASE("sptrsv: a traced solve solves, and stamps every step in an order that can be") {
  Watchdog watchdog("traced solves");
  const Exec exec;
  for (const char* const name : {"0 x 0", "grid", "parents of many levels", "one huge row"}) {
    for (const Triangle triangle : {Triangle::lower, Triangle::upper}) {
      const Pattern lower = triangle_named(name);
      const auto A =
          triangle_on_device<Type>(exec, triangle == Triangle::lower ? lower : reversed(lower));
      const auto n = static_cast<std::size_t>(A.host.rows());
      const auto b = random_vectors<double>(n, 1, true, 7);
      const auto b_device = b.template in<Type::Space>();
      for (const Scheme& scheme : sptrsv_samples(backends::describe(exec), 3)) {
        CAPTURE(name);
        CAPTURE(scheme.to_string());
        Type::Plan<> plan(exec, A.matrix(),
                          {.triangle = triangle, .scheme = scheme, .ops = {Op::transpose}});
        for (const Op op : {Op::none, Op::transpose, Op::none}) {
          const Vectors<double, Type::Space> x(n, 1, true);
          fill_with_poison(x.data());
          const SolveTrace trace =
              traced_solve(exec, plan, op, 1.0, multivector_of<const double>(b_device.view()),
                           multivector_of<double>(x.view()));
          const auto solution = x.template in<Kokkos::HostSpace>();
          CHECK(residual(A.host, op, solution.view(), 1.0, b.view()) <= 1);
          REQUIRE(trace.step_of_row.size() == n);
          REQUIRE(trace.begin_ns.size() == trace.end_ns.size());
          CHECK(trace.begin_ns.size() <= n);
          for (std::size_t step = 0; step < trace.begin_ns.size(); ++step) {
            REQUIRE(trace.begin_ns[step] >= 0);
            REQUIRE(trace.begin_ns[step] <= trace.end_ns[step]);
          }
          check_order(trace, A.host, triangle, op == Op::transpose);
          // The plan still solves.
          fill_with_poison(x.data());
          plan.apply(exec, op, 1.0, b_device.view(), x.view());
          exec.fence("heddle::test::solved");
          const auto again = x.template in<Kokkos::HostSpace>();
          CHECK(residual(A.host, op, again.view(), 1.0, b.view()) <= 1);
        }
        watchdog.progress();
      }
    }
  }
}

TEST_CASE("sptrsv: a step that was not stamped is an Error") {
  using Storage = TraceStorage<Exec>;
  const Exec exec;
  CHECK(Storage(exec, 0).read(exec).begin_ns.empty());
  const Storage storage(exec, 3);
  const auto stamp = [](std::int64_t* stamps, std::vector<std::int64_t> values) {
    using Kokkos::MemoryUnmanaged;
    Kokkos::deep_copy(
        Kokkos::View<std::int64_t*, Type::Space, MemoryUnmanaged>(stamps, 3),
        Kokkos::View<std::int64_t*, Kokkos::HostSpace, MemoryUnmanaged>(values.data(), 3));
  };
  const auto fails = [&] {
    CHECK_THROWS_WITH_AS(storage.read(exec), doctest::Contains("a step of a traced solve has no"),
                         Error);
  };
  fails();
  stamp(storage.trace().begun, {5, 7, 6});
  fails();
  stamp(storage.trace().ended, {9, -1, 8});
  fails();
  stamp(storage.trace().ended, {9, 7, 8});
  CHECK(storage.read(exec).begin_ns.front() == 0);
}

TEST_CASE("sptrsv: a trace is of one right-hand side, and of a device with a clock") {
  const Exec exec;
  const auto A = triangle_on_device<Type>(exec, triangle_named("grid"));
  const auto n = static_cast<std::size_t>(A.host.rows());
  const Vectors<double, Type::Space> b(n, 2, true), x(n, 2, true);
  const auto right = multivector_of<const double>(b.view());
  const auto left = multivector_of<double>(x.view());
  Type::Plan<> plan(exec, A.matrix());
  CHECK_THROWS_WITH_AS(traced_solve(exec, plan, Op::none, 1.0, right, left),
                       doctest::Contains("2 right-hand sides"), Error);
  CHECK_THROWS_WITH_AS(
      traced_solve(exec, plan, Op::transpose, 1.0, right.slice(0, 1), left.slice(0, 1)),
      doctest::Contains("not prepared"), Error);
  using Other = Portable<Exec>;
  const Other other(exec);
  SptrsvPlan<Other, Type::Matrix> portable(other, A.matrix());
  CHECK_THROWS_WITH_AS(
      traced_solve(other, portable, Op::none, 1.0, right.slice(0, 1), left.slice(0, 1)),
      doctest::Contains("a launch a level"), Error);
}

}  // namespace heddle::test
