// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "../../backends/algorithms/team_sums_workspace.hpp"
#include "../../core/asserts.hpp"
#include "../../core/check_size.hpp"
#include "../../core/features.hpp"
#include "../../core/multivector.hpp"
#include "../../core/overlap.hpp"
#include "../../core/scheme.hpp"
#include "../choose.hpp"
#include "../common/prediction.hpp"
#include "../formats.hpp"
#include "../inspect/pattern.hpp"

namespace heddle {

class Model;

/// Options of a plan. Every default is sensible.
struct SpmvOptions {
  /// Pins the scheme; by default `choose` selects one. The inspector resolves parameters that are
  /// left out: see SpmvPlan::scheme.
  std::optional<Scheme> scheme = std::nullopt;
  /// Pins the scheme of the stored transpose, if there is one.
  std::optional<Scheme> transposed_scheme = std::nullopt;
  /// Number of applies that the plan is made for: more of them justify a longer inspection.
  std::int64_t expected_applies = 1000;
  /// The vectors that x will hold. Any other number works too. If several vectors in LayoutLeft are
  /// expected, schemes that gain by it reserve memory to pack them into row-major order.
  ExpectedVectors vectors = {};
  /// Ops that will be applied besides Op::none. The plan prepares them; SpmvPlan::prepare can
  /// prepare others later.
  std::vector<Op> ops = {};
  /// Restricts the choice to schemes that read the user's values in place, for `ops` too. A stored
  /// transpose never does; transpose=atomics does, but it is slower and not reproducible.
  bool values_in_place = false;
  /// The most device memory, in bytes, that the plan may keep beyond the matrix, a stored transpose
  /// included: bytes() never exceeds it. The choice skips schemes that are predicted to keep more,
  /// and drops one that then keeps more. The bound does not include temporary memory of an
  /// inspection.
  std::size_t max_bytes = no_bound;
  /// Seconds that the plan may spend on measuring the schemes with the best predictions, their
  /// inspections included; it keeps the fastest. 0: the plan relies on the predictions. At least
  /// two schemes are measured, even if that takes longer. Two plans of one matrix may then get
  /// different schemes. Ignored if the scheme is pinned. Infinite is an Error.
  double measure_seconds = 0;
  /// A file that keeps the results of measure_seconds, by pattern, device, number of threads, list
  /// of formats and options; empty: none. If the file knows the matrix, the plan uses its scheme
  /// and measures nothing, whatever measure_seconds is. A plan that measures adds its result.
  /// Several programs may share the file. If it cannot be read or written, or is another kind of
  /// file, the plan ignores it, and explain() says so. The file holds no values of the matrix.
  std::string cache = {};
  /// Bytes per second that the choice assumes for the device's memory, for instance what
  /// `heddle-bench device` measures for a copy. 0: Device::bytes_per_second, which comes from the
  /// device's name or properties; no plan measures it.
  double bytes_per_second = 0;
  /// A model of the choice on this device (read_model of <heddle/model.hpp>). Without one, or if it
  /// is for another device, scalar or number of vectors, the formulas alone decide. With a model
  /// every plan reads the pattern of its matrix. The model also chooses the lanes of csr/blocks.
  std::shared_ptr<const Model> model = nullptr;
  /// Whether column indices are checked: one pass over col_idx, which promises.in_range saves. The
  /// row pointer is always checked.
  bool check = true;
  /// Properties of the matrix that you guarantee, so that inspections need not check them.
  Promises promises = {};
  /// Whether the inspection checks the promises, which costs more than they save. Default: in debug
  /// builds (without NDEBUG).
  bool check_promises = detail::asserts;
  /// Whether overlapping applies of one plan, which are an error, are detected: on a GPU two more
  /// launches for each apply. Default: in debug builds (without NDEBUG).
  bool check_overlap = detail::asserts;
  /// Whether update_values compares the pattern with the inspected one, which costs a launch and a
  /// wait. Off by default, in debug builds too, unlike in other plans: products may get new values
  /// in code that must not wait.
  bool check_pattern = false;
  /// Declares that A holds one triangle, with the diagonal, of a symmetric or Hermitian matrix. The
  /// plan then applies the whole matrix. For a Hermitian matrix the imaginary part of the diagonal
  /// is ignored.
  ///
  /// The plan stores both triangles, and any format runs them. That needs the bytes of the whole
  /// matrix in CSR, and one offset for each entry for new values, besides the bytes that the scheme
  /// keeps; the set-up sorts by column. If max_bytes has no room for that, or a scheme of csb is
  /// pinned, a format that supports it applies the triangle as it is (TriangleFormats): on a GPU 8
  /// to 32 times as slow.
  Symmetry symmetry = Symmetry::none;
};

}  // namespace heddle

namespace heddle::detail {

/// A scheme inspected for a matrix: the reason for its choice, and its executor.
template <ExecutionSpace Exec, class Matrix, Scalar Vector, Scalar Accumulator>
struct Inspected {
  Choice choice;
  std::unique_ptr<SpmvExecutor<Exec, Matrix, Vector, Accumulator>> executor;
  /// The scheme that runs with the pinned terms that have no effect, if there are any.
  std::optional<Scheme> shown = std::nullopt;

  const Scheme& scheme() const { return shown ? *shown : executor->scheme(); }
};

/// A scheme inspected for the stored transpose, and the transpose.
template <ExecutionSpace Exec, class Matrix, Scalar Vector, Scalar Accumulator>
struct InspectedTranspose;

/// The whole of a matrix that has one stored triangle.
template <ExecutionSpace Exec, Scalar S, Ordinal O, Offset Off>
class WholeOfTriangle;
struct SidesOfDiagonal;

/// Implementation of SpmvPlan, which documents it, on a matrix with signed offsets and with any
/// list of formats: one class for all lists and for offsets of either sign. core_definitions.hpp
/// defines it, so that a program can leave it to the compiled part.
template <ExecutionSpace Exec, class Matrix, Scalar Vector, Scalar Accumulator>
class SpmvPlanCore {
 public:
  using Table = FormatTable<Exec, Matrix, Vector, Accumulator>;
  using Dot = team_sums::Dot<Accumulator>;

  SpmvPlanCore(const Exec& exec, const Matrix& A, const SpmvOptions& options, const Table& formats);
  /// For an A with known features of its rows: they are not read again, and A is not checked.
  SpmvPlanCore(const Exec& exec, const Matrix& A, const SpmvOptions& options, const Table& formats,
               const RowFeatures& rows);
  SpmvPlanCore(SpmvPlanCore&&) noexcept;
  ~SpmvPlanCore();

  void execute(const Exec& exec, Op op, Accumulator alpha, const Multivector<const Vector>& x,
               Accumulator beta, const Multivector<Vector>& y) const;
  void execute_dot(const Exec& exec, Op op, Accumulator alpha, const Multivector<const Vector>& x,
                   Accumulator beta, const Multivector<Vector>& y, const Dot& dot) const;
  bool has_dot(Op op) const { return part(op).executor->has_dot(stored_op(op)); }
  void prepare(const Exec& exec, Op op);
  void update_values(const Exec& exec, const Matrix& A);

  const Scheme& scheme(Op op = Op::none) const { return part(op).scheme(); }
  const Choice& choice(Op op = Op::none) const { return part(op).choice; }
  std::string explain(Op op = Op::none) const { return choice(op).explain(); }
  std::size_t bytes() const;
  const Matrix& matrix() const { return A_; }
  double moved_bytes(Op op, int vectors, bool with_beta) const {
    return part(op).executor->moved_bytes(stored_op(op), vectors, with_beta);
  }

 private:
  using Part = Inspected<Exec, Matrix, Vector, Accumulator>;
  using TransposedPart = InspectedTranspose<Exec, Matrix, Vector, Accumulator>;

  Part inspect(const Exec& exec, const Matrix& A, const RowFeatures& rows, Check checked,
               const ChooseOptions& options, const std::optional<Scheme>& pinned) const;
  /// Inspects with the tuning cache options_.cache.
  template <class Inspector, class Inspection>
  Part inspect_remembered(const Inspector& inspector, const Inspection& in,
                          const ChooseOptions& options) const;

  ChooseOptions choose_options(const Promises& promises, Symmetry symmetry) const {
    return {options_.expected_applies,
            options_.values_in_place,
            sizes_of<Matrix, Vector, Accumulator>(options_.vectors, symmetry, promises),
            options_.max_bytes,
            options_.ops,
            options_.model};
  }

  /// Inspects a triangle: mirrored to the whole matrix; or as it is, if both triangles do not fit
  /// or the pinned scheme needs only one.
  void inspect_triangle(const Exec& exec, const RowFeatures& rows, Check checked,
                        const SidesOfDiagonal& sums);
  void inspect_mirrored(const Exec& exec, const SidesOfDiagonal& sums, std::size_t bytes);
  /// The reason why both triangles are not stored, or an empty string.
  std::string no_mirror(std::size_t bytes, std::int64_t entries) const;

  /// Options of the transpose that an op needs; throws Refusal if options.max_bytes leaves no room.
  ChooseOptions options_of_transpose(Op op) const;

  void prepare_op(const Exec& exec, Op op);

  /// Computes y = alpha op(A) x + beta y, and the dot product too if `dot` is not null and the
  /// product's launches compute it. Returns whether they do.
  bool multiply(const Exec& exec, Op op, Accumulator alpha, const Multivector<const Vector>& x,
                Accumulator beta, const Multivector<Vector>& y, const Dot* dot) const;

  /// Whether a product with so many vectors is predicted to end on one thread of a CPU before
  /// others would have begun. Bits do not depend on it.
  bool takes_one_thread(int vectors) const;

  /// Whether the scheme applies an op natively.
  bool native(Op op) const { return native_[static_cast<std::size_t>(op)]; }
  /// The op with which the stored matrix is applied. The transpose of a mirrored matrix is itself,
  /// or its conjugate.
  Op stored_op(Op op) const {
    if (!mirrored_) return native(op) ? op : without_transpose(op);
    const bool hermitian = options_.symmetry == Symmetry::hermitian;
    return conjugates(op) != (hermitian && transposes(op)) ? Op::conjugate : Op::none;
  }

  const Part& part(Op op) const;

  Matrix A_;
  SpmvOptions options_;
  Table formats_{};
  Device device_;
  using Whole = WholeOfTriangle<Exec, typename Matrix::scalar_type, typename Matrix::ordinal_type,
                                typename Matrix::offset_type>;
  std::unique_ptr<Whole> mirrored_;
  PatternKey pattern_;
  Part forward_;
  std::array<bool, 4> native_{};  // indexed by Op
  std::unique_ptr<TransposedPart> transposed_;
  OverlapCheck<Exec> overlap_;
};

}  // namespace heddle::detail
