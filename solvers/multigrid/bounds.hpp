// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../krylov/options.hpp"
#include "plan.hpp"

namespace heddle {

/// Bounds for Chebyshev's polynomials in D^-1 A, of a Hermitian positive definite A with diagonal
/// D: what ChebyshevPreconditioner and, with JacobiPreconditioner, ChebyshevSolver take.
///
/// upper: the largest eigenvalue of 12 steps of Lanczos times 1.1, and no more than the largest row
/// sum of |D^-1 A|. lower: upper / ratio. As a smoother or preconditioner 10 or so is a good ratio;
/// a solver needs the condition of D^-1 A.
///
/// Allocates five vectors, and waits for `exec`. The same on every run on one device and number of
/// threads. Throws Error, naming the row, if A is no square matrix, a diagonal entry is missing,
/// not positive or not finite, or A is not finite; naming two entries, if A is not symmetric
/// (Hermitian) within MultigridOptions::symmetry_tolerance; if A is seen to have a negative
/// eigenvalue; if ratio is less than 1.
///
/// Source: Y. Saad, Numerical Methods for Large Eigenvalue Problems (2011), chapter 6.
template <ExecutionSpace Exec, class Matrix>
SpectrumBounds spectrum_bounds(const Exec& exec, const Matrix& A, double ratio = 10) {
  using Signed = SignedOffsets<Matrix>;
  using Core = detail::MultigridPlanCore<Exec, Signed>;
  HEDDLE_ASSERT_DEFINED(detail::is_defined<Core> || detail::is_compiled<Exec, Signed>());
  if (!(ratio >= 1)) {
    throw Error("a largest eigenvalue of " + std::to_string(ratio) + " times the lower bound",
                "give a ratio of 1 or more");
  }
  const double upper = Core::largest_eigenvalue(exec, with_signed_offsets(A));
  return {upper / ratio, upper};
}

}  // namespace heddle
