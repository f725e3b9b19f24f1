// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../core/plan.hpp"
#include "../../formats/compiled.hpp"
#include "core.hpp"

#ifdef HEDDLE_DEFINITIONS
#include "definitions.hpp"
#endif

/// Instances of DirectPlan for a scalar in the compiled part (compiled.hpp).
#define HEDDLE_DIRECT_INSTANCES(EXTERN, SCALAR) \
  HEDDLE_EACH_SPACE(HEDDLE_DIRECT_INSTANCES_ON, EXTERN, SCALAR)
#define HEDDLE_DIRECT_INSTANCES_ON(EXTERN, SCALAR, EXEC) \
  HEDDLE_DIRECT_INSTANCE(EXTERN, SCALAR, int, EXEC)      \
  HEDDLE_DIRECT_INSTANCE(EXTERN, SCALAR, std::int64_t, EXEC)
#define HEDDLE_DIRECT_INSTANCE(EXTERN, SCALAR, OFFSET, EXEC) \
  EXTERN template class heddle::detail::DirectPlanCore<EXEC, HEDDLE_MATRIX(SCALAR, OFFSET, EXEC)>;

HEDDLE_EACH_COMPILED_SCALAR(HEDDLE_DIRECT_INSTANCES, HEDDLE_EXTERN)

namespace heddle {

/// LU factors of one matrix, complete and with row pivots, and solves with them: x = A^-1 b, for
/// dense matrices of up to some thousand rows and for bands of any length. It is a solver, and a
/// preconditioner of other solvers.
///
/// The scheme, dense or band, and the order of a band are those of the fewest predicted operations
/// among those that options.max_bytes has room for: 2/3 n^3 for a dense matrix of n rows, and
/// 2 n l (l + u) for a band of l diagonals below the main one and u above, of which it keeps
/// n (2 l + u + p) numbers, where p = min(16, l) at least 1 is the width of a panel. Rows of
/// different units are compared in units of their own, so that scaling rows by powers of two
/// changes no pivot.
///
/// A factorization runs right-looking by panels: in one launch, whose teams wait for each other
/// three times a panel, or one team alone if a panel is narrow. So a long narrow band is sequential
/// on every device. Results have the same bits on every run, for any number of threads.
///
/// The plan copies what it needs of A, which may be freed. A plan runs one apply at a time. It can
/// be moved, not copied. Every call on a plan that is empty or moved from throws Error until
/// another is assigned to it. Members of every plan: detail::Plan. Here bad_row() is 0, or one more
/// than the lowest row with a NaN or an infinity, or, if there is none, one more than the first
/// column that has no pivot other than zero.
///
/// Source: G. Golub and C. Van Loan, Matrix Computations (2013), sections 3.2 to 3.5 and 4.3; the
/// layout of a band is that of LAPACK's xGBTRF.
template <ExecutionSpace Exec, class Matrix>
class DirectPlan : public detail::Plan<DirectPlan<Exec, Matrix>, Exec, Matrix,
                                       detail::DirectPlanCore<Exec, SignedOffsets<Matrix>>> {
  using Signed = SignedOffsets<Matrix>;
  using Core = detail::DirectPlanCore<Exec, Signed>;
  using Form = detail::Plan<DirectPlan, Exec, Matrix, Core>;

 public:
  static constexpr const char* class_name = "DirectPlan";

  /// An empty plan, to be assigned to: every call on it throws Error.
  DirectPlan() = default;

  /// Inspects A on `exec`, factors it, and waits. A is square; the columns of a row may be in any
  /// order, repeated entries add up, and rows need no diagonal entry.
  ///
  /// Throws Error if A is not square, has a wrong row pointer or column, no values, or a NaN or an
  /// infinity (naming the row), or is singular, naming the first column whose pivots are all
  /// exactly zero, or overflow: of a complex one |re| + |im| has to be finite. (A matrix that is
  /// singular only up to rounding is factored, and gives large x.)
  /// Also throws Error, with both numbers of bytes, if no scheme fits into options.max_bytes, and
  /// if options are out of range. Device memory: bytes(). An ordering also needs the workspace of
  /// reverse_cuthill_mckee, before the factors are allocated; if there is no memory for that, an
  /// automatic ordering is the natural one.
  explicit DirectPlan(const Exec& exec, const Matrix& A, const DirectOptions& options = {})
      : Form([&] { return std::make_unique<Core>(exec, with_signed_offsets(A), options); }) {
    HEDDLE_ASSERT_DEFINED(detail::is_defined<Core> || detail::is_compiled<Exec, Signed>());
  }
  /// The constructor on the default instance.
  explicit DirectPlan(const Matrix& A, const DirectOptions& options = {})
      : DirectPlan(Exec{}, A, options) {}

  /// Predicts the constructor: its scheme, bytes() and operations. Nothing is factored. If
  /// options.max_bytes is too small, those of the way that needs the fewest bytes. Throws Error as
  /// the constructor does for a matrix or options that are unfit; values are not read. Allocates
  /// for an ordering, and waits for `exec`.
  static DirectForecast forecast(const Exec& exec, const Matrix& A,
                                 const DirectOptions& options = {}) {
    HEDDLE_ASSERT_DEFINED(detail::is_defined<Core> || detail::is_compiled<Exec, Signed>());
    return Core::forecast(exec, with_signed_offsets(A), options);
  }

  using Form::apply;  ///< without exec
  /// x = A^-1 b, with options.refinement_steps steps of refinement. x is not read unless it is b;
  /// otherwise it does not overlap b. Both are of rank 1, or of rank 2 with equal numbers of
  /// vectors: one read of the factors serves options.vectors.count of them. Returns once the work
  /// is queued on `exec`: no allocation, no copy, no fence. Throws Error if shapes do not fit.
  template <VectorView B, WritableVectorView X>
  void apply(const Exec& exec, const B& b, const X& x) const {
    using S = typename Matrix::scalar_type;
    detail::assert_vectors<Exec, S, B, X>();
    this->core("apply").apply(exec, multivector_of<const S>(b), multivector_of<S>(x));
  }

  /// The prediction of the plan when it was made.
  const DirectForecast& forecast() const { return this->core("forecast").forecast(); }

  /// The interface of a preconditioner for solvers: the inverse is symmetric if A is, up to
  /// rounding.
  static constexpr bool symmetric() { return true; }
  static constexpr const char* name() { return "a direct factorization"; }
};

template <ExecutionSpace Exec, class Matrix>
DirectPlan(const Exec&, const Matrix&, const DirectOptions& = {}) -> DirectPlan<Exec, Matrix>;
template <class Matrix>
DirectPlan(const Matrix&, const DirectOptions& = {})
    -> DirectPlan<typename Matrix::memory_space::execution_space, Matrix>;

}  // namespace heddle
