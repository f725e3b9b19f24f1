// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../core/version.hpp"
#include "instantiate.hpp"
#include "select/choose.hpp"

namespace heddle {

/// One triangle of a matrix, inspected once, to be solved with many times:
/// op(T) x = alpha * b.
///
/// The plan copies what it needs of the matrix, whose arrays may go once it stands; after their
/// values change, call update_values. It belongs to the device of `exec`, and applies on any
/// execution space instance of that device. One plan solves once at a time: solves on two streams
/// that may overlap need a plan each (SptrsvOptions::check_overlap finds them). Moves, does not
/// copy; whatever is called on a plan that is empty or was moved from throws Error, until another
/// is assigned to it.
///
/// Vector is the type of b and x, Accumulator that of alpha and every sum; both default to the
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

  /// An empty plan, to be assigned to: whatever is called on it throws Error.
  SptrsvPlan() = default;

  /// Inspects the triangle of T that options name, on `exec`, and waits for it. T is square;
  /// columns of a row may be in any order, and repeated entries add up.
  ///
  /// Throws Error, naming the row: if the row pointer or a column is wrong; for an entry outside of
  /// the triangle, unless options.ignore_outside; for a diagonal that is to be read and is missing,
  /// or zero, infinite or NaN once repeated entries are added. Throws Error too if options.scheme
  /// exists on no backend (the message lists what exists). Device memory: bytes().
  explicit SptrsvPlan(const Exec& exec, const Matrix& T, const SptrsvOptions& options = {})
      : core_(exec, with_signed_offsets(T), options) {
    HEDDLE_ASSERT_DEFINED(detail::is_defined<Core> ||
                          detail::is_compiled<Exec, Signed, Vector, Accumulator>());
  }

  /// On the default instance, as all that is called without one.
  explicit SptrsvPlan(const Matrix& T, const SptrsvOptions& options = {})
      : SptrsvPlan(Exec{}, T, options) {}

  /// Solves T x = alpha * b. b and x have one row a row of T; both are of rank 1, or of rank 2 with
  /// as many vectors as each other, in any layout. x is b itself, or does not overlap it.
  ///
  /// alpha == 0 sets x to zero and reads neither T nor b. x is written, never read where it is not
  /// b. Returns once the work is queued on `exec`: no allocation, no copy, no fence. May be
  /// captured in a CUDA or HIP graph. Bitwise reproducible on one device for a fixed scheme. Throws
  /// Error if shapes do not fit, or b and x overlap in part.
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

  /// Solves T x = b: what solvers ask of a preconditioner, which is symmetric only by chance.
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
  /// See Version: new with every update_values.
  VersionNumber version() const { return version_.number(); }
  /// Whether apply may be recorded in a graph: whose turn it is, of flags and tickets, the device
  /// knows.
  static constexpr bool capturable() { return true; }

  /// The same for vectors that are no Views.
  void execute(const Exec& exec, Op op, Accumulator alpha, const Multivector<const Vector>& b,
               const Multivector<Vector>& x) const {
    core_.execute(exec, op, alpha, b, x);
  }

  /// Builds what `op` needs, if it is not there yet. Allocates, and waits for `exec`. Its values
  /// are those of the arrays that the plan was given last, which must still be there; throws Error
  /// where these have another number of entries in the triangle than was inspected.
  void prepare(const Exec& exec, Op op) { core_.prepare(exec, op); }
  void prepare(Op op) { prepare(Exec{}, op); }

  /// Takes the values of T, which has the pattern that was inspected; no new inspection. Ordered on
  /// `exec`: no wait, no allocation. Throws Error if the sizes differ; and, with
  /// options.check_pattern, which waits, if the pattern does. Without it the numbers of another
  /// pattern are wrong ones. A diagonal that becomes zero or not
  /// finite is not an error here: see bad_row and check_values.
  void update_values(const Exec& exec, const Matrix& T) {
    core_.update_values(exec, with_signed_offsets(T));
    version_.renew();
  }
  void update_values(const Matrix& T) { update_values(Exec{}, T); }

  /// On the device, in the order of the execution space instance that values were updated on: 0, or
  /// one more than the lowest row whose diagonal is zero, infinite or NaN since. Solves give no
  /// solution then: infinities, NaN, or zeros for an infinite one.
  Kokkos::View<const std::int64_t, typename Exec::memory_space> bad_row() const {
    return core_.bad_row();
  }
  /// Throws Error, naming that row. Waits for `exec`.
  void check_values(const Exec& exec) const { core_.check_values(exec); }
  void check_values() const { check_values(Exec{}); }

  /// What really runs for an op, with every parameter. Throws Error for one that is not prepared.
  const Scheme& scheme(Op op = Op::none) const { return core_.scheme(op); }
  /// Why that scheme, in a few words.
  const std::string& reason(Op op = Op::none) const { return core_.choice(op, "reason").reason; }
  /// The same with what was looked at, the first five of the ranking, and what the tuning cache
  /// did: some lines for people.
  std::string explain(Op op = Op::none) const { return core_.explain(op); }
  /// What it was compared with, the best first, and before all others those that were measured;
  /// empty if the scheme was pinned.
  const std::vector<RankedSolve>& ranking(Op op = Op::none) const {
    return core_.choice(op, "ranking").ranking;
  }
  /// Levels of the triangle: rows that must be solved one after the other. 0 where the scheme did
  /// not look for them.
  int levels(Op op = Op::none) const { return core_.levels(op); }
  /// The features of op(T): those that its scheme was chosen by; where none was chosen, or without
  /// them (on a CPU), found anew at each call: finds levels, allocates, waits for `exec`, and reads
  /// the pattern of the arrays that the plan was given last, which must still be there.
  /// Deterministic; counts are exact.
  TriangleFeatures features(const Exec& exec, Op op = Op::none) const {
    return core_.features(exec, op);
  }
  /// What the inspection took, and what prepare() took since, in seconds.
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

/// The schemes of a device for a triangle, the best first, with reasons: the first is what a plan
/// runs that pins none. A pure function, which reads expected_applies, vectors, threads and model
/// (taken for one of the triangle's scalar) of the options. On a GPU schemes are concrete. Of a CPU
/// rows, entries and shared rows alone count, but with a model, and whether threads gain by levels
/// a plan finds out: docs/wavefronts.md.
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
