// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../core/plan.hpp"
#include "../../formats/compiled.hpp"
#include "core.hpp"
#include "select/choose.hpp"
#include "without_plan.hpp"

#ifdef HEDDLE_DEFINITIONS
#include "definitions.hpp"
#endif

/// The instances of triangular solves in the compiled part (compiled.hpp), for one scalar.
#define HEDDLE_SPTRSV_INSTANCES(EXTERN, SCALAR) \
  HEDDLE_EACH_SPACE(HEDDLE_SPTRSV_INSTANCES_ON, EXTERN, SCALAR)
#define HEDDLE_SPTRSV_INSTANCES_ON(EXTERN, SCALAR, EXEC)       \
  EXTERN template class heddle::SptrsvWorkspace<EXEC, SCALAR>; \
  HEDDLE_SPTRSV_INSTANCE(EXTERN, SCALAR, int, EXEC)            \
  HEDDLE_SPTRSV_INSTANCE(EXTERN, SCALAR, std::int64_t, EXEC)
#define HEDDLE_SPTRSV_INSTANCE(EXTERN, SCALAR, OFFSET, EXEC)                                      \
  EXTERN template class heddle::detail::SptrsvPlanCore<EXEC, HEDDLE_MATRIX(SCALAR, OFFSET, EXEC), \
                                                       SCALAR, SCALAR>;                           \
  EXTERN template void heddle::detail::sptrsv::solve_without_plan(                                \
      const EXEC&, SCALAR, const HEDDLE_MATRIX(SCALAR, OFFSET, EXEC)&,                            \
      const ::heddle::Multivector<const SCALAR>&, const ::heddle::Multivector<SCALAR>&,           \
      const ::heddle::SptrsvWorkspace<EXEC, SCALAR>&, const ::heddle::SptrsvOptions&);

HEDDLE_EACH_COMPILED_SCALAR(HEDDLE_SPTRSV_INSTANCES, HEDDLE_EXTERN)

namespace heddle {

/// One triangle of a matrix, inspected once, solved with many times: op(T) x = alpha * b.
///
/// The plan copies what it needs of the matrix, whose arrays may be freed once the plan is made.
/// After the values change, call update_values. prepare reads the arrays that the plan was given
/// last, which must still exist, and throws Error if the triangle has another number of entries
/// there than was inspected. The plan belongs to the device of `exec` and applies on any execution
/// space instance of that device. A plan solves once at a time: solves on two streams that may
/// overlap need a plan each (SptrsvOptions::check_overlap detects them). A plan can be moved, not
/// copied. Every call on a plan that is empty or moved from throws Error until another is assigned
/// to it. The members that all plans have: detail::Plan.
///
/// Vector is the type of b and x, Accumulator that of alpha and every sum. Both default to the
/// matrix's scalar and may be wider. x is rounded to Vector before other rows read it.
template <ExecutionSpace Exec, class Matrix, Scalar Vector = detail::ScalarOf<Matrix>,
          Scalar Accumulator = Vector>
class SptrsvPlan : public detail::Plan<
                       SptrsvPlan<Exec, Matrix, Vector, Accumulator>, Exec, Matrix,
                       detail::SptrsvPlanCore<Exec, SignedOffsets<Matrix>, Vector, Accumulator>> {
  using Signed = SignedOffsets<Matrix>;
  using Core = detail::SptrsvPlanCore<Exec, Signed, Vector, Accumulator>;
  using Form = detail::Plan<SptrsvPlan, Exec, Matrix, Core>;

 public:
  static constexpr const char* class_name = "SptrsvPlan";

  /// An empty plan, to be assigned to: every call on it throws Error.
  SptrsvPlan() = default;

  /// Inspects the triangle of T that the options select, on `exec`, and waits for it. T is square;
  /// the columns of a row may be in any order, and repeated entries add up.
  ///
  /// Throws Error, naming the row: if the row pointer or a column is wrong; if an entry lies
  /// outside the triangle, unless options.ignore_outside; if a diagonal entry that is needed is
  /// missing, or zero, infinite or NaN after repeated entries are added. Also throws Error if
  /// options.scheme exists on no backend (the message lists those that exist). Device memory:
  /// bytes().
  explicit SptrsvPlan(const Exec& exec, const Matrix& T, const SptrsvOptions& options = {})
      : Form([&] { return std::make_unique<Core>(exec, with_signed_offsets(T), options); }) {
    HEDDLE_ASSERT_DEFINED(detail::is_defined<Core> ||
                          detail::is_compiled<Exec, Signed, Vector, Accumulator>());
  }

  /// Inspects the triangle of T on the default instance.
  explicit SptrsvPlan(const Matrix& T, const SptrsvOptions& options = {})
      : SptrsvPlan(Exec{}, T, options) {}

  using Form::apply;  ///< the forms without exec, on the default instance
  /// Solves T x = alpha * b. b and x have T.rows() rows. Both are of rank 1, or of rank 2 with
  /// equal numbers of vectors, in any layout. x is b itself or does not overlap it.
  ///
  /// alpha == 0 sets x to zero and reads neither T nor b. x is never read unless it is b. Returns
  /// once the work is queued on `exec`: no allocation, no copy, no fence. May be captured in a CUDA
  /// or HIP graph. Bitwise reproducible on one device for a fixed scheme. Throws Error if shapes do
  /// not fit, or b and x overlap in part.
  template <VectorView B, WritableVectorView X>
  void apply(const Exec& exec, Accumulator alpha, const B& b, const X& x) const {
    apply(exec, Op::none, alpha, b, x);
  }

  /// Solves op(T) x = alpha * b. Throws Error if the op is not prepared.
  template <VectorView B, WritableVectorView X>
  void apply(const Exec& exec, Op op, Accumulator alpha, const B& b, const X& x) const {
    detail::assert_vectors<Exec, Vector, B, X>();
    execute(exec, op, alpha, multivector_of<const Vector>(b), multivector_of<Vector>(x));
  }

  /// Solves T x = b, the interface of a preconditioner for solvers; it is not symmetric in general.
  template <VectorView B, WritableVectorView X>
  void apply(const Exec& exec, const B& b, const X& x) const {
    apply(exec, Op::none, Accumulator(1), b, x);
  }
  static constexpr bool symmetric() { return false; }
  static constexpr const char* name() { return "a sweep over one triangle (SptrsvPlan)"; }
  /// Solves op(T) x = alpha * b, for vectors that are not Views.
  void execute(const Exec& exec, Op op, Accumulator alpha, const Multivector<const Vector>& b,
               const Multivector<Vector>& x) const {
    this->core("apply").execute(exec, op, alpha, b, x);
  }

  /// Number of levels of the triangle, which must be solved one after the other. 0 if the scheme
  /// did not compute them.
  int levels(Op op = Op::none) const { return this->core("levels").levels(op); }
  /// The features of op(T) that its scheme was chosen by. If no scheme was chosen, or the choice
  /// computed no features (on a CPU), each call computes them: it finds levels, allocates, waits
  /// for `exec`, and reads the pattern of the arrays that the plan was given last, which must still
  /// exist. Deterministic; counts are exact.
  TriangleFeatures features(const Exec& exec, Op op = Op::none) const {
    return this->core("features").features(exec, op);
  }

 private:
  friend struct detail::sptrsv::TraceAccess;
};

/// The schemes of a device for a triangle, the best first, with reasons; a plan without a pinned
/// scheme runs the first. A pure function. It reads expected_applies, vectors, threads and model
/// (assumed to be for the triangle's scalar) of the options. On a GPU schemes are concrete. On a
/// CPU the ranking uses rows, entries and shared rows only, except with a model; the plan computes
/// from the levels whether threads gain: docs/sptrsv.md.
inline std::vector<RankedSolve> choose(const TriangleFeatures& features,
                                       const SptrsvOptions& options, const Device& device) {
  return detail::sptrsv::choose(
      features,
      {options.expected_applies, options.vectors.count, options.threads,
       detail::sptrsv::model_for(options.model.get(), device, options.vectors, options.threads,
                                 options.expected_applies)},
      device);
}

template <ExecutionSpace Exec, class Matrix>
SptrsvPlan(const Exec&, const Matrix&, const SptrsvOptions& = {}) -> SptrsvPlan<Exec, Matrix>;
template <class Matrix>
  requires(!ExecutionSpace<Matrix>)
SptrsvPlan(const Matrix&, const SptrsvOptions& = {})
    -> SptrsvPlan<typename Matrix::memory_space::execution_space, Matrix>;

}  // namespace heddle
