// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Solves by pairs that are chosen: every pair, what is found in a matrix, failures and limits. Each
// solution is judged by b - A x computed on the host.
#include <algorithm>

#include "../../../solvers/solve/prices.hpp"
#include "../../../testing/plan_types.hpp"
#include "../../support/error_of.hpp"
#include "../../support/solves.hpp"

namespace heddle::test {

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

Vector random_right(const Plain& a, std::uint64_t seed = 1) {
  return right_hand_side<double>(a.n, seed);
}
Plain poisson_3d(int side) {
  return star_operator<Exec, double>(side, side, side,
                                     [](int i, int j) { return i == j ? 6.0 : -1.0; });
}
/// The Laplacian of a grid without boundary values.
Plain neumann(int side) {
  const auto inside = [=](int i) { return i > 0 && i < side - 1 ? 2.0 : 1.0; };
  return grid_operator<Exec, double>(
      side, [=](int i, int j) { return i == j ? inside(i / side) + inside(i % side) : -1.0; });
}
/// |b - A x| / |b|, or |b - A x| for a b of zero.
double relative(const Plain& a, const Vector& b, const Vector& x) {
  const auto norms = residual_norms(a, b, x);
  return norms.b > 0 ? norms.residual / norms.b : norms.residual;
}

struct Solved {
  Vector x;
  SolveReport report;
  double residual;
};
Solved solve_of(const Plain& a, const Vector& b, const SolveOptions& options = {}) {
  const auto [x, report] = heddle::solve(Exec(), a.matrix(), b, options);
  return {x, report, relative(a, b, x)};
}

/// Checks that a report says of x what is true.
void check_true(const Solved& of, double tolerance = 1e-8) {
  CAPTURE(of.report.to_string());
  CHECK(of.report.converged() == (of.residual <= 1.0001 * tolerance));
  CHECK(std::abs(of.report.relative_residual() - of.residual) <= 1e-3 * of.residual + 1e-14);
}
void check_solved(const Solved& of, double tolerance = 1e-8) {
  CAPTURE(of.report.to_string());
  CHECK(of.report.converged());
  check_true(of, tolerance);
}

}  // namespace

TEST_CASE("every pair solves what it is for") {
  const Plain definite = poisson(25), flowing = flow<Exec, double>(25), shifted = poisson(20, 0.5);
  const auto solves = [](const Plain& a, const char* pair) {
    CAPTURE(pair);
    const Solved of = solve_of(a, random_right(a), {.pair = pair});
    check_solved(of);
    REQUIRE(of.report.attempts.size() == 1);
    CHECK(of.report.attempts[0].pair == pair);
    CHECK(of.report.iterations == of.report.attempts[0].iterations);
    CHECK(of.report.iterations > 0);
    CHECK(of.report.matrix.steps == 0);  // there is nothing to choose
  };
  for (const char* pair : {"cg/none", "cg/jacobi", "cg/incomplete", "cg/multigrid", "minres/none",
                           "minres/jacobi", "gmres/multigrid", "bicgstab/none"}) {
    solves(definite, pair);
  }
  for (const char* pair : {"gmres/none", "gmres/jacobi", "gmres/incomplete", "gmres/multigrid",
                           "bicgstab/jacobi", "bicgstab/incomplete", "bicgstab/multigrid"}) {
    solves(flowing, pair);
  }
  solves(shifted, "minres/jacobi");
}

TEST_CASE("a pair is chosen that solves") {
  for (const int side : {3, 12, 60}) {
    CAPTURE(side);
    const Plain a = poisson(side);
    const Solved of = solve_of(a, random_right(a));
    check_solved(of);
    CHECK(of.report.attempts.back().pair.starts_with("cg/"));
  }
  const Plain in_space = poisson_3d(12), contrasts = laplacian<Exec, double>(30, 1e6);
  for (const Plain* a : {&in_space, &contrasts}) {
    const Solved of = solve_of(*a, random_right(*a));
    check_solved(of);
    CHECK(of.report.matrix.symmetric);
  }
  for (const double speed : {0.1, 0.7, 3.0}) {
    CAPTURE(speed);
    const Plain a = flow<Exec, double>(25, speed);
    const Solved of = solve_of(a, random_right(a));
    check_solved(of);
    CHECK_FALSE(of.report.matrix.symmetric);
    CHECK(of.report.matrix.symmetric_pattern);
    CHECK_FALSE(of.report.attempts.back().pair.starts_with("cg/"));
    CHECK_FALSE(of.report.attempts.back().pair.starts_with("minres/"));
  }
  for (const double shift : {0.5, 1.0, 5.0}) {
    CAPTURE(shift);
    const Plain a = poisson(20, shift);
    const Solved of = solve_of(a, random_right(a));
    check_solved(of);
    CHECK_FALSE(of.report.attempts.back().pair.starts_with("cg/"));
  }
}

TEST_CASE("a singular system is solved in its range, and said to have no solution out of it") {
  const Plain a = neumann(20);
  const Vector b = random_right(a);
  const Solved out = solve_of(a, b);
  CHECK(out.report.matrix.maps_ones_to_zero());
  CHECK(out.report.outcome == Outcome::inconsistent);
  check_true(out);
  Vector in("heddle::test::in", b.extent(0));
  Vector any = random_right(a, 2);
  Plain product = a;
  product.apply(Exec(), any, in);
  const Solved of = solve_of(a, in);
  check_solved(of);
  CHECK(of.report.attempts[0].pair.starts_with("cg/"));
}

TEST_CASE("small and odd systems") {
  const Plain empty = plain_operator<Exec>({0}, {}, std::vector<double>());
  const Solved nothing = solve_of(empty, Vector("heddle::test::b", 0));
  CHECK(nothing.report.converged());
  CHECK(nothing.report.iterations == 0);
  for (const double value : {4.0, -4.0, 1e-30, 1e30}) {
    CAPTURE(value);
    const Plain a = plain_operator<Exec>({0, 1}, {0}, std::vector{value});
    check_solved(solve_of(a, random_right(a)));
  }
  for (const int pairs : {1, 20}) {
    CAPTURE(pairs);
    const Plain a = exchanges(pairs);
    const Solved of = solve_of(a, random_right(a));
    check_solved(of);
    CHECK(of.report.matrix.zero_diagonal == 2 * pairs);
  }
  // A diagonal matrix of both signs, one of negative entries, and a triangle.
  const auto diagonal = [](const auto& entry) {
    return operator_where<Exec, double>(
        50, [](int i, const auto& add) { add(i); }, [=](int i, int) { return entry(i); });
  };
  for (const Plain& a : {diagonal([](int i) { return i % 2 ? -1.0 - i : 1.0 + i; }),
                         diagonal([](int i) { return -1.0 - i; })}) {
    check_solved(solve_of(a, random_right(a)));
  }
  const Plain triangle = operator_where<Exec, double>(
      60,
      [](int i, const auto& add) {
        if (i > 0) add(i - 1);
        add(i);
      },
      [](int i, int j) { return i == j ? 2.0 : 1.0; });
  const Solved of = solve_of(triangle, random_right(triangle));
  check_solved(of);
  CHECK_FALSE(of.report.matrix.symmetric_pattern);
  // A row of zeros: no x for a random b, and one for a b that is zero there.
  Plain with_gap = poisson(5);
  auto values = copy_out(with_gap.values);
  const auto row_ptr = copy_out(with_gap.row_ptr), col_idx = copy_out(with_gap.col_idx);
  for (int i = 0; i < 25; ++i) {
    for (int k = row_ptr[std::size_t(i)]; k < row_ptr[std::size_t(i) + 1]; ++k) {
      if (i == 7 || col_idx[std::size_t(k)] == 7) values[std::size_t(k)] = 0;
    }
  }
  with_gap.values = copy_in<Space>(values);
  const Vector b = random_right(with_gap);
  const Solved none = solve_of(with_gap, b);
  CHECK_FALSE(none.report.converged());
  check_true(none);
  const auto host = to_host(b);
  host(7) = 0;
  Kokkos::deep_copy(b, host);
  check_solved(solve_of(with_gap, b));
}

TEST_CASE("a b of zero has the solution zero") {
  const Plain a = poisson(10);
  const Vector b("heddle::test::b", 100), x = random_right(a);
  const SolveReport report = heddle::solve(Exec(), a.matrix(), b, x);
  CHECK(report.converged());
  CHECK(report.iterations == 0);
  for (const double entry : copy_out(x)) CHECK(entry == 0);
}

TEST_CASE("NaN in A or b is reported, and x stays") {
  Plain a = poisson(10);
  const Vector b = random_right(a), x = random_right(a, 3);
  const auto before = copy_out(x);
  const auto values = to_host(a.values);
  values(20) = nan;
  Kokkos::deep_copy(a.values, values);
  SolveReport report = heddle::solve(Exec(), a.matrix(), b, x);
  CHECK(report.outcome == Outcome::not_a_number);
  CHECK(report.matrix.not_finite >= 0);
  CHECK(mentions(report.to_string(), "row " + std::to_string(report.matrix.not_finite)));
  CHECK(copy_out(x) == before);

  const Plain good = poisson(10);
  const auto host = to_host(b);
  host(3) = std::numeric_limits<double>::infinity();
  Kokkos::deep_copy(b, host);
  report = heddle::solve(Exec(), good.matrix(), b, x);
  CHECK(report.outcome == Outcome::not_a_number);
  CHECK(mentions(report.to_string(), "b has NaN or infinity"));
  CHECK(copy_out(x) == before);
}

TEST_CASE("wrong input is an error that says what to do") {
  const Plain a = poisson(4);
  const auto A = a.matrix();
  const auto error = [&](const SolveOptions& options) {
    return error_of([&] { Solver solver(Exec(), A, options); });
  };
  CHECK(mentions(error({.relative_tolerance = -1}), "options.relative_tolerance"));
  CHECK(mentions(error({.expected_solves = 0}), "options.expected_solves"));
  CHECK(mentions(error({.block_size = 3}), "divisor"));
  const Kokkos::View<float*, Space> floats("heddle::test::vectors", 16);
  const Vector few("heddle::test::vectors", 15);
  CHECK(mentions(error({.nullspace = floats}), "options.nullspace has vectors of another scalar"));
  CHECK(mentions(error({.near_nullspace = floats}), "options.near_nullspace has vectors of"));
  CHECK(mentions(error({.nullspace = few}), "15 rows"));
  CHECK(mentions(error({.near_nullspace = few}), "15 rows"));
  CHECK(mentions(error({.pair = "cg"}), "preconditioner of options.pair"));
  CHECK(mentions(error({.pair = "qmr/none"}), "method of options.pair"));
  const CsrMatrix<double, int, int, Space> wide(16, 17, a.row_ptr, a.col_idx, a.values);
  CHECK(mentions(error_of([&] { Solver solver(Exec(), wide); }), "square"));
  Solver solver(Exec(), A);
  const Vector b("heddle::test::b", 16), short_x("heddle::test::x", 15), x("heddle::test::x", 16);
  CHECK(mentions(error_of([&] { solver.solve(Exec(), b, short_x); }), "length"));
  CHECK(mentions(error_of([&] { solver.solve(Exec(), short_x, short_x); }), "same vector"));
  CHECK(mentions(error_of([&] { solver.solve(Exec(), b, b); }), "same vector"));
  CHECK(mentions(error_of([&] { solver.update_values(Exec(), poisson(5).matrix()); }), "size"));
  Solver<Exec, decltype(a.matrix())> none;
  CHECK(mentions(error_of([&] { none.solve(Exec(), b, x); }), "empty"));
  none = std::move(solver);
  CHECK(none.solve(Exec(), b, x).converged());
  CHECK(mentions(error_of([&] { solver.bytes(); }), "moved from"));
  const auto bad = copy_in<Space>(std::vector<int>(64, 99));
  const CsrMatrix<double, int, int, Space> outside(
      16, 16, a.row_ptr, Kokkos::subview(bad, std::pair(std::size_t(0), a.values.extent(0))),
      a.values);
  CHECK(mentions(error_of([&] { Solver of(Exec(), outside); }), "column 99"));
}

TEST_CASE("a wrong hint is found out") {
  const Plain a = poisson(20, 1);
  const Solved of = solve_of(a, random_right(a), {.positive_definite = true});
  check_solved(of);
  CAPTURE(of.report.to_string());
  REQUIRE(of.report.attempts.size() > 1);
  CHECK(of.report.attempts[0].pair.starts_with("cg/"));
  CHECK_FALSE(of.report.attempts.back().pair.starts_with("cg/"));
  const Plain definite = poisson(20);
  const Solved without = solve_of(definite, random_right(definite), {.positive_definite = false});
  check_solved(without);
  for (const SolveAttempt& ran : without.report.attempts) CHECK_FALSE(ran.pair.starts_with("cg/"));

  // Hints without an effect are named.
  const Plain flowing = flow<Exec, double>(10);
  const Solved unsymmetric = solve_of(flowing, random_right(flowing), {.positive_definite = true});
  check_solved(unsymmetric);
  CHECK(mentions(unsymmetric.report.to_string(), "A is not symmetric"));
  const Solved blocks =
      solve_of(definite, random_right(definite), {.block_size = 2, .pair = "cg/jacobi"});
  CHECK(mentions(blocks.report.to_string(), "options.block_size are for multigrid"));

  // Without an eigenvalue of the other sign A is not called indefinite.
  const Plain singular = plain_operator<Exec>({0, 1, 2, 3}, {0, 1, 2}, std::vector{1.0, 1.0, 0.0});
  const Vector ones("heddle::test::ones", 3);
  Kokkos::deep_copy(ones, 1.0);
  const Solved none = solve_of(singular, ones, {.positive_definite = true});
  CHECK_FALSE(none.report.converged());
  check_true(none);
  CHECK_FALSE(mentions(none.report.to_string(), "A is indefinite"));
}

TEST_CASE("a pair whose set-up fails leads to an outcome, and to the next pair") {
  const Plain a = exchanges(15);  // no entry on the diagonal: no factors
  const Vector b = random_right(a);
  const Solved pinned = solve_of(a, b, {.pair = "gmres/incomplete"});
  CHECK(pinned.report.outcome == Outcome::breakdown);
  REQUIRE(pinned.report.attempts.size() == 1);
  CHECK(mentions(pinned.report.attempts[0].ended, "diagonal"));
  CHECK(pinned.residual == doctest::Approx(1));  // x is zero

  CHECK(pinned.report.iterations == 0);
  CHECK(mentions(pinned.report.to_string(), "no pair could run: gmres/incomplete"));

  const Plain grid = poisson(60);
  const Vector right("heddle::test::ones", 3600);
  Kokkos::deep_copy(right, 1.0);
  check_solved(
      solve_of(grid, random_right(grid), {.near_nullspace = right, .pair = "cg/multigrid"}));
}

TEST_CASE("limits are kept, and what is reached is said") {
  const Plain a = poisson(60);
  const Vector b = random_right(a);
  const Solved few = solve_of(a, b, {.max_iterations = 7, .pair = "cg/jacobi"});
  CHECK(few.report.outcome == Outcome::iteration_limit);
  CHECK(few.report.iterations == 7);
  check_true(few);
  const Solved some = solve_of(a, b, {.max_iterations = 3});
  CHECK(some.report.iterations <= 3);
  CHECK(some.report.outcome == Outcome::iteration_limit);
  const Solved no_iteration = solve_of(a, b, {.max_iterations = 0});
  CHECK(no_iteration.report.outcome == Outcome::iteration_limit);
  CHECK(no_iteration.report.iterations == 0);
  const Solved no_time = solve_of(a, b, {.max_seconds = 0});
  CHECK(no_time.report.outcome == Outcome::out_of_time);
  check_true(no_time);

  const Vector x("heddle::test::x", 3600);
  Solver plain(Exec(), a.matrix(), {.pair = "cg/none"});
  const std::size_t least = plain.bytes();
  plain.solve(Exec(), b, x);
  const std::size_t enough = plain.bytes();
  Solver bounded(Exec(), a.matrix(), {.max_bytes = enough});
  CHECK(bounded.solve(Exec(), b, x).converged());
  CHECK(relative(a, b, x) <= 1.0001e-8);
  CHECK(bounded.bytes() <= enough);
  for (const std::size_t bytes : {least, enough}) {
    CAPTURE(bytes);
    const Solved refused = solve_of(a, b, {.max_bytes = bytes, .pair = "cg/multigrid"});
    CHECK(refused.report.outcome == Outcome::breakdown);
    CHECK(mentions(refused.report.to_string(), "no pair could run"));
    CHECK(mentions(refused.report.to_string(), "max_bytes"));
    CHECK(refused.report.attempts.empty());
  }
  // Bytes are measured after a set-up too, and one pair makes room for another.
  Solver changing(Exec(), a.matrix(), {.max_bytes = least + 6 * 3600 * 8 + 500000});
  for (int k = 0; k < 2; ++k) {
    Kokkos::deep_copy(x, 0.0);
    CHECK(changing.solve(Exec(), b, x).converged());
    CHECK(changing.bytes() <= least + 6 * 3600 * 8 + 500000);
  }
  // A pair that is predicted to end within the limit goes first.
  check_solved(solve_of(a, b, {.max_iterations = 50}));

  int calls = 0;
  const Solved stopped =
      solve_of(a, b, {.pair = "cg/jacobi", .callback = [&](int, double) { return ++calls < 2; }});
  CHECK(stopped.report.outcome == Outcome::stopped_by_user);
  CHECK(calls == 2);
  check_true(stopped);
  const Solved at_last = solve_of(
      a, b, {.max_iterations = 7, .pair = "cg/jacobi", .callback = [&](int iterations, double) {
               return iterations < 7;
             }});
  CHECK(at_last.report.outcome == Outcome::stopped_by_user);
  CHECK(at_last.report.iterations == 7);
  const Solved impossible = solve_of(a, b, {.relative_tolerance = 1e-30, .max_iterations = 2000});
  CAPTURE(impossible.report.to_string());
  CHECK_FALSE(impossible.report.converged());
  CHECK(impossible.residual < 1e-12);
  const auto& ran = impossible.report.attempts;
  for (std::size_t k = 0; k < ran.size(); ++k) {  // one more pair at most
    if (ran[k].ended == name(Outcome::attainable_accuracy)) CHECK(k + 2 >= ran.size());
  }
}

TEST_CASE("what a callback throws arrives, and x and the Solver are in order") {
  const Plain a = poisson(30);
  const Vector b = random_right(a);
  int calls = 0;
  const auto second = [&](int, double) -> bool {
    if (++calls == 2) throw Error("the second call", "");
    return true;
  };
  const Kokkos::View<double**, Kokkos::LayoutRight, Space> both("heddle::test::both", 900, 2);
  const auto strided = Kokkos::subview(both, Kokkos::ALL, 0);
  Solver solver(Exec(), a.matrix(), {.pair = "cg/jacobi", .callback = second});
  CHECK(mentions(error_of([&] { solver.solve(Exec(), b, strided); }), "the second call"));
  CHECK(calls == 2);
  CHECK(solver.report().attempts.size() == 1);
  const Vector x("heddle::test::x", 900);
  Kokkos::deep_copy(x, strided);
  CHECK(relative(a, b, x) == doctest::Approx(solver.report().relative_residual()));
  CHECK(solver.solve(Exec(), b, x).converged());
  CHECK(relative(a, b, x) <= 1.0001e-8);
}

TEST_CASE("a nullspace is given, and is found where A maps ones to zero within rounding alone") {
  const Plain a = neumann(15);
  const Vector ones("heddle::test::ones", 225), in("heddle::test::in", 225);
  Kokkos::deep_copy(ones, 1.0);
  Plain product = a;
  product.apply(Exec(), random_right(a), in);
  check_solved(solve_of(a, in, {.nullspace = ones, .pair = "cg/jacobi"}));
  check_solved(solve_of(a, in, {.nullspace = ones}));

  const auto facts_of = [](const Plain& of) {
    Solver solver(Exec(), of.matrix());
    return solver.report().matrix;
  };
  const auto of_two = [](double more) {
    return plain_operator<Exec>({0, 2, 4}, {0, 1, 0, 1}, std::vector{1 + more, -1., -1., 1 + more});
  };
  CHECK(facts_of(of_two(0)).maps_ones_to_zero());
  CHECK_FALSE(facts_of(of_two(1e-14)).maps_ones_to_zero());
  // Rows sum to zero, and columns do not: symmetric as far as methods care.
  Plain uneven = a;
  auto values = copy_out(a.values);
  const auto row_ptr = copy_out(a.row_ptr), col_idx = copy_out(a.col_idx);
  for (int i = 0; i < 225; ++i) {
    double sum = 0;
    std::size_t diagonal = 0;
    for (auto k = std::size_t(row_ptr[std::size_t(i)]);
         k < std::size_t(row_ptr[std::size_t(i) + 1]); ++k) {
      if (col_idx[k] == i) {
        diagonal = k;
      } else {
        if (col_idx[k] > i) values[k] *= 1 + 1e-7;
        sum += values[k];
      }
    }
    values[diagonal] = -sum;
  }
  uneven.values = copy_in<Space>(values);
  const MatrixFacts facts = facts_of(uneven);
  CHECK(facts.zero_sums == 225);
  CHECK(facts.symmetric);
  CHECK_FALSE(facts.maps_ones_to_zero());
}

TEST_CASE("entries in any order, some of them repeated, on another instance") {
  const Plain sorted = poisson(20);
  const auto row_ptr = copy_out(sorted.row_ptr), col_idx = copy_out(sorted.col_idx);
  const auto values = copy_out(sorted.values);
  std::vector<int> offsets{0}, columns;
  std::vector<double> parts;
  for (int i = 0; i < 400; ++i) {
    for (int k = row_ptr[std::size_t(i) + 1]; k-- > row_ptr[std::size_t(i)];) {
      const auto e = static_cast<std::size_t>(k);
      const int times = col_idx[e] == i ? 2 : 1;
      columns.insert(columns.end(), std::size_t(times), col_idx[e]);
      parts.insert(parts.end(), std::size_t(times), values[e] / times);
    }
    offsets.push_back(static_cast<int>(columns.size()));
  }
  const Plain a = plain_operator<Exec>(offsets, columns, parts);
  const Vector b = random_right(a);
  const Solved of = solve_of(a, b);
  check_solved(of);
  CHECK(of.report.matrix.symmetric);
  CHECK(of.report.matrix.positive_diagonal());
  const Exec other = two_instances(Exec())[1];
  const auto [x, report] = heddle::solve(other, a.matrix(), b);
  CHECK(report.converged());
  CHECK(relative(a, b, x) <= 1.0001e-8);
}

TEST_CASE("what overflows is not called NaN") {
  const Plain a = times(0.25e308, poisson(5));  // sums of rows overflow
  Solver solver(Exec(), a.matrix());
  CHECK(solver.report().matrix.not_finite == -1);
  CHECK(mentions(solver.report().to_string(), "row sums overflow"));
  const Plain grid = poisson(5);
  const Vector b("heddle::test::b", 25);
  Kokkos::deep_copy(b, 1.5e308);
  const Solved large = solve_of(grid, b);
  CHECK(large.report.outcome == Outcome::not_a_number);
  CHECK(mentions(large.report.to_string(), "the norm of b overflows"));
}

TEST_CASE("a Solver serves several right-hand sides and new values") {
  Plain a = poisson(60);
  for (const char* pair : {"", "cg/multigrid", "cg/incomplete", "gmres/incomplete"}) {
    CAPTURE(pair);
    Solver solver(Exec(), a.matrix(), {.expected_solves = 20, .pair = pair});
    const Vector x("heddle::test::x", 3600);
    int first = 0;
    std::size_t held = 0;
    for (const int k : {0, 1, 2}) {
      const Vector b = random_right(a, static_cast<std::uint64_t>(k + 1));
      Kokkos::deep_copy(x, 0.0);
      const SolveReport& report = solver.solve(Exec(), b, x);
      CAPTURE(report.to_string());
      CHECK(report.converged());
      CHECK(relative(a, b, x) <= 1.0001e-8);
      if (k == 0) first = report.attempts.back().iterations;
      if (k > 0 && pair[0] != 0) {
        CHECK(report.attempts.size() == 1);
        CHECK(report.attempts[0].iterations <= 2 * first);
        CHECK(solver.bytes() == held);
      }
      held = solver.bytes();
    }
    const Plain changed = times(3.0, laplacian<Exec, double>(60, 100));
    solver.update_values(Exec(), changed.matrix());
    const Vector b = random_right(changed, 9);
    const SolveReport& report = solver.solve(Exec(), b, x);
    CAPTURE(report.to_string());
    CHECK(report.converged());
    CHECK(relative(changed, b, x) <= 1.0001e-8);
    // Values without definiteness, in the same pattern.
    if (pair[0] != 0) continue;
    const Plain indefinite = poisson(60, 4.5);
    solver.update_values(Exec(), indefinite.matrix());
    Kokkos::deep_copy(x, 0.0);
    CHECK(solver.solve(Exec(), b, x).converged());
    CHECK(relative(indefinite, b, x) <= 1.0001e-8);
  }
}

TEST_CASE("a good guess is taken, and a bad one is not") {
  const Plain a = poisson(30);
  const Vector b = random_right(a);
  const Solved of = solve_of(a, b);
  const SolveReport again = heddle::solve(Exec(), a.matrix(), b, of.x);
  CHECK(again.converged());
  CHECK(again.iterations == 0);
  for (const double entry : {nan, 1e20}) {
    const Vector x("heddle::test::x", 900);
    Kokkos::deep_copy(x, entry);
    const SolveReport report = heddle::solve(Exec(), a.matrix(), b, x);
    CHECK(report.converged());
    CHECK(report.iterations == of.report.iterations);
    CHECK(copy_out(x) == copy_out(of.x));  // the same bits, from zero
  }
}

TEST_CASE("vectors of any stride, offsets of any type") {
  const Plain a = poisson(20);
  const auto b = random_right(a);
  const Kokkos::View<double**, Kokkos::LayoutRight, Space> both("heddle::test::both", 400, 2);
  const auto right = Kokkos::subview(both, Kokkos::ALL, 0);
  const auto x = Kokkos::subview(both, Kokkos::ALL, 1);
  Kokkos::deep_copy(right, b);
  CHECK(heddle::solve(Exec(), a.matrix(), right, x).converged());
  const Vector flat("heddle::test::x", 400);
  Kokkos::deep_copy(flat, x);
  CHECK(relative(a, b, flat) <= 1.0001e-8);

  const auto check_offsets = [&]<class Off>(Off) {
    std::vector<Off> row_ptr;
    for (const int offset : copy_out(a.row_ptr)) row_ptr.push_back(static_cast<Off>(offset));
    const auto offsets = copy_in<Space>(row_ptr);
    const CsrMatrix<double, int, Off, Space> A(400, 400, offsets, a.col_idx, a.values);
    const auto [y, report] = heddle::solve(A, b);
    CHECK(report.converged());
    CHECK(relative(a, b, y) <= 1.0001e-8);
  };
  check_offsets(std::int64_t());
  check_offsets(std::uint32_t());
  check_offsets(std::uint64_t());
}

TEST_CASE("what A is") {
  const MatrixFacts grid = inspected(poisson(30));
  CHECK(grid.rows == 900);
  CHECK(grid.entries == 900 + 4 * 30 * 29);
  CHECK(grid.symmetric);
  CHECK(grid.symmetric_pattern);
  CHECK(grid.positive_diagonal());
  CHECK(grid.dominant_rows == 900);
  CHECK(grid.zero_sums == 28 * 28);
  CHECK(grid.bandwidth == 30);
  CHECK(grid.block_size == 1);
  CHECK(grid.positive_entries == 0);
  CHECK(std::abs(grid.least_dominance) < 1e-15);
  CHECK(grid.steps == 10);
  CHECK(grid.least_real > 0);
  CHECK(grid.largest_real < 2);
  CHECK(grid.largest_real > 1.5);
  CHECK_FALSE(grid.settled);
  CHECK(mentions(grid.to_string(), "symmetric"));

  // All eigenvalues of D^-1 A are known to a small matrix.
  const MatrixFacts shifted = inspected(poisson(3, 1));
  CHECK(shifted.settled);
  CHECK(shifted.least_real == doctest::Approx((3 - 2 * std::sqrt(2.0)) / 3).epsilon(1e-6));
  CHECK(shifted.largest_real == doctest::Approx((3 + 2 * std::sqrt(2.0)) / 3).epsilon(1e-6));
  CHECK(inspected(poisson(20, 2)).seen_indefinite());

  const MatrixFacts against = inspected(flow<Exec, double>(20, 3));
  CHECK_FALSE(against.symmetric);
  CHECK(against.largest_imaginary > 0.1);
  CHECK(against.positive_entries > 0);

  // Ritz values of a nearly diagonal matrix are in its field of values, a disc about 1.
  const MatrixFacts narrow = inspected(operator_where<Exec, double>(
      400,
      [](int i, const auto& add) {
        if (i > 0) add(i - 1);
        add(i);
        if (i < 399) add(i + 1);
      },
      [](int i, int j) { return i == j  ? 1
                                : i < j ? 0.005
                                        : 0.003; }));
  CHECK_FALSE(narrow.symmetric);
  CHECK(narrow.steps == 10);
  CHECK(narrow.least_real > 0.99);
  CHECK(narrow.least_real < 0.995);
  CHECK(narrow.largest_real < 1.01);
  CHECK(narrow.largest_imaginary < 0.005);
  CHECK(inspected(neumann(20)).zero_sums == 400);
  CHECK(inspected(neumann(20)).maps_ones_to_zero());

  // Each entry becomes a block of 3 x 3.
  const Star star{10, 10};
  const Plain blocks = operator_where<Exec, double>(
      300,
      [&](int i, const auto& add) {
        star(i / 3, [&](int node) {
          for (int c = 0; c < 3; ++c) add(3 * node + c);
        });
      },
      [](int i, int j) { return i == j           ? 9.0
                                : i / 3 == j / 3 ? 0.5
                                                 : -0.5; });
  const MatrixFacts of_blocks = inspected(blocks);
  CHECK(of_blocks.block_size == 3);
  const Solved solved = solve_of(blocks, random_right(blocks));
  check_solved(solved);
  CHECK(mentions(solved.report.to_string(), "rigid_body_motions"));

  // An arrow: rows of two entries, from column 0 on.
  const MatrixFacts arrow = inspected(operator_where<Exec, double>(
      60,
      [](int i, const auto& add) {
        if (i > 0) add(0);
        add(i);
      },
      [](int i, int j) { return i == j ? 4.0 : -1.0; }));
  CHECK(arrow.block_size == 1);
  CHECK(arrow.least_dominance == 0.75);

  // A longer one, whose first row is read in parts; all else of it is diagonal, or in two columns.
  for (const double below : {1.0, -1.0}) {
    CAPTURE(below);
    const int n = 3000;
    const MatrixFacts facts = inspected(operator_where<Exec, double>(
        n,
        [](int i, const auto& add) {
          if (i > 0) add(0);
          for (int j = i; j < (i == 0 ? 3000 : i + 1); ++j) add(j);
        },
        [&](int i, int j) { return i == j  ? (i == 0 ? 4 * n : 4.0)
                                   : i < j ? -1
                                           : below; }));
    CHECK(facts.symmetric_pattern);
    CHECK(facts.symmetric == (below < 0));
    CHECK(facts.bandwidth == n - 1);
    CHECK(facts.positive_entries == (below > 0 ? n - 1 : 0));
    CHECK(facts.largest_diagonal == 4 * n);
    CHECK(facts.largest_row_sum == 4 * n + n - 1);
    CHECK(facts.dominant_rows == n);
    CHECK(facts.least_dominance == 0.75);
    CHECK(facts.empty_rows == 0);
  }
}

TEST_CASE("reports have what ran, and the same solve has the same bits") {
  const Plain a = poisson(40);
  const Vector b = random_right(a);
  const Solved one = solve_of(a, b), other = solve_of(a, b);
  CHECK(copy_out(one.x) == copy_out(other.x));
  const std::string text = one.report.to_string();
  for (const char* part : {"converged", "considered", "ran:", "cg/multigrid", "times:"}) {
    CAPTURE(part);
    CHECK(mentions(text, part));
  }
  REQUIRE_FALSE(one.report.history.empty());
  CHECK(one.report.history.front().first == 0);
  for (std::size_t k = 1; k < one.report.history.size(); ++k) {
    CHECK(one.report.history[k].first > one.report.history[k - 1].first);
  }
  for (const SolvePair& pair : one.report.considered) {
    CHECK(pair.price(1) > 0);
    CHECK(std::isfinite(pair.price(1)));
    CHECK(pair.price(100) <= pair.price(1));
  }
}

TEST_CASE("factors are considered where the diagonal is stored") {
  const auto considers = [](const Plain& a, const char* pair) {
    const Solver solver(Exec(), a.matrix());
    const auto& pairs = solver.report().considered;
    return std::any_of(pairs.begin(), pairs.end(),
                       [&](const SolvePair& of) { return of.name() == pair; });
  };
  // A saddle point whose leading block is diagonal, with a zero block that is not stored.
  const Plain saddle = saddle_point<Exec>(30, 10);
  CHECK(inspected(saddle).missing_diagonal > 0);
  CHECK(inspected(saddle).two_levels);
  CHECK_FALSE(considers(saddle, "gmres/incomplete"));
  CHECK(considers(poisson(10, 1), "gmres/incomplete"));
  CHECK_FALSE(inspected(poisson(10)).two_levels);
  // A zero block that is stored.
  const auto stored = [](int i, int j) { return i == j ? (i < 40 ? 2.0 : 0.0) : 1.0; };
  const Plain with_zeros = operator_where<Exec, double>(
      60,
      [](int i, const auto& add) {
        if (i >= 40) {
          add(i - 40);
          add(i - 20);
        }
        add(i);
        if (i < 20) add(i + 40);
        if (i >= 20 && i < 40) add(i + 20);
      },
      stored);
  const MatrixFacts facts = inspected(with_zeros);
  CHECK(facts.zero_diagonal == 20);
  CHECK(facts.missing_diagonal == 0);
  CHECK(facts.two_levels);
  check_solved(solve_of(with_zeros, random_right(with_zeros), {.pair = "bicgstab/incomplete"}));
}

}  // namespace heddle::test
