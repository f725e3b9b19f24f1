// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Krylov methods that end badly: small singular and inconsistent systems of whole numbers, with and
// without their nullspace, products with NaN, guesses far larger than b, and solves without checks.
// Results are no worse than the guess, and agree with what the solver reports.
#include <heddle/bicgstab.hpp>
#include <heddle/cg.hpp>
#include <heddle/gmres.hpp>
#include <heddle/minres.hpp>

#include "../../solvers/krylov/bicgstab_definitions.hpp"
#include "../../solvers/krylov/cg_definitions.hpp"
#include "../../solvers/krylov/gmres_definitions.hpp"
#include "../../solvers/krylov/minres_definitions.hpp"
#include "../../testing/vectors_check.hpp"
#include "../support/breaking.hpp"
#include "../support/wrong_solve.hpp"
#include "trial.hpp"

namespace heddle::test {

namespace {

/// A Laplacian of all pairs, or B C of n x k and k x n, or B B': their rank is at most k.
template <class Exec, class Numbers>
PlainOperator<Exec, double> draw_singular(Random& random, const Numbers& numbers, std::size_t n,
                                          bool laplacian, bool symmetric) {
  const auto k = up_to<std::size_t>(random, static_cast<std::int64_t>(n) - 1);
  const std::vector<double> left = numbers(n * k), right = symmetric ? left : numbers(n * k);
  std::vector<int> row_ptr{0}, col_idx;
  std::vector<double> values;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      double entry = i == j ? static_cast<double>(n - 1) : -1;
      if (!laplacian) {
        entry = 0;
        for (std::size_t l = 0; l < k; ++l) entry += left[i * k + l] * right[j * k + l];
      }
      values.push_back(entry);
      col_idx.push_back(static_cast<int>(j));
    }
    row_ptr.push_back(static_cast<int>(values.size()));
  }
  return plain_operator<Exec>(row_ptr, col_idx, values);
}

template <class Solver, class Exec>
std::string wrong_solve(const Exec& exec, Solver& solver, Breaking<Exec>& a,
                        const std::vector<double>& host_b, const std::vector<double>& guess,
                        bool may_be_worse) {
  using Space = typename Exec::memory_space;
  const auto b = copy_in<Space>(host_b), x = copy_in<Space>(guess);
  const ResidualNorms first = residual_norms(a.of, b, x);
  solver.solve(exec, a, b, x);
  const KrylovResult result = solver.results(exec)[0];
  const ResidualNorms is = residual_norms(a.of, b, x);
  const double noise = 1e-13 * (is.rounding + first.rounding);
  if (!std::isfinite(is.residual)) return text("not finite: ", name(result.outcome));
  const bool limit = may_be_worse && result.outcome == Outcome::iteration_limit;
  if (!(is.residual <= 1.0001 * first.residual + noise) && !limit) {
    return text("worse than the guess, by ", is.residual / first.residual, ": ",
                name(result.outcome));
  }
  const std::vector<double> history = solver.history(exec);
  if (history.empty() || history.back() != result.residual) return "another end of the history";
  return wrong_report(result, is.residual, 1e-8 * result.reference, 1e-6, noise);
}

template <class Exec>
void trial(Random& random, Report& report) {
  const Exec exec = draw_instance<Exec>(random, report);
  const auto method = one_of<std::string>(random, {"cg", "gmres", "bicgstab", "minres"});
  const auto n = 1 + up_to<std::size_t>(random, 5);
  const bool laplacian = once_in(random, 3);
  const double size = once_in(random, 4) ? 1e-120 : 1;
  const auto numbers = [&](std::size_t count) {
    std::vector<double> of(count);
    for (double& number : of) number = static_cast<double>(random.below(7) - 3);
    return of;
  };
  Breaking<Exec> a{
      draw_singular<Exec>(random, numbers, n, laplacian, method == "cg" || method == "minres"),
      once_in(random, 3) ? 1 + up_to(random, 8) : 0};  // 1: the guess
  std::vector<double> b = numbers(n);
  for (double& entry : b) entry *= size;
  const std::vector<double> guess = numbers(n);
  KrylovOptions options;
  options.check_every = one_of(random, {0, 1, 2, 10});
  options.max_iterations = 1 + up_to(random, 40);
  options.history = true;
  if (laplacian && once_in(random, 2)) options.nullspace = Nullspace::constant();
  if (method == "gmres") options.restart = up_to(random, static_cast<std::int64_t>(n));
  options.flexible = (method == "cg" || method == "gmres") && once_in(random, 4);
  report.says(", ", n, " rows", laplacian ? " of a Laplacian" : "", ", ", method, ", b of ", size,
              ", NaN at ", a.first, ", checks every ", options.check_every, ", at most ",
              options.max_iterations, options.nullspace.count() ? ", nullspace" : "",
              options.flexible ? ", flexible" : "");
  const auto rows = static_cast<std::int64_t>(n);
  const auto solve = [&](auto&& solver) {
    report.take(wrong_solve(exec, solver, a, b, guess, method == "cg"));
  };
  if (method == "cg") {
    solve(CgSolver<Exec, double>(exec, rows, options));
  } else if (method == "minres") {
    solve(MinresSolver<Exec, double>(exec, rows, options));
  } else if (method == "gmres") {
    solve(GmresSolver<Exec, double>(exec, rows, options));
  } else {
    solve(BicgstabSolver<Exec, double>(exec, rows, options));
  }
}

const AddTrial added("singular", &trial<DefaultDevice>);

}  // namespace

}  // namespace heddle::test
