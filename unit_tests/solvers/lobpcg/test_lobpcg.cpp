// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#define HEDDLE_DEFINITIONS  // for other types
#include <heddle/lobpcg.hpp>
#include <numbers>

#include "../../support/krylov.hpp"

namespace heddle::test {

namespace {

template <class S>
using Block = Kokkos::View<S**, Kokkos::LayoutLeft, Space>;

template <class S>
Block<S> guess(std::int64_t n, int count) {
  const Block<S> x("heddle::test::x", static_cast<std::size_t>(n), static_cast<std::size_t>(count));
  const auto host = Kokkos::create_mirror_view(x);
  const auto numbers = random_vector<S>(static_cast<std::size_t>(n * count), 7);
  for (int j = 0; j < count; ++j) {
    for (std::int64_t i = 0; i < n; ++i) host(i, j) = numbers[static_cast<std::size_t>(j * n + i)];
  }
  Kokkos::deep_copy(x, host);
  return x;
}

/// The tridiagonal matrix of the nonzero entry(i, j).
template <class S, class Entry>
PlainOperator<Exec, S> tridiagonal(int n, const Entry& entry) {
  std::vector<int> row_ptr(1), col_idx;
  std::vector<S> values;
  for (int i = 0; i < n; ++i) {
    for (int j = std::max(i - 1, 0); j <= std::min(i + 1, n - 1); ++j) {
      const double value = entry(i, j);
      if (i != j && value == 0) continue;
      col_idx.push_back(j);
      values.push_back(S(static_cast<RealOf<S>>(value)));
    }
    row_ptr.push_back(static_cast<int>(col_idx.size()));
  }
  return plain_operator<Exec, S>(row_ptr, col_idx, values);
}
template <class S>
PlainOperator<Exec, S> tridiagonal(int n, double diagonal, double beside) {
  return tridiagonal<S>(n, [=](int i, int j) { return i == j ? diagonal : beside; });
}

/// The largest norms of A x - lambda x and of X' X - I, in sums of the host.
template <class S>
std::pair<double, double> errors(PlainOperator<Exec, S>& a, const Block<S>& x,
                                 const LobpcgResult& result) {
  using C = std::complex<double>;
  const int count = static_cast<int>(x.extent(1));
  const Block<S> y("heddle::test::y", x.extent(0), x.extent(1));
  for (int j = 0; j < count; ++j) {
    a.apply(Exec(), Kokkos::subview(x, Kokkos::ALL, j), Kokkos::subview(y, Kokkos::ALL, j));
  }
  Exec().fence("heddle::test::products");
  const auto xs = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), x);
  const auto ys = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), y);
  const auto wide = [](const S& value) {
    if constexpr (is_complex<S>) {
      return C(value.real(), value.imag());
    } else {
      return C(value);
    }
  };
  double residual = 0, skew = 0;
  for (int j = 0; j < count; ++j) {
    double square = 0;
    for (std::size_t i = 0; i < x.extent(0); ++i) {
      square += std::norm(wide(ys(i, j)) -
                          result.pairs[static_cast<std::size_t>(j)].value * wide(xs(i, j)));
    }
    residual = std::max(residual, std::sqrt(square));
    for (int k = 0; k < count; ++k) {
      C dot(k == j ? -1 : 0);
      for (std::size_t i = 0; i < x.extent(0); ++i)
        dot += std::conj(wide(xs(i, k))) * wide(xs(i, j));
      skew = std::max(skew, std::abs(dot));
    }
  }
  return {residual, skew};
}

double of_path(int n, int k) {
  const double s = std::sin(k * std::numbers::pi / (2 * (n + 1)));
  return 4 * s * s;
}

template <class S>
void check_laplacian(Wanted wanted, double tolerance) {
  CAPTURE(static_cast<int>(wanted));
  constexpr int n = 60, count = 4;
  auto a = tridiagonal<S>(n, 2, -1);
  const auto x = guess<S>(n, count);
  LobpcgSolver<Exec, S> solver(Exec(), n,
                               {.count = count, .wanted = wanted, .relative_tolerance = tolerance});
  const LobpcgResult result = solver.solve(Exec(), a, x);
  CHECK_MESSAGE(result.converged(), name(result.outcome));
  const auto [residual, skew] = errors(a, x, result);
  CHECK(residual <= 1.5 * tolerance * 4);
  CHECK(skew < 100 * std::numeric_limits<RealOf<S>>::epsilon());
  for (int j = 0; j < count; ++j) {
    const double expected = of_path(n, wanted == Wanted::smallest ? j + 1 : n - j);
    CHECK(std::abs(result.pairs[static_cast<std::size_t>(j)].value - expected) <= 4 * tolerance);
    CHECK(result.pairs[static_cast<std::size_t>(j)].converged);
  }
}

}  // namespace

TEST_CASE("lobpcg finds both ends of a path's Laplacian") {
  for (const Wanted wanted : {Wanted::smallest, Wanted::largest}) {
    check_laplacian<double>(wanted, 1e-9);
    check_laplacian<float>(wanted, 3e-6);
    check_laplacian<Kokkos::complex<double>>(wanted, 1e-9);
  }
}

TEST_CASE("lobpcg takes fewer iterations with a preconditioner") {
  constexpr int side = 12, count = 3;
  auto a = grid_operator<Exec, double>(
      side, [=](int i, int j) { return i == j ? 4.0 + i / side * 6 : -1.0; });
  const auto x = guess<double>(a.n, count), y = guess<double>(a.n, count);
  LobpcgSolver<Exec, double> solver(Exec(), a.n, {.count = count});
  const LobpcgResult plain = solver.solve(Exec(), a, x);
  JacobiPreconditioner<Exec, double> jacobi(Exec(), a.matrix());
  const LobpcgResult with = solver.solve(Exec(), a, y, jacobi);
  CHECK(plain.converged());
  CHECK(with.converged());
  CAPTURE(plain.iterations);
  CHECK(with.iterations < plain.iterations);
  for (int j = 0; j < count; ++j) {
    const auto at = static_cast<std::size_t>(j);
    CHECK(with.pairs[at].value == doctest::Approx(plain.pairs[at].value).epsilon(1e-10));
  }
  CHECK(errors(a, y, with).first <= 1.5e-8 * with.scale);
}

TEST_CASE("lobpcg of the identity, of zero, and of all pairs there are") {
  for (const double diagonal : {1.0, 0.0}) {
    auto a = tridiagonal<double>(20, diagonal, 0);
    const auto x = guess<double>(20, 3);
    LobpcgSolver<Exec, double> solver(Exec(), 20, {.count = 3});
    const LobpcgResult result = solver.solve(Exec(), a, x);
    CHECK(result.converged());
    for (const auto& pair : result.pairs) CHECK(pair.value == doctest::Approx(diagonal));
  }
  for (const int count : {7, 8}) {
    auto a = tridiagonal<double>(8, 2, -1);
    const auto x = guess<double>(8, count);
    LobpcgSolver<Exec, double> solver(Exec(), 8, {.count = count});
    const LobpcgResult result = solver.solve(Exec(), a, x);
    CHECK_MESSAGE(result.converged(), name(result.outcome));
    for (int j = 0; j < count; ++j) {
      CHECK(result.pairs[static_cast<std::size_t>(j)].value ==
            doctest::Approx(of_path(8, j + 1)).epsilon(1e-9));
    }
  }
}

TEST_CASE("a guess of equal columns, or of none but zeros, is filled up") {
  auto a = tridiagonal<double>(50, 2, -1);
  for (const double value : {1.0, 0.0}) {
    const Block<double> x("heddle::test::x", 50, 3);
    Kokkos::deep_copy(x, value);
    LobpcgSolver<Exec, double> solver(Exec(), 50, {.count = 3});
    const LobpcgResult result = solver.solve(Exec(), a, x);
    CHECK_MESSAGE(result.converged(), name(result.outcome));
    CHECK(result.pairs[2].value == doctest::Approx(of_path(50, 3)).epsilon(1e-8));
  }
}

TEST_CASE("lobpcg says what went wrong, and calls no pair converged that is not") {
  auto a = tridiagonal<double>(400, 2, -1);
  const auto x = guess<double>(400, 2);
  LobpcgSolver<Exec, double> few(Exec(), 400, {.count = 2, .max_iterations = 3});
  const LobpcgResult limit = few.solve(Exec(), a, x);
  CHECK(limit.outcome == EigenOutcome::iteration_limit);
  CHECK(limit.iterations == 3);
  CHECK_FALSE(limit.pairs[0].converged);
  LobpcgSolver<Exec, double> tight(
      Exec(), 400, {.count = 2, .relative_tolerance = 1e-18, .max_iterations = 1000});
  const LobpcgResult unreachable = tight.solve(Exec(), a, x);
  CHECK_FALSE(unreachable.converged());
  CHECK(unreachable.pairs[0].value == doctest::Approx(of_path(400, 1)).epsilon(1e-8));
  auto nan = tridiagonal<double>(400, std::numeric_limits<double>::quiet_NaN(), -1);
  const LobpcgResult broken = few.solve(Exec(), nan, x);
  CHECK(broken.outcome == EigenOutcome::not_a_number);
  CHECK_FALSE(broken.pairs[0].converged);
}

// Failures reported to other projects, from the definitions of their problems.
TEST_CASE("a diagonal with one zero and many equal values") {  // IterativeSolvers.jl issue 246
  constexpr double of[] = {1.25, 1.5,  1.5, 1.25, 1.5, 1.25, 1.5, 0,
                           1.13, 1.13, 1.5, 1.13, 1.5, 1.5,  1.13};
  constexpr int n = 15, count = 5;
  auto a = tridiagonal<double>(n, [&](int i, int j) { return i == j ? of[i] : 0; });
  for (const std::uint64_t seed : {1, 2, 3, 4, 5, 6}) {
    if (emulated && seed > 1) continue;
    CAPTURE(seed);
    const auto x = random_columns<double, Kokkos::LayoutLeft>(n, count, seed);
    const auto modes = copy_to<Space>(x);
    LobpcgSolver<Exec, double> solver(Exec(), n, {.count = count, .relative_tolerance = 1e-10});
    const LobpcgResult result = solver.solve(Exec(), a, modes);
    CHECK_MESSAGE(result.converged(), name(result.outcome));
    CHECK(std::abs(result.pairs[0].value) < 1e-9);
    for (std::size_t j = 1; j < 5; ++j) CHECK(result.pairs[j].value == doctest::Approx(1.13));
    const auto [residual, skew] = errors<double>(a, modes, result);
    CHECK(residual < 1e-9);
    CHECK(skew < 1e-12);
  }
}

TEST_CASE("diagonals spread over many decades neither diverge nor lie") {  // scipy issue 16408
  constexpr int n = 100, count = 6;
  for (const double decades : {3.0, 8.0, 16.0}) {
    if (emulated && decades != 8.0) continue;
    CAPTURE(decades);
    for (const Wanted wanted : {Wanted::largest, Wanted::smallest}) {
      const auto value = [=](int i) { return std::pow(10.0, decades * i / (n - 1)); };
      auto a = tridiagonal<double>(n, [&](int i, int j) { return i == j ? value(i) : 0; });
      const auto x = guess<double>(n, count);
      LobpcgSolver<Exec, double> solver(
          Exec(), n, {.count = count, .wanted = wanted, .max_iterations = emulated ? 40 : 300});
      const LobpcgResult result = solver.solve(Exec(), a, x);
      const auto [residual, skew] = errors<double>(a, x, result);
      CHECK(skew < 1e-12);
      double called = 0;
      for (const auto& pair : result.pairs) {
        called = std::max(called, pair.residual);
        CHECK(pair.converged == (pair.residual <= 1e-8 * result.scale));
      }
      CHECK(residual == doctest::Approx(called).epsilon(1e-3));
      if (wanted == Wanted::smallest) continue;  // the largest are close to one another
      CHECK_MESSAGE(result.converged(), name(result.outcome));
      for (int j = 0; j < count; ++j) {
        CHECK(result.pairs[static_cast<std::size_t>(j)].value ==
              doctest::Approx(value(n - 1 - j)).epsilon(1e-7));
      }
    }
  }
}

TEST_CASE("what falls no more has stagnated, and what is not symmetric is called so") {
  constexpr int n = emulated ? 24 : 400;
  auto a = tridiagonal<double>(n, 2, -1);
  const auto x = guess<double>(n, 2);
  LobpcgSolver<Exec, double> tight(Exec(), n,
                                   {.count = 2,
                                    .relative_tolerance = 1e-18,
                                    .max_iterations = 5000,
                                    .stagnation_window = emulated ? 30 : 200});
  const LobpcgResult still = tight.solve(Exec(), a, x);
  CHECK_MESSAGE(still.outcome == EigenOutcome::stagnated, name(still.outcome));
  CHECK(still.iterations < 5000);
  CHECK_FALSE(still.pairs[0].converged);
  CHECK(still.pairs[0].value == doctest::Approx(of_path(n, 1)).epsilon(1e-8));
  CHECK(errors<double>(a, x, still).first < 1e-12);

  constexpr int side = emulated ? 5 : 20;
  auto skewed = grid_operator<Exec, double>(side, [](int i, int j) {
    return i == j ? 4.0 : j > i ? -0.5 : -1.5;
  });
  for (const double tolerance : {1e-8, 1e-3}) {
    const auto y = guess<double>(side * side, 2);
    LobpcgSolver<Exec, double> solver(Exec(), side * side,
                                      {.count = 2, .relative_tolerance = tolerance});
    const LobpcgResult result = solver.solve(Exec(), skewed, y);
    CHECK_MESSAGE(result.outcome == EigenOutcome::not_symmetric, name(result.outcome));
    CHECK_FALSE(result.pairs[0].converged);
  }
  auto slightly = grid_operator<Exec, double>(side, [](int i, int j) {
    return i == j ? 4.0 : j > i ? -1.0 : -1.0 - 1e-5;
  });
  LobpcgSolver<Exec, double> fine(Exec(), side * side, {.count = 2});
  const LobpcgResult differs = fine.solve(Exec(), slightly, guess<double>(side * side, 2));
  CHECK_MESSAGE(differs.outcome == EigenOutcome::not_symmetric, name(differs.outcome));
  const auto values = Kokkos::create_mirror(Kokkos::HostSpace(), a.values);
  Kokkos::deep_copy(values, a.values);
  values(1) *= 1 + 1e-6;  // less than the tolerance
  Kokkos::deep_copy(a.values, values);
  LobpcgSolver<Exec, double> coarse(Exec(), n, {.count = 2, .relative_tolerance = 1e-4});
  CHECK(coarse.solve(Exec(), a, guess<double>(n, 2)).converged());
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
  auto a = tridiagonal<double>(n, 2, -1);
  LobpcgSolver solver(Exec(), n, {.count = 2});
  static_assert(std::is_same_v<decltype(solver), LobpcgSolver<Exec, double>>);
  LobpcgSolver<Exec, double> other(n, {.count = 2});
  const auto x = guess<double>(n, 2), y = guess<double>(n, 2);
  const LobpcgResult result = solver.solve(Exec(), a, x);
  CHECK(result.converged());
  CHECK(other.solve(a, y, NoPreconditioner()).converged());
  CHECK(other.result().iterations == result.iterations);
  CHECK(other.result().pairs[1].value == result.pairs[1].value);
  CHECK(solver.result().history == result.history);
  CHECK(bits_of(x) == bits_of(y));
}

TEST_CASE("lobpcg refuses what makes no sense") {
  CHECK_THROWS_AS((LobpcgSolver<Exec, double>(Exec(), 5, {.count = 6})), Error);
  CHECK_THROWS_AS((LobpcgSolver<Exec, double>(Exec(), 5, {.count = 0})), Error);
  CHECK_THROWS_AS((LobpcgSolver<Exec, double>(Exec(), 5, {.relative_tolerance = 0.0})), Error);
  CHECK_THROWS_WITH_AS((LobpcgSolver<Exec, double>(Exec(), 5, {.max_iterations = -1})),
                       doctest::Contains("options.max_iterations is -1"), Error);
  CHECK_THROWS_AS((LobpcgSolver<Exec, double>(Exec(), 5, {.stagnation_window = 0})), Error);
  LobpcgSolver<Exec, double> solver(Exec(), 5, {.count = 2});
  auto a = tridiagonal<double>(6, 2, -1);
  CHECK_THROWS_AS(solver.solve(Exec(), a, guess<double>(6, 2)), Error);
  LobpcgSolver<Exec, double> empty;
  CHECK_THROWS_AS(empty.solve(Exec(), a, guess<double>(6, 2)), Error);
}

}  // namespace heddle::test
