// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../core/version.hpp"
#include "../../formats/compiled.hpp"
#include "core.hpp"
#include "select/choose.hpp"
#include "without_plan.hpp"

#ifdef HEDDLE_DEFINITIONS
#include "definitions.hpp"
#endif

/// What the compiled part (compiled.hpp) holds of triangular solves: all that a plan does, for a
/// scalar.
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
/// After the values change, call update_values. The plan belongs to the device of `exec` and
/// applies on any execution space instance of that device. A plan solves once at a time: solves on
/// two streams that may overlap need a plan each (SptrsvOptions::check_overlap detects them). A
/// plan can be moved, not copied. Every call on a plan that is empty or moved from throws Error
/// until another is assigned to it.
///
/// Vector is the type of b and x, Accumulator that of alpha and every sum. Both default to the
/// matrix's scalar and may be wider. x is rounded to Vector before other rows read it.
template <ExecutionSpace Exec, class Matrix, Scalar Vector = typename Matrix::scalar_type,
          Scalar Accumulator = Vector>
class SptrsvPlan {
 public:
  using execution_space = Exec;
  using matrix_type = Matrix;
  static_assert(
      Kokkos::SpaceAccessibility<KokkosSpace<Exec>, typename Matrix::memory_space>::accessible,
      "the matrix lies in a memory space that the execution space cannot reach");

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
      : core_(exec, with_signed_offsets(T), options) {
    HEDDLE_ASSERT_DEFINED(detail::is_defined<Core> ||
                          detail::is_compiled<Exec, Signed, Vector, Accumulator>());
  }

  /// As above, on the default instance; so does every function without `exec`.
  explicit SptrsvPlan(const Matrix& T, const SptrsvOptions& options = {})
      : SptrsvPlan(Exec{}, T, options) {}

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
    static_assert(std::same_as<typename B::non_const_value_type, Vector> &&
                      std::same_as<typename X::value_type, Vector>,
                  "b and x hold the plan's Vector type");
    static_assert(
        Kokkos::SpaceAccessibility<KokkosSpace<Exec>, typename B::memory_space>::accessible &&
            Kokkos::SpaceAccessibility<KokkosSpace<Exec>, typename X::memory_space>::accessible,
        "b or x lies in a memory space that the execution space cannot reach");
    execute(exec, op, alpha, multivector_of<const Vector>(b), multivector_of<Vector>(x));
  }

  /// Solves T x = b, the interface of a preconditioner for solvers; it is not symmetric in general.
  template <VectorView B, WritableVectorView X>
  void apply(const Exec& exec, const B& b, const X& x) const {
    apply(exec, Op::none, Accumulator(1), b, x);
  }
  template <VectorView B, WritableVectorView X>
  void apply(Accumulator alpha, const B& b, const X& x) const {
    apply(Exec{}, alpha, b, x);
  }
  template <VectorView B, WritableVectorView X>
  void apply(Op op, Accumulator alpha, const B& b, const X& x) const {
    apply(Exec{}, op, alpha, b, x);
  }
  template <VectorView B, WritableVectorView X>
  void apply(const B& b, const X& x) const {
    apply(Exec{}, b, x);
  }

  static constexpr bool takes_several_vectors = true;
  static constexpr bool symmetric() { return false; }
  static constexpr const char* name() { return "a sweep over one triangle (SptrsvPlan)"; }
  /// Changes with every update_values: see Version.
  VersionNumber version() const { return version_.number(); }
  /// Whether apply may be recorded in a graph: yes, since flags and tickets keep their state on the
  /// device.
  static constexpr bool capturable() { return true; }
  static constexpr bool launches_by_heddle = true;

  /// As apply, for vectors that are not Views.
  void execute(const Exec& exec, Op op, Accumulator alpha, const Multivector<const Vector>& b,
               const Multivector<Vector>& x) const {
    core_.execute(exec, op, alpha, b, x);
  }

  /// Prepares `op` if it is not prepared yet. Allocates, and waits for `exec`. The values are those
  /// of the arrays that the plan was given last, which must still exist. Throws Error if the
  /// triangle has another number of entries there than was inspected.
  void prepare(const Exec& exec, Op op) { core_.prepare(exec, op); }
  void prepare(Op op) { prepare(Exec{}, op); }

  /// Takes the values of T, which has the inspected pattern; there is no new inspection. Ordered on
  /// `exec`: no wait, no allocation. Throws Error if the sizes differ and, with
  /// options.check_pattern, which waits, if the pattern does. Without that check another pattern
  /// gives wrong results. A diagonal that becomes zero or not finite is not an error here: see
  /// bad_row and check_values.
  void update_values(const Exec& exec, const Matrix& T) {
    core_.update_values(exec, with_signed_offsets(T));
    version_.renew();
  }
  void update_values(const Matrix& T) { update_values(Exec{}, T); }

  /// A number on the device, valid in the order of the instance that values were updated on: 0, or
  /// one more than the lowest row whose diagonal has become zero, infinite or NaN. With such a row
  /// solves give no solution: infinities, NaN, or zeros for an infinite diagonal.
  Kokkos::View<const std::int64_t, typename Exec::memory_space> bad_row() const {
    return core_.bad_row();
  }
  /// Throws Error, naming the row of bad_row, if there is one. Waits for `exec`.
  void check_values(const Exec& exec) const { core_.check_values(exec); }
  void check_values() const { check_values(Exec{}); }

  /// The scheme that runs for an op, with every parameter. Throws Error if the op is not prepared.
  const Scheme& scheme(Op op = Op::none) const { return core_.scheme(op); }
  /// Why that scheme was chosen, in a few words.
  const std::string& reason(Op op = Op::none) const { return core_.choice(op, "reason").reason; }
  /// The reason, the properties that it depends on, the first five of the ranking, and the effect
  /// of the tuning cache, as text of several lines.
  std::string explain(Op op = Op::none) const { return core_.explain(op); }
  /// The schemes that were compared, the best first; measured ones precede all others. Empty if the
  /// scheme was pinned.
  const std::vector<RankedSolve>& ranking(Op op = Op::none) const {
    return core_.choice(op, "ranking").ranking;
  }
  /// Number of levels of the triangle, which must be solved one after the other. 0 if the scheme
  /// did not compute them.
  int levels(Op op = Op::none) const { return core_.levels(op); }
  /// The features of op(T) that its scheme was chosen by. If no scheme was chosen, or the choice
  /// computed no features (on a CPU), each call computes them: it finds levels, allocates, waits
  /// for `exec`, and reads the pattern of the arrays that the plan was given last, which must still
  /// exist. Deterministic; counts are exact.
  TriangleFeatures features(const Exec& exec, Op op = Op::none) const {
    return core_.features(exec, op);
  }
  /// Seconds spent on the inspection and, since then, on prepare().
  double setup_seconds() const { return core_.setup_seconds(); }
  /// Device memory that the plan holds beyond the matrix, in bytes.
  std::size_t bytes() const { return core_.bytes(); }

 private:
  friend struct detail::sptrsv::TraceAccess;
  using Signed = SignedOffsets<Matrix>;
  using Core = detail::SptrsvPlanCore<Exec, Signed, Vector, Accumulator>;

  Core core_;
  Version version_;
};

/// The schemes of a device for a triangle, the best first, with reasons; a plan that pins none runs
/// the first. A pure function. It reads expected_applies, vectors, threads and model (assumed to be
/// for the triangle's scalar) of the options. On a GPU schemes are concrete. On a CPU the ranking
/// uses rows, entries and shared rows only, except with a model; a plan itself computes whether
/// threads gain by levels: docs/wavefronts.md.
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
SptrsvPlan(const Exec&, const Matrix&) -> SptrsvPlan<Exec, Matrix>;
template <ExecutionSpace Exec, class Matrix>
SptrsvPlan(const Exec&, const Matrix&, const SptrsvOptions&) -> SptrsvPlan<Exec, Matrix>;
template <class Matrix>
SptrsvPlan(const Matrix&, const SptrsvOptions& = {})
    -> SptrsvPlan<typename Matrix::memory_space::execution_space, Matrix>;

}  // namespace heddle
