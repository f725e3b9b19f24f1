// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every option of every Krylov method, with each outcome that it causes: a row is solved with the
// option and without, and b - A x of both, computed on the host, must be in the row's range.
#include "../../support/krylov_methods.hpp"

namespace heddle::test {

namespace {

constexpr int side = emulated ? 6 : 12;

Kokkos::View<double*, Space> filled(std::int64_t n, double value) {
  const Kokkos::View<double*, Space> v("heddle::test::vector", static_cast<std::size_t>(n));
  Kokkos::deep_copy(v, value);
  return v;
}

/// A positive definite system of condition 9: every method needs a few tens of products.
System easy(double guess = 0) {
  MatrixWithRows a(
      grid_operator<Exec, double>(side, [](int i, int j) { return i == j ? 5. : -1.; }));
  return {a, right_hand_side<double>(a.n), filled(a.n, guess), {1, 9}};
}

/// Diagonal blocks ((a, b), (c, d)), with b = (first, second) in each.
System pairs(double a, double b, double c, double d, double first, double second,
             const SpectrumBounds& bounds = {}) {
  constexpr int n = 16;
  std::vector<int> row_ptr{0}, col_idx;
  std::vector<double> values, right;
  for (int i = 0; i < n; i += 2) {
    col_idx.insert(col_idx.end(), {i, i + 1, i, i + 1});
    values.insert(values.end(), {a, b, c, d});
    row_ptr.insert(row_ptr.end(), {2 * i + 2, 2 * i + 4});
    right.insert(right.end(), {first, second});
  }
  MatrixWithRows matrix(plain_operator<Exec>(row_ptr, col_idx, values));
  return {matrix, copy_in<Space>(right), filled(n, 0), bounds};
}

/// A system that converges although its first residual (or the second) is no smaller.
System with_a_hump(const std::string& method) {
  if (method.starts_with("cg/")) return pairs(1, 0, 0, 1000, 1, 0.1);
  if (method == "gmres") return pairs(0, 1, 1, 0, 1, 0);
  if (method == "bicgstab") return pairs(0.1, 1, -1, 0.1, 1, 0);
  return pairs(2.0002, 0, 0, 2.0002, 1, 1, {1, 3});
}

/// A system whose residual grows to more than twice; with Chebyshev's iteration it keeps growing.
System that_grows(const std::string& method) {
  if (method == "chebyshev") return pairs(4, 0, 0, 4, 1, 1, {1, 2});
  return with_a_hump(method);
}

/// Bounds of the norm of b - A x.
struct Range {
  double from = 0, to = 0;
};

using Set = std::function<void(KrylovOptions&, const System&)>;

struct Row {
  const char* option;
  std::function<System(const std::string& method)> system;
  Set both;  ///< set in both solves
  Set option_set;
  Outcome without, with;
  std::function<Range(const System&)> residual;  ///< with the option
};

Range of_right_hand_side(const System& system, double from, double to) {
  return {from * norm(system.b), to * norm(system.b)};
}

const Set nothing = [](KrylovOptions&, const System&) {};

/// At most the residual of the guess.
Range no_worse(const System& system) { return {0, residual_norm(system, system.guess)}; }

std::vector<Row> table() {
  const auto from_zero = [](const std::string&) { return easy(); };
  const auto from_far = [](const std::string&) { return easy(1e4); };
  const auto within = [](double from, double to) {
    return [=](const System& system) { return of_right_hand_side(system, from, to); };
  };
  return {
      {"relative_tolerance, larger", from_zero, nothing,
       [](KrylovOptions& o, const System&) { o.relative_tolerance = 1e-3; }, Outcome::converged,
       Outcome::converged, within(1e-6, 1e-3)},
      {"relative_tolerance, smaller", from_zero, nothing,
       [](KrylovOptions& o, const System&) { o.relative_tolerance = 1e-12; }, Outcome::converged,
       Outcome::converged, within(0, 1e-12)},
      {"relative_tolerance, out of reach", from_zero, nothing,
       [](KrylovOptions& o, const System&) { o.relative_tolerance = 1e-18; }, Outcome::converged,
       Outcome::attainable_accuracy, within(1e-18, 1e-14)},
      {"absolute_tolerance", from_zero,
       [](KrylovOptions& o, const System&) { o.relative_tolerance = 1e-12; },
       [](KrylovOptions& o, const System& s) { o.absolute_tolerance = 1e-4 * norm(s.b); },
       Outcome::converged, Outcome::converged, within(1e-7, 1e-4)},
      {"absolute_tolerance, the smaller of two", from_zero,
       [](KrylovOptions& o, const System&) { o.relative_tolerance = 1e-3; },
       [](KrylovOptions& o, const System& s) { o.absolute_tolerance = 1e-10 * norm(s.b); },
       Outcome::converged, Outcome::converged, within(1e-6, 1e-3)},
      {"absolute_tolerance alone", from_zero,
       [](KrylovOptions& o, const System&) {
         o.relative_tolerance = 0;
         o.max_iterations = 12;
       },
       [](KrylovOptions& o, const System& s) { o.absolute_tolerance = 0.1 * norm(s.b); },
       Outcome::iteration_limit, Outcome::converged, within(1e-4, 0.1)},
      {"relative_to the first residual, a large one", from_far,
       [](KrylovOptions& o, const System&) { o.relative_tolerance = 1e-4; },
       [](KrylovOptions& o, const System&) { o.relative_to = RelativeTo::first_residual; },
       Outcome::converged, Outcome::converged,
       [](const System& s) {
         const double first = residual_norm(s, s.guess);
         return Range{1e-7 * first, 1e-4 * first};
       }},
      {"max_iterations", from_zero, nothing,
       [](KrylovOptions& o, const System&) { o.max_iterations = 4; }, Outcome::converged,
       Outcome::iteration_limit, within(1e-6, 0.99)},
      {"max_iterations, none", from_zero, nothing,
       [](KrylovOptions& o, const System&) { o.max_iterations = 0; }, Outcome::converged,
       Outcome::iteration_limit, within(1, 1)},
      {"stagnation_window", with_a_hump, nothing,
       [](KrylovOptions& o, const System&) { o.stagnation_window = 1; }, Outcome::converged,
       Outcome::stagnated, no_worse},
      {"divergence_factor", that_grows,
       [](KrylovOptions& o, const System&) { o.max_iterations = 12; },
       [](KrylovOptions& o, const System&) { o.divergence_factor = 2; }, Outcome::converged,
       Outcome::diverged, no_worse},
      {"max_seconds, none", from_zero, nothing,
       [](KrylovOptions& o, const System&) { o.max_seconds = 0; }, Outcome::converged,
       Outcome::out_of_time, within(1e-6, 0.99)},
      {"max_seconds, enough", from_zero, nothing,
       [](KrylovOptions& o, const System&) { o.max_seconds = 1e9; }, Outcome::converged,
       Outcome::converged, within(0, 1e-8)},
      {"callback", from_zero, nothing,
       [](KrylovOptions& o, const System&) {
         o.callback = [](int iterations, double) { return iterations < 4; };
       },
       Outcome::converged, Outcome::stopped_by_user, within(1e-6, 0.99)},
      {"zero_guess", [](const std::string&) { return easy(std::nan("")); }, nothing,
       [](KrylovOptions& o, const System&) { o.zero_guess = true; }, Outcome::not_a_number,
       Outcome::converged, within(0, 1e-8)},
  };
}

/// Whether a method can have the outcome: GMRES' residuals do not grow, Chebyshev's keep growing in
/// the row on divergence, and conjugate gradients always lower the energy.
bool can(const std::string& method, const Row& row) {
  return !(method == "gmres" && row.with == Outcome::diverged) &&
         !(method.starts_with("cg/") && row.with == Outcome::stagnated);
}
Outcome without(const std::string& method, const Row& row) {
  return method == "chebyshev" && row.with == Outcome::diverged ? Outcome::iteration_limit
                                                                : row.without;
}

}  // namespace

TEST_CASE("every option of every method leads to its outcome") {
  for (const Row& row : table()) {
    CAPTURE(std::string(row.option));
    for (const std::string& method : krylov_methods()) {
      if (!can(method, row)) continue;
      CAPTURE(method);
      System system = row.system(method);
      KrylovOptions options;
      options.check_every = 1;  // Chebyshev computes residuals at checks only
      row.both(options, system);
      CHECK(solve_by(method, system, options).result.outcome == without(method, row));
      row.option_set(options, system);
      const Solved solved = solve_by(method, system, options);
      CHECK(solved.returned == row.with);
      CHECK(solved.result.outcome == row.with);
      const Range range = row.residual(system);
      const double rounding = 1e-12 * range.to;
      CHECK(solved.residual >= range.from - rounding);
      CHECK(solved.residual <= range.to + rounding);
      CHECK(solved.result.iterations <= options.max_iterations);
    }
  }
}

TEST_CASE("what is relative to the first residual is so from a near guess too") {
  for (const std::string& method : krylov_methods()) {
    CAPTURE(method);
    System system = easy();
    KrylovOptions options;
    options.relative_tolerance = 1e-5;
    Kokkos::deep_copy(system.guess, solve_by(method, system, options).x);
    options.relative_to = RelativeTo::first_residual;
    const Solved solved = solve_by(method, system, options);
    CHECK(solved.first <= 1e-5 * norm(system.b));
    CHECK(solved.residual <= 1e-5 * solved.first * (1 + 1e-6));
    CHECK(solved.result.iterations > 0);
  }
}

TEST_CASE("the host checks as often as check_every says, and the callback gets the true residual") {
  for (const std::string& method : krylov_methods()) {
    CAPTURE(method);
    const int products = method == "bicgstab" ? 2 : 1;
    System system = easy();
    for (const int every : {1, 3, 100}) {
      CAPTURE(every);
      std::vector<std::pair<int, double>> seen;
      KrylovOptions options;
      options.check_every = every;
      options.relative_tolerance = 0;
      options.max_iterations = 6 * products;
      options.callback = [&](int iterations, double residual) {
        seen.emplace_back(iterations, residual);
        return true;
      };
      const Solved solved = solve_by(method, system, options);
      REQUIRE(std::ssize(seen) == 1 + (6 + every - 1) / every);
      CHECK(seen.front().first == 0);
      CHECK(seen.front().second == doctest::Approx(1));
      CHECK(seen.back().first == 6 * products);
      CHECK(seen.back().second == doctest::Approx(solved.residual / norm(system.b)).epsilon(1e-6));
      if (every == 3) CHECK(seen[1].first == 3 * products);
    }
    KrylovOptions never;
    never.check_every = 0;
    never.max_iterations = 100;
    const Solved solved = solve_by(method, system, never);
    CHECK(solved.returned == Outcome::running);
    CHECK(solved.residual <= 1e-8 * norm(system.b) * (1 + 1e-6));
  }
}

TEST_CASE("the history has every residual, and is kept only if the option says so") {
  for (const std::string& method : krylov_methods()) {
    CAPTURE(method);
    System system = easy();
    KrylovOptions options;
    options.history = true;
    const Solved solved = solve_by(method, system, options);
    const int steps =
        method == "bicgstab" ? (solved.result.iterations + 1) / 2 : solved.result.iterations;
    REQUIRE(std::ssize(solved.history) == steps + 1);
    CHECK(solved.history.front() == doctest::Approx(solved.first).epsilon(1e-9));
    CHECK(std::abs(solved.history.back() - solved.residual) <= 1e-6 * solved.residual);
    // An entry within the history is the residual of a solve that ends there.
    options.max_iterations = method == "bicgstab" ? 4 : 2;
    CHECK(solve_by(method, system, options).residual ==
          doctest::Approx(solved.history[2]).epsilon(1e-6));
  }
  KrylovOptions kept;
  kept.history = true;
  kept.vectors = 2;
  CgSolver<Exec, double> two(Exec(), 4, kept);
  CHECK_THROWS_WITH_AS(two.history(Exec(), 2),
                       doctest::Contains("right-hand side 2; give one from 0 to 1"), Error);
  CgSolver<Exec, double> none(Exec(), 4);
  CHECK_THROWS_WITH_AS(none.history(Exec()), doctest::Contains("set options.history"), Error);
}

TEST_CASE("b - A x replaces the recurrence every recompute_every iterations") {
  for (const std::string& method : krylov_methods()) {
    if (method == "gmres") continue;  // it restarts, and refuses the option
    CAPTURE(method);
    const int products = method == "bicgstab" ? 2 : 1;
    System system = easy(1e6);
    KrylovOptions options;
    options.relative_tolerance = 0;
    options.max_iterations = 8 * products;
    const Solved without = solve_by(method, system, options);
    options.recompute_every = 4;
    const Solved with = solve_by(method, system, options);
    const bool in_one_launch = method.starts_with("cg/") && method != "cg/launches";
    if (in_one_launch) {
      CHECK(bits_of(with.x) != bits_of(without.x));  // other rounding
    } else {
      CHECK(with.products == without.products + 2);
    }
  }
}

TEST_CASE("a pinned scheme is what runs, and only conjugate gradients have schemes") {
  for (const std::string& method : krylov_methods()) {
    CAPTURE(method);
    System system = easy();
    KrylovOptions options;
    options.scheme = Scheme("cg/launches");
    if (!method.starts_with("cg/")) {
      CHECK_THROWS_WITH_AS(solve_by(method, system, options),
                           doctest::Contains("options.scheme has no effect on"), Error);
      continue;
    }
    options.scheme = Scheme(method);
    const Solved solved = solve_by(method, system, options);
    CHECK(solved.scheme == Scheme(method));
    CHECK((solved.products == 0) == (method != "cg/launches"));
  }
}

}  // namespace heddle::test
