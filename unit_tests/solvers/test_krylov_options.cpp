// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the options of Krylov methods do, and what their results say.
#include <heddle/bicgstab.hpp>
#include <heddle/cg.hpp>
#include <heddle/chebyshev.hpp>
#include <heddle/gmres.hpp>

#include "../support/krylov.hpp"

namespace heddle::test {

namespace {

constexpr int side = emulated ? 8 : 30;
constexpr SpectrumBounds of_laplacian = {0.01, 2};

template <class S>
Kokkos::View<S*, Space> vector(std::int64_t n) {
  return Kokkos::View<S*, Space>("heddle::test::vector", static_cast<std::size_t>(n));
}

/// With a member that a diagonal has, and another meaning.
struct NotADiagonal {
  JacobiPreconditioner<Exec, double> jacobi;
  int applies = 0;

  auto inverse_diagonal() const { return jacobi.inverse_diagonal(); }
  template <class B, class X>
  void apply(const Exec& exec, const B& b, const X& x) {
    ++applies;
    jacobi.apply(exec, b, x);
  }
};

}  // namespace

TEST_CASE("what is set and has no effect is an error") {
  const Exec exec;
  KrylovOptions never;
  never.check_every = 0;
  KrylovOptions with_callback = never, with_time = never;
  with_callback.callback = [](int, double) { return true; };
  with_time.max_seconds = 1;
  CHECK_THROWS_WITH_AS((CgSolver<Exec, double>(exec, 4, with_callback)),
                       doctest::Contains("options.callback has no effect"), Error);
  CHECK_THROWS_WITH_AS((GmresSolver<Exec, double>(exec, 4, 3, with_time)),
                       doctest::Contains("options.max_seconds has no effect"), Error);
  CHECK_THROWS_WITH_AS((BicgstabSolver<Exec, double>(exec, 4, {.divergence_factor = 1})),
                       doctest::Contains("divergence_factor"), Error);
  CgSolver<Exec, double> without(exec, 4);
  CHECK_THROWS_WITH_AS(without.history(exec), doctest::Contains("history"), Error);
}

TEST_CASE("the callback sees the first and the last state, and what it decided stays") {
  const Exec exec;
  auto a = laplacian<Exec, double>(side);
  const auto b = right_hand_side<double>(a.n);
  std::vector<std::pair<int, double>> seen;
  KrylovOptions options;
  options.check_every = 4;
  options.callback = [&](int iterations, double residual) {
    seen.emplace_back(iterations, residual);
    return true;
  };
  CgSolver<Exec, double> cg(exec, a.n, options);
  const auto x = vector<double>(a.n);
  const KrylovResult result = cg.solve(exec, a, b, x);
  REQUIRE(seen.size() > 2);
  CHECK(seen.front() == std::make_pair(0, 1.0));
  CHECK(seen.back() == std::make_pair(result.iterations, result.relative_residual()));
  options.callback = [](int iterations, double) { return iterations < 8; };
  CgSolver<Exec, double> stopped(exec, a.n, options);
  Kokkos::deep_copy(x, 0.0);
  CHECK(stopped.solve(exec, a, b, x).outcome == Outcome::stopped_by_user);
  CHECK(stopped.results(exec)[0].outcome == Outcome::stopped_by_user);
  CHECK(stopped.results(exec)[0].iterations == 8);
  CHECK(stopped.results(exec)[0].relative_residual() ==
        doctest::Approx(relative_residual(a, b, x)).epsilon(1e-6));
  options.callback = {};
  options.max_seconds = 0;
  BicgstabSolver<Exec, double> late(exec, a.n, options);
  Kokkos::deep_copy(x, 0.0);
  CHECK(late.solve(exec, a, b, x).outcome == Outcome::out_of_time);
  CHECK(late.result(exec).outcome == Outcome::out_of_time);
}

TEST_CASE("of several right-hand sides NaN is the worst") {
  const Exec exec;
  auto a = laplacian<Exec, double>(side);
  const auto n = static_cast<std::size_t>(a.n);
  const Kokkos::View<double**, Kokkos::LayoutLeft, Space> b("heddle::test::b", n, 3),
      x("heddle::test::x", n, 3);
  Kokkos::deep_copy(b, 1.0);
  const auto broken = Kokkos::subview(b, std::size_t{2}, 1);
  Kokkos::deep_copy(broken, std::numeric_limits<double>::quiet_NaN());
  CgSolver<Exec, double> cg(exec, a.n, {}, 3);
  const KrylovResult worst = cg.solve(exec, a, b, x);
  CHECK(worst.outcome == Outcome::not_a_number);
  CHECK(cg.results()[0].converged());
  CHECK(cg.results()[1].outcome == Outcome::not_a_number);
  CHECK(cg.results()[2].converged());
}

TEST_CASE("the history has the residuals that there are, in every solver") {
  const Exec exec;
  auto a = laplacian<Exec, double>(side);
  const auto b = right_hand_side<double>(a.n);
  KrylovOptions options;
  options.history = true;
  options.max_iterations = 1000;
  JacobiPreconditioner<Exec, double> jacobi(exec, a.matrix());
  const auto check = [&](auto&& solver, int products) {
    const auto x = vector<double>(a.n);
    const KrylovResult result = solver.solve(exec, a, b, x, jacobi);
    const std::vector<double> history = solver.history(exec);
    CHECK(result.converged());
    CHECK(std::ssize(history) == 1 + ceil_div(result.iterations, products));
    CHECK(history.front() == result.first_residual);
    CHECK(history.back() == result.residual);
    CHECK(std::ranges::all_of(history, [](double norm) { return norm > 0; }));
  };
  check(CgSolver<Exec, double>(exec, a.n, options), 1);
  check(GmresSolver<Exec, double>(exec, a.n, 20, options), 1);
  check(BicgstabSolver<Exec, double>(exec, a.n, options), 2);
  check(ChebyshevSolver<Exec, double>(exec, a.n, of_laplacian, options), 1);
}

TEST_CASE("stagnation ends a solve by default") {
  const Exec exec;
  // A circle of four: until the fourth vector no entry of b - A x gets smaller.
  auto a = grid_operator<Exec, double>(2, [](int i, int j) {
    const int next[] = {1, 3, 0, 2};
    return next[j] == i ? 1.0 : 0.0;
  });
  const auto b = vector<double>(4);
  Kokkos::deep_copy(Kokkos::subview(b, std::size_t{0}), 1.0);
  GmresSolver<Exec, double> gmres(exec, 4, 3);
  const auto x = vector<double>(4);
  CHECK(gmres.solve(exec, a, b, x).outcome == Outcome::stagnated);
  CHECK(gmres.result().iterations == 500);
}

TEST_CASE("gmres keeps no more than it can use, and names its option") {
  const Exec exec;
  const GmresSolver<Exec, double> small(exec, 10, std::numeric_limits<int>::max()),
      exact(exec, 10, 10);
  CHECK(small.bytes() == exact.bytes());
  const GmresSolver<Exec, double> few(exec, 100, 50, {.max_iterations = 5}),
      five(exec, 100, 5, {.max_iterations = 5});
  CHECK(few.bytes() == five.bytes());
  const std::int64_t huge = std::int64_t{1} << 40;
  CHECK_THROWS_WITH_AS(
      (GmresSolver<Exec, double>(exec, huge, 1 << 30, {.max_iterations = 1 << 30})),
      doctest::Contains("restart = 1073741824"), OutOfMemory);
}

TEST_CASE("a diagonal is known by what it says, not by its members") {
  const Exec exec;
  auto a = laplacian<Exec, double>(side);
  const auto b = right_hand_side<double>(a.n);
  NotADiagonal user{JacobiPreconditioner<Exec, double>(exec, a.matrix())};
  const auto x = vector<double>(a.n);
  CgSolver<Exec, double> cg(exec, a.n);
  CHECK(cg.solve(exec, a, b, x, user).converged());
  CHECK(user.applies > 0);
}

}  // namespace heddle::test
