// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Promises of every Krylov method, a table of methods by promises; and every option with each
// outcome that it causes. In double, by the compiled part.
#include "../../../solvers/krylov/solver.hpp"
#include "../../support/assumed_processors.hpp"
#include "../../support/krylov_methods.hpp"

namespace heddle::test {

namespace {

constexpr int side = emulated ? 6 : 12;
using Vector = System::Vector;

/// A positive definite system of condition 9: every method needs a few tens of products.
System easy(double guess = 0) { return system_of(star(side, 5), {1, 9}, guess); }
/// Its bounds with Jacobi.
constexpr SpectrumBounds easy_with_jacobi = {0.2, 1.8};

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
  System system = system_of(plain_operator<Exec>(row_ptr, col_idx, values), bounds);
  system.b = copy_in<Space>(right);
  return system;
}

/// A system that converges although its first residual (or the second) is no smaller.
System with_a_hump(const std::string& method) {
  if (is_cg(method)) return pairs(1, 0, 0, 1000, 1, 0.1);
  if (is_gmres(method) || method == "minres") return pairs(0, 1, 1, 0, 1, 0);
  if (method == "bicgstab") return pairs(0.1, 1, -1, 0.1, 1, 0);
  return pairs(2.0002, 0, 0, 2.0002, 1, 1, {1, 3});
}

/// A system whose residual grows to more than twice; with Chebyshev's iteration it keeps growing.
System that_grows(const std::string& method) {
  if (method == "chebyshev") return pairs(4, 0, 0, 4, 1, 1, {1, 2});
  return with_a_hump(method);
}

struct Row {
  const char* option;
  System (*system)(const std::string& method);
  KrylovOptions with;
  Outcome outcome;
  double from, to;  ///< of the residual, over the norm that the tolerance is relative to
  KrylovOptions without = {};
  Outcome outcome_without = Outcome::converged;
};

System near(const std::string&) { return easy(); }
System far(const std::string&) { return easy(1e4); }
System from_nan(const std::string&) { return easy(std::nan("")); }

std::vector<Row> table() {
  using enum Outcome;
  const auto four = [](int iterations, double) { return iterations < 4; };
  const double b = norm(easy().b);
  return {
      {"relative_tolerance, larger", near, {.relative_tolerance = 1e-3}, converged, 1e-6, 1e-3},
      {"relative_tolerance, smaller", near, {.relative_tolerance = 1e-12}, converged, 0, 1e-12},
      {"relative_tolerance, out of reach",
       near,
       {.relative_tolerance = 1e-18},
       attainable_accuracy,
       1e-18,
       1e-14},
      {"absolute_tolerance",
       near,
       {.relative_tolerance = 1e-12, .absolute_tolerance = 1e-4 * b},
       converged,
       1e-7,
       1e-4,
       {.relative_tolerance = 1e-12}},
      {"absolute_tolerance, the smaller of two",
       near,
       {.relative_tolerance = 1e-3, .absolute_tolerance = 1e-10 * b},
       converged,
       1e-6,
       1e-3,
       {.relative_tolerance = 1e-3}},
      {"absolute_tolerance alone",
       near,
       {.relative_tolerance = 0, .absolute_tolerance = 0.1 * b},
       converged,
       1e-4,
       0.1,
       {.relative_tolerance = 0, .max_iterations = 12},
       iteration_limit},
      {"relative_to the first residual, a large one",
       far,
       {.relative_tolerance = 1e-4, .relative_to = RelativeTo::first_residual},
       converged,
       1e-7,
       1e-4,
       {.relative_tolerance = 1e-4}},
      {"max_iterations", near, {.max_iterations = 4}, iteration_limit, 1e-6, 0.99},
      {"max_iterations, odd", near, {.max_iterations = 5}, iteration_limit, 1e-6, 0.99},
      {"max_iterations, none", near, {.max_iterations = 0}, iteration_limit, 1, 1},
      {"stagnation_window", with_a_hump, {.stagnation_window = 1}, stagnated, 0, 1},
      {"divergence_factor",
       that_grows,
       {.max_iterations = 12, .divergence_factor = 2},
       diverged,
       0,
       1,
       {.max_iterations = 12}},
      {"max_seconds, none", near, {.max_seconds = 0}, out_of_time, 1e-6, 0.99},
      {"max_seconds, enough", near, {.max_seconds = 1e9}, converged, 0, 1e-8},
      {"callback", near, {.callback = four}, stopped_by_user, 1e-6, 0.99},
      {"zero_guess", from_nan, {.zero_guess = true}, converged, 0, 1e-8, {}, not_a_number},
  };
}

/// Whether a method can have the outcome: residuals of GMRES and MINRES do not grow, Chebyshev's
/// keep growing in the row on divergence, and conjugate gradients always lower the energy.
bool can(const std::string& method, const Row& row) {
  const bool grows = !is_gmres(method) && method != "minres";
  return !(!grows && row.outcome == Outcome::diverged) &&
         !(is_cg(method) && row.outcome == Outcome::stagnated);
}
Outcome without(const std::string& method, const Row& row) {
  return method == "chebyshev" && row.outcome == Outcome::diverged ? Outcome::iteration_limit
                                                                   : row.outcome_without;
}

/// An operator that may be const and temporary: its apply is const.
struct ConstOperator {
  PlainOperator<Exec, double> of;

  std::int64_t rows() const { return of.rows(); }
  std::int64_t columns() const { return of.columns(); }
  template <class X, class Y>
  void apply(const Exec& exec, const X& x, const Y& y) const {
    PlainOperator<Exec, double>(of).apply(exec, x, y);
  }
};

/// An operator that reports its bytes, and records whether it is applied on one thread.
struct Noted : ConstOperator {
  double bytes;
  bool* alone;

  template <class X, class Y>
  void apply(const Exec& exec, const X& x, const Y& y) const {
    *alone = backends::OneThread::is_wanted();
    ConstOperator::apply(exec, x, y);
  }
  double moved_bytes(Op, int) const { return bytes; }
};

// The deduced scalar is that of a matrix, or double without one.
static_assert(std::same_as<decltype(CgSolver(Exec(), 1)), CgSolver<Exec, double>>);
static_assert(
    std::same_as<decltype(GmresSolver(Exec(), 1, {.restart = 2})), GmresSolver<Exec, double>>);
static_assert(std::same_as<decltype(BicgstabSolver(Exec(), 1)), BicgstabSolver<Exec, double>>);
static_assert(std::same_as<decltype(MinresSolver(Exec(), 1)), MinresSolver<Exec, double>>);
static_assert(std::same_as<decltype(ChebyshevSolver(Exec(), 1, KrylovOptions())),
                           ChebyshevSolver<Exec, double>>);
using SomeMatrix = CsrMatrix<float, int, int, Space>;
static_assert(std::same_as<decltype(JacobiPreconditioner(Exec(), SomeMatrix())),
                           JacobiPreconditioner<Exec, float>>);
static_assert(std::same_as<decltype(BlockJacobiPreconditioner(Exec(), SomeMatrix(), 2)),
                           BlockJacobiPreconditioner<Exec, float>>);

}  // namespace

// Options

TEST_CASE("every option of every method leads to its outcome") {
  for (Row row : table()) {
    CAPTURE(std::string(row.option));
    row.without.check_every = row.with.check_every = 1;  // Chebyshev has residuals at checks only
    for (const std::string& method : krylov_methods()) {
      if (!can(method, row)) continue;
      CAPTURE(method);
      System system = row.system(method);
      CHECK(solve_by(method, system, row.without).result.outcome == without(method, row));
      const Solved solved = solve_by(method, system, row.with);
      CHECK(solved.returned == row.outcome);
      CHECK(solved.result.outcome == row.outcome);
      const bool of_first = row.with.relative_to == RelativeTo::first_residual;
      const double part = solved.residual / (of_first ? solved.first : norm(system.b));
      CHECK(part >= row.from - 1e-12 * row.to);
      CHECK(part <= row.to * (1 + 1e-12));
      CHECK(solved.result.iterations <= row.with.max_iterations);
      if (row.outcome == Outcome::iteration_limit) {
        const int products = products_of(method);
        CHECK(solved.result.iterations == row.with.max_iterations / products * products);
      }
    }
  }
}

TEST_CASE("an option that a solver does not take is an error that names both") {
  struct Case {
    const char* option;
    KrylovOptions options;
    std::vector<std::string> takes;  ///< methods with the option
  };
  const Case cases[] = {
      {"restart", {.restart = 5}, {"gmres"}},
      {"basis", {.basis = KrylovBasis::in_float}, {"gmres"}},
      {"flexible", {.flexible = true}, {"cg/launches", "gmres"}},
      {"bounds", {.bounds = SpectrumBounds{0.01, 2}}, {"chebyshev"}},
      {"scheme", {.scheme = Scheme("cg/launches")}, {"cg/launches"}},
      {"vectors", {.vectors = 2}, {"cg/launches", "gmres", "bicgstab", "minres"}},
      {"recompute_every",
       {.recompute_every = 5},
       {"cg/launches", "bicgstab", "minres", "chebyshev"}},
  };
  for (const std::string& method : one_of_each_solver()) {
    CAPTURE(method);
    const auto use = [&]<class Solver>(std::type_identity<Solver>, const KrylovOptions& needed) {
      CHECK_THROWS_WITH_AS(Solver(-1, needed), doctest::Contains("is for -1 unknowns"), Error);
      const char* name = is_gmres(method)        ? "GmresSolver"
                         : method == "bicgstab"  ? "BicgstabSolver"
                         : method == "minres"    ? "MinresSolver"
                         : method == "chebyshev" ? "ChebyshevSolver"
                                                 : "CgSolver";
      for (const Case& of : cases) {
        CAPTURE(std::string(of.option));
        KrylovOptions options = of.options;
        if (needed.bounds) options.bounds = needed.bounds;
        const auto make = [&] { Solver(Exec(), 4, options); };
        if (std::ranges::count(of.takes, method) > 0) {
          CHECK_NOTHROW(make());
        } else {
          CHECK_THROWS_WITH_AS(make(), doctest::Contains(name), Error);
          CHECK_THROWS_WITH_AS(
              make(), doctest::Contains((std::string("options.") + of.option).c_str()), Error);
        }
      }
    };
    with_method(method, {0.01, 2}, {}, use);
  }
  CHECK_THROWS_WITH_AS((ChebyshevSolver<Exec, double>(4, {})),
                       doctest::Contains("needs options.bounds"), Error);
  for (const int vectors : {0, -1}) {
    CHECK_THROWS_WITH_AS((CgSolver<Exec, double>(4, {.vectors = vectors})),
                         doctest::Contains("options.vectors"), Error);
  }
}

TEST_CASE("what is set and has no effect, or is wrong, is an error") {
  for (const std::string& method : one_of_each_solver()) {
    CAPTURE(method);
    const auto refused = [&](const KrylovOptions& options, const char* words) {
      const auto use = [&]<class Solver>(std::type_identity<Solver>, const KrylovOptions& given) {
        CHECK_THROWS_WITH_AS(Solver(Exec(), 4, given), doctest::Contains(words), Error);
      };
      with_method(method, {0.01, 2}, options, use);
    };
    refused({.check_every = 0, .max_seconds = 1}, "options.max_seconds has no effect");
    refused({.check_every = 0, .callback = [](int, double) { return true; }},
            "options.callback has no effect");
    refused({.check_every = -1}, "check_every is -1");
    refused({.divergence_factor = 1}, "divergence_factor");
  }
}

// Promises of every method

TEST_CASE("when the host checks changes nothing, not a bit, and without checks all is launches") {
  for (const std::string& method : krylov_methods()) {
    CAPTURE(method);
    System system = typical(method, emulated ? 12 : 40);
    const std::string label = method.substr(0, method.find('/'));
    for (const bool recomputed : {false, true}) {
      if (recomputed && is_gmres(method)) continue;
      CAPTURE(recomputed);
      std::vector<unsigned char> bits;
      int iterations = 0;
      for (const int every : {1, 7, 10, 1000, 0}) {
        CAPTURE(every);
        KrylovOptions options{.max_iterations = emulated ? 150 : 300, .check_every = every};
        if (recomputed) options.recompute_every = 9;
        if (is_gmres(method)) options.restart = 15;
        // Without a history Chebyshev's iteration computes norms only where the host checks.
        options.history = method == "chebyshev";
        const Solved solved = solve_by(method, system, options);
        CHECK(solved.result.converged());
        const int checks = count(solved.seen, "heddle::" + label + "::check");
        CHECK(count(solved.seen, Event::copy) == (options.history ? 2 : 1) * checks);
        if (every == 0) {
          CHECK(solved.returned == Outcome::running);
          CHECK(count(solved.seen, Event::kernel) == std::ssize(solved.seen));
        } else {
          CHECK(solved.returned == Outcome::converged);
          CHECK(checks >= 2);
        }
        if (bits.empty()) {
          bits = bits_of(solved.x);
          iterations = solved.result.iterations;
        }
        CHECK(bits_of(solved.x) == bits);
        CHECK(solved.result.iterations == iterations);
      }
    }
  }
}

TEST_CASE("with Jacobi, too, a solve only launches: so many kernels an iteration") {
  for (const std::string& method : krylov_methods()) {
    CAPTURE(method);
    System system = easy();
    system.bounds = easy_with_jacobi;
    JacobiPreconditioner<Exec, double> jacobi(Exec(), system.a.matrix());
    KrylovOptions options{.relative_tolerance = 0, .max_iterations = 12, .check_every = 0};
    if (is_gmres(method)) options.restart = 5;
    const Solved solved = solve_by(method, system, options, jacobi);
    const int kernels = count(solved.seen, Event::kernel);
    CHECK(kernels == std::ssize(solved.seen));
    CHECK(solved.result.iterations == 12);
    // Before: x in, product, r, its scale, and of conjugate gradients r . z, p. Each iteration: a
    // product, and three passes of conjugate gradients or one of Chebyshev's. After: product, its
    // residual, x out. Flexible: M in each step and before, and r . z.
    if (method == "cg/launches") CHECK(kernels == 9 + 4 * 12);
    if (method == "cg/flexible") CHECK(kernels == 10 + 6 * 12);
    if (method == "minres") CHECK(kernels == 10 + 6 * 12);
    if (method == "chebyshev") CHECK(kernels == 9 + 2 * 12);
    if (in_one_launch(method)) CHECK(kernels == 1);
  }
}

TEST_CASE("b = 0 is solved by x = 0 at once, whatever the guess") {
  for (const std::string& method : krylov_methods()) {
    CAPTURE(method);
    for (const double guess : {0.0, 1.0, 1e200, std::nan("")}) {
      CAPTURE(guess);
      for (const int every : {0, 10}) {
        System system = easy(guess);
        Kokkos::deep_copy(system.b, 0.0);
        const Solved solved = solve_by(method, system, {.check_every = every});
        CHECK(solved.result.converged());
        CHECK(solved.result.iterations == 0);
        CHECK(solved.result.residual == 0);
        CHECK(norm(solved.x) == 0);
      }
    }
  }
}

TEST_CASE("no rows, one row, and a guess that is the solution") {
  for (const std::string& method : krylov_methods()) {
    CAPTURE(method);
    for (const int size : {0, 1, 5}) {
      CAPTURE(size);
      System system = system_of(star(size, 4.1), {0.1, 8.1});
      Kokkos::deep_copy(system.b, 1.0);
      const Solved solved = solve_by(method, system, {});
      CHECK(solved.result.converged());
      system.guess = solved.x;
      CHECK(solve_by(method, system, {}).result.iterations == 0);
    }
  }
}

TEST_CASE("if b has NaN, the guess is left") {
  for (const std::string& method : krylov_methods()) {
    CAPTURE(method);
    System system = easy(3);
    Kokkos::deep_copy(Kokkos::subview(system.b, std::size_t{0}), std::nan(""));
    const Solved solved = solve_by(method, system, {});
    CHECK(solved.result.outcome == Outcome::not_a_number);
    CHECK(bits_of(solved.x) == bits_of(system.guess));
  }
}

TEST_CASE("what is relative to the first residual is so from a near guess too") {
  for (const std::string& method : krylov_methods()) {
    CAPTURE(method);
    System system = easy();
    KrylovOptions options{.relative_tolerance = 1e-5};
    system.guess = solve_by(method, system, options).x;
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
    const int products = products_of(method);
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
  }
}

TEST_CASE("the history has every residual, and is kept only if the option says so") {
  for (const std::string& method : krylov_methods()) {
    CAPTURE(method);
    System system = easy();
    const auto check = [&](auto&... preconditioner) {
      KrylovOptions options{.history = true};
      const Solved solved = solve_by(method, system, options, preconditioner...);
      REQUIRE(std::ssize(solved.history) ==
              1 + ceil_div(solved.result.iterations, products_of(method)));
      CHECK(solved.history.front() == solved.result.first_residual);
      CHECK(solved.history.back() == solved.result.residual);
      CHECK(std::ranges::all_of(solved.history, [](double norm) { return norm > 0; }));
      // An entry within the history is the residual of a solve that ends there.
      options.max_iterations = 2 * products_of(method);
      CHECK(close(solve_by(method, system, options, preconditioner...).residual, solved.history[2],
                  1e-6));
    };
    check();
    system.bounds = easy_with_jacobi;
    JacobiPreconditioner<Exec, double> jacobi(Exec(), system.a.matrix());
    check(jacobi);
    if (!in_one_launch(method)) continue;
    const auto history = solve_by(method, system, {.history = true}).history;
    const auto of_launches = solve_by("cg/launches", system, {.history = true}).history;
    for (std::size_t i = 0; i < history.size() / 2; ++i) {
      CHECK(close(history[i], of_launches[i], 1e-6));
    }
  }
  CgSolver<Exec, double> two(Exec(), 4, {.history = true, .vectors = 2});
  CHECK_THROWS_WITH_AS(two.history(Exec(), 2),
                       doctest::Contains("right-hand side 2; give one from 0 to 1"), Error);
  CgSolver<Exec, double> none(Exec(), 4);
  CHECK_THROWS_WITH_AS(none.history(Exec()), doctest::Contains("set options.history"), Error);
}

TEST_CASE("a diagonal inside the passes and one of the user's take the same steps") {
  for (const std::string& method : one_of_each_solver()) {
    CAPTURE(method);
    System system = system_of(laplacian<Exec, double>(emulated ? 8 : 30, 100), {0.002, 2});
    JacobiPreconditioner<Exec, double> jacobi(Exec(), system.a.matrix());
    Diagonal user{JacobiPreconditioner<Exec, double>(Exec(), system.a.matrix())};
    for (const int recompute : {0, 20}) {
      if (recompute > 0 && is_gmres(method)) continue;
      CAPTURE(recompute);
      const KrylovOptions options{.recompute_every = recompute, .history = true};
      user.applies = 0;
      const Solved inside = solve_by(method, system, options, jacobi);
      const Solved outside = solve_by(method, system, options, user);
      CHECK(inside.result.converged());
      CHECK(outside.result.converged());
      CHECK(user.applies >= outside.result.iterations);
      for (std::size_t i = 0; i < inside.history.size() / 4; ++i) {
        CHECK(close(inside.history[i], outside.history[i], 1e-6));
      }
      if (method == "bicgstab") continue;  // roundings grow
      CHECK(std::abs(inside.result.iterations - outside.result.iterations) <= 1);
    }
    user.is_symmetric = false;
    if (is_gmres(method) || method == "bicgstab") {
      CHECK(solve_by(method, system, {}, user).result.converged());
    } else {
      CHECK_THROWS_WITH_AS(solve_by(method, system, {}, user),
                           doctest::Contains("one of the user's is not symmetric"), Error);
      CHECK_THROWS_WITH_AS(
          solve_by(method, system, {}, user),
          doctest::Contains(method == "minres" ? "or use gmres or bicgstab" : "or flexible cg"),
          Error);
    }
  }
}

TEST_CASE("b - A x replaces the recurrence every recompute_every iterations") {
  for (const std::string& method : krylov_methods()) {
    if (is_gmres(method)) continue;  // it restarts, and refuses the option
    CAPTURE(method);
    const int products = products_of(method);
    System system = easy(1e6);
    KrylovOptions options;
    options.relative_tolerance = 0;
    options.max_iterations = 8 * products;
    const Solved without = solve_by(method, system, options);
    options.recompute_every = 4;
    const Solved with = solve_by(method, system, options);
    if (in_one_launch(method)) {
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
    if (!is_cg(method)) {
      CHECK_THROWS_WITH_AS(solve_by(method, system, options),
                           doctest::Contains("options.scheme has no effect on"), Error);
      continue;
    }
    if (in_one_launch(method)) options.scheme = Scheme(method);
    const Solved solved = solve_by(method, system, options);
    CHECK(solved.scheme == options.scheme);
    CHECK((solved.products == 0) == in_one_launch(method));
  }
}

// Promises of every solver, as an object

TEST_CASE("a solver can be made empty, is an error then, and is assigned") {
  const Exec exec;
  for (const std::string& method : one_of_each_solver()) {
    CAPTURE(method);
    System system = easy();
    const auto use = [&]<class Solver>(std::type_identity<Solver>, const KrylovOptions& options) {
      Solver solver;
      const Vector x("heddle::test::x", system.b.extent(0));
      const auto empty = doctest::Contains("on an object that is empty");
      CHECK_THROWS_WITH_AS(solver.solve(exec, system.a, system.b, x), empty, Error);
      CHECK_THROWS_WITH_AS(solver.results(), empty, Error);
      CHECK_THROWS_WITH_AS(solver.results(exec), empty, Error);
      CHECK_THROWS_WITH_AS(solver.history(exec), empty, Error);
      CHECK_THROWS_WITH_AS(solver.moved_bytes(system.a), empty, Error);
      if constexpr (requires { solver.scheme(); }) {
        CHECK_THROWS_WITH_AS(solver.scheme(), empty, Error);
      }
      CHECK(solver.bytes() == 0);
      Solver moved = std::move(solver);
      CHECK_THROWS_WITH_AS(moved.solve(exec, system.a, system.b, x), empty, Error);
      solver = Solver(exec, system.a.n, options);
      CHECK(solver.solve(exec, system.a, system.b, x).iterations > 0);
      CHECK(bits_of(x) == bits_of(solve_by(method, system, {}).x));
    };
    with_method(method, system.bounds, {}, use);
  }
  JacobiPreconditioner<Exec, double> jacobi;
  BlockJacobiPreconditioner<Exec, double> blocks;
  const auto check = [](auto& m) {
    const System system = easy();
    const Vector x("heddle::test::x", system.b.extent(0));
    const auto empty = doctest::Contains("on an object that is empty");
    CHECK_THROWS_WITH_AS(m.apply(system.b, x), empty, Error);
    CHECK_THROWS_WITH_AS(m.update_values(system.a.matrix()), empty, Error);
    CHECK_THROWS_WITH_AS(m.check_values(), empty, Error);
    CHECK_THROWS_WITH_AS(m.bad_row(), empty, Error);
  };
  check(jacobi);
  check(blocks);
}

TEST_CASE("operators may be const and temporary, and the default instance needs no name") {
  const Exec exec;
  using Jacobi = JacobiPreconditioner<Exec, double>;
  for (const std::string& method : one_of_each_solver()) {
    CAPTURE(method);
    System system = easy(), with_jacobi = easy();
    with_jacobi.bounds = easy_with_jacobi;
    const auto& a = system.a;
    const ConstOperator constant{a};
    Jacobi named(a.matrix());
    const Jacobi jacobi(a.matrix());
    const auto same = [&](System& of, const auto& solve, auto&... preconditioner) {
      const auto use = [&]<class Solver>(std::type_identity<Solver>, const KrylovOptions& options) {
        Solver solver(a.n, options);
        const Vector x("heddle::test::x", of.b.extent(0));
        CHECK(solve(solver, x).iterations > 0);
        Exec().fence("heddle::test::solved");
        CHECK(bits_of(x) == bits_of(solve_by(method, of, {}, preconditioner...).x));
      };
      with_method(method, of.bounds, {}, use);
    };
    const auto& b = system.b;
    same(system, [&](auto& s, const auto& x) { return s.solve(exec, constant, b, x); });
    same(system, [&](auto& s, const auto& x) { return s.solve(ConstOperator{a}, b, x); });
    same(
        with_jacobi, [&](auto& s, const auto& x) { return s.solve(exec, constant, b, x, jacobi); },
        named);
    same(
        with_jacobi,
        [&](auto& s, const auto& x) { return s.solve(ConstOperator{a}, b, x, Jacobi(a.matrix())); },
        named);
  }
}

TEST_CASE("systems of another size, and x in place of b, are refused by name") {
  const Exec exec;
  System system = system_of(star(4, 4.1), {0.1, 8.1});
  const Vector x("heddle::test::x", 16);
  for (const std::string& method : krylov_methods()) {
    CAPTURE(method);
    const auto use = [&]<class Solver>(std::type_identity<Solver>, const KrylovOptions& options) {
      Solver solver(exec, 16, options), other(exec, 17, options);
      CHECK_THROWS_WITH_AS(other.solve(exec, system.a, system.b, x),
                           doctest::Contains("16 x 16, and the solver is for 17"), Error);
      CHECK_THROWS_WITH_AS(solver.solve(exec, system.a, x, x), doctest::Contains("same vector"),
                           Error);
    };
    with_method(method, system.bounds, {}, use);
  }
}

TEST_CASE("the callback sees the first and the last state, and what it decided stays") {
  const Exec exec;
  for (const std::string& method : one_of_each_solver()) {
    CAPTURE(method);
    System system = easy();
    const Vector x("heddle::test::x", system.b.extent(0)),
        so_far("heddle::test::so_far", system.b.extent(0));
    const auto use = [&]<class Solver>(std::type_identity<Solver>, KrylovOptions options) {
      std::vector<std::pair<int, double>> seen;
      Solver solver;
      options.callback = [&](int iterations, double residual) {
        seen.emplace_back(iterations, residual);
        if (is_gmres(method)) return true;  // its x is that of the last cycle
        solver.solution_so_far(exec, so_far);
        exec.fence("heddle::test::so_far");
        CHECK(close(relative_residual(system.a, system.b, so_far), residual, 1e-4));
        return true;
      };
      solver = Solver(exec, system.a.n, options);
      const KrylovResult result = solver.solve(exec, system.a, system.b, x);
      REQUIRE(seen.size() > 2);
      CHECK(seen.front() == std::make_pair(0, 1.0));
      CHECK(seen.back() == std::make_pair(result.iterations, result.relative_residual()));
    };
    with_method(method, system.bounds, {.check_every = 4}, use);
    const Solved stopped = solve_by(
        method, system,
        {.check_every = 4, .callback = [](int iterations, double) { return iterations < 8; }});
    CHECK(stopped.returned == Outcome::stopped_by_user);
    CHECK(stopped.result.outcome == Outcome::stopped_by_user);
    CHECK(stopped.result.iterations == 8);
  }
  CHECK(std::string(name(Outcome::iteration_limit)) == "reached the iteration limit");
}

// Threads of a CPU

TEST_CASE("one thread and all give a solve the same bits") {
  constexpr bool on_cpu = backends::BackendIs<Exec, backends::Host>;
  const Exec exec;
  bool alone = false;
  const Noted a{{star(emulated ? 8 : 100, 4)}, 1e4, &alone};  // passes over vectors have teams
  const auto b = right_hand_side<double>(a.rows());
  for (const std::string& method : one_of_each_solver()) {
    CAPTURE(method);
    std::vector<unsigned char> bits;
    const auto solve = [&](const Noted& with, double launch_seconds, bool expected) {
      CAPTURE(launch_seconds);
      const AssumedThreadCosts costs(backends::ThreadCosts{launch_seconds, 0});
      const auto use = [&]<class Solver>(std::type_identity<Solver>, const KrylovOptions& options) {
        Solver solver(exec, with.rows(), options);
        const Vector x("heddle::test::x", b.extent(0));
        solver.solve(exec, with, b, x);
        CHECK(alone == (expected && on_cpu && exec.concurrency() > 1));
        CHECK(!backends::OneThread::is_wanted());
        if (bits.empty()) bits = bits_of(x);
        CHECK(bits_of(x) == bits);
      };
      with_method(method, {0.1, 8}, {.max_iterations = 40}, use);
    };
    solve(a, 0, false);
    solve(a, 1, true);
    solve({{a.of}, 0, &alone}, 1, false);  // its bytes are unknown
  }
}

TEST_CASE("one thread is faster where launches cost more than others' help saves") {
  using heddle::detail::krylov::one_thread_is_faster;
  const backends::ThreadCosts costs{1e-6, 0.1e-6};
  CHECK(one_thread_is_faster({2, false, costs}, 50e3, 7));
  CHECK(!one_thread_is_faster({2, false, costs}, 50e6, 7));
  CHECK(one_thread_is_faster({2, false, {1, 0}}, 50e6, 7));
  CHECK(one_thread_is_faster({1, true, costs}, 50e6, 7));  // others have no processor
  CHECK(!one_thread_is_faster({1, false, costs}, 50e3, 7));
}

}  // namespace heddle::test
