// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../core/plan.hpp"
#include "default_formats.hpp"
#include "instantiate.hpp"

namespace heddle {

/// Whether the offsets of a matrix are at least as wide as its ordinals, as a plan requires: a
/// number of rows is an offset too.
template <class Matrix>
inline constexpr bool counts_own_ordinals =
    sizeof(typename Matrix::offset_type) >= sizeof(typename Matrix::ordinal_type);

/// A matrix that is inspected once and applied many times: y = alpha * op(A) * x + beta * y.
///
/// The plan borrows the matrix: its arrays must outlive the plan. After their values change, call
/// update_values, whatever the scheme: until then some schemes multiply with the old values and
/// others with the new ones. The arrays given to it are borrowed from then on, and so are those of
/// prepare, which makes a stored transpose, with a scheme of its own, if the scheme does not apply
/// the op natively (Refusal, before it allocates, if options.max_bytes leaves no room). The plan
/// belongs to the device of `exec` and applies on any execution space instance of that device, a
/// const one too. A plan applies once at a time, since some schemes keep carry-outs and packed
/// vectors in it: applies on two streams that may overlap need a plan each
/// (SpmvOptions::check_overlap detects them). A plan can be moved, not copied. Every call on an
/// empty or moved-from plan throws Error until another is assigned to it. The members of all plans:
/// detail::Plan.
///
/// Vector is the type of x and y, Accumulator that of alpha, beta and every sum. Both default to
/// the matrix's scalar and may be wider: SpmvPlan<Exec, Matrix, float, double>(exec, A). There are
/// two exceptions: formats that store each place once (bcsr, dia: merges_repeats) add up repeated
/// entries in the matrix's scalar, and csb adds the two halves of a symmetric matrix to y one after
/// the other, each rounded to Vector. FormatList is the list of formats that are compiled and
/// chosen from: a Formats<...>.
template <ExecutionSpace Exec, class Matrix, Scalar Vector = detail::ScalarOf<Matrix>,
          Scalar Accumulator = Vector, class FormatList = DefaultFormats>
class SpmvPlan
    : public detail::Plan<SpmvPlan<Exec, Matrix, Vector, Accumulator, FormatList>, Exec, Matrix,
                          detail::SpmvPlanCore<Exec, SignedOffsets<Matrix>, Vector, Accumulator>> {
  using Signed = SignedOffsets<Matrix>;
  using Core = detail::SpmvPlanCore<Exec, Signed, Vector, Accumulator>;
  using Form = detail::Plan<SpmvPlan, Exec, Matrix, Core>;

 public:
  static constexpr const char* class_name = "SpmvPlan";
  using formats = FormatList;
  static_assert(counts_own_ordinals<Matrix>,
                "the offsets of the matrix are narrower than its ordinals: take offsets as wide");

  /// An empty plan, to be assigned to: every call on it throws Error.
  SpmvPlan() = default;

  /// Inspects A on `exec` and waits for it: one launch reads and checks the row pointer; further
  /// launches depend on the scheme and options.ops. Rows may be empty, columns unsorted, entries
  /// repeated.
  ///
  /// Throws Error
  ///
  /// - if the row pointer decreases or contradicts the number of nonzeros, naming the row;
  /// - if options.check and a column is out of range, or options.check_promises and a promise is
  ///   broken, naming row and entry;
  /// - if options.scheme exists on no backend (the message lists those that exist),
  ///   options.vectors.count is less than 1, or options.expected_applies less than 0;
  /// - if options.symmetry is given and A is not square or, with options.check, not a triangle.
  ///
  /// Throws Refusal if a pinned scheme does not accept this matrix, or no scheme stays within
  /// options.max_bytes; OutOfMemory, with the number of bytes, if memory is not available. Device
  /// memory: bytes().
  explicit SpmvPlan(const Exec& exec, const Matrix& A, const SpmvOptions& options = {},
                    FormatList = {})
      : Form([&] {
          return std::make_unique<Core>(
              exec, with_signed_offsets(A), options,
              FormatList::template table<Exec, Signed, Vector, Accumulator>());
        }) {
    HEDDLE_ASSERT_DEFINED(detail::is_defined<Core> ||
                          detail::is_compiled<Exec, Signed, Vector, Accumulator>());
  }

  /// Inspects A on the default instance.
  explicit SpmvPlan(const Matrix& A, const SpmvOptions& options = {}, FormatList formats = {})
      : SpmvPlan(Exec{}, A, options, formats) {}

  using Form::apply;  ///< without exec
  /// y = alpha * A * x + beta * y. x has A.columns() rows, y has A.rows() rows. Both have rank 1,
  /// or rank 2 with equal numbers of vectors, in any layout; they do not overlap.
  ///
  /// beta == 0 overwrites y without reading it, NaN included; alpha == 0 reads neither A nor x.
  /// Returns once the work is queued on `exec`: no allocation, no copy, no fence. May be captured
  /// in a CUDA or HIP graph. Bitwise reproducible on one device for a fixed scheme, unless the
  /// scheme says `atomics`. Throws Error if shapes do not fit, or x and y share an entry.
  template <VectorView X, WritableVectorView Y>
  void apply(const Exec& exec, Accumulator alpha, const X& x, Accumulator beta, const Y& y) const {
    apply(exec, Op::none, alpha, x, beta, y);
  }

  /// y = alpha * op(A) * x + beta * y. For a transposing op x has A.rows() rows and y has
  /// A.columns(). Throws Error if the op is neither native to the scheme nor prepared.
  template <VectorView X, WritableVectorView Y>
  void apply(const Exec& exec, Op op, Accumulator alpha, const X& x, Accumulator beta,
             const Y& y) const {
    detail::assert_vectors<Exec, Vector, X, Y>();
    execute(exec, op, alpha, multivector_of<const Vector>(x), beta, multivector_of<Vector>(y));
  }

  /// y = A * x, the interface of an operator for solvers.
  template <VectorView X, WritableVectorView Y>
  void apply(const Exec& exec, const X& x, const Y& y) const {
    apply(exec, Op::none, Accumulator(1), x, Accumulator(0), y);
  }
  /// y = alpha * op(A) * x + beta * y for one vector, and result = conj(x) . y, or conj(y) . y if
  /// `with_itself`. The result is a number on the device, in a View of rank 0, summed in the
  /// accumulator's type over the stored y. All else is as for apply. The order of the sum is fixed:
  /// equal bits on every run for a fixed scheme, device and number of threads.
  ///
  /// If has_dot(op), the product's launch computes the sum and no vector is read again, provided
  /// that the workspace is large enough (on GPUs csr/adaptive and csr/merge cut rows of more than
  /// 15 entries, on average, into more shares than it holds). Otherwise a second launch reads x and
  /// y. Throws Error, besides those of apply, for several vectors, or if x and y differ in length
  /// without `with_itself`.
  template <VectorView X, WritableVectorView Y, class Result>
  void apply_dot(const Exec& exec, Op op, Accumulator alpha, const X& x, Accumulator beta,
                 const Y& y, const VectorWorkspace<Exec, Accumulator>& workspace,
                 const Result& result, bool with_itself = false) const {
    static_assert(Result::rank() == 0 && std::same_as<typename Result::value_type, Accumulator>,
                  "the result is one number of the accumulator's type");
    this->core("apply").execute_dot(exec, op, alpha, multivector_of<const Vector>(x), beta,
                                    multivector_of<Vector>(y),
                                    workspace.dot(result.data(), with_itself));
  }
  /// y = A * x and the dot product, the interface of an operator for solvers.
  template <VectorView X, WritableVectorView Y, class Result>
  void apply_dot(const Exec& exec, const X& x, const Y& y,
                 const VectorWorkspace<Exec, Accumulator>& workspace, const Result& result,
                 bool with_itself = false) const {
    apply_dot(exec, Op::none, Accumulator(1), x, Accumulator(0), y, workspace, result, with_itself);
  }
  /// Whether apply_dot computes the dot product in the launch of the product.
  bool has_dot(Op op = Op::none) const { return this->core("has_dot").has_dot(op); }
  std::int64_t rows() const { return this->core("rows").matrix().rows(); }
  std::int64_t columns() const { return this->core("columns").matrix().columns(); }

  /// Does what apply does, for vectors that are not Views.
  void execute(const Exec& exec, Op op, Accumulator alpha, const Multivector<const Vector>& x,
               Accumulator beta, const Multivector<Vector>& y) const {
    this->core("apply").execute(exec, op, alpha, x, beta, y);
  }

  /// Bytes that one apply to `vectors` vectors moves to and from memory, as the format counts them.
  /// With beta, y is read too.
  double moved_bytes(Op op = Op::none, int vectors = 1, bool with_beta = false) const {
    return this->core("moved_bytes").moved_bytes(op, vectors, with_beta);
  }
};

template <ExecutionSpace Exec, class Matrix>
SpmvPlan(const Exec&, const Matrix&, const SpmvOptions& = {}) -> SpmvPlan<Exec, Matrix>;
template <ExecutionSpace Exec, class Matrix, class... F>
SpmvPlan(const Exec&, const Matrix&, const SpmvOptions&, Formats<F...>)
    -> SpmvPlan<Exec, Matrix, typename Matrix::scalar_type, typename Matrix::scalar_type,
                Formats<F...>>;
template <class Matrix>
  requires(!ExecutionSpace<Matrix>)
SpmvPlan(const Matrix&, const SpmvOptions& = {})
    -> SpmvPlan<typename Matrix::memory_space::execution_space, Matrix>;
template <class Matrix, class... F>
SpmvPlan(const Matrix&, const SpmvOptions&, Formats<F...>)
    -> SpmvPlan<typename Matrix::memory_space::execution_space, Matrix,
                typename Matrix::scalar_type, typename Matrix::scalar_type, Formats<F...>>;

}  // namespace heddle
