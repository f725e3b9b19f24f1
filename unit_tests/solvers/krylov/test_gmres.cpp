// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <heddle/gmres.hpp>

#include "../../../solvers/krylov/gmres_definitions.hpp"
#include "../../support/krylov.hpp"

namespace heddle::test {

namespace {

constexpr int side = emulated ? 8 : 30;

}  // namespace

TEST_CASE_TEMPLATE_DEFINE("gmres solves what is far from symmetric", T, solves) {
  using S = typename T::Scalar;
  using E = typename T::Exec;
  const E exec;
  const double tolerance = std::is_same_v<RealOf<S>, float> ? 1e-4 : 1e-10;
  auto a = flow<E, S>(side);
  const auto b = right_hand_side<S, typename T::Space>(a.n);
  KrylovOptions options;
  options.relative_tolerance = tolerance;
  JacobiPreconditioner<E, S> jacobi(exec, a.matrix());
  for (const int restart : {5, 40}) {
    CAPTURE(restart);
    GmresSolver<E, S> gmres(exec, a.n, restarted_after(restart, options));
    const Kokkos::View<S*, typename T::Space> x("heddle::test::x", static_cast<std::size_t>(a.n));
    const KrylovResult plain = gmres.solve(exec, a, b, x);
    CHECK(plain.converged());
    CHECK(relative_residual(a, b, x) < 2 * tolerance);
    Kokkos::deep_copy(x, S(0));
    const KrylovResult preconditioned = gmres.solve(exec, a, b, x, jacobi);
    CHECK(preconditioned.converged());
    CHECK(relative_residual(a, b, x) < 2 * tolerance);
    CHECK(gmres.solve(exec, a, b, x, jacobi).iterations <= 2);  // from the solution
  }
}
TEST_CASE_TEMPLATE_APPLY(solves, VectorTypes);

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

TEST_CASE("when the host checks changes nothing of gmres") {
  const Exec exec;
  auto a = flow<Exec, double>(side);
  const auto b = right_hand_side<double>(a.n);
  int iterations = 0;
  for (const int every : {1, 10, 13, 0}) {
    CAPTURE(every);
    KrylovOptions options;
    options.check_every = every;
    options.max_iterations = 150;
    GmresSolver<Exec, double> gmres(exec, a.n, restarted_after(15, options));
    const Kokkos::View<double*, Space> x("heddle::test::x", static_cast<std::size_t>(a.n));
    gmres.solve(exec, a, b, x);
    const KrylovResult result = gmres.results(exec)[0];
    CHECK(result.converged());
    if (iterations == 0) iterations = result.iterations;
    CHECK(result.iterations == iterations);
    CHECK(relative_residual(a, b, x) < 2e-8);
  }
}

TEST_CASE("trouble of gmres is a result in words") {
  const Exec exec;
  const Kokkos::View<double*, Space> x("heddle::test::x", 16);
  const auto b = right_hand_side<double>(16);
  const auto solve = [&](PlainOperator<Exec, double> a) {
    Kokkos::deep_copy(x, 0.0);
    GmresSolver<Exec, double> gmres(exec, 16, {.max_iterations = 100, .restart = 10});
    return gmres.solve(exec, a, b, x);
  };
  CHECK(solve(grid_operator<Exec, double>(4, [](int, int) { return 0.0; })).outcome ==
        Outcome::breakdown);
  CHECK(solve(grid_operator<Exec, double>(4, [](int i, int j) {
          return i == 3 && j == 3 ? std::numeric_limits<double>::quiet_NaN() : 1.0;
        })).outcome == Outcome::not_a_number);
  const auto solution = to_host(x);
  for (std::size_t i = 0; i < 16; ++i) CHECK(std::isfinite(solution(i)));
  // A right-hand side of zeros.
  Kokkos::deep_copy(b, 0.0);
  const KrylovResult zeros = solve(flow<Exec, double>(4));
  CHECK(zeros.converged());
  CHECK(zeros.iterations == 0);
  CHECK_THROWS_WITH_AS((GmresSolver<Exec, double>(exec, 16, {.restart = 0})),
                       doctest::Contains("restart is 0"), Error);
}

TEST_CASE("gmres is quiet") {
  const Exec exec;
  auto a = flow<Exec, double>(side);
  const auto b = right_hand_side<double>(a.n);
  const Kokkos::View<double*, Space> x("heddle::test::x", static_cast<std::size_t>(a.n));
  JacobiPreconditioner<Exec, double> jacobi(exec, a.matrix());
  KrylovOptions options;
  options.check_every = 0;
  options.max_iterations = 25;
  GmresSolver<Exec, double> gmres(exec, a.n, restarted_after(10, options));
  only_launches(exec, [&] { gmres.solve(exec, a, b, x, jacobi); });
}

}  // namespace heddle::test
