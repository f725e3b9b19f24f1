// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

#include "../../core/plan.hpp"
#include "../../formats/compiled.hpp"
#include "core.hpp"

#ifdef HEDDLE_DEFINITIONS
#include "definitions.hpp"
#endif

/// Instances of Gauss-Seidel for a scalar in the compiled part (compiled.hpp).
#define HEDDLE_GAUSS_SEIDEL_INSTANCES(EXTERN, SCALAR) \
  HEDDLE_EACH_SPACE(HEDDLE_GAUSS_SEIDEL_INSTANCES_ON, EXTERN, SCALAR)
#define HEDDLE_GAUSS_SEIDEL_INSTANCES_ON(EXTERN, SCALAR, EXEC) \
  HEDDLE_GAUSS_SEIDEL_INSTANCE(EXTERN, SCALAR, int, EXEC)      \
  HEDDLE_GAUSS_SEIDEL_INSTANCE(EXTERN, SCALAR, std::int64_t, EXEC)
#define HEDDLE_GAUSS_SEIDEL_INSTANCE(EXTERN, SCALAR, OFFSET, EXEC)     \
  HEDDLE_GAUSS_SEIDEL_INSTANCE_OF(EXTERN, EXEC, ::heddle::EveryFormat, \
                                  HEDDLE_MATRIX(SCALAR, OFFSET, EXEC))
#define HEDDLE_GAUSS_SEIDEL_INSTANCE_OF(EXTERN, EXEC, LIST, ...)                               \
  EXTERN template class heddle::detail::GaussSeidelPlanCore<EXEC, __VA_ARGS__>;                \
  EXTERN template std::unique_ptr<::heddle::detail::gauss_seidel::Executor<EXEC, __VA_ARGS__>> \
  heddle::detail::gauss_seidel::make_split<EXEC, __VA_ARGS__, LIST>(                           \
      const EXEC&, const __VA_ARGS__&, const ::heddle::GaussSeidelOptions&);

HEDDLE_EACH_COMPILED_SCALAR(HEDDLE_GAUSS_SEIDEL_INSTANCES, HEDDLE_EXTERN)

namespace heddle {

/// Gauss-Seidel, SOR and SSOR of one matrix: a preconditioner (apply) and a smoother (relax). In
/// the natural order the results equal those of the sequential sweep up to rounding, for every
/// pattern. In any order every run gives the same bits.
///
/// A half sweep reads one side of the matrix, the triangle that it solves with. The sum over the
/// other side is kept from the half sweep before, or computed by a pass without waits. So a
/// symmetric sweep from zero reads the matrix once: with w the relaxation factor, L, D and U the
/// parts of A, and x1 the result of the forward half, (D + w U) x2 = (2 - w) D x1 backward.
///
/// With options.block_size blocks replace entries: the unknowns of a block row are solved for
/// together, with the inverse of the diagonal block.
///
/// The plan copies the matrix. With gauss-seidel/split it borrows the pattern, which must outlive
/// the plan. A plan sweeps once at a time. It can be moved, not copied. Every call on a plan that
/// is empty or moved from throws Error until another is assigned to it. Members of every plan:
/// detail::Plan. With blocks bad_row is the first row of the lowest block that is singular or not
/// finite; that block counts as the identity. FormatList: the formats for products of
/// gauss-seidel/split.
template <ExecutionSpace Exec, class Matrix, class FormatList = EveryFormat>
class GaussSeidelPlan
    : public detail::Plan<GaussSeidelPlan<Exec, Matrix, FormatList>, Exec, Matrix,
                          detail::GaussSeidelPlanCore<Exec, SignedOffsets<Matrix>>> {
  using Signed = SignedOffsets<Matrix>;
  using Core = detail::GaussSeidelPlanCore<Exec, Signed>;
  using Form = detail::Plan<GaussSeidelPlan, Exec, Matrix, Core>;

 public:
  static constexpr const char* class_name = "GaussSeidelPlan";

  /// An empty plan, to be assigned to: every call on it throws Error.
  GaussSeidelPlan() = default;

  /// Inspects A on `exec` and waits for it. A is square; the columns of a row may be in any order,
  /// and repeated entries add up.
  ///
  /// Throws Error, naming the row, if the row pointer or a column is wrong, a diagonal entry is
  /// missing, zero, infinite or NaN, or a diagonal block is singular (then its first row). Also
  /// throws Error if omega is not between 0 and 2, or options.scheme exists on no backend (the
  /// message lists those that exist). Device memory: bytes().
  explicit GaussSeidelPlan(const Exec& exec, const Matrix& A,
                           const GaussSeidelOptions& options = {}, FormatList = {})
      : Form([&] {
          return std::make_unique<Core>(exec, with_signed_offsets(A), options,
                                        detail::gauss_seidel::make_split<Exec, Signed, FormatList>);
        }),
        sweep_(options.sweep) {
    HEDDLE_ASSERT_DEFINED(detail::is_defined<Core> || (detail::is_compiled<Exec, Signed>() &&
                                                       std::same_as<FormatList, EveryFormat>));
  }

  /// The constructor on the default instance.
  explicit GaussSeidelPlan(const Matrix& A, const GaussSeidelOptions& options = {})
      : GaussSeidelPlan(Exec{}, A, options) {}

  using Form::apply;  ///< without exec
  /// x = M b: one sweep from zero (forward, backward, or both halves of a symmetric one). x is
  /// written before it is read and does not overlap b. Both are of rank 1, or of rank 2 with any
  /// number of vectors: one read of the matrix serves options.vectors.count of them. Returns once
  /// the work is queued on `exec`: no allocation, no copy, no fence. Bitwise reproducible on one
  /// device for a fixed scheme. Throws Error if shapes do not fit.
  template <VectorView B, WritableVectorView X>
  void apply(const Exec& exec, const B& b, const X& x) const {
    sweep(exec, b, x, no_residual<X>, 1, true);
  }
  /// x = M b, and residual = b - A x for half a product, since the other half is known.
  template <VectorView B, WritableVectorView X, WritableVectorView R>
  void apply(const Exec& exec, const B& b, const X& x, const R& residual) const {
    sweep(exec, b, x, &residual, 1, true);
  }
  /// Improves x by `sweeps` sweeps; throws Error if the number is negative.
  template <VectorView B, WritableVectorView X>
  void relax(const Exec& exec, const B& b, const X& x, int sweeps = 1) const {
    sweep(exec, b, x, no_residual<X>, sweeps, false);
  }
  /// Improves x by `sweeps` sweeps, at least one, and sets residual = b - A x, for half a product.
  template <VectorView B, WritableVectorView X, WritableVectorView R>
  void relax(const Exec& exec, const B& b, const X& x, int sweeps, const R& residual) const {
    sweep(exec, b, x, &residual, sweeps, false);
  }
  template <VectorView B, class... Rest>
  void relax(const B& b, const Rest&... rest) const {
    relax(Exec{}, b, rest...);
  }

  /// The interface of a preconditioner for solvers.
  bool symmetric() const { return sweep_ == SweepDirection::symmetric; }
  std::string name() const {
    return std::string("a ") + heddle::name(sweep_) + " Gauss-Seidel sweep";
  }
  /// Number of levels of a half sweep: the longest chain of dependent rows, or block rows. 0 if the
  /// scheme did not compute them.
  int levels(SweepDirection sweep = SweepDirection::forward) const {
    return this->core("levels").levels(sweep);
  }
  /// Number of colors with GaussSeidelOrder::multicolor; else 0.
  int colors() const { return this->core("colors").colors(); }
  /// With gauss-seidel/split: the scheme of the solves of a half sweep.
  const Scheme& sptrsv_scheme(SweepDirection sweep) const {
    return this->core("sptrsv_scheme").sptrsv_scheme(sweep);
  }
  const Scheme& spmv_scheme(SweepDirection sweep) const {
    return this->core("spmv_scheme").spmv_scheme(sweep);
  }

 private:
  using S = typename Matrix::scalar_type;
  template <class X>
  static constexpr const X* no_residual = nullptr;

  template <class B, class X, class R>
  void sweep(const Exec& exec, const B& b, const X& x, const R* residual, int sweeps,
             bool from_zero) const {
    detail::assert_vectors<Exec, S, B, X>();
    detail::assert_vectors<Exec, S, B, R>();
    detail::gauss_seidel::SweepVectors<S> vectors{
        multivector_of<const S>(b), multivector_of<S>(x), {}};
    if (residual) vectors.residual = multivector_of<S>(*residual);
    this->core(from_zero ? "apply" : "relax")
        .sweep(exec, vectors, residual != nullptr, sweeps, from_zero);
  }

  SweepDirection sweep_ = SweepDirection::symmetric;
};

template <ExecutionSpace Exec, class Matrix>
GaussSeidelPlan(const Exec&, const Matrix&, const GaussSeidelOptions& = {})
    -> GaussSeidelPlan<Exec, Matrix>;
template <class Matrix>
GaussSeidelPlan(const Matrix&, const GaussSeidelOptions& = {})
    -> GaussSeidelPlan<typename Matrix::memory_space::execution_space, Matrix>;

}  // namespace heddle
