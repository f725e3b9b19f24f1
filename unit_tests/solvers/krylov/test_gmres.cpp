// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// GMRES: its cycles and its basis; test_krylov_table.cpp has the promises of every method.
#include <heddle/gmres.hpp>

#include "../../../solvers/krylov/gmres_definitions.hpp"
#include "../../support/krylov.hpp"

namespace heddle::test {

namespace {

constexpr int side = emulated ? 8 : 30;

Kokkos::View<double*, Space> vector(std::int64_t n) {
  return Kokkos::View<double*, Space>("heddle::test::vector", static_cast<std::size_t>(n));
}

}  // namespace

TEST_CASE("gmres of a full cycle ends with as many iterations as there are eigenvalues") {
  const Exec exec;
  auto a = grid_operator<Exec, double>(
      3, [](int i, int j) { return i != j ? 0.0 : 1.0 + i % 3; });  // eigenvalues 1, 2 and 3
  const auto b = right_hand_side<double>(a.n);
  const Kokkos::View<double*, Space> x("heddle::test::x", 9);
  GmresSolver<Exec, double> gmres(exec, a.n, {.relative_tolerance = 1e-13, .restart = 20});
  const KrylovResult result = gmres.solve(exec, a, b, x);
  CHECK(result.converged());
  CHECK(result.iterations == 3);
  CHECK(relative_residual(a, b, x) < 1e-13);
}

// A product hardly turns a vector: little of it is new, and rounding errors grow from one vector to
// the next.
TEST_CASE("gmres of what is near a multiple of the identity keeps its vectors orthogonal") {
  const Exec exec;
  auto a = grid_operator<Exec, double>(side, [](int i, int j) { return i == j ? 10.0 : -1.0; });
  const auto b = right_hand_side<double>(a.n);
  const Kokkos::View<double*, Space> x("heddle::test::x", static_cast<std::size_t>(a.n));
  GmresSolver<Exec, double> gmres(exec, a.n, {.relative_tolerance = 1e-11, .restart = 30});
  const KrylovResult result = gmres.solve(exec, a, b, x);
  CHECK(result.converged());
  CHECK(result.iterations <= 20);
  CHECK(relative_residual(a, b, x) < 1.1e-11);
}

// If launches end before they return, the host skips reorthogonalization that is not needed.
TEST_CASE_TEMPLATE("gmres makes a vector orthogonal a second time only where it must", S, double,
                   Kokkos::complex<float>) {
  if constexpr (backends::launches_end_at_once<Exec>) {
    const Exec exec;
    const auto products = [&](auto a, int iterations) {
      const auto b = right_hand_side<S>(a.n);
      const Kokkos::View<S*, Space> x("heddle::test::x", static_cast<std::size_t>(a.n));
      GmresSolver<Exec, S> gmres(exec, a.n,
                                 {.relative_tolerance = 0, .max_iterations = iterations});
      const Recording recording;
      gmres.solve(exec, a, b, x);
      const int seen = count(Recording::seen(), "heddle::vectors::inner_products");
      CHECK(gmres.results(exec)[0].iterations == iterations);
      return seen;
    };
    CHECK(products(flow<Exec, S>(side), 30) <= 36);
    const auto near_identity = [](int i, int j) { return S(i == j ? 1000.0 : -1.0); };
    CHECK(products(grid_operator<Exec, S>(side, near_identity), 6) > 6);
  }
}

TEST_CASE("the residuals of gmres do not rise, and are what they are said to be") {
  const Exec exec;
  auto a = flow<Exec, double>(side);
  const auto b = right_hand_side<double>(a.n);
  const Kokkos::View<double*, Space> x("heddle::test::x", static_cast<std::size_t>(a.n));
  for (const int iterations : {1, 7, 10, 23}) {
    CAPTURE(iterations);
    KrylovOptions options;
    options.history = true;
    options.max_iterations = iterations;
    options.relative_tolerance = 0;
    GmresSolver<Exec, double> gmres(exec, a.n, restarted_after(10, options));
    Kokkos::deep_copy(x, 0.0);
    const KrylovResult result = gmres.solve(exec, a, b, x);
    CHECK(result.outcome == Outcome::iteration_limit);
    CHECK(result.iterations == iterations);
    CHECK(relative_residual(a, b, x) == doctest::Approx(result.relative_residual()).epsilon(1e-6));
    const std::vector<double> history = gmres.history(exec);
    REQUIRE(std::ssize(history) == iterations + 1);
    for (int i = 0; i < iterations; ++i) {
      CHECK(history[static_cast<std::size_t>(i) + 1] <=
            history[static_cast<std::size_t>(i)] * (1 + 1e-12));
    }
  }
}

TEST_CASE("restart is where gmres begins a cycle, 30 where nothing is said") {
  const Exec exec;
  auto a = laplacian<Exec, double>(side);
  const auto b = right_hand_side<double>(a.n);
  const auto solve = [&](const KrylovOptions& options) {
    GmresSolver<Exec, double> gmres(exec, a.n, options);
    const auto x = vector(a.n);
    a.applies = 0;
    const KrylovResult result = gmres.solve(exec, a, b, x);
    return std::make_tuple(result.iterations, a.applies, gmres.bytes());
  };
  KrylovOptions options;
  options.max_iterations = 64;
  options.relative_tolerance = 0;
  options.zero_guess = true;
  options.check_every = 64;
  const auto [most, products, bytes] = solve(restarted_after(4, options));
  CHECK(most == 64);
  CHECK(products == 64 + 16);  // b - A x after each cycle
  CHECK(std::get<1>(solve(restarted_after(16, options))) == 64 + 4);
  CHECK(solve(options) == solve(restarted_after(30, options)));
  CHECK(std::get<2>(solve(options)) > bytes);
}

TEST_CASE("stagnation ends a solve by default") {
  const Exec exec;
  // A cycle of four: no entry of b - A x decreases before the fourth vector.
  auto a = grid_operator<Exec, double>(2, [](int i, int j) {
    const int next[] = {1, 3, 0, 2};
    return next[j] == i ? 1.0 : 0.0;
  });
  const auto b = vector(4);
  Kokkos::deep_copy(Kokkos::subview(b, std::size_t{0}), 1.0);
  GmresSolver<Exec, double> gmres(exec, 4, {.restart = 3});
  const auto x = vector(4);
  CHECK(gmres.solve(exec, a, b, x).outcome == Outcome::stagnated);
  CHECK(gmres.results()[0].iterations == 500);
}

TEST_CASE("gmres keeps no more than it can use, and names its option") {
  const Exec exec;
  const GmresSolver<Exec, double> small(exec, 10, {.restart = std::numeric_limits<int>::max()}),
      exact(exec, 10, {.restart = 10});
  CHECK(small.bytes() == exact.bytes());
  const GmresSolver<Exec, double> few(exec, 100, {.max_iterations = 5, .restart = 50}),
      five(exec, 100, {.max_iterations = 5, .restart = 5});
  CHECK(few.bytes() == five.bytes());
  const std::int64_t huge = std::int64_t{1} << 40;
  CHECK_THROWS_WITH_AS(
      (GmresSolver<Exec, double>(exec, huge, {.max_iterations = 1 << 30, .restart = 1 << 30})),
      doctest::Contains("restart = 1073741824"), OutOfMemory);
  CHECK_THROWS_WITH_AS((GmresSolver<Exec, double>(exec, 16, {.restart = 0})),
                       doctest::Contains("restart is 0"), Error);
}

}  // namespace heddle::test
