// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Many solves of one plan: none leaves state for the next.
#include <doctest/doctest.h>

#include "../../../solvers/sptrsv/definitions.hpp"
#include "../../support/sptrsv_check.hpp"
#include "../../support/streams.hpp"
#include "../../support/watchdog.hpp"

namespace heddle::test {

namespace {

/// A matrix with two sets of values, right-hand sides, and the results of plans that solve once.
template <class T>
class Streak {
 public:
  using S = typename T::Scalar;
  using Exec = typename T::Exec;
  using Space = typename T::Space;
  using Several = Vectors<S, Space>;
  static constexpr std::size_t sides = 5;

  Streak(const Exec& exec, const Pattern& pattern)
      : matrices_{triangle_on_device<T>(exec, pattern, 1), triangle_on_device<T>(exec, pattern, 2)},
        n_(pattern.rows.size()) {
    for (std::size_t k = 0; k < sides; ++k) b_.push_back(random_vectors<S>(n_, 6, true, 10 + k));
  }

  const DeviceMatrix<T>& matrix(std::size_t which) const { return matrices_[which]; }
  Several vectors(int columns) const {
    return Several(n_, static_cast<std::size_t>(columns), true);
  }
  /// The first columns of right-hand side k.
  Several side(std::size_t k, int columns) const {
    const auto size = static_cast<std::size_t>(columns) * n_;
    const auto part = Kokkos::subview(b_[k].data(), std::pair(std::size_t{0}, size));
    Several side = vectors(columns);
    Kokkos::deep_copy(side.data(), part);
    return side;
  }
  /// The bits of a plan that solves once; they must be a solution.
  HostVector<S> expected(const Exec& exec, const Scheme& scheme, std::size_t which, std::size_t k,
                         int columns) const {
    auto plan = plan_of(exec, matrices_[which], scheme);
    const Several b = side(k, columns), x = vectors(columns);
    plan.apply(exec, S(1), b.view(), x.view());
    exec.fence("heddle::test::expected");
    const auto host = x.template in<Kokkos::HostSpace>();
    const auto right = b.template in<Kokkos::HostSpace>();
    CHECK(residual(matrices_[which].host, Op::none, host.view(), S(1), right.view()) <= 1);
    return host.data();
  }

 private:
  DeviceMatrix<T> matrices_[2];
  std::size_t n_;
  std::vector<Vectors<S, Kokkos::HostSpace>> b_;
};

/// Every scheme, each with one of the patterns.
template <class T, class Body>
void for_every_scheme(const typename T::Exec& exec, const Body& body) {
  std::size_t turn = 0;
  const char* const names[] = {"grid", "random", "bidiagonal", "warps of chains"};
  for (const Scheme& scheme : sptrsv_samples(backends::describe(exec), 561)) {
    CAPTURE(scheme.to_string());
    const char* const name = names[turn++ % std::size(names)];
    CAPTURE(name);
    body(scheme, triangle_named(name));
  }
}

}  // namespace

TEST_CASE_TEMPLATE_DEFINE("sptrsv streak: 100 solves, and new numbers and columns between", T,
                          solves) {
  using S = typename T::Scalar;
  const typename T::Exec exec;
  Watchdog watchdog("100 solves");
  for_every_scheme<T>(exec, [&](const Scheme& scheme, const Pattern& pattern) {
    const Streak<T> streak(exec, pattern);
    auto plan = plan_of(exec, streak.matrix(0), scheme);
    // More after fewer and fewer after more, none, in one pass and in two.
    const int columns[] = {1, 3, 1, 6, 0, 1, 4, 2, 1};
    struct Solve {
      std::size_t which, side;
      int columns;
      Vectors<S, typename T::Space> b, x;
    };
    std::vector<Solve> done;
    for (std::size_t i = 0; i < 100; ++i) {
      const int count = columns[i % std::size(columns)];
      done.push_back({i / 3 % 2, i % Streak<T>::sides, count,
                      streak.side(i % Streak<T>::sides, count), streak.vectors(count)});
    }
    Kokkos::fence("heddle::test::right_hand_sides");
    // No waits after this line.
    for (std::size_t i = 0; i < done.size(); ++i) {
      const Solve& solve = done[i];
      if (i % 3 == 0) plan.update_values(exec, streak.matrix(solve.which).matrix());
      const bool in_place = i % 4 == 3;
      plan.apply(exec, S(1), solve.b.view(), in_place ? solve.b.view() : solve.x.view());
      if (i % 10 == 9) plan.apply(exec, S(0), solve.x.view(), solve.x.view());
    }
    exec.fence("heddle::test::solved");
    for (std::size_t i = 0; i < done.size(); ++i) {
      const Solve& solve = done[i];
      if (i % 10 == 9 && i % 4 != 3) continue;        // set to zero
      if (solve.columns == 0 || i % 7 > 2) continue;  // some of them: each makes a plan
      CAPTURE(i);
      const auto& x = i % 4 == 3 ? solve.b : solve.x;
      CHECK(same_bits(to_host(x.data()),
                      streak.expected(exec, scheme, solve.which, solve.side, solve.columns)));
    }
    watchdog.progress();
  });
}
TEST_CASE_TEMPLATE_APPLY(solves, TriangleTypes);

// A replayed solve cannot use a count of the host: it does not know how many came before.
TEST_CASE_TEMPLATE_DEFINE("sptrsv streak: 100 replays of a graph, and solves between", T, replays) {
  using S = typename T::Scalar;
  using Exec = typename T::Exec;
  if constexpr (can_capture<Exec>) {
    const Exec exec;
    const UnequalInstances<Exec> instances(exec);
    const Exec stream = instances.low();
    Watchdog watchdog("100 replays");
    for_every_scheme<T>(exec, [&](const Scheme& scheme, const Pattern& pattern) {
      const Streak<T> streak(exec, pattern);
      auto plan = plan_of(exec, streak.matrix(0), scheme);
      std::vector<Vectors<S, typename T::Space>> sides;
      std::vector<HostVector<S>> expected;
      for (std::size_t k = 0; k < Streak<T>::sides; ++k) {
        sides.push_back(streak.side(k, 1));
        expected.push_back(streak.expected(exec, scheme, 0, k, 1));
      }
      const auto expected_three = streak.expected(exec, scheme, 0, 1, 3);
      const auto b = streak.vectors(1), x = streak.vectors(1);
      const auto b_three = streak.side(1, 3);
      std::vector<Vectors<S, typename T::Space>> results, results_three;
      for (int i = 0; i < 100; ++i) results.push_back(streak.vectors(1));
      for (int i = 0; i < 20; ++i) results_three.push_back(streak.vectors(3));
      Kokkos::fence("heddle::test::vectors");
      plan.apply(stream, S(1), b.view(), x.view());  // kernels are loaded before the capture
      stream.fence("heddle::test::loaded");
      const CapturedWork<Exec> graph(stream, [&] { plan.apply(stream, S(1), b.view(), x.view()); });
      for (std::size_t i = 0; i < results.size(); ++i) {
        Kokkos::deep_copy(kokkos_space(stream), b.data(), sides[i % sides.size()].data());
        graph.launch(stream);
        Kokkos::deep_copy(kokkos_space(stream), results[i].data(), x.data());
        if (i % 5 != 2) continue;
        plan.apply(stream, S(1), b_three.view(), results_three[i / 5].view());
      }
      stream.fence("heddle::test::replayed");
      for (std::size_t i = 0; i < results.size(); ++i) {
        CHECK(same_bits(to_host(results[i].data()), expected[i % sides.size()]));
      }
      for (const auto& three : results_three) {
        CHECK(same_bits(to_host(three.data()), expected_three));
      }
      watchdog.progress();
    });
  }
}
TEST_CASE_TEMPLATE_APPLY(replays, TriangleTypes);

}  // namespace heddle::test
