// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One system by conjugate gradients: hand-written, by the ten lines, and by another preconditioner.
#include <cmath>
#include <cstdio>
#include <heddle/cg.hpp>
#include <heddle/chebyshev.hpp>

#include "few_formats.hpp"
#include "matrices.hpp"
#include "measure.hpp"
#include "plain_cg.hpp"
#include "sections.hpp"

namespace demo {

namespace {

/// CG preconditioned by a polynomial in A: three more products an iteration. No eigenvalue of D^-1
/// A is above 2, since no diagonal entry is below the sum of its row's other magnitudes.
Solved solve_by_polynomial(const Exec& exec, const Rows& rows, const Vector& b, const Vector& x) {
  const heddle::CsrMatrix matrix(rows.rows, rows.rows, rows.row_ptr, rows.col_idx, rows.values);
  heddle::SpmvPlan A(exec, matrix, {}, FewFormats());
  const heddle::JacobiPreconditioner<Exec, double> jacobi(exec, matrix);
  heddle::ChebyshevPreconditioner M(exec, A, jacobi, {.lower = 2.0 / 30, .upper = 2.0});
  heddle::CgSolver<Exec, double> cg(exec, rows.rows);
  const heddle::KrylovResult result = cg.solve(exec, A, b, x, M);
  return {result.converged(), result.iterations};
}

/// Side of a grid on which a plain solve takes about `size.seconds`.
int side_for(const Size& size) {
  constexpr double bytes_per_point_and_iteration = 12 * 7 + 4 + 16 + 10 * 8;
  constexpr double iterations = 300;
  const double points =
      size.seconds * size.triad_rate / (bytes_per_point_and_iteration * iterations);
  return std::clamp(static_cast<int>(std::cbrt(points)), 8, 160);
}

}  // namespace

bool show_solves(const Exec& exec, const Size& size) {
  const int side = side_for(size);
  const Rows A = heat(exec, side);
  const Vector b = vector(exec, A.rows, 1), x = vector(exec, A.rows, 0);
  std::printf(
      "\nA x = b by conjugate gradients, heat in layers: %d rows, %.1f MB, to |b - A x| <= 1e-8 "
      "|b|\n",
      A.rows, 1e-6 * 12 * static_cast<double>(A.nonzeros()));

  const auto from_zero = [&] {
    Kokkos::deep_copy(exec, x, 0.0);
    return x;
  };
  std::vector<Solved> found(4);
  std::vector<Contestant> contestants = {
      {"Heddle, the diagonal (ten lines)", [&] { found[0] = solve(exec, A, b, from_zero()); }},
      {"Heddle, a polynomial in A",
       [&] { found[1] = solve_by_polynomial(exec, A, b, from_zero()); }},
      {"Kokkos loops, the diagonal", [&] { found[2] = kokkos_cg(exec, A, b, x); }},
      {"a plain loop, the diagonal", [&] { found[3] = plain_cg(A, b, x); }},
  };
  time_in_turns(exec, contestants, 0);
  const double plain_seconds = contestants.back().median();
  bool right = true;
  std::printf("  %-34s %10s %10s %13s %9s\n", "set-up counted", "time", "iterations",
              "|b-Ax| / |b|", "as fast");
  for (std::size_t i = 0; i < contestants.size(); ++i) {
    Contestant& contestant = contestants[i];
    contestant.run();
    const double left = residual(A, b, x);
    // The hand-written loops stop by an updated residual, so the computed one may be a bit larger.
    const bool solved = found[i].converged && left <= 2 * tolerance;
    right = right && solved;
    const double factor = plain_seconds / contestant.median();
    std::printf("  %-34s %7.0f ms %10d %13.1e %8.2fx  %s%s%s\n", contestant.name.c_str(),
                1e3 * contestant.median(), found[i].iterations, left, factor,
                bar(factor / 4).c_str(), contestant.steady() ? "" : "  unsteady",
                solved ? "" : "  NOT SOLVED");
  }
  std::printf("  the plan took %s; residuals were computed apart, in long double\n",
              short_name(found[0].scheme).c_str());
  return right;
}

}  // namespace demo
