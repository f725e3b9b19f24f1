// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <heddle/cg.hpp>

#include "../../../solvers/krylov/cg_definitions.hpp"
#include "../../support/krylov.hpp"

namespace heddle::test {

namespace {

constexpr int side = emulated ? 12 : 40;

/// A grid operator with another diagonal.
PlainOperator<Exec, double> with_diagonal(double diagonal) {
  return grid_operator<Exec, double>(side, [=](int i, int j) { return i == j ? diagonal : -1.0; });
}

}  // namespace

TEST_CASE_TEMPLATE_DEFINE("cg solves what is positive definite, plain and with Jacobi", T, solves) {
  using S = typename T::Scalar;
  using E = typename T::Exec;
  const E exec;
  const double tolerance = std::is_same_v<RealOf<S>, float> ? 1e-4 : 1e-10;
  auto a = laplacian<E, S>(side, 100);
  const auto b = right_hand_side<S, typename T::Space>(a.n);
  KrylovOptions options;
  options.relative_tolerance = tolerance;
  options.zero_guess = true;
  CgSolver<E, S> cg(exec, a.n, options);
  const Kokkos::View<S*, typename T::Space> x("heddle::test::x", static_cast<std::size_t>(a.n));
  fill_with_poison(x);  // a guess of zero is not read
  const KrylovResult plain = cg.solve(exec, a, b, x);
  CHECK(plain.outcome == Outcome::converged);
  CHECK(relative_residual(a, b, x) < 3 * tolerance);
  JacobiPreconditioner<E, S> jacobi(exec, a.matrix());
  const KrylovResult preconditioned = cg.solve(exec, a, b, x, jacobi);
  CHECK(preconditioned.outcome == Outcome::converged);
  CHECK(relative_residual(a, b, x) < 30 * tolerance);
  CHECK(preconditioned.iterations < plain.iterations);
}
TEST_CASE_TEMPLATE_APPLY(solves, VectorTypes);

TEST_CASE("a diagonal inside the passes and one of the user's take the same steps") {
  const Exec exec;
  auto a = laplacian<Exec, double>(side, 100);
  const auto b = right_hand_side<double>(a.n);
  CgSolver<Exec, double> cg(exec, a.n, {.history = true});
  const Kokkos::View<double*, Space> x("heddle::test::x", static_cast<std::size_t>(a.n));
  JacobiPreconditioner<Exec, double> jacobi(exec, a.matrix());
  const KrylovResult inside = cg.solve(exec, a, b, x, jacobi);
  const std::vector<double> history = cg.history(exec);
  Kokkos::deep_copy(x, 0.0);
  Diagonal user{JacobiPreconditioner<Exec, double>(exec, a.matrix())};
  const KrylovResult outside = cg.solve(exec, a, b, x, user);
  const std::vector<double> other = cg.history(exec);
  CHECK(user.applies > inside.iterations);
  REQUIRE(std::abs(inside.iterations - outside.iterations) <= 1);
  for (int i = 0; i < inside.iterations / 2; ++i) {
    CHECK(history[static_cast<std::size_t>(i)] ==
          doctest::Approx(other[static_cast<std::size_t>(i)]).epsilon(1e-6));
  }
  CHECK(std::ssize(history) == inside.iterations + 1);
  CHECK(inside.first_residual == history.front());
  CHECK(inside.residual == history.back());
}

TEST_CASE("when the host checks changes nothing, not a bit") {
  const Exec exec;
  auto a = laplacian<Exec, double>(side);
  const auto b = right_hand_side<double>(a.n);
  std::vector<unsigned char> bits;
  int iterations = 0;
  for (const int every : {1, 10, 37, 0}) {
    CAPTURE(every);
    KrylovOptions options;
    options.check_every = every;
    options.max_iterations = 200;
    CgSolver<Exec, double> cg(exec, a.n, options);
    const Kokkos::View<double*, Space> x("heddle::test::x", static_cast<std::size_t>(a.n));
    KrylovResult result = cg.solve(exec, a, b, x);
    if (every == 0) {
      CHECK(result.outcome == Outcome::running);  // without a check
      result = cg.results(exec)[0];
    }
    CHECK(result.converged());
    if (bits.empty()) {
      bits = bits_of(x);
      iterations = result.iterations;
    }
    CHECK(bits_of(x) == bits);
    CHECK(result.iterations == iterations);
  }
}

TEST_CASE("right-hand sides are independent, and each ends by itself") {
  const Exec exec;
  auto a = laplacian<Exec, double>(side, 10);
  const auto n = static_cast<std::size_t>(a.n);
  const Kokkos::View<double**, Kokkos::LayoutRight, Space> b("heddle::test::b", n, 10),
      x("heddle::test::x", n, 10);
  CgSolver<Exec, double> single(exec, a.n), several(exec, a.n, {.vectors = 10});
  JacobiPreconditioner<Exec, double> jacobi(exec, a.matrix());
  const auto easy = right_hand_side<double>(a.n, 5);
  for (int c = 0; c < 10; ++c) {
    const auto column = Kokkos::subview(b, Kokkos::ALL, c);
    if (c == 3) continue;  // zeros: converged at once
    const auto of_column = right_hand_side<double>(a.n, static_cast<std::uint64_t>(c));
    Kokkos::deep_copy(column, of_column);
    if (c == 7) {
      const Kokkos::View<double*, Space> product("heddle::test::product", n);
      a.apply(exec, easy, product);
      exec.fence("heddle::test::product");
      Kokkos::deep_copy(column, product);
    }
  }
  exec.fence("heddle::test::made");
  // Column 7 starts at its solution.
  Kokkos::deep_copy(Kokkos::subview(x, Kokkos::ALL, 7), easy);
  const KrylovResult worst = several.solve(exec, a, b, x, jacobi);
  CHECK(worst.converged());
  CHECK(several.results()[3].iterations == 0);
  const Kokkos::View<double*, Space> alone("heddle::test::alone", n), of("heddle::test::of", n);
  for (int c = 0; c < 10; ++c) {
    CAPTURE(c);
    Kokkos::deep_copy(of, Kokkos::subview(b, Kokkos::ALL, c));
    Kokkos::deep_copy(alone, 0.0);
    if (c == 7) continue;
    const KrylovResult result = single.solve(exec, a, of, alone, jacobi);
    CHECK(std::abs(result.iterations - several.results()[static_cast<std::size_t>(c)].iterations) <=
          1);
    Kokkos::deep_copy(of, Kokkos::subview(x, Kokkos::ALL, c));
    const auto together = to_host(of);
    const auto apart = to_host(alone);
    double difference = 0;
    for (std::size_t i = 0; i < n; ++i) {
      difference = std::max(difference, std::fabs(together(i) - apart(i)));
    }
    CHECK(difference < 1e-4);
  }
}

TEST_CASE("trouble is a result in words") {
  const Exec exec;
  const auto n = static_cast<std::size_t>(side * side);
  const auto b = right_hand_side<double>(side * side);
  const Kokkos::View<double*, Space> x("heddle::test::x", n);
  const auto solve = [&](PlainOperator<Exec, double> a, KrylovOptions options, auto& m) {
    Kokkos::deep_copy(x, 0.0);
    CgSolver<Exec, double> cg(exec, a.n, options);
    return cg.solve(exec, a, b, x, m);
  };
  NoPreconditioner none;
  CHECK(solve(with_diagonal(-4.01), {}, none).outcome == Outcome::indefinite);
  CHECK(solve(with_diagonal(1.5), {}, none).outcome == Outcome::indefinite);
  auto infinite = with_diagonal(4.01);
  Kokkos::deep_copy(Kokkos::subview(infinite.values, 9), std::numeric_limits<double>::infinity());
  const KrylovResult broken = solve(infinite, {}, none);
  CHECK(broken.outcome == Outcome::not_a_number);
  CHECK(broken.iterations < 3);
  const KrylovResult few = solve(with_diagonal(4.01), {.max_iterations = 3}, none);
  CHECK(few.outcome == Outcome::iteration_limit);
  CHECK(few.iterations == 3);
  CHECK(std::string(name(few.outcome)) == "reached the iteration limit");
  // A tolerance below rounding: the solve must end nevertheless. (Stagnation:
  // test_krylov_table.cpp.)
  auto a = with_diagonal(4.01);
  const KrylovResult best = solve(a, {.relative_tolerance = 0, .max_iterations = 100000}, none);
  CHECK(best.outcome == Outcome::attainable_accuracy);
  CHECK(best.iterations < 100000);
  CHECK(relative_residual(a, b, x) > 0);
  CHECK(relative_residual(a, b, x) < 1e-13);
  KrylovOptions called;
  int calls = 0;
  called.check_every = 1;
  called.callback = [&](int iterations, double residual) {
    CHECK(residual > 0);
    ++calls;
    return iterations < 2;
  };
  CHECK(solve(with_diagonal(4.01), called, none).outcome == Outcome::stopped_by_user);
  CHECK(calls == 3);  // the guess, iterations 1 and 2
  CHECK(solve(with_diagonal(4.01), {.check_every = 1, .max_seconds = 0}, none).outcome ==
        Outcome::out_of_time);
}

TEST_CASE("a right-hand side of zeros, no rows, one row") {
  const Exec exec;
  for (const int size : {0, 1, 5}) {
    CAPTURE(size);
    auto a = laplacian<Exec, double>(size);
    const auto n = static_cast<std::size_t>(size * size);
    CgSolver<Exec, double> cg(exec, a.n);
    const Kokkos::View<double*, Space> b("heddle::test::b", n), x("heddle::test::x", n);
    const KrylovResult zeros = cg.solve(exec, a, b, x);
    CHECK(zeros.converged());
    CHECK(zeros.iterations == 0);
    Kokkos::deep_copy(b, 1.0);
    CHECK(cg.solve(exec, a, b, x).converged());
    CHECK(cg.solve(exec, a, b, x).iterations <= 2);  // from the solution
  }
}

TEST_CASE("the residual can be computed anew") {
  const Exec exec;
  auto a = laplacian<Exec, double>(side, 1e4);
  const auto b = right_hand_side<double>(a.n);
  const Kokkos::View<double*, Space> x("heddle::test::x", static_cast<std::size_t>(a.n));
  CgSolver<Exec, double> cg(exec, a.n, {.max_iterations = 4000, .recompute_every = 20});
  JacobiPreconditioner<Exec, double> jacobi(exec, a.matrix());
  CHECK(cg.solve(exec, a, b, x, jacobi).converged());
  CHECK(relative_residual(a, b, x) < 1e-7);
  Diagonal user{JacobiPreconditioner<Exec, double>(exec, a.matrix())};
  Kokkos::deep_copy(x, 0.0);
  CHECK(cg.solve(exec, a, b, x, user).converged());
  CHECK(relative_residual(a, b, x) < 1e-7);
}

TEST_CASE("what cannot work is refused by name") {
  const Exec exec;
  auto a = laplacian<Exec, double>(4);
  CgSolver<Exec, double> cg(exec, 16), other(exec, 17);
  const auto b = right_hand_side<double>(16);
  const Kokkos::View<double*, Space> x("heddle::test::x", 16);
  Diagonal one_sided{JacobiPreconditioner<Exec, double>(exec, a.matrix()), false};
  CHECK_THROWS_WITH_AS(cg.solve(exec, a, b, x, one_sided),
                       doctest::Contains("one of the user's is not symmetric"), Error);
  CHECK_THROWS_WITH_AS(other.solve(exec, a, b, x),
                       doctest::Contains("16 x 16, and the solver is for 17"), Error);
  CHECK_THROWS_WITH_AS(cg.solve(exec, a, x, x), doctest::Contains("same vector"), Error);
  CHECK_THROWS_WITH_AS((CgSolver<Exec, double>(exec, 16, {.check_every = -1})),
                       doctest::Contains("check_every is -1"), Error);
  const JacobiPreconditioner<Exec, double> jacobi(exec, a.matrix());
  const auto longer = right_hand_side<double>(17);
  const Kokkos::View<double*, Space> y("heddle::test::y", 17);
  CHECK_THROWS_WITH_AS(jacobi.apply(exec, longer, y),
                       doctest::Contains("b has 17 rows, and the preconditioner is for 16"), Error);
}

TEST_CASE("solve is quiet: launches, and a copy and a wait when the host checks") {
  const Exec exec;
  auto a = laplacian<Exec, double>(side);
  const auto b = right_hand_side<double>(a.n);
  const Kokkos::View<double*, Space> x("heddle::test::x", static_cast<std::size_t>(a.n));
  JacobiPreconditioner<Exec, double> jacobi(exec, a.matrix());
  for (const int every : {0, 10}) {
    KrylovOptions options;
    options.check_every = every;
    options.max_iterations = 40;
    options.relative_tolerance = 0;
    CgSolver<Exec, double> cg(exec, a.n, options);
    std::vector<Event> seen;
    {
      const Recording recording;
      cg.solve(exec, a, b, x, jacobi);
      seen = Recording::seen();
    }
    exec.fence("heddle::test::solved");
    CHECK(strangers(seen) == "");
    CHECK(count(seen, Event::allocation) == 0);
    const int checks = count(seen, "heddle::cg::check");
    CHECK(checks == (every == 0 ? 0 : 5));
    CHECK(count(seen, Event::copy) == checks);
    // Before: x in, product, r, its scale, r . z, p. Each iteration: four launches, a product among
    // them. After: product, its residual, x out. Each check keeps x.
    const int own = count(seen, Event::kernel);
    CHECK(own >= 9 + 4 * 40);
    CHECK(own <= 9 + 4 * 40 + checks);
  }
}

}  // namespace heddle::test
