// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Eigenpairs of A x = lambda B x, and with constraints: problems with known solutions.
#define HEDDLE_DEFINITIONS  // for other types
#include "../../support/eigenpairs.hpp"

namespace heddle::test {

namespace {

constexpr double pi = std::numbers::pi;

/// Checks that pairs converged, by their true residuals, to the expected values.
template <class S>
void check_pairs(PlainOperator<Exec, S>& a, PlainOperator<Exec, S>* b, const EigenBlock<S>& x,
                 const LobpcgResult& result, const std::vector<double>& expected,
                 double tolerance) {
  CHECK_MESSAGE(result.converged(), name(result.outcome));
  const EigenErrors errors = errors_of_pairs(a, b, x, result);
  CHECK(errors.residual <= 1.5 * tolerance * result.scale);
  CHECK(errors.skew < 1e4 * std::numeric_limits<RealOf<S>>::epsilon() * errors.terms);
  REQUIRE(result.pairs.size() == expected.size());
  for (std::size_t j = 0; j < expected.size(); ++j) {
    CAPTURE(j);
    CHECK(result.pairs[j].converged);
    CHECK(result.pairs[j].value == doctest::Approx(expected[j]).epsilon(1e3 * tolerance));
  }
}

std::vector<double> first_values(int count, const std::function<double(int)>& value) {
  std::vector<double> values;
  for (int j = 0; j < count; ++j) values.push_back(value(j));
  return values;
}

}  // namespace

// J. Mikota, "Frequency tuning of chain structure multibody oscillators", ZAMM 81, 2001: masses 1 /
// i and springs such that the squares of the frequencies are 1, 4, 9, ...
TEST_CASE("the Mikota pair up to 2048 rows") {
  for (const int n : {20, 128, emulated ? 256 : 2048}) {
    CAPTURE(n);
    const auto stiffness = [=](int i, int j) {
      return i == j ? 2.0 * (n - i) - 1 : -1.0 * (n - std::max(i, j));
    };
    auto a = banded<double>(n, 1, stiffness);
    auto b = banded<double>(n, 0, [](int i, int) { return 1.0 / (i + 1); });
    TridiagonalSolve m(n, stiffness);
    const auto x = random_guess<double>(n, 5);
    LobpcgSolver<Exec, double> solver(
        Exec(), n, {.count = 5, .relative_tolerance = 1e-10, .generalized = true});
    const LobpcgResult result = solver.solve(Exec(), a, x, m, b);
    check_pairs(a, &b, x, result, first_values(5, [](int j) { return (j + 1.0) * (j + 1); }),
                1e-10);
    CHECK(result.iterations < 60);
  }
  constexpr int n = 40;
  auto a = banded<double>(
      n, 1, [](int i, int j) { return i == j ? 2.0 * (n - i) - 1 : -1.0 * (n - std::max(i, j)); });
  auto b = banded<double>(n, 0, [](int i, int) { return 1.0 / (i + 1); });
  const auto x = random_guess<double>(n, 3);
  LobpcgSolver<Exec, double> solver(
      Exec(), n,
      {.count = 3, .wanted = Wanted::largest, .relative_tolerance = 1e-9, .generalized = true});
  const LobpcgResult result = solver.solve(Exec(), a, x, NoPreconditioner(), b);
  check_pairs(a, &b, x, result, first_values(3, [](int j) { return double(n - j) * (n - j); }),
              1e-9);
}

TEST_CASE("a rod held at one end, by linear elements") {
  constexpr int n = 100;
  constexpr double element = 1.0 / n, stiffness = 2.1e11 * 1e-4 / element,
                   mass = 7.85e3 * 1e-4 * element / 6;
  const auto k = [=](int i, int j) { return stiffness * (i != j ? -1 : i + 1 == n ? 1 : 2); };
  auto a = banded<double>(n, 1, k);
  auto b = banded<double>(n, 1, [=](int i, int j) {
    return mass * (i != j ? 1 : i + 1 == n ? 2 : 4);
  });
  TridiagonalSolve m(n, k);
  const auto x = random_guess<double>(n, 4);
  LobpcgSolver<Exec, double> solver(Exec(), n,
                                    {.count = 4, .relative_tolerance = 1e-11, .generalized = true});
  const LobpcgResult result = solver.solve(Exec(), a, x, m, b);
  check_pairs(a, &b, x, result,
              first_values(4,
                           [&](int j) {
                             const double c = std::cos((2 * j + 1) * pi / (2 * n));
                             return stiffness / mass * (2 - 2 * c) / (4 + 2 * c);
                           }),
              1e-11);
}

// T. Sakurai et al., "A moment-based method for large-scale generalized eigenvalue problems", 2004.
TEST_CASE("the identity over a fourth difference") {
  constexpr int n = 50;
  auto a = banded<double>(n, 0, [](int, int) { return 1.0; });
  auto b = banded<double>(n, 2, [](int i, int j) {
    const int apart = std::abs(i - j);
    return apart == 2 ? 1.0 : apart == 1 ? -4.0 : i == 0 || i + 1 == n ? 5.0 : 6.0;
  });
  for (const Wanted wanted : {Wanted::smallest, Wanted::largest}) {
    const auto x = random_guess<double>(n, 3);
    LobpcgSolver<Exec, double> solver(Exec(), n,
                                      {.count = 3,
                                       .wanted = wanted,
                                       .relative_tolerance = 1e-9,
                                       .max_iterations = 4000,
                                       .generalized = true});
    const LobpcgResult result = solver.solve(Exec(), a, x, NoPreconditioner(), b);
    check_pairs(a, &b, x, result,
                first_values(3,
                             [=](int j) {
                               const double half = (j + 1) * pi / (2 * (n + 1));
                               const double wave =
                                   wanted == Wanted::smallest ? std::cos(half) : std::sin(half);
                               return 1 / (16 * std::pow(wave, 4));
                             }),
                1e-9);
  }
}

// The vector of M. Fiedler (1973) of a path, together with the constant one or with that excluded.
TEST_CASE("the Fiedler vector of a path of 8 and of 12") {
  for (const int n : {8, 12}) {
    CAPTURE(n);
    auto a = banded<double>(n, 1, [=](int i, int j) {
      return i != j ? -1.0 : i == 0 || i + 1 == n ? 1.0 : 2.0;
    });
    const auto value = [=](int j) { return 2 - 2 * std::cos(j * pi / n); };
    const auto x = random_guess<double>(n, 3);
    LobpcgSolver<Exec, double> solver(Exec(), n, {.count = 3, .relative_tolerance = 1e-10});
    const LobpcgResult result = solver.solve(Exec(), a, x);
    CHECK(result.converged());
    CHECK(std::abs(result.pairs[0].value) < 1e-9);
    CHECK(result.pairs[1].value == doctest::Approx(value(1)).epsilon(1e-8));

    const EigenBlock<double> ones("heddle::test::ones", static_cast<std::size_t>(n), 2);
    Kokkos::deep_copy(ones, 1.0);  // two equal vectors
    const auto y = random_guess<double>(n, 2);
    LobpcgSolver<Exec, double> without(Exec(), n,
                                       {.count = 2, .relative_tolerance = 1e-10, .constraints = 2});
    const LobpcgResult excluded =
        without.solve(Exec(), a, y, NoPreconditioner(), NoMassMatrix(), ones);
    check_pairs<double>(a, nullptr, y, excluded, {value(1), value(2)}, 1e-10);
  }
}

TEST_CASE("constraints are excluded, with B and without, all but the last pair too") {
  constexpr int n = 30, known = 6;
  auto a = banded<double>(n, 0, [](int i, int) { return 2.0 * (i + 1); });
  auto b = banded<double>(n, 0, [](int, int) { return 2.0; });
  const EigenBlock<double> y("heddle::test::y", n, known);
  const auto host = Kokkos::create_mirror_view(y);
  for (int j = 0; j < known; ++j) {  // combined, so that they are not orthogonal
    for (int i = 0; i <= j; ++i) host(i, j) = 1;
  }
  Kokkos::deep_copy(y, host);
  for (const bool generalized : {false, true}) {
    for (const int count : {3, n - known}) {
      CAPTURE(generalized);
      CAPTURE(count);
      LobpcgSolver<Exec, double> solver(
          Exec(), n, {.count = count, .generalized = generalized, .constraints = known});
      EigenBlock<double> x = random_guess<double>(n, count);
      if (count == 3) {  // zeros, and an excluded vector
        Kokkos::deep_copy(Kokkos::subview(x, Kokkos::ALL, 1), 0.0);
        Kokkos::deep_copy(Kokkos::subview(x, Kokkos::ALL, 2), Kokkos::subview(y, Kokkos::ALL, 2));
      }
      const LobpcgResult result =
          generalized ? solver.solve(Exec(), a, x, NoPreconditioner(), b, y)
                      : solver.solve(Exec(), a, x, NoPreconditioner(), NoMassMatrix(), y);
      check_pairs(
          a, generalized ? &b : nullptr, x, result,
          first_values(count, [&](int j) { return (generalized ? 1.0 : 2.0) * (known + j + 1); }),
          1e-8);
      const auto found = to_host(x);
      for (int j = 0; j < count; ++j) {
        for (int i = 0; i < known; ++i) CHECK(std::abs(found(i, j)) < 1e-12);
      }
    }
  }
}

TEST_CASE("full matrices, beside the host's rotations") {
  constexpr int n = 14;
  heddle::detail::lobpcg::Dense<double> da(n, n), db(n, n);
  Random random(3);
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i <= j; ++i) {
      da(i, j) = da(j, i) = random.scalar<double>();
      db(i, j) = db(j, i) = (i == j ? n : 0) + random.scalar<double>();
    }
  }
  auto a = banded<double>(n, n, [&](int i, int j) { return da(i, j); });
  auto b = banded<double>(n, n, [&](int i, int j) { return db(i, j); });
  const auto t = heddle::detail::lobpcg::orthonormal(db, 1e-14);
  const auto all = heddle::detail::lobpcg::eigen(
      heddle::detail::lobpcg::adjoint_times(t, heddle::detail::lobpcg::times(da, t)));
  for (const Wanted wanted : {Wanted::smallest, Wanted::largest}) {
    for (const int count : {2, n - 1, n}) {
      CAPTURE(count);
      const auto x = random_guess<double>(n, count);
      LobpcgSolver<Exec, double> solver(
          Exec(), n,
          {.count = count, .wanted = wanted, .relative_tolerance = 1e-9, .generalized = true});
      const LobpcgResult result = solver.solve(Exec(), a, x, NoPreconditioner(), b);
      check_pairs(a, &b, x, result,
                  first_values(count,
                               [&](int j) {
                                 return all.values[static_cast<std::size_t>(
                                     wanted == Wanted::smallest ? j : n - 1 - j)];
                               }),
                  1e-9);
      const auto y = random_guess<double>(n, count);
      LobpcgSolver<Exec, double> early(Exec(), n,
                                       {.count = count,
                                        .wanted = wanted,
                                        .relative_tolerance = 1e-9,
                                        .max_iterations = 2,
                                        .generalized = true});
      for (const auto& pair : early.solve(Exec(), a, y, NoPreconditioner(), b).pairs) {
        double nearest = std::numeric_limits<double>::infinity();
        for (const double value : all.values) {
          nearest = std::min(nearest, std::abs(pair.value - value));
        }
        CHECK(nearest <= 1.01 * pair.error + 1e-14);
      }
    }
  }
}

TEST_CASE("float, by the tolerance that it can meet") {
  constexpr int n = 60;
  const auto stiffness = [](int i, int j) { return i == j ? 2.0 : -1.0; };
  auto a = banded<float>(n, 1, stiffness);
  auto b = banded<float>(n, 1, [](int i, int j) { return i == j ? 4.0 / 6 : 1.0 / 6; });
  const auto x = random_guess<float>(n, 3);
  LobpcgSolver<Exec, float> solver(Exec(), n, {.count = 3, .generalized = true});
  const LobpcgResult result = solver.solve(Exec(), a, x, NoPreconditioner(), b);
  CHECK_MESSAGE(result.converged(), name(result.outcome));
  CHECK(errors_of_pairs(a, &b, x, result).residual <= 2e-5 * result.scale);
  for (int j = 0; j < 3; ++j) {
    const double c = std::cos((j + 1) * pi / (n + 1));
    CHECK(result.pairs[static_cast<std::size_t>(j)].value ==
          doctest::Approx((2 - 2 * c) / ((4 + 2 * c) / 6)).epsilon(2e-3));
  }
}

TEST_CASE("float: B of a condition of 1e4, and nearly all pairs") {
  constexpr int n = 7;
  auto a = banded<float>(n, 1, [](int i, int j) { return i == j ? 2.0 : -0.5; });
  auto b = banded<float>(n, 0, [](int i, int) { return std::pow(10.0, -4.0 * i / (n - 1)); });
  constexpr int count = n - 1;
  for (std::uint64_t seed = 1; seed <= (emulated ? 2 : 20); ++seed) {
    CAPTURE(seed);
    const auto x = random_guess<float>(n, count, seed);
    LobpcgSolver<Exec, float> solver(Exec(), n,
                                     {.count = count, .max_iterations = 50, .generalized = true});
    const LobpcgResult result = solver.solve(Exec(), a, x, NoPreconditioner(), b);
    CHECK_MESSAGE(result.outcome != EigenOutcome::rank_deficient, name(result.outcome));
  }
}

TEST_CASE("zero, three times, and A = B") {
  constexpr int n = 36;
  auto paths = banded<double>(n, 1, [](int i, int j) {  // three paths of twelve points
    if (i != j) return i / 12 == j / 12 ? -1.0 : 0.0;
    return i % 12 == 0 || i % 12 == 11 ? 1.0 : 2.0;
  });
  auto b = banded<double>(n, 0, [](int, int) { return 1.0; });
  const auto x = random_guess<double>(n, 4);
  LobpcgSolver<Exec, double> solver(Exec(), n, {.count = 4, .generalized = true});
  const LobpcgResult zeros = solver.solve(Exec(), paths, x, NoPreconditioner(), b);
  CHECK_MESSAGE(zeros.converged(), name(zeros.outcome));
  for (std::size_t j = 0; j < 3; ++j) CHECK(std::abs(zeros.pairs[j].value) < 1e-7);
  CHECK(zeros.pairs[3].value == doctest::Approx(2 - 2 * std::cos(pi / 12)).epsilon(1e-6));
  auto same = banded<double>(n, 1, [](int i, int j) { return i == j ? 2.5 : -1.0; });
  const auto y = random_guess<double>(n, 4);
  const LobpcgResult ones = solver.solve(Exec(), same, y, NoPreconditioner(), same);
  check_pairs(same, &same, y, ones, {1, 1, 1, 1}, 1e-8);
}

TEST_CASE("a B that is not positive definite, or not a number, is a word") {
  constexpr int n = 24;
  auto a = banded<double>(n, 1, [](int i, int j) { return i == j ? 2.0 + i : -1.0; });
  for (const int kind : {0, 1, 2}) {
    CAPTURE(kind);
    auto b = banded<double>(n, 0, [=](int i, int) {
      const double odd = kind == 0   ? -1.0
                         : kind == 1 ? -1e-3
                                     : std::numeric_limits<double>::infinity();
      return i == 5 ? odd : 1.0;
    });
    for (const Wanted wanted : {Wanted::smallest, Wanted::largest}) {
      const auto x = random_guess<double>(n, 3);
      LobpcgSolver<Exec, double> solver(Exec(), n,
                                        {.count = 3, .wanted = wanted, .generalized = true});
      const LobpcgResult result = solver.solve(Exec(), a, x, NoPreconditioner(), b);
      CAPTURE(name(result.outcome));
      if (kind == 2) {
        CHECK(result.outcome == EigenOutcome::not_a_number);
      } else if (wanted == Wanted::largest) {  // x' A x / x' B x is unbounded for x' B x > 0
        CHECK(result.outcome == EigenOutcome::indefinite);
      } else if (result.converged()) {
        CHECK(errors_of_pairs(a, &b, x, result).residual <= 1.5e-8 * result.scale);
      } else {
        CHECK(result.outcome == EigenOutcome::indefinite);
      }
    }
  }
}

TEST_CASE("where the guess ends a search there are no values") {
  auto a = banded<double>(2, 0, [](int i, int) { return i + 1.0; });
  auto indefinite = banded<double>(2, 0, [](int i, int) { return i == 0 ? 1.0 : -1.0; });
  auto zero = banded<double>(2, 0, [](int, int) { return 0.0; });
  const EigenBlock<double> x("heddle::test::x", 2, 1);
  const auto host = Kokkos::create_mirror_view(x);
  host(0, 0) = 0.3, host(1, 0) = 1;
  Kokkos::deep_copy(x, host);
  LobpcgSolver<Exec, double> solver(Exec(), 2, {.generalized = true});
  const auto check = [&](auto& b, EigenOutcome expected) {
    const LobpcgResult result = solver.solve(Exec(), a, x, NoPreconditioner(), b);
    CHECK_MESSAGE(result.outcome == expected, name(result.outcome));
    CHECK(std::isnan(result.pairs[0].value));
    CHECK(std::isnan(result.pairs[0].residual));
    CHECK_FALSE(result.pairs[0].converged);
  };
  check(indefinite, EigenOutcome::indefinite);
  check(zero, EigenOutcome::rank_deficient);
}

TEST_CASE("what does not fit is an Error, and a callback ends a search") {
  constexpr int n = 200;
  auto a = banded<double>(n, 1, [](int i, int j) { return i == j ? 2.0 : -1.0; });
  auto b = banded<double>(n + 1, 0, [](int, int) { return 1.0; });
  const auto x = random_guess<double>(n, 2);
  LobpcgSolver<Exec, double> plain(Exec(), n, {.count = 2});
  CHECK_THROWS_AS(plain.solve(Exec(), a, x, NoPreconditioner(), a), Error);
  CHECK_THROWS_AS(plain.solve(Exec(), a, x, NoPreconditioner(), NoMassMatrix(), x), Error);
  LobpcgSolver<Exec, double> general(Exec(), n, {.count = 2, .generalized = true});
  CHECK_THROWS_AS(general.solve(Exec(), a, x), Error);
  CHECK_THROWS_AS(general.solve(Exec(), a, x, NoPreconditioner(), b), Error);
  LobpcgSolver<Exec, double> one(Exec(), n, {.count = 2, .constraints = 1});
  CHECK_THROWS_AS(one.solve(Exec(), a, x), Error);
  CHECK_THROWS_AS(one.solve(Exec(), a, x, NoPreconditioner(), NoMassMatrix(), x), Error);
  CHECK_THROWS_AS((LobpcgSolver<Exec, double>(Exec(), 5, {.count = 4, .constraints = 2})), Error);
  int called = 0;
  LobpcgSolver<Exec, double> stopped(Exec(), n,
                                     {.count = 2, .callback = [&](int iterations, double residual) {
                                        ++called;
                                        CHECK(iterations == called);
                                        CHECK(residual > 0);
                                        return iterations < 3;
                                      }});
  const LobpcgResult result = stopped.solve(Exec(), a, x);
  CHECK(result.outcome == EigenOutcome::stopped_by_user);
  CHECK(result.iterations == 3);
  CHECK_FALSE(result.pairs[0].converged);
  LobpcgSolver<Exec, double> late(Exec(), n, {.count = 2, .max_seconds = 0});
  const LobpcgResult over = late.solve(Exec(), a, x);
  CHECK(over.outcome == EigenOutcome::out_of_time);
  CHECK(over.iterations == 1);
  CHECK_FALSE(over.pairs[0].converged);
  CHECK(over.pairs[0].residual > 0);
  CHECK_THROWS_AS((LobpcgSolver<Exec, double>(Exec(), 5, {.max_seconds = -1.0})), Error);
  CHECK_THROWS_AS((LobpcgSolver<Exec, double>(Exec(), 5, {.max_seconds = std::nan("")})), Error);
}

}  // namespace heddle::test
