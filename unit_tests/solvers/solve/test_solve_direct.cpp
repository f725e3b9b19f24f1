// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Complete factors among the pairs of a solve. b - A x is computed on the host.
#define HEDDLE_DEFINITIONS  // for float
#include <heddle/direct.hpp>

#include "../../support/error_of.hpp"
#include "../../support/solves.hpp"

namespace heddle::test {

namespace {

using Matrix = decltype(std::declval<Plain>().matrix());

Vector right(const Plain& a) { return right_hand_side<double>(a.n, 3); }
SolveDirect direct_of(const Plain& a) {
  return direct_solver<DirectPlan>(Exec(), a.matrix(), DirectOptions{.refinement_steps = 1});
}

}  // namespace

TEST_CASE("complete factors solve what no other pair does") {
  const Plain a = saddle_point<Exec>(300, 1e6);
  const Vector b = right(a);
  const auto few = heddle::solve(Exec(), a.matrix(), b, {.max_iterations = 300});
  CHECK_FALSE(few.second.converged());
  const auto [x, report] =
      heddle::solve(Exec(), a.matrix(), b, {.max_iterations = 300, .direct = direct_of(a)});
  CAPTURE(report.to_string());
  CHECK(report.converged());
  CHECK(report.attempts.back().pair == "gmres/direct");
  CHECK(report.attempts.back().iterations <= 2);
  CHECK(relative_residual(a, b, x) <= 1e-8);
  const auto is_direct = [](const SolvePair& pair) { return pair.name() == "gmres/direct"; };
  CHECK(std::count_if(report.considered.begin(), report.considered.end(), is_direct) == 1);
}

TEST_CASE("a Solver keeps complete factors, and gives them new values") {
  const Plain a = exchanges(50), other = exchanges(50, -3);
  const Vector b = right(a), x("heddle::test::x", b.extent(0));
  Solver solver(Exec(), a.matrix(), {.direct = direct_of(a), .pair = "gmres/direct"});
  const std::size_t before = solver.bytes();
  CHECK(solver.solve(Exec(), b, x).converged());
  CHECK(relative_residual(a, b, x) <= 1e-8);
  CHECK(solver.bytes() > before);
  Kokkos::deep_copy(x, 0.0);
  const SolveReport& again = solver.solve(Exec(), b, x);
  CHECK(again.converged());
  REQUIRE(again.considered.size() == 1);
  CHECK(again.considered[0].setup_seconds == 0);  // the factors are kept

  solver.update_values(Exec(), other.matrix());
  Kokkos::deep_copy(x, 0.0);
  CHECK(solver.solve(Exec(), b, x).converged());
  CHECK(relative_residual(other, b, x) <= 1e-8);

  // Values that cannot be factored are a failure of the pair, and the next ones are not.
  const Plain singular = exchanges(50, 0);
  solver.update_values(Exec(), singular.matrix());
  const SolveReport& failed = solver.solve(Exec(), b, x);
  CAPTURE(failed.to_string());
  CHECK_FALSE(failed.converged());
  CHECK(failed.none_ran.find("gmres/direct: failed") != std::string::npos);
  solver.update_values(Exec(), a.matrix());
  Kokkos::deep_copy(x, 0.0);
  CHECK(solver.solve(Exec(), b, x).converged());
  CHECK(relative_residual(a, b, x) <= 1e-8);
}

TEST_CASE("complete factors that are too large, or of other types, are refused") {
  const Plain a = exchanges(50);
  const auto error = [&](const SolveOptions& options) {
    return error_of([&] { Solver solver(Exec(), a.matrix(), options); });
  };
  CHECK(mentions(error({.pair = "gmres/direct"}), "options.direct is empty"));
  const auto in_float = grid_operator<Exec, float>(4, [](int i, int j) { return i == j ? 4 : -1; });
  const SolveDirect wrong = direct_solver<DirectPlan>(Exec(), in_float.matrix());
  CHECK(mentions(error({.direct = wrong}), "options.direct is for another"));
  const SolveDirect small =
      direct_solver<DirectPlan>(Exec(), a.matrix(), DirectOptions{.max_bytes = 10});
  const auto [x, report] =
      heddle::solve(Exec(), a.matrix(), right(a), {.direct = small, .pair = "gmres/direct"});
  CHECK(report.outcome == Outcome::breakdown);
  CHECK(mentions(report.none_ran, "10"));
}

}  // namespace heddle::test
