// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A user's code. The demo runs it, and prints its includes and the lines between the marks.
#include "ten_lines.hpp"

#include <heddle/cg.hpp>
#include <heddle/multigrid.hpp>
#include <heddle/spmv.hpp>

#include "few_multigrid.hpp"

namespace demo {

Solved solve(const Exec& exec, const Rows& rows, const Vector& b, const Vector& x) {
  const auto& [n, row_ptr, col_idx, values] = rows;
  // begin
  heddle::CsrMatrix matrix(n, n, row_ptr, col_idx, values);  // Kokkos Views, borrowed
  heddle::SpmvPlan A(exec, matrix, {}, FewFormats());        // inspects, and takes a scheme
  heddle::MultigridPlan M(exec, matrix, {}, FewFormats());   // makes coarser levels
  heddle::CgSolver<Exec, double> cg(exec, n);
  heddle::KrylovResult result = cg.solve(exec, A, b, x, M);  // until |b - A x| <= 1e-8 |b|
  std::string report = name(result.outcome) + ("\n" + M.levels().to_string());
  // end
  return {result.converged(), result.iterations, report};
}

}  // namespace demo
