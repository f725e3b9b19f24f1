// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Eigenpairs of matrices, guesses and constraints of any scale, and references of tolerances.
#define HEDDLE_DEFINITIONS  // for other types
#include "../../support/eigenpairs.hpp"

namespace heddle::test {

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
        LobpcgSolver<Exec, S> solver(
            Exec(), n, {.count = count, .wanted = wanted, .generalized = generalized});
        const LobpcgResult result =
            generalized ? solver.solve(Exec(), a, x, NoPreconditioner(), b)
                        : solver.solve(Exec(), a, x, NoPreconditioner(), NoMassMatrix());
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
      LobpcgSolver<Exec, double> solver(
          Exec(), n, {.wanted = Wanted::largest, .generalized = generalized, .constraints = 2});
      const LobpcgResult result =
          generalized ? solver.solve(Exec(), a, x, NoPreconditioner(), b, y)
                      : solver.solve(Exec(), a, x, NoPreconditioner(), NoMassMatrix(), y);
      CHECK_MESSAGE(result.converged(), name(result.outcome));
      CHECK(result.pairs[0].value ==
            doctest::Approx((n - 2) / (generalized ? 1e-20 : 1)).epsilon(1e-8));
    }
  }
}

TEST_CASE("a null vector as the guess, or what constraints leave, has the value zero") {
  const auto check = [](PlainOperator<Exec, double>& a, const EigenBlock<double>& x,
                        const auto& y) {
    constexpr bool constrained = !std::is_same_v<std::decay_t<decltype(y)>, NoConstraints>;
    LobpcgSolver<Exec, double> solver(Exec(), a.n, {.constraints = constrained ? 1 : 0});
    const LobpcgResult result = solver.solve(Exec(), a, x, NoPreconditioner(), NoMassMatrix(), y);
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
  const auto search = [&](EigenRelativeTo to, int most) {
    const auto x = random_guess<double>(n, count);
    LobpcgSolver<Exec, double> solver(Exec(), n,
                                      {.count = count,
                                       .relative_tolerance = tolerance,
                                       .relative_to = to,
                                       .max_iterations = most});
    const LobpcgResult result = solver.solve(Exec(), a, x, jacobi);
    CHECK(errors_of_pairs<double>(a, nullptr, x, result).residual <=
          1.01 * std::max(result.pairs[0].error, result.pairs[1].error));
    return result;
  };
  const LobpcgResult fine = search(EigenRelativeTo::value, 500);
  CHECK_MESSAGE(fine.converged(), name(fine.outcome));
  const LobpcgResult coarse = search(EigenRelativeTo::norm, 500);
  CHECK(coarse.converged());
  CHECK(coarse.iterations < fine.iterations);
  for (const auto& pair : fine.pairs) CHECK(pair.error <= tolerance * pair.value);
  CHECK(coarse.pairs[0].error > tolerance * coarse.pairs[0].value);  // relative to the norm only
  CHECK(search(EigenRelativeTo::value, 3).outcome == EigenOutcome::iteration_limit);
}

TEST_CASE("a guess of any scale is like one of scale 1") {
  constexpr int n = emulated ? 10 : 30;
  auto a = banded<double>(n, 1, [](int i, int j) { return i == j ? 2.0 : -1.0; });
  LobpcgSolver<Exec, double> solver(Exec(), n, {.count = 2});
  const LobpcgResult plain = solver.solve(Exec(), a, random_guess<double>(n, 2));
  for (const int power : {-1020, -996, 664, 1010}) {
    CAPTURE(power);
    if (emulated && power != 664) continue;
    const auto x = random_guess<double>(n, 2);
    vectors::scale(Exec(), std::ldexp(1.0, power), x);
    const LobpcgResult result = solver.solve(Exec(), a, x);
    CHECK(result.iterations == plain.iterations);
    CHECK(result.pairs[1].value == doctest::Approx(plain.pairs[1].value).epsilon(1e-14));
  }
}

}  // namespace heddle::test
