// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Eigenpairs of A x = lambda B x, and with constraints: problems with known solutions, and
// matrices, guesses and constraints of any scale.
#define HEDDLE_DEFINITIONS  // for other types
#include "../../support/eigenpairs.hpp"

namespace heddle::test {

namespace {

constexpr double pi = std::numbers::pi;

}  // namespace

// J. Mikota, "Frequency tuning of chain structure multibody oscillators", ZAMM 81, 2001: masses 1 /
// i and springs such that the squares of the frequencies are 1, 4, 9, ...
TEST_CASE("the Mikota pair up to 2048 rows") {
  const auto mass = [](int i, int) { return 1.0 / (i + 1); };
  const auto stiffness_of = [](int n) {
    return [=](int i, int j) { return i == j ? 2.0 * (n - i) - 1 : -1.0 * (n - std::max(i, j)); };
  };
  for (const int n : {20, 128, emulated ? 256 : 2048}) {
    CAPTURE(n);
    auto a = banded<double>(n, 1, stiffness_of(n)), b = banded<double>(n, 0, mass);
    TridiagonalSolve m(n, stiffness_of(n));
    const auto x = random_guess<double>(n, 5);
    const LobpcgResult result = search(a, x, {.relative_tolerance = 1e-10}, m, b);
    check_pairs(a, x, result, first_values(5, [](int j) { return (j + 1.0) * (j + 1); }), 1e-10, b);
    CHECK(result.iterations < 60);
  }
  constexpr int n = 40;
  auto a = banded<double>(n, 1, stiffness_of(n)), b = banded<double>(n, 0, mass);
  const auto x = random_guess<double>(n, 3);
  const LobpcgOptions options{.wanted = Wanted::largest, .relative_tolerance = 1e-9};
  check_pairs(a, x, search(a, x, options, NoPreconditioner(), b),
              first_values(3, [](int j) { return double(n - j) * (n - j); }), 1e-9, b);
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
  const auto value = [](int j) {
    const double c = std::cos((2 * j + 1) * pi / (2 * n));
    return stiffness / mass * (2 - 2 * c) / (4 + 2 * c);
  };
  check_pairs(a, x, search(a, x, {.relative_tolerance = 1e-11}, m, b), first_values(4, value),
              1e-11, b);
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
    const LobpcgOptions options{
        .wanted = wanted, .relative_tolerance = 1e-9, .max_iterations = 4000};
    const auto value = [=](int j) {
      const double half = (j + 1) * pi / (2 * (n + 1));
      return 1 / (16 * std::pow(wanted == Wanted::smallest ? std::cos(half) : std::sin(half), 4));
    };
    check_pairs(a, x, search(a, x, options, NoPreconditioner(), b), first_values(3, value), 1e-9,
                b);
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
    const auto x = random_guess<double>(n, 3), y = random_guess<double>(n, 2);
    const LobpcgOptions options{.relative_tolerance = 1e-10};
    check_pairs(a, x, search(a, x, options), first_values(3, value), 1e-10);
    const EigenBlock<double> ones("heddle::test::ones", static_cast<std::size_t>(n), 2);
    Kokkos::deep_copy(ones, 1.0);  // two equal vectors
    check_pairs(a, y, search(a, y, options, NoPreconditioner(), NoMassMatrix(), ones),
                {value(1), value(2)}, 1e-10);
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
  for (const int count : {3, n - known}) {
    CAPTURE(count);
    const auto check = [&](auto&& of_b, double scale) {
      const EigenBlock<double> x = random_guess<double>(n, count);
      if (count == 3) {  // zeros, and an excluded vector
        Kokkos::deep_copy(Kokkos::subview(x, Kokkos::ALL, 1), 0.0);
        Kokkos::deep_copy(Kokkos::subview(x, Kokkos::ALL, 2), Kokkos::subview(y, Kokkos::ALL, 2));
      }
      const LobpcgResult result = search(a, x, {}, NoPreconditioner(), of_b, y);
      check_pairs(a, x, result, first_values(count, [&](int j) { return scale * (known + j + 1); }),
                  1e-8, of_b);
      const auto found = to_host(x);
      for (int j = 0; j < count; ++j) {
        for (int i = 0; i < known; ++i) CHECK(std::abs(found(i, j)) < 1e-12);
      }
    };
    check(NoMassMatrix(), 2);
    check(b, 1);
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
      LobpcgOptions options{.wanted = wanted, .relative_tolerance = 1e-9};
      const auto x = random_guess<double>(n, count), y = random_guess<double>(n, count);
      const auto value = [&](int j) {
        return all.values[static_cast<std::size_t>(wanted == Wanted::smallest ? j : n - 1 - j)];
      };
      check_pairs(a, x, search(a, x, options, NoPreconditioner(), b), first_values(count, value),
                  1e-9, b);
      options.max_iterations = 2;
      for (const auto& pair : search(a, y, options, NoPreconditioner(), b).pairs) {
        double nearest = std::numeric_limits<double>::infinity();
        for (const double of : all.values) nearest = std::min(nearest, std::abs(pair.value - of));
        CHECK(nearest <= 1.01 * pair.error + 1e-14);
      }
    }
  }
}

TEST_CASE("float, by the tolerance that it can meet") {
  constexpr int n = 60;
  auto a = banded<float>(n, 1, [](int i, int j) { return i == j ? 2.0 : -1.0; });
  auto b = banded<float>(n, 1, [](int i, int j) { return i == j ? 4.0 / 6 : 1.0 / 6; });
  const auto x = random_guess<float>(n, 3);
  const auto value = [](int j) {
    const double c = std::cos((j + 1) * pi / (n + 1));
    return (2 - 2 * c) / ((4 + 2 * c) / 6);
  };
  check_pairs(a, x, search(a, x, {}, NoPreconditioner(), b), first_values(3, value), 1e-5, b);
}

TEST_CASE("float: B of a condition of 1e4, and nearly all pairs") {
  constexpr int n = 7;
  auto a = banded<float>(n, 1, [](int i, int j) { return i == j ? 2.0 : -0.5; });
  auto b = banded<float>(n, 0, [](int i, int) { return std::pow(10.0, -4.0 * i / (n - 1)); });
  for (std::uint64_t seed = 1; seed <= (emulated ? 2 : 20); ++seed) {
    CAPTURE(seed);
    const LobpcgResult result = search(a, random_guess<float>(n, n - 1, seed),
                                       {.max_iterations = 50}, NoPreconditioner(), b);
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
  const auto x = random_guess<double>(n, 4), y = random_guess<double>(n, 4);
  check_pairs(paths, x, search(paths, x, {}, NoPreconditioner(), b),
              {0, 0, 0, 2 - 2 * std::cos(pi / 12)}, 1e-8, b);
  auto same = banded<double>(n, 1, [](int i, int j) { return i == j ? 2.5 : -1.0; });
  check_pairs(same, y, search(same, y, {}, NoPreconditioner(), same), {1, 1, 1, 1}, 1e-8, same);
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
      const LobpcgResult result = search(a, x, {.wanted = wanted}, NoPreconditioner(), b);
      CAPTURE(name(result.outcome));
      if (kind == 2) {
        CHECK(result.outcome == EigenOutcome::not_a_number);
      } else if (wanted == Wanted::largest) {  // x' A x / x' B x is unbounded for x' B x > 0
        CHECK(result.outcome == EigenOutcome::indefinite);
      } else if (result.converged()) {
        const PairErrors errors = errors_of_pairs(a, b, x, result);
        CHECK(std::ranges::max(errors.residuals) <= 1.5e-8 * result.scale);
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
  const auto check = [&](auto& b, EigenOutcome expected) {
    const LobpcgResult result = search(a, x, {}, NoPreconditioner(), b);
    CHECK_MESSAGE(result.outcome == expected, name(result.outcome));
    CHECK(std::isnan(result.pairs[0].value));
    CHECK(std::isnan(result.pairs[0].residual));
    CHECK_FALSE(result.pairs[0].converged);
  };
  check(indefinite, EigenOutcome::indefinite);
  check(zero, EigenOutcome::rank_deficient);
}

TEST_CASE("B and constraints that do not fit are an Error") {
  constexpr int n = 20;
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
}

// Scales are powers of two, so results differ only if an absolute number is involved.
TEST_CASE_TEMPLATE("A and B of any scale are like those of scale 1", S, double, float) {
  constexpr bool wide = std::is_same_v<S, double>;
  constexpr int n = emulated ? 10 : 30, count = emulated ? 2 : 3;
  using Powers = std::vector<std::pair<int, int>>;
  const Powers of_double{{0, 0},   {-40, 0},  {40, 0},  {-548, 0},    {515, 0},   {-900, 0},
                         {900, 0}, {0, -40},  {0, 40},  {0, -86},     {0, 86},    {-62, -100},
                         {0, 900}, {0, -530}, {0, 514}, {-548, -530}, {515, 514}, {-62, 30}};
  const Powers of_float{{0, 0},   {-40, 0}, {40, 0},    {-90, 0}, {110, 0},
                        {0, -40}, {0, 40},  {-90, -60}, {60, 90}};
  const Powers powers = emulated ? Powers{{0, 0}, {wide ? -548 : -90, 0}, {0, -86}, {60, 90}}
                        : wide   ? of_double
                                 : of_float;
  for (const bool generalized : {true, false}) {
    for (const Wanted wanted : {Wanted::smallest, Wanted::largest}) {
      if (emulated && wanted == Wanted::largest) continue;
      int iterations = 0;
      std::vector<double> values(count);
      for (const auto& [of_a, of_b] : powers) {
        if (!generalized && of_b != 0) continue;
        CAPTURE(of_a);
        CAPTURE(of_b);
        auto a = banded<S>(n, 1, [&, p = of_a](int i, int j) {
          return std::ldexp(i == j ? 2 + 0.1 * i : -1.0, p);
        });
        auto b = banded<S>(n, 1, [&, p = of_b](int i, int j) {
          return std::ldexp(i == j ? 0.5 + 0.02 * i : 0.125, p);
        });
        const auto x = random_guess<S>(n, count);
        const LobpcgResult result = generalized
                                        ? search(a, x, {.wanted = wanted}, NoPreconditioner(), b)
                                        : search(a, x, {.wanted = wanted});
        CHECK_MESSAGE(result.converged(), name(result.outcome));
        const double unit = std::ldexp(1.0, of_a - of_b);
        for (std::size_t j = 0; j < count; ++j) {
          if (of_a == 0 && of_b == 0) values[j] = result.pairs[j].value;
          CHECK(result.pairs[j].value / unit ==
                doctest::Approx(values[j]).epsilon(wide ? 1e-12 : 1e-6));
          CHECK(result.pairs[j].error / unit < 1e-3);
        }
        if (of_a == 0 && of_b == 0) iterations = result.iterations;
        CHECK(result.iterations == iterations);
      }
    }
  }
}

TEST_CASE("constraints of any scale are excluded") {
  constexpr int n = 12;
  auto a = banded<double>(n, 0, [](int i, int) { return i + 1.0; });
  auto b = banded<double>(n, 0, [](int, int) { return 1e-20; });
  const EigenBlock<double> y("heddle::test::y", n, 2);
  const auto host = Kokkos::create_mirror_view(y);
  for (const double scale : {1e-300, 1e-160, 1.0, 1e160, 1e300}) {
    if (emulated && scale != 1e-160) continue;
    CAPTURE(scale);
    host(n - 1, 0) = scale;
    host(n - 1, 1) = host(n - 2, 1) = 1 / scale;
    Kokkos::deep_copy(y, host);
    for (const bool generalized : {false, true}) {
      const auto x = random_guess<double>(n, 1);
      const LobpcgOptions options{.wanted = Wanted::largest};
      const LobpcgResult result =
          generalized ? search(a, x, options, NoPreconditioner(), b, y)
                      : search(a, x, options, NoPreconditioner(), NoMassMatrix(), y);
      CHECK_MESSAGE(result.converged(), name(result.outcome));
      CHECK(result.pairs[0].value ==
            doctest::Approx((n - 2) / (generalized ? 1e-20 : 1)).epsilon(1e-8));
    }
  }
}

TEST_CASE("a null vector as the guess, or what constraints leave, has the value zero") {
  const auto check = [](PlainOperator<Exec, double>& a, const EigenBlock<double>& x,
                        const auto& y) {
    const LobpcgResult result = search(a, x, {}, NoPreconditioner(), NoMassMatrix(), y);
    CHECK_MESSAGE(result.converged(), name(result.outcome));
    CHECK(result.iterations <= 1);
    CHECK(std::abs(result.pairs[0].value) < 1e-15);
    CHECK(result.scale > 0.1);
  };
  const auto ones = [](std::int64_t n) {
    const EigenBlock<double> x("heddle::test::x", static_cast<std::size_t>(n), 1);
    Kokkos::deep_copy(x, 1.0);
    return x;
  };
  auto three = plain_operator<Exec, double>({0, 2, 5, 7}, {0, 1, 0, 1, 2, 1, 2},
                                            {0.6, -0.6, -0.6, 0.8, -0.2, -0.2, 0.2});
  check(three, ones(3), NoConstraints());
  for (const int n :
       {5, 7}) {  // every row sums to the same rounding error: ones is nearly a null vector
    std::vector<int> row_ptr(1), col_idx;
    std::vector<double> values;
    for (int i = 0; i < n; ++i) {
      for (const auto& [beside, value] :
           {std::pair(0, 0.6), {1, -0.1}, {n - 1, -0.1}, {2, -0.2}, {n - 2, -0.2}}) {
        col_idx.push_back((i + beside) % n);
        values.push_back(value);
      }
      row_ptr.push_back(static_cast<int>(col_idx.size()));
    }
    auto ring = plain_operator<Exec, double>(row_ptr, col_idx, values);
    check(ring, ones(n), NoConstraints());
  }
  auto two = plain_operator<Exec, double>({0, 2, 4}, {0, 1, 0, 1}, {0.9, -0.9, -0.9, 0.9});
  const EigenBlock<double> y("heddle::test::y", 2, 1);
  const auto host = Kokkos::create_mirror_view(y);
  host(0, 0) = 1, host(1, 0) = -1;
  Kokkos::deep_copy(y, host);
  check(two, random_guess<double>(2, 1), y);
}

TEST_CASE("a tolerance relative to the value, and what a residual says of it") {
  constexpr int n = emulated ? 24 : 200, count = 2;
  constexpr double tolerance = 1e-6;
  const auto diagonal = [](int i) { return std::pow(10.0, 6.0 * i / (n - 1) - 4); };
  auto a = banded<double>(n, 1, [&](int i, int j) {
    return (i == j ? 1 : 0.1) * std::sqrt(diagonal(i) * diagonal(j));
  });
  JacobiPreconditioner<Exec, double> jacobi(Exec(), a.matrix());
  const auto search_by = [&](EigenRelativeTo to, int most) {
    const auto x = random_guess<double>(n, count);
    const LobpcgResult result = search(
        a, x, {.relative_tolerance = tolerance, .relative_to = to, .max_iterations = most}, jacobi);
    CHECK(residual_of_pairs(a, x, result) <=
          1.01 * std::max(result.pairs[0].error, result.pairs[1].error));
    return result;
  };
  const LobpcgResult fine = search_by(EigenRelativeTo::value, 500);
  CHECK_MESSAGE(fine.converged(), name(fine.outcome));
  const LobpcgResult coarse = search_by(EigenRelativeTo::norm, 500);
  CHECK(coarse.converged());
  CHECK(coarse.iterations < fine.iterations);
  for (const auto& pair : fine.pairs) CHECK(pair.error <= tolerance * pair.value);
  CHECK(coarse.pairs[0].error > tolerance * coarse.pairs[0].value);  // relative to the norm only
  CHECK(search_by(EigenRelativeTo::value, 3).outcome == EigenOutcome::iteration_limit);
}

TEST_CASE("a guess of any scale is like one of scale 1") {
  constexpr int n = emulated ? 10 : 30;
  auto a = banded<double>(n, 1, [](int i, int j) { return i == j ? 2.0 : -1.0; });
  const LobpcgResult plain = search(a, random_guess<double>(n, 2), {});
  for (const int power : {-1020, -996, 664, 1010}) {
    CAPTURE(power);
    if (emulated && power != 664) continue;
    const auto x = random_guess<double>(n, 2);
    vectors::scale(Exec(), std::ldexp(1.0, power), x);
    const LobpcgResult result = search(a, x, {});
    CHECK(result.iterations == plain.iterations);
    CHECK(result.pairs[1].value == doctest::Approx(plain.pairs[1].value).epsilon(1e-14));
  }
}

}  // namespace heddle::test
