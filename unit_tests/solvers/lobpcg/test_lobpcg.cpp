// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Eigenpairs of A x = lambda x.
#define HEDDLE_DEFINITIONS  // for other types
#include "../../support/eigenpairs.hpp"

namespace heddle::test {

namespace {

/// tridiag(-1, 2, -1): the Laplacian of a path.
template <class S = double>
PlainOperator<Exec, S> path(int n) {
  return banded<S>(n, 1, [](int i, int j) { return i == j ? 2.0 : -1.0; });
}
/// Its eigenvalue k, from 1.
double of_path(int n, int k) {
  const double s = std::sin(k * std::numbers::pi / (2 * (n + 1)));
  return 4 * s * s;
}
PlainOperator<Exec, double> diagonal_matrix(int n, const std::function<double(int)>& value) {
  return banded<double>(n, 0, [&](int i, int) { return value(i); });
}

template <class S>
void check_path(Wanted wanted, double tolerance) {
  CAPTURE(static_cast<int>(wanted));
  constexpr int n = 60, count = 4;
  auto a = path<S>(n);
  const auto x = random_guess<S>(n, count);
  const LobpcgResult result = search(a, x, {.wanted = wanted, .relative_tolerance = tolerance});
  check_pairs(
      a, x, result,
      first_values(count,
                   [=](int j) { return of_path(n, wanted == Wanted::smallest ? j + 1 : n - j); }),
      tolerance);
}

}  // namespace

TEST_CASE("lobpcg finds both ends of a path's Laplacian") {
  for (const Wanted wanted : {Wanted::smallest, Wanted::largest}) {
    check_path<double>(wanted, 1e-9);
    check_path<float>(wanted, 3e-6);
    check_path<Kokkos::complex<double>>(wanted, 1e-9);
  }
}

TEST_CASE("lobpcg takes fewer iterations with a preconditioner") {
  constexpr int side = 12, count = 3;
  auto a = grid_operator<Exec, double>(
      side, [=](int i, int j) { return i == j ? 4.0 + i / side * 6 : -1.0; });
  const auto x = random_guess<double>(a.n, count), y = random_guess<double>(a.n, count);
  const LobpcgResult plain = search(a, x, {});
  CHECK(plain.converged());
  JacobiPreconditioner<Exec, double> jacobi(Exec(), a.matrix());
  const LobpcgResult with = search(a, y, {}, jacobi);
  CHECK(with.iterations < plain.iterations);
  check_pairs(
      a, y, with,
      first_values(count, [&](int j) { return plain.pairs[static_cast<std::size_t>(j)].value; }),
      1e-8);
}

TEST_CASE("lobpcg of the identity, of zero, and of all pairs there are") {
  for (const double diagonal : {1.0, 0.0}) {
    auto a = diagonal_matrix(20, [=](int) { return diagonal; });
    const LobpcgResult result = search(a, random_guess<double>(20, 3), {});
    CHECK(result.converged());
    for (const auto& pair : result.pairs) CHECK(pair.value == doctest::Approx(diagonal));
  }
  for (const int count : {7, 8}) {
    auto a = path(8);
    const auto x = random_guess<double>(8, count);
    check_pairs(a, x, search(a, x, {}),
                first_values(count, [](int j) { return of_path(8, j + 1); }), 1e-8);
  }
}

TEST_CASE("a guess of equal columns, or of none but zeros, is filled up") {
  auto a = path(50);
  for (const double value : {1.0, 0.0}) {
    const EigenBlock<double> x("heddle::test::x", 50, 3);
    Kokkos::deep_copy(x, value);
    check_pairs(a, x, search(a, x, {}), first_values(3, [](int j) { return of_path(50, j + 1); }),
                1e-8);
  }
}

TEST_CASE("lobpcg says what went wrong, and calls no pair converged that is not") {
  auto a = path(400);
  const auto x = random_guess<double>(400, 2);
  const LobpcgResult limit = search(a, x, {.max_iterations = 3});
  CHECK(limit.outcome == EigenOutcome::iteration_limit);
  CHECK(limit.iterations == 3);
  CHECK_FALSE(limit.pairs[0].converged);
  const LobpcgResult unreachable =
      search(a, x, {.relative_tolerance = 1e-18, .max_iterations = 1000});
  CHECK_FALSE(unreachable.converged());
  CHECK(unreachable.pairs[0].value == doctest::Approx(of_path(400, 1)).epsilon(1e-8));
  auto nan = banded<double>(400, 1, [](int i, int j) { return i == j ? std::nan("") : -1.0; });
  const LobpcgResult broken = search(nan, x, {.max_iterations = 3});
  CHECK(broken.outcome == EigenOutcome::not_a_number);
  CHECK_FALSE(broken.pairs[0].converged);
  // A callback ends a search, and so does the clock.
  int called = 0;
  const auto count_to_three = [&](int iterations, double residual) {
    ++called;
    CHECK(iterations == called);
    CHECK(residual > 0);
    return iterations < 3;
  };
  const LobpcgResult stopped =
      search(a, random_guess<double>(400, 2), {.callback = count_to_three});
  CHECK(stopped.outcome == EigenOutcome::stopped_by_user);
  CHECK(stopped.iterations == 3);
  CHECK_FALSE(stopped.pairs[0].converged);
  const LobpcgResult late = search(a, random_guess<double>(400, 2), {.max_seconds = 0});
  CHECK(late.outcome == EigenOutcome::out_of_time);
  CHECK(late.iterations == 1);
  CHECK_FALSE(late.pairs[0].converged);
  CHECK(late.pairs[0].residual > 0);
}

// Failures reported to other projects, from the definitions of their problems.
TEST_CASE("a diagonal with one zero and many equal values") {  // IterativeSolvers.jl issue 246
  constexpr double of[] = {1.25, 1.5,  1.5, 1.25, 1.5, 1.25, 1.5, 0,
                           1.13, 1.13, 1.5, 1.13, 1.5, 1.5,  1.13};
  auto a = diagonal_matrix(15, [&](int i) { return of[i]; });
  for (const std::uint64_t seed : {1, 2, 3, 4, 5, 6}) {
    if (emulated && seed > 1) continue;
    CAPTURE(seed);
    const auto x = random_guess<double>(15, 5, seed);
    check_pairs(a, x, search(a, x, {.relative_tolerance = 1e-10}), {0, 1.13, 1.13, 1.13, 1.13},
                1e-10);
  }
}

TEST_CASE("diagonals spread over many decades neither diverge nor lie") {  // scipy issue 16408
  constexpr int n = 100, count = 6;
  for (const double decades : {3.0, 8.0, 16.0}) {
    if (emulated && decades != 8.0) continue;
    CAPTURE(decades);
    const auto value = [=](int i) { return std::pow(10.0, decades * i / (n - 1)); };
    auto a = diagonal_matrix(n, value);
    for (const Wanted wanted : {Wanted::largest, Wanted::smallest}) {
      const auto x = random_guess<double>(n, count);
      const LobpcgResult result =
          search(a, x, {.wanted = wanted, .max_iterations = emulated ? 40 : 300});
      NoMassMatrix none;
      const PairErrors errors = errors_of_pairs(a, none, x, result);
      CHECK(errors.skew < 1e-12);
      double called = 0;
      for (const auto& pair : result.pairs) {
        called = std::max(called, pair.residual);
        CHECK(pair.converged == (pair.residual <= 1e-8 * result.scale));
      }
      CHECK(std::ranges::max(errors.residuals) == doctest::Approx(called).epsilon(1e-3));
      if (wanted == Wanted::smallest) continue;  // the largest are close to one another
      check_pairs(a, x, result, first_values(count, [=](int j) { return value(n - 1 - j); }), 1e-8);
    }
  }
}

TEST_CASE("what falls no more has stagnated, and what is not symmetric is called so") {
  constexpr int n = emulated ? 24 : 400;
  auto a = path(n);
  const auto x = random_guess<double>(n, 2);
  const LobpcgResult still = search(a, x,
                                    {.relative_tolerance = 1e-18,
                                     .max_iterations = 5000,
                                     .stagnation_window = emulated ? 30 : 200});
  CHECK_MESSAGE(still.outcome == EigenOutcome::stagnated, name(still.outcome));
  CHECK(still.iterations < 5000);
  CHECK_FALSE(still.pairs[0].converged);
  CHECK(still.pairs[0].value == doctest::Approx(of_path(n, 1)).epsilon(1e-8));
  CHECK(residual_of_pairs(a, x, still) < 1e-12);

  constexpr int side = emulated ? 5 : 20;
  const auto skewed = [](double above, double below, double tolerance) {
    auto of = grid_operator<Exec, double>(side, [=](int i, int j) {
      return i == j ? 4.0 : j > i ? above : below;
    });
    const LobpcgResult result =
        search(of, random_guess<double>(side * side, 2), {.relative_tolerance = tolerance});
    CHECK_MESSAGE(result.outcome == EigenOutcome::not_symmetric, name(result.outcome));
    CHECK_FALSE(result.pairs[0].converged);
  };
  skewed(-0.5, -1.5, 1e-8);
  skewed(-0.5, -1.5, 1e-3);
  skewed(-1, -1 - 1e-5, 1e-8);
  const auto values = to_host(a.values);
  values(1) *= 1 + 1e-6;  // less than the tolerance
  Kokkos::deep_copy(a.values, values);
  CHECK(search(a, random_guess<double>(n, 2), {.relative_tolerance = 1e-4}).converged());
}

TEST_CASE_TEMPLATE_DEFINE("lobpcg on every backend finds what stands on a diagonal", T, diagonal) {
  using S = typename T::Scalar;
  using E = typename T::Exec;
  constexpr int n = 40, count = 3;
  std::vector<int> row_ptr(1), col_idx;
  std::vector<S> values;
  for (int i = 0; i < n; ++i) {
    col_idx.push_back(i);
    values.push_back(S(static_cast<RealOf<S>>((i * 7) % n + 1)));
    row_ptr.push_back(i + 1);
  }
  auto a = plain_operator<E, S>(row_ptr, col_idx, values);
  const Kokkos::View<S**, Kokkos::LayoutLeft, typename T::Space> x("heddle::test::x", n, count);
  LobpcgSolver<E, S> solver(E(), n, {.count = count});
  const LobpcgResult result = solver.solve(E(), a, x);
  CHECK_MESSAGE(result.converged(), name(result.outcome));
  for (int j = 0; j < count; ++j) {
    const double value = result.pairs[static_cast<std::size_t>(j)].value;
    CHECK(value == doctest::Approx(j + 1).epsilon(1e-5));
  }
}
TEST_CASE_TEMPLATE_APPLY(diagonal, VectorTypes);

TEST_CASE("lobpcg without an instance runs on the default one, and keeps its result") {
  constexpr int n = 30;
  auto a = path(n);
  LobpcgSolver solver(Exec(), n, {.count = 2});
  static_assert(std::is_same_v<decltype(solver), LobpcgSolver<Exec, double>>);
  LobpcgSolver<Exec, double> other(n, {.count = 2});
  const auto x = random_guess<double>(n, 2), y = random_guess<double>(n, 2);
  const LobpcgResult result = solver.solve(Exec(), a, x);
  CHECK(result.converged());
  CHECK(other.solve(a, y, NoPreconditioner()).converged());
  CHECK(other.result().iterations == result.iterations);
  CHECK(other.result().pairs[1].value == result.pairs[1].value);
  CHECK(solver.result().history == result.history);
  CHECK(bits_of(x) == bits_of(y));
}

TEST_CASE("lobpcg refuses what makes no sense") {
  const auto refused = [](const LobpcgOptions& options, const char* words) {
    CHECK_THROWS_WITH_AS((LobpcgSolver<Exec, double>(Exec(), 5, options)), doctest::Contains(words),
                         Error);
  };
  refused({.count = 6}, "options.count is 6");
  refused({.count = 0}, "options.count is 0");
  refused({.count = 4, .constraints = 2}, "constraints");
  refused({.relative_tolerance = 0.0}, "options.relative_tolerance is 0");
  refused({.max_iterations = -1}, "options.max_iterations is -1");
  refused({.stagnation_window = 0}, "options.stagnation_window is 0");
  refused({.max_seconds = -1.0}, "options.max_seconds is -1");
  refused({.max_seconds = std::nan("")}, "options.max_seconds is");
  LobpcgSolver<Exec, double> solver(Exec(), 5, {.count = 2}), empty;
  auto a = path(6);
  const auto x = random_guess<double>(6, 2);
  CHECK_THROWS_AS(solver.solve(Exec(), a, x), Error);
  CHECK_THROWS_AS(empty.solve(Exec(), a, x), Error);
}

}  // namespace heddle::test
