// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../core/version.hpp"
#include "default_formats.hpp"
#include "instantiate.hpp"

namespace heddle {

/// Whether the offsets of a matrix are as wide as its ordinals, or wider, as a plan asks: a count
/// of rows is an offset too.
template <class Matrix>
inline constexpr bool counts_own_ordinals =
    sizeof(typename Matrix::offset_type) >= sizeof(typename Matrix::ordinal_type);

/// One matrix, inspected once, to be applied many times: y = alpha * op(A) * x + beta * y.
///
/// The plan borrows the matrix: its arrays must outlive the plan. After their values change, call
/// update_values, whatever the scheme. The plan belongs to the device of `exec`, and applies on any
/// execution space instance of that device, a const one too. One plan applies once at a time, since
/// some schemes keep carry-outs and packed vectors in it: applies on two streams that may overlap
/// need a plan each (SpmvOptions::check_overlap finds them). Moves, does not copy; whatever is
/// called on a plan that is empty or was moved from throws Error, until another is assigned to it.
///
/// Vector is the type of x and y, Accumulator that of alpha, beta and every sum; both default to
/// the matrix's scalar and may be wider: SpmvPlan<Exec, Matrix, float, double>(exec, A). Only
/// entries that repeat a place are added up before, in the matrix's scalar, by formats that store a
/// place once (bcsr, dia: merges_repeats), and csb adds the two halves of a symmetric matrix to y
/// one after the other, each rounded to Vector. FormatList names the formats that are compiled
/// and chosen from: a Formats<...>.
template <ExecutionSpace Exec, class Matrix, Scalar Vector = typename Matrix::scalar_type,
          Scalar Accumulator = Vector, class FormatList = DefaultFormats>
class SpmvPlan {
 public:
  using execution_space = Exec;
  using matrix_type = Matrix;
  using formats = FormatList;
  static_assert(
      Kokkos::SpaceAccessibility<KokkosSpace<Exec>, typename Matrix::memory_space>::accessible,
      "the matrix lies in a memory space that the execution space cannot reach");

  static_assert(counts_own_ordinals<Matrix>,
                "the offsets of the matrix are narrower than its ordinals: take offsets as wide");

  /// An empty plan, to be assigned to: whatever is called on it throws Error.
  SpmvPlan() = default;

  /// Inspects A on `exec` and waits for it: one launch to learn and check the shape of the rows,
  /// then what the scheme and options.ops need. Rows may be empty, columns unsorted, entries
  /// repeated.
  ///
  /// Throws Error, naming the row, if the row pointer falls or contradicts the number of nonzeros,
  /// and, if options.check, naming row and entry, if a column is out of range, or, if
  /// options.check_promises, a promise is broken; if options.scheme exists on no backend
  /// (the message lists what exists), and if options.vectors.count is less than 1 or
  /// options.expected_applies less than 0, and if
  /// options.symmetry is given and A is not square or, if options.check, not a triangle. Throws
  /// Refusal if a pinned scheme does not take this matrix, and if no scheme keeps to
  /// options.max_bytes; OutOfMemory, naming the bytes, where they cannot be had. Device memory:
  /// bytes().
  explicit SpmvPlan(const Exec& exec, const Matrix& A, const SpmvOptions& options = {},
                    FormatList = {})
      : core_(exec, with_signed_offsets(A), options,
              FormatList::template table<Exec, Signed, Vector, Accumulator>()) {
    HEDDLE_ASSERT_DEFINED(detail::is_defined<Core> ||
                          detail::is_compiled<Exec, Signed, Vector, Accumulator>());
  }

  /// On the default instance, as all that is called without one.
  explicit SpmvPlan(const Matrix& A, const SpmvOptions& options = {}, FormatList formats = {})
      : SpmvPlan(Exec{}, A, options, formats) {}

  /// y = alpha * A * x + beta * y. x has one row a column of A, y one row a row of A; both are of
  /// rank 1, or of rank 2 with as many vectors as each other, in any layout; they do not overlap.
  ///
  /// beta == 0 overwrites y without reading it, NaN included; alpha == 0 reads neither A nor x.
  /// Returns once the work is queued on `exec`: no allocation, no copy, no fence. May be captured
  /// in a CUDA or HIP graph. Bitwise reproducible on one device for a fixed scheme, unless the
  /// scheme says `atomics`. Throws Error if shapes do not fit, or x and y have an entry in common.
  template <VectorView X, WritableVectorView Y>
  void apply(const Exec& exec, Accumulator alpha, const X& x, Accumulator beta, const Y& y) const {
    apply(exec, Op::none, alpha, x, beta, y);
  }

  /// y = alpha * op(A) * x + beta * y; a transposing op takes x with one row a row of A. Throws
  /// Error if the op is neither native to the scheme nor prepared.
  template <VectorView X, WritableVectorView Y>
  void apply(const Exec& exec, Op op, Accumulator alpha, const X& x, Accumulator beta,
             const Y& y) const {
    static_assert(std::same_as<typename X::non_const_value_type, Vector> &&
                      std::same_as<typename Y::value_type, Vector>,
                  "x and y hold the plan's Vector type");
    static_assert(
        Kokkos::SpaceAccessibility<KokkosSpace<Exec>, typename X::memory_space>::accessible &&
            Kokkos::SpaceAccessibility<KokkosSpace<Exec>, typename Y::memory_space>::accessible,
        "x or y lies in a memory space that the execution space cannot reach");
    execute(exec, op, alpha, multivector_of<const Vector>(x), beta, multivector_of<Vector>(y));
  }

  /// y = A * x: what solvers ask of an operator.
  template <VectorView X, WritableVectorView Y>
  void apply(const Exec& exec, const X& x, const Y& y) const {
    apply(exec, Op::none, Accumulator(1), x, Accumulator(0), y);
  }
  template <VectorView X, WritableVectorView Y>
  void apply(Accumulator alpha, const X& x, Accumulator beta, const Y& y) const {
    apply(Exec{}, alpha, x, beta, y);
  }
  template <VectorView X, WritableVectorView Y>
  void apply(Op op, Accumulator alpha, const X& x, Accumulator beta, const Y& y) const {
    apply(Exec{}, op, alpha, x, beta, y);
  }
  template <VectorView X, WritableVectorView Y>
  void apply(const X& x, const Y& y) const {
    apply(Exec{}, x, y);
  }
  /// y = alpha * op(A) * x + beta * y of one vector, and result = conj(x) . y, or conj(y) . y if
  /// `with_itself`: a number on the device, in a View of rank 0, added up in the accumulator's type
  /// from what y holds. As apply in all else. The order of the sum is fixed: the same bits on every
  /// run, for a fixed scheme, device and number of threads.
  ///
  /// Where has_dot(op) the sum comes with the product and reads no vector again, if the workspace
  /// was made for as many rows (on GPUs csr/adaptive and csr/merge cut rows of more than 15
  /// entries, in the mean, into more shares than that holds); else it is a second launch, which
  /// reads x and y. Throws Error also if x and y are of different lengths and not `with_itself`, or
  /// there are several vectors.
  template <VectorView X, WritableVectorView Y, class Result>
  void apply_dot(const Exec& exec, Op op, Accumulator alpha, const X& x, Accumulator beta,
                 const Y& y, const VectorWorkspace<Exec, Accumulator>& workspace,
                 const Result& result, bool with_itself = false) const {
    static_assert(Result::rank() == 0 && std::same_as<typename Result::value_type, Accumulator>,
                  "the result is one number of the accumulator's type");
    core_.execute_dot(exec, op, alpha, multivector_of<const Vector>(x), beta,
                      multivector_of<Vector>(y), workspace.dot(result.data(), with_itself));
  }
  /// The same with y = A * x: what solvers ask of an operator.
  template <VectorView X, WritableVectorView Y, class Result>
  void apply_dot(const Exec& exec, const X& x, const Y& y,
                 const VectorWorkspace<Exec, Accumulator>& workspace, const Result& result,
                 bool with_itself = false) const {
    apply_dot(exec, Op::none, Accumulator(1), x, Accumulator(0), y, workspace, result, with_itself);
  }
  /// Whether the dot of apply_dot comes with the product.
  bool has_dot(Op op = Op::none) const { return core_.has_dot(op); }
  static constexpr bool takes_several_vectors = true;
  std::int64_t rows() const { return core_.matrix("rows").rows(); }
  std::int64_t columns() const { return core_.matrix("columns").columns(); }

  /// The same for vectors that are no Views.
  void execute(const Exec& exec, Op op, Accumulator alpha, const Multivector<const Vector>& x,
               Accumulator beta, const Multivector<Vector>& y) const {
    core_.execute(exec, op, alpha, x, beta, y);
  }

  /// Builds what `op` needs, if the scheme does not apply it natively and it is not there yet: a
  /// stored transpose, with a scheme of its own. Allocates, and waits for `exec`. Its values are
  /// those of the last update_values. Throws Refusal, before it allocates, if options.max_bytes
  /// leaves no room.
  void prepare(const Exec& exec, Op op) { core_.prepare(exec, op); }
  void prepare(Op op) { prepare(Exec{}, op); }

  /// Takes the values of A, which has the pattern that was inspected; no new inspection. Its arrays
  /// are borrowed from now on. Ordered on `exec`: no wait, no allocation. Throws Error if the sizes
  /// differ; a pattern of the same size that differs is not noticed and gives wrong results.
  void update_values(const Exec& exec, const Matrix& A) {
    core_.update_values(exec, with_signed_offsets(A));
    version_.renew();
  }
  void update_values(const Matrix& A) { update_values(Exec{}, A); }
  /// See Version: new with every update_values.
  VersionNumber version() const { return version_.number(); }
  /// Whether apply may be recorded in a graph.
  static constexpr bool capturable() { return true; }

  /// What really runs for an op, with every parameter. Throws Error for one that is not prepared.
  const Scheme& scheme(Op op = Op::none) const { return core_.scheme(op); }
  /// Why that scheme, in a few words.
  const std::string& reason(Op op = Op::none) const { return core_.choice(op, "reason").reason; }
  /// The same with what was looked at, the first five of the ranking, and what the tuning cache
  /// did: some lines for people.
  std::string explain(Op op = Op::none) const { return core_.choice(op, "explain").explain(); }
  /// What it was compared with, the best first, and before all others those that were measured;
  /// empty if the scheme was pinned.
  const std::vector<RankedScheme>& ranking(Op op = Op::none) const {
    return core_.choice(op, "ranking").ranking;
  }

  /// What the inspection took, and what prepare() took since, in seconds.
  double setup_seconds() const { return core_.setup_seconds(); }
  /// Device memory that the plan holds beyond the matrix, in bytes.
  std::size_t bytes() const { return core_.bytes(); }
  /// Bytes that one apply to `vectors` vectors moves to and from memory, as the format counts them;
  /// with beta, y is read too.
  double moved_bytes(Op op = Op::none, int vectors = 1, bool with_beta = false) const {
    return core_.moved_bytes(op, vectors, with_beta);
  }

 private:
  using Signed = SignedOffsets<Matrix>;
  using Core = detail::SpmvPlanCore<Exec, Signed, Vector, Accumulator>;

  Core core_;
  Version version_;
};

template <ExecutionSpace Exec, class Matrix>
SpmvPlan(const Exec&, const Matrix&) -> SpmvPlan<Exec, Matrix>;
template <ExecutionSpace Exec, class Matrix>
SpmvPlan(const Exec&, const Matrix&, const SpmvOptions&) -> SpmvPlan<Exec, Matrix>;
template <ExecutionSpace Exec, class Matrix, class... F>
SpmvPlan(const Exec&, const Matrix&, const SpmvOptions&, Formats<F...>)
    -> SpmvPlan<Exec, Matrix, typename Matrix::scalar_type, typename Matrix::scalar_type,
                Formats<F...>>;
template <class Matrix>
SpmvPlan(const Matrix&, const SpmvOptions& = {})
    -> SpmvPlan<typename Matrix::memory_space::execution_space, Matrix>;
template <class Matrix, class... F>
SpmvPlan(const Matrix&, const SpmvOptions&, Formats<F...>)
    -> SpmvPlan<typename Matrix::memory_space::execution_space, Matrix,
                typename Matrix::scalar_type, typename Matrix::scalar_type, Formats<F...>>;

}  // namespace heddle
