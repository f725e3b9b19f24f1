// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "../backends/device.hpp"
#include "../core/move_only.hpp"
#include "all_formats.hpp"
#include "common/finite_x_check.hpp"
#include "common/overlap_check.hpp"
#include "common/scale.hpp"
#include "common/spmv_options.hpp"
#include "common/triangle_check.hpp"
#include "inspect/check_promises.hpp"
#include "inspect/features.hpp"
#include "inspect/transpose.hpp"
#include "inspect_best.hpp"

namespace heddle {

/// One matrix, inspected once, to be applied many times: y = alpha * op(A) * x + beta * y.
///
/// The plan borrows the matrix: its arrays must outlive the plan. After their values change, call
/// update_values, whatever the scheme. The plan belongs to the device of `exec`, and applies on any
/// execution space instance of that device. One plan applies once at a time, since some schemes
/// keep carry-outs and packed vectors in it: applies on two streams that may overlap need a plan
/// each (SpmvOptions::check_overlap finds them). Moves, does not copy; whatever is called on a plan
/// that was moved from throws Error, until another is assigned to it.
///
/// Vector is the type of x and y, Accumulator that of alpha, beta and every sum; both default to
/// the matrix's scalar and may be wider: SpmvPlan<Exec, Matrix, float, double>(exec, A). Only
/// entries that repeat a place are added up before, in the matrix's scalar, by formats that store a
/// place once (bcsr, dia: merges_repeats), and csb may add the two halves of a symmetric matrix to
/// y one after the other, each rounded to Vector. FormatList names the formats that are compiled
/// and chosen from: a Formats<...>.
template <ExecutionSpace Exec, class Matrix, Scalar Vector = typename Matrix::scalar_type,
          Scalar Accumulator = Vector, class FormatList = AllFormats>
class SpmvPlan {
 public:
  using execution_space = Exec;
  using matrix_type = Matrix;
  using formats = FormatList;
  static_assert(
      Kokkos::SpaceAccessibility<KokkosSpace<Exec>, typename Matrix::memory_space>::accessible,
      "the matrix lies in a memory space that the execution space cannot reach");

  /// Inspects A on `exec` and waits for it: one launch to learn and check the shape of the rows,
  /// then what the scheme and options.ops need. Rows may be empty, columns unsorted, entries
  /// repeated.
  ///
  /// Throws Error, naming the row, if the row pointer falls or contradicts the number of nonzeros,
  /// and, if options.check, naming row and entry, if a column is out of range, or, if
  /// options.check_promises, a promise is broken; if options.scheme does not exist on this device
  /// (the message lists what exists), and if options.vectors.count is less than 1, and if
  /// options.symmetry is given and A is not square or, if options.check, not a triangle. Throws
  /// Refusal if a pinned scheme does not take this matrix, and if no scheme keeps to
  /// options.max_bytes; OutOfMemory, naming the bytes, where they cannot be had. Device memory:
  /// bytes().
  explicit SpmvPlan(const Exec& exec, const Matrix& A, const SpmvOptions& options = {},
                    FormatList = {});

  /// y = alpha * A * x + beta * y. x has one row a column of A, y one row a row of A; both are of
  /// rank 1, or of rank 2 with as many vectors as each other, in any layout; they do not overlap.
  ///
  /// beta == 0 overwrites y without reading it, NaN included; alpha == 0 reads neither A nor x.
  /// Returns once the work is queued on `exec`: no allocation, no copy, no fence. May be captured
  /// in a CUDA or HIP graph. Bitwise reproducible on one device for a fixed scheme, unless the
  /// scheme says `atomics`. Throws Error if shapes do not fit, or x and y have an entry in common.
  template <VectorView X, WritableVectorView Y>
  void apply(const Exec& exec, Accumulator alpha, const X& x, Accumulator beta, const Y& y) {
    apply(exec, Op::none, alpha, x, beta, y);
  }

  /// y = alpha * op(A) * x + beta * y; a transposing op takes x with one row a row of A. Throws
  /// Error if the op is neither native to the scheme nor prepared.
  template <VectorView X, WritableVectorView Y>
  void apply(const Exec& exec, Op op, Accumulator alpha, const X& x, Accumulator beta, const Y& y) {
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
  void apply(const Exec& exec, const X& x, const Y& y) {
    apply(exec, Op::none, Accumulator(1), x, Accumulator(0), y);
  }
  static constexpr bool takes_several_vectors = true;
  std::int64_t rows() const { return A_.rows(); }
  std::int64_t columns() const { return A_.columns(); }

  /// The same for vectors that are no Views.
  void execute(const Exec& exec, Op op, Accumulator alpha, const Multivector<const Vector>& x,
               Accumulator beta, const Multivector<Vector>& y);

  /// Builds what `op` needs, if the scheme does not apply it natively and it is not there yet: a
  /// stored transpose, with a scheme of its own. Allocates, and waits for `exec`. Its values are
  /// those of the last update_values. Throws Refusal, before it allocates, if options.max_bytes
  /// leaves no room.
  void prepare(const Exec& exec, Op op);

  /// Takes the values of A, which has the pattern that was inspected; no new inspection. Its arrays
  /// are borrowed from now on. Ordered on `exec`: no wait, no allocation. Throws Error if the sizes
  /// differ; a pattern of the same size that differs is not noticed and gives wrong results.
  void update_values(const Exec& exec, const Matrix& A);

  /// What really runs for an op, with every parameter. Throws Error for one that is not prepared.
  const Scheme& scheme(Op op = Op::none) const { return part(op, "scheme").executor->scheme(); }
  /// Why that scheme, in a few words.
  const std::string& reason(Op op = Op::none) const { return part(op, "reason").choice.reason; }
  /// What it was compared with, the best first, and before all others those that were measured;
  /// empty if the scheme was pinned.
  const std::vector<RankedScheme>& ranking(Op op = Op::none) const {
    return part(op, "ranking").choice.ranking;
  }

  /// What the inspection took, and what prepare() took since, in seconds.
  double setup_seconds() const {
    check_alive("setup_seconds");
    return setup_seconds_;
  }
  /// Device memory that the plan holds beyond the matrix, in bytes.
  std::size_t bytes() const {
    check_alive("bytes");
    std::size_t bytes = forward_.executor->bytes();
    if (transposed_) bytes += transposed_->matrix.bytes() + transposed_->part.executor->bytes();
    return bytes;
  }
  /// Bytes that one apply to so many vectors moves to and from memory, as the format counts them;
  /// with beta, y is read too.
  double moved_bytes(Op op = Op::none, int vectors = 1, bool with_beta = false) const {
    return part(op, "moved_bytes").executor->moved_bytes(stored_op(op), vectors, with_beta);
  }

 private:
  using S = typename Matrix::scalar_type;
  using O = typename Matrix::ordinal_type;
  using Off = typename Matrix::offset_type;

  /// A scheme at work on A or on its transpose.
  using Part = detail::Inspected<Exec, Matrix, Vector, Accumulator>;
  struct TransposedPart {
    detail::Transposed<Exec, S, O, Off> matrix;
    Part part;
  };

  Part inspect(const Exec& exec, const Matrix& A, const RowFeatures& rows, Check checked,
               const ChooseOptions& options, const std::optional<Scheme>& pinned) const;

  ChooseOptions choose_options(const Promises& promises) const {
    return {options_.expected_applies, options_.values_in_place,
            sizes_of<Matrix, Vector, Accumulator>(options_.vectors, options_.symmetry, promises),
            options_.max_bytes, options_.ops};
  }

  /// For the stored transpose that an op needs; throws Refusal if options.max_bytes leaves no room.
  ChooseOptions options_of_transpose(Op op) const {
    // It is made sorted, and of columns that exist.
    ChooseOptions options =
        choose_options({true, true, options_.promises.unique, options_.promises.finite_x});
    options.ops.clear();
    if (options.max_bytes == no_bound) return options;
    RowFeatures shape;
    shape.columns = A_.columns();
    shape.nonzeros = static_cast<std::int64_t>(A_.nonzeros());
    const std::size_t kept = forward_.executor->bytes();
    const std::size_t transpose = stored_transpose_bytes(shape, options.sizes);
    if (kept + transpose > options.max_bytes) {
      throw Refusal(std::string("op ") + name(op) + " needs a stored transpose of " +
                        std::to_string(transpose) + " bytes beside the " + std::to_string(kept) +
                        " of " + forward_.executor->scheme().to_string() +
                        ", and options.max_bytes is " + std::to_string(options.max_bytes),
                    "name the op in options.ops, so that the scheme is chosen for it, raise "
                    "options.max_bytes, or pin csr/adaptive,transpose=atomics");
    }
    options.max_bytes -= kept + transpose;
    return options;
  }

  void prepare_op(const Exec& exec, Op op);

  /// Whether the scheme applies an op itself.
  bool native(Op op) const { return native_[static_cast<std::size_t>(op)]; }
  /// The op as the part that applies it is asked for it.
  Op stored_op(Op op) const { return native(op) ? op : without_transpose(op); }

  /// For `called`, which an Error names.
  const Part& part(Op op, const char* called) const;

  void check_alive(const char* called) const { moves_.check("SpmvPlan", called); }

  static std::string shape_of(const Matrix& A) {
    return std::to_string(A.rows()) + " x " + std::to_string(A.columns()) + " with " +
           std::to_string(A.nonzeros()) + " nonzeros";
  }

  detail::MoveOnly moves_;
  Matrix A_;
  SpmvOptions options_;
  Device device_;
  Part forward_;
  std::array<bool, 4> native_{};  // of each Op
  std::optional<TransposedPart> transposed_;
  detail::OverlapCheck<Exec> overlap_;
  double setup_seconds_ = 0;
};

// What follows is not inline, so that a program can leave it to Heddle::compiled: instantiate.hpp.

template <ExecutionSpace Exec, class Matrix, Scalar Vector, Scalar Accumulator, class FormatList>
SpmvPlan<Exec, Matrix, Vector, Accumulator, FormatList>::SpmvPlan(const Exec& exec, const Matrix& A,
                                                                  const SpmvOptions& options,
                                                                  FormatList)
    : A_(A), options_(options), device_(backends::describe(exec)) {
  if (options.vectors.count < 1) {
    throw Error("options.vectors.count is " + std::to_string(options.vectors.count),
                "give the number of vectors that x will hold");
  }
  Kokkos::Timer timer;
  const Promises& promises = options.promises;
  const bool looks_at_columns = options.check && !promises.in_range;
  const RowFeatures rows = row_features(exec, A, looks_at_columns ? Check::columns : Check::rows);
  if (options.check_promises) check_promises(exec, A, promises);
  if (options.symmetry != Symmetry::none) {
    detail::check_triangle(exec, A, options.symmetry, options.check);
  }
  const bool in_range = looks_at_columns || promises.in_range;
  forward_ = inspect(exec, A, rows, in_range ? Check::columns : Check::rows,
                     choose_options(promises), options.scheme);
  for (const Op op : {Op::none, Op::transpose, Op::conjugate, Op::conjugate_transpose}) {
    native_[static_cast<std::size_t>(op)] = FormatList::applies(op, forward_.executor->scheme());
  }
  for (const Op op : options.ops) prepare_op(exec, op);
  overlap_ = detail::OverlapCheck<Exec>(exec, options.check_overlap);
  exec.fence("heddle::spmv::inspected");
  setup_seconds_ = timer.seconds();
}

template <ExecutionSpace Exec, class Matrix, Scalar Vector, Scalar Accumulator, class FormatList>
void SpmvPlan<Exec, Matrix, Vector, Accumulator, FormatList>::execute(
    const Exec& exec, Op op, Accumulator alpha, const Multivector<const Vector>& x,
    Accumulator beta, const Multivector<Vector>& y) {
  check_alive("apply");
  check_vectors(A_.rows(), A_.columns(), op, x, y);
  if (alpha == Accumulator(0)) return scale<Vector, Accumulator>(exec, beta, y);
  const Part& runs = part(op, "apply");
  if (options_.promises.finite_x && options_.check_promises) detail::check_finite(exec, x);
  const typename detail::OverlapCheck<Exec>::Apply counted(overlap_, exec);
  runs.executor->apply(exec, stored_op(op), alpha, x, beta, y);
}

template <ExecutionSpace Exec, class Matrix, Scalar Vector, Scalar Accumulator, class FormatList>
void SpmvPlan<Exec, Matrix, Vector, Accumulator, FormatList>::prepare(const Exec& exec, Op op) {
  check_alive("prepare");
  Kokkos::Timer timer;
  prepare_op(exec, op);
  exec.fence("heddle::spmv::prepared");
  setup_seconds_ += timer.seconds();
}

template <ExecutionSpace Exec, class Matrix, Scalar Vector, Scalar Accumulator, class FormatList>
void SpmvPlan<Exec, Matrix, Vector, Accumulator, FormatList>::update_values(const Exec& exec,
                                                                            const Matrix& A) {
  check_alive("update_values");
  if (A.rows() != A_.rows() || A.columns() != A_.columns() || A.nonzeros() != A_.nonzeros()) {
    throw Error("update_values was given a matrix of " + shape_of(A) + ", and the plan is for " +
                    shape_of(A_),
                "make a new plan when the pattern changes");
  }
  A_ = A;
  forward_.executor->update_values(exec, A);
  if (transposed_) {
    transposed_->matrix.update_values(exec, A);
    transposed_->part.executor->update_values(exec, transposed_->matrix.matrix());
  }
}

template <ExecutionSpace Exec, class Matrix, Scalar Vector, Scalar Accumulator, class FormatList>
auto SpmvPlan<Exec, Matrix, Vector, Accumulator, FormatList>::inspect(
    const Exec& exec, const Matrix& A, const RowFeatures& rows, Check checked,
    const ChooseOptions& options, const std::optional<Scheme>& pinned) const -> Part {
  const Features features = features_of(exec, A, rows, checked);
  const Inspection<Exec, Matrix> inspection{
      exec, A, features, device_, options_.vectors, options_.symmetry, options.sizes.promises};
  const detail::Inspector<FormatList, Exec, Matrix, Vector, Accumulator> inspector(inspection,
                                                                                   options);
  if (pinned) return inspector.pinned(*pinned);
  const double seconds = options_.measure_seconds;
  return seconds > 0 ? inspector.fastest(seconds) : inspector.best();
}

template <ExecutionSpace Exec, class Matrix, Scalar Vector, Scalar Accumulator, class FormatList>
void SpmvPlan<Exec, Matrix, Vector, Accumulator, FormatList>::prepare_op(const Exec& exec, Op op) {
  if (native(op) || transposed_) return;
  if (options_.values_in_place) {
    throw Error(std::string("op ") + name(op) + " needs a stored transpose, which copies values",
                "name it in options.ops, or pin a scheme that applies it natively "
                "(csr/adaptive,transpose=atomics), or leave options.values_in_place");
  }
  const ChooseOptions options = options_of_transpose(op);
  detail::Transposed<Exec, S, O, Off> matrix(exec, A_);
  const Matrix transposed = matrix.matrix();
  const RowFeatures rows = row_features(exec, transposed, Check::rows);
  Part part = inspect(exec, transposed, rows, Check::columns, options, options_.transposed_scheme);
  transposed_.emplace(TransposedPart{std::move(matrix), std::move(part)});
}

template <ExecutionSpace Exec, class Matrix, Scalar Vector, Scalar Accumulator, class FormatList>
auto SpmvPlan<Exec, Matrix, Vector, Accumulator, FormatList>::part(Op op, const char* called) const
    -> const Part& {
  check_alive(called);
  if (native(op)) return forward_;
  if (transposed_) return transposed_->part;
  throw Error("this plan (" + forward_.executor->scheme().to_string() +
                  ") is not prepared for op " + name(op),
              "name it in SpmvOptions::ops, or call prepare(exec, op) before the first apply");
}

template <ExecutionSpace Exec, class Matrix>
SpmvPlan(const Exec&, const Matrix&) -> SpmvPlan<Exec, Matrix>;
template <ExecutionSpace Exec, class Matrix>
SpmvPlan(const Exec&, const Matrix&, const SpmvOptions&) -> SpmvPlan<Exec, Matrix>;
template <ExecutionSpace Exec, class Matrix, class... F>
SpmvPlan(const Exec&, const Matrix&, const SpmvOptions&, Formats<F...>)
    -> SpmvPlan<Exec, Matrix, typename Matrix::scalar_type, typename Matrix::scalar_type,
                Formats<F...>>;

}  // namespace heddle
