// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../core/matrix.hpp"
#include "../../formats/compiled.hpp"
#include "options.hpp"

namespace heddle::detail::spectrum {

/// Bound of the largest eigenvalue, for a matrix of signed offsets. Defined in lanczos.hpp.
template <ExecutionSpace Exec, class Matrix>
struct LargestEigenvalue {
  /// An upper bound of the eigenvalues of D^-1 A, as spectrum_bounds documents.
  static double find(const Exec& exec, const Matrix& A, int block_size, double symmetry_tolerance);
};

}  // namespace heddle::detail::spectrum

#ifdef HEDDLE_DEFINITIONS
#include "lanczos.hpp"
#endif

/// The instances of bounds for a scalar that the compiled part (compiled.hpp) holds.
#define HEDDLE_SPECTRUM_INSTANCES(EXTERN, SCALAR) \
  HEDDLE_EACH_SPACE(HEDDLE_SPECTRUM_INSTANCES_ON, EXTERN, SCALAR)
#define HEDDLE_SPECTRUM_INSTANCES_ON(EXTERN, SCALAR, EXEC)                 \
  HEDDLE_SPECTRUM_INSTANCE(EXTERN, EXEC, HEDDLE_MATRIX(SCALAR, int, EXEC)) \
  HEDDLE_SPECTRUM_INSTANCE(EXTERN, EXEC, HEDDLE_MATRIX(SCALAR, std::int64_t, EXEC))
#define HEDDLE_SPECTRUM_INSTANCE(EXTERN, EXEC, ...) \
  EXTERN template struct heddle::detail::spectrum::LargestEigenvalue<EXEC, __VA_ARGS__>;

HEDDLE_EACH_COMPILED_SCALAR(HEDDLE_SPECTRUM_INSTANCES, HEDDLE_EXTERN)

namespace heddle {

/// Bounds for Chebyshev's polynomials in D^-1 A, with a Hermitian positive definite A of diagonal
/// D, for ChebyshevPreconditioner and, with JacobiPreconditioner, for ChebyshevSolver.
///
/// upper: the largest eigenvalue of 12 Lanczos steps times 1.1, and no more than the largest row
/// sum of |D^-1 A|. lower: upper / ratio. As a smoother or preconditioner 10 or so is a good ratio;
/// a solver needs the condition of D^-1 A.
///
/// With a block_size, 1 to 32, D has the dense blocks of so many rows on A's diagonal, as those of
/// BlockJacobiPreconditioner: for systems of several unknowns at each point. `upper` is then 1.1
/// times the Ritz value.
///
/// Allocates seven vectors, and of blocks 1 + block_size more, and waits for `exec`. The result is
/// the same on every run on one device and number of threads. Throws Error if A is not square, not
/// finite, or seen to have a negative eigenvalue; naming the row, if a diagonal entry is missing,
/// not positive or not finite; naming two entries, if A is not symmetric (Hermitian) within 1e-5,
/// measured as MultigridOptions::symmetry_tolerance is; naming its first row, if a diagonal block
/// is singular or not positive definite; if ratio is less than 1.
///
/// Source: Y. Saad, Numerical Methods for Large Eigenvalue Problems (2011), chapter 6.
template <ExecutionSpace Exec, class Matrix>
SpectrumBounds spectrum_bounds(const Exec& exec, const Matrix& A, double ratio = 10,
                               int block_size = 1) {
  using Signed = SignedOffsets<Matrix>;
  using Bound = detail::spectrum::LargestEigenvalue<Exec, Signed>;
  HEDDLE_ASSERT_DEFINED(detail::is_defined<Bound> || detail::is_compiled<Exec, Signed>());
  if (!(ratio >= 1)) {
    throw Error("the ratio of the bounds is " + std::to_string(ratio), "give a ratio of 1 or more");
  }
  const double upper = Bound::find(exec, with_signed_offsets(A), block_size, 1e-5);
  return {upper / ratio, upper};
}

}  // namespace heddle
