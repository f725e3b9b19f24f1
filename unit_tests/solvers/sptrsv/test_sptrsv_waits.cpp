// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every wait ends, whatever else the device does.
#include <doctest/doctest.h>

#include "../../../solvers/sptrsv/definitions.hpp"
#include "../../support/held_device.hpp"
#include "../../support/sptrsv_check.hpp"
#include "../../support/streams.hpp"
#include "../../support/watchdog.hpp"

namespace heddle::test {

TEST_CASE_TEMPLATE_DEFINE("sptrsv waits: neighbours that need each other, by every scheme", T,
                          chains) {
  const typename T::Exec exec;
  Watchdog watchdog("chains");
  const Pattern patterns[] = {lower_band("bidiagonal", cut(5000), {1}),
                              lower_band("three before", cut(3000), {1, 2, 3}),
                              lower_band("edges of warps", cut(3000), {1, 31, 32, 33, 63, 64}),
                              lower_band("every other", cut(3001), {2})};
  for (const Pattern& lower : patterns) {
    for (const Triangle triangle : {Triangle::lower, Triangle::upper}) {
      const bool upper = triangle == Triangle::upper;
      const auto A = triangle_on_device<T>(exec, upper ? reversed(lower) : lower);
      CAPTURE(A.name);
      for (const Scheme& scheme : sptrsv_samples(backends::describe(exec), 161)) {
        CAPTURE(scheme.to_string());
        auto plan = plan_of(exec, A, scheme, triangle);
        for (const int vectors : {1, 3}) {
          CHECK(solve_randomly(exec, plan, A, triangle, vectors, 3) <= 1);
        }
        watchdog.progress();
      }
    }
  }
}
TEST_CASE_TEMPLATE_APPLY(chains, TriangleTypes);

TEST_CASE_TEMPLATE_DEFINE("sptrsv waits: many times more rows than run", T, large) {
  using Exec = typename T::Exec;
  const Exec exec;
  Watchdog watchdog("large triangles");
  const auto rows = more_rows_than_run<Exec>();
  const DeviceMatrix<T> matrices[] = {triangle_on_device<T>(exec, large_random(rows)),
                                      triangle_on_device<T>(exec, large_grid(rows)),
                                      triangle_on_device<T>(exec, long_chain(rows))};
  std::size_t turn = 0;  // each scheme solves one of them
  for (const Scheme& scheme : sptrsv_samples(backends::describe(exec), 222)) {
    CAPTURE(scheme.to_string());
    // A launch for each of a million levels would need seconds.
    const bool any = !backends::has_lanes<Exec> || !scheme.has("level-set");
    const auto& A = matrices[turn++ % (any ? 3 : 2)];
    CAPTURE(A.name);
    auto plan = plan_of(exec, A, scheme);
    CHECK(solve_randomly(exec, plan, A, Triangle::lower, 1, 3) <= 1);
    watchdog.progress();
  }
}
TEST_CASE_TEMPLATE_APPLY(large, TriangleTypes);

TEST_CASE_TEMPLATE_DEFINE("sptrsv waits: two solves at once, of different priority", T, two) {
  using S = typename T::Scalar;
  using Exec = typename T::Exec;
  using Space = typename T::Space;
  const Exec exec;
  Watchdog watchdog("two solves at once");
  const UnequalInstances<Exec> instances(exec);
  const Exec low = instances.low(), high = instances.high();
  const auto rows = more_rows_than_run<Exec>();
  const auto wide = triangle_on_device<T>(exec, large_random(rows));
  const auto grid = triangle_on_device<T>(exec, large_grid(rows));
  using Vector = Kokkos::View<S*, Space>;
  const auto vector = [&](const DeviceMatrix<T>& A) {
    return Vector("heddle::test::x", static_cast<std::size_t>(A.host.rows()));
  };
  const auto right = [&](const DeviceMatrix<T>& A) {
    return copy_to<Space>(random_vector<S>(static_cast<std::size_t>(A.host.rows()), 5));
  };
  const Vector b_wide = right(wide), b_grid = right(grid);
  for (const Scheme& scheme : sptrsv_samples(backends::describe(exec), 283)) {
    CAPTURE(scheme.to_string());
    auto on_low = plan_of(exec, wide, scheme), on_high = plan_of(exec, grid, scheme);
    const Vector expected_low = vector(wide), expected_high = vector(grid);
    on_low.apply(exec, S(1), b_wide, expected_low);
    on_high.apply(exec, S(1), b_grid, expected_high);
    exec.fence("heddle::test::alone");
    std::vector<Vector> low_x, high_x;
    for (int i = 0; i < 3; ++i) {
      low_x.push_back(vector(wide));
      high_x.push_back(vector(grid));
    }
    exec.fence("heddle::test::vectors");
    for (std::size_t i = 0; i < low_x.size(); ++i) {
      on_low.apply(low, S(1), b_wide, low_x[i]);
      on_high.apply(high, S(1), b_grid, high_x[i]);
    }
    low.fence("heddle::test::low");
    high.fence("heddle::test::high");
    for (std::size_t i = 0; i < low_x.size(); ++i) {
      CHECK(same_bits(to_host(low_x[i]), to_host(expected_low)));
      CHECK(same_bits(to_host(high_x[i]), to_host(expected_high)));
    }
    watchdog.progress();
  }
}
TEST_CASE_TEMPLATE_APPLY(two, TriangleTypes);

// On a CPU, and on a device that it emulates, a launch returns when it is done.
TEST_CASE_TEMPLATE_DEFINE("sptrsv waits: a device of which others leave one multiprocessor", T,
                          held) {
  using S = typename T::Scalar;
  using Exec = typename T::Exec;
  if constexpr (backends::has_lanes<Exec> && !emulated) {
    const Exec exec;
    Watchdog watchdog("a device that others hold");
    const auto parts = Kokkos::Experimental::partition_space(kokkos_space(exec), 1, 1, 1);
    const Exec hold(parts[0]), talk(parts[1]), solve(parts[2]);
    const auto A = triangle_on_device<T>(exec, large_random(more_rows_than_run<Exec>() / 4));
    const auto n = static_cast<std::size_t>(A.host.rows());
    const auto b = copy_to<typename T::Space>(random_vector<S>(n, 5));
    const Kokkos::View<S*, typename T::Space> x("heddle::test::x", n), alone("heddle::test::x", n);
    for (const Scheme& scheme : sptrsv_samples(backends::describe(exec), 344)) {
      CAPTURE(scheme.to_string());
      auto plan = plan_of(exec, A, scheme);
      plan.apply(solve, S(1), b, alone);
      solve.fence("heddle::test::alone");
      {
        HeldDevice<Exec> device(hold, talk);
        exec.fence("heddle::test::ready");
        device.hold();
        plan.apply(solve, S(1), b, x);
        solve.fence("heddle::test::solved");
      }
      CHECK(same_bits(to_host(x), to_host(alone)));
      watchdog.progress();
    }
  }
}
TEST_CASE_TEMPLATE_APPLY(held, TriangleTypes);

}  // namespace heddle::test
