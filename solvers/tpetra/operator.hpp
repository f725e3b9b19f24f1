// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tpetra_CrsMatrix.hpp>
#include <Tpetra_Operator.hpp>
#include <optional>

#include "../../core/interop/kokkos_kernels.hpp"
#include "../../formats/plan/added_columns.hpp"
#include "../../formats/spmv.hpp"
#include "split_matrix.hpp"
#include "vectors.hpp"

/// Heddle inside programs that use Tpetra::CrsMatrix. Heddle does not use MPI: Tpetra distributes,
/// and Heddle multiplies on each process.
namespace heddle::tpetra {

/// Options of an Operator.
struct OperatorOptions {
  /// Options of the plans. A scheme that is pinned here is for the columns that the process owns.
  SpmvOptions plan = {};
  /// Pins the scheme of the imported columns; the matrix is then split. Without it gcsr is taken if
  /// more than half of the rows import none, and else what a plan chooses.
  std::optional<Scheme> imported_scheme = std::nullopt;
  /// Whether the matrix is split, the same on every process. Default: by the bytes that an apply
  /// moves.
  std::optional<bool> split = std::nullopt;
};

/// A filled Tpetra::CrsMatrix as a Tpetra::Operator: y = alpha * op(A) * x + beta * y.
///
/// The local matrix is split once: into the entries whose column this process owns, which read x in
/// place, and those whose column it imports. An apply starts the import of those columns,
/// multiplies the first part meanwhile, and adds the second. If processes import many columns
/// compared with those that they own, the matrix is not split: an apply imports all columns, as
/// Tpetra does, and multiplies once. Such a matrix, and one without an importer (one process, or no
/// column of another), is borrowed, not copied.
///
/// Holds a reference to the matrix. Bitwise reproducible as SpmvPlan is, except that the order of
/// sums in Tpetra's exports (a row map that is not the range map, or a transposing mode) is
/// Tpetra's. An Operator applies once at a time.
template <class Scalar = typename ::Tpetra::Operator<>::scalar_type,
          class LO = typename ::Tpetra::Operator<Scalar>::local_ordinal_type,
          class GO = typename ::Tpetra::Operator<Scalar, LO>::global_ordinal_type,
          class Node = typename ::Tpetra::Operator<Scalar, LO, GO>::node_type>
class Operator : public ::Tpetra::Operator<Scalar, LO, GO, Node> {
 public:
  using crs_matrix_type = ::Tpetra::CrsMatrix<Scalar, LO, GO, Node>;
  using map_type = ::Tpetra::Map<LO, GO, Node>;
  using multivector_type = ::Tpetra::MultiVector<Scalar, LO, GO, Node>;
  using execution_space = typename Node::execution_space;

  /// Inspects A, which is fill complete, on the default instance of its execution space, and waits.
  /// Collective over A's communicator. Modes named in options.plan.ops are prepared, others at
  /// their first apply. Throws Error if A is not fill complete, or if options.plan.symmetry is
  /// given (a triangle of a distributed matrix is not one on each process). A process that fails,
  /// as SpmvPlan describes or for lack of memory, throws its own exception, and all others an Error
  /// that names it. Memory: bytes().
  explicit Operator(const Teuchos::RCP<const crs_matrix_type>& A,
                    const OperatorOptions& options = {})
      : A_(A) {
    check_filled();
    if (options.plan.symmetry != Symmetry::none) {
      throw Error("options.plan.symmetry is given for a distributed matrix",
                  "fill both triangles of A");
    }
    const auto importer = A->getGraph()->getImporter();
    std::optional<detail::tpetra::ImportedColumns<LO, GO, Node>> columns;
    if (!importer.is_null()) {
      detail::tpetra::agreed(*A->getComm(), [&] { columns.emplace(*importer); });
      columns->decide(*A->getComm());
      if (!options.split.value_or(columns->split_pays || options.imported_scheme)) {
        import_ = importer;
        columns.reset();
      } else if (columns->any_imported) {
        import_ = columns->alone(*importer);
      }
    }
    detail::tpetra::agreed(*A->getComm(), [&] { inspect(options, columns); });
  }

  /// y = alpha * op(A) * x + beta * y, with Tpetra's maps and rules: x on the domain map and y on
  /// the range map, reversed in the transposing modes; beta == 0 overwrites y without reading it,
  /// alpha == 0 reads neither A nor x. Collective. Allocates vectors for imports and for other maps
  /// when the number of vectors changes, the memory of a mode that is not in options.plan.ops, and
  /// copies of vectors that Tpetra does not keep at a constant stride, or if x is y. Otherwise it
  /// allocates nothing. When it allocates, processes agree, as in the constructor.
  /// Throws Error if x and y hold different numbers of vectors, do not fit the maps, or overlap
  /// without being equal.
  void apply(const multivector_type& X, multivector_type& Y,
             Teuchos::ETransp mode = Teuchos::NO_TRANS, Scalar alpha = Scalar(1),
             Scalar beta = Scalar(0)) const override {
    check_filled();
    const Op op = detail::tpetra::op_of(mode);
    check_vectors(op, X, Y);
    if (X.getNumVectors() == 0) return;
    if (alpha == Scalar(0)) return detail::tpetra::scale(beta, Y);
    // If every process holds y, all processes add to one sum, and only one of them adds beta * y.
    const auto comm = getRangeMap()->getComm();
    const bool replicated = !Y.isDistributed() && comm->getSize() > 1;
    if (replicated && comm->getRank() > 0) beta = Scalar(0);
    get_ready(op, X, Y);
    if (transposes(op)) {
      apply_transposed(op, X, Y, alpha, beta);
    } else {
      apply_forward(X, Y, alpha, beta);
    }
    if (replicated) Y.reduce();
  }

  /// Reads the values of the matrix, refilled (resumeFill, new values in the same places,
  /// fillComplete); there is no new inspection. Collective. Throws Error on all processes if the
  /// number of rows, columns or entries changed on one. Another pattern of the same size is not
  /// detected and gives wrong results.
  void update_values() {
    check_filled();
    detail::tpetra::agreed(*A_->getComm(), [&] { update_parts(); });
  }

  /// Prepares an op if it is not prepared yet: see SpmvPlan::prepare. Collective; throws as the
  /// constructor does.
  void prepare(Op op) const {
    if (is_prepared(op)) return;
    detail::tpetra::agreed(*A_->getComm(), [&] { prepare_parts(op); });
    prepared_[static_cast<std::size_t>(op)] = true;  // on all processes
  }

  Teuchos::RCP<const map_type> getDomainMap() const override { return A_->getDomainMap(); }
  Teuchos::RCP<const map_type> getRangeMap() const override { return A_->getRangeMap(); }
  bool hasTransposeApply() const override { return true; }
  bool hasDiagonal() const override { return true; }
  void getLocalDiagCopy(::Tpetra::Vector<Scalar, LO, GO, Node>& diagonal) const override {
    A_->getLocalDiagCopy(diagonal);
  }
  Teuchos::RCP<const crs_matrix_type> getMatrix() const { return A_; }

  /// The schemes that run on this process for the columns that it owns, and for those that it
  /// imports. The second is empty if no process imports any, or if the matrix is not split; the
  /// first then runs for all columns.
  const Scheme& scheme(Op op = Op::none) const { return own_->scheme(op); }
  std::optional<Scheme> imported_scheme(Op op = Op::none) const {
    return imported_ ? std::optional(imported_->scheme(op)) : std::nullopt;
  }
  std::string description() const override {
    return "heddle::tpetra::Operator: " + scheme().to_string() +
           (imported_ ? ", imported columns " + imported_->scheme().to_string() : "");
  }
  /// Seconds of the inspections on this process, without the split.
  double setup_seconds() const {
    return own_->setup_seconds() + (imported_ ? imported_->setup_seconds() : 0);
  }
  /// Device memory beyond the matrix, in bytes, the work vectors not included.
  std::size_t bytes() const {
    std::size_t bytes = own_->bytes() + (imported_ ? imported_->bytes() : 0);
    if (split_) {
      bytes +=
          split_->own.bytes() + split_->imported.bytes() + split_->places.extent(0) * sizeof(LO);
    }
    return bytes;
  }

 private:
  using Exec = execution_space;
  using S = typename multivector_type::impl_scalar_type;
  using Matrix = decltype(csr_matrix(std::declval<crs_matrix_type>().getLocalMatrixDevice()));
  using Plan = SpmvPlan<Exec, Matrix>;
  using Work = detail::tpetra::WorkVectors<multivector_type>;

  void inspect(const OperatorOptions& options,
               const std::optional<detail::tpetra::ImportedColumns<LO, GO, Node>>& columns) {
    const Exec exec;
    const Matrix A = csr_matrix(A_->getLocalMatrixDevice());
    if (!columns) {
      own_.emplace(exec, A, options.plan);
      return;
    }
    split_.emplace(
        detail::tpetra::split_columns(exec, A, columns->places, columns->own, columns->imported));
    own_.emplace(exec, split_->own.matrix(), options.plan);
    if (import_.is_null()) return;
    detail::plan_added_columns(imported_, exec, split_->imported.matrix(), options.plan,
                               options.imported_scheme);
  }

  void update_parts() {
    const Exec exec;
    const auto A = csr_matrix(A_->getLocalMatrixDevice());
    if (!split_) return own_->update_values(exec, A);
    const auto entries = split_->own.nonzeros() + split_->imported.nonzeros();
    if (A.rows() != split_->own.rows() || A.nonzeros() != entries ||
        static_cast<std::size_t>(A.columns()) != split_->places.extent(0)) {
      throw Error("the matrix now has " + std::to_string(A.rows()) + " rows and " +
                      std::to_string(A.nonzeros()) + " entries on this process, and had " +
                      std::to_string(split_->own.rows()) + " and " + std::to_string(entries),
                  "make a new Operator when the pattern changes");
    }
    detail::tpetra::fill_entries(exec, A, *split_);
    own_->update_values(exec, split_->own.matrix());
    if (imported_) imported_->update_values(exec, split_->imported.matrix());
  }

  bool is_prepared(Op op) const { return prepared_[static_cast<std::size_t>(op)]; }

  void prepare_parts(Op op) const {
    const Exec exec;
    own_->prepare(exec, op);
    if (imported_) imported_->prepare(exec, op);
  }

  /// Allocates all that an apply needs, before its first message. The same is missing on every
  /// process, since that depends only on the mode, the maps and the number of vectors.
  void get_ready(Op op, const multivector_type& X, const multivector_type& Y) const {
    const std::size_t count = X.getNumVectors();
    const auto each = [&](const auto& use) {
      const auto graph = A_->getGraph();
      if (!import_.is_null()) use(on_imported_, import_->getTargetMap());
      if (!graph->getExporter().is_null()) use(on_rows_, A_->getRowMap());
      if (is_copied(X, Y)) use(x_copy_, X.getMap());
      if (!Y.isConstantStride()) use(y_copy_, Y.getMap());
    };
    if (transposes(op)) prepare(op);
    bool ready = true;
    each([&](const Work& work, const auto& map) { ready = ready && work.fits(map, count); });
    if (ready) return;
    try {
      detail::tpetra::agreed(*A_->getComm(), [&] {
        each([&](Work& work, const auto& map) { work.get(map, count); });
      });
    } catch (...) {  // all processes must have the same memory
      each([](Work& work, const auto&) { work.clear(); });
      throw;
    }
  }

  void check_filled() const {
    if (A_.is_null() || !A_->isFillComplete()) {
      throw Error("the Tpetra::CrsMatrix of an Operator is null or not fill complete",
                  "call fillComplete() on it, and update_values() after a refill");
    }
  }

  void check_vectors(Op op, const multivector_type& X, const multivector_type& Y) const {
    const auto demand = [](const char* vector, std::size_t is, std::size_t should) {
      if (is != should) {
        throw Error(std::string(vector) + " has " + std::to_string(is) +
                        " rows on this process, and op(A) needs " + std::to_string(should),
                    "give x on the domain map of op(A), and y on its range map");
      }
    };
    const auto domain = A_->getDomainMap(), range = A_->getRangeMap();
    demand("x", X.getLocalLength(), (transposes(op) ? range : domain)->getLocalNumElements());
    demand("y", Y.getLocalLength(), (transposes(op) ? domain : range)->getLocalNumElements());
    if (X.getNumVectors() != Y.getNumVectors()) {
      throw Error("x holds " + std::to_string(X.getNumVectors()) + " vectors and y " +
                      std::to_string(Y.getNumVectors()),
                  "give both the same number of vectors");
    }
  }

  static void multiply(Plan& plan, Op op, Scalar alpha, const Multivector<const S>& x, Scalar beta,
                       const Multivector<S>& y) {
    plan.execute(Exec(), op, S(alpha), x, S(beta), y);
  }

  static bool is_copied(const multivector_type& X, const multivector_type& Y) {
    return !X.isConstantStride() || &X == &Y;
  }
  /// Vectors that a plan can read while it writes Y: X itself, or a copy.
  const multivector_type& readable(const multivector_type& X, const multivector_type& Y) const {
    if (!is_copied(X, Y)) return X;
    auto& copy = x_copy_.get(X.getMap(), X.getNumVectors());
    ::Tpetra::deep_copy(copy, X);
    return copy;
  }
  /// Vectors that a plan can write in the place of Y: Y itself, or a copy.
  multivector_type& writable(multivector_type& Y, Scalar beta) const {
    if (Y.isConstantStride()) return Y;
    auto& copy = y_copy_.get(Y.getMap(), Y.getNumVectors());
    if (beta != Scalar(0)) ::Tpetra::deep_copy(copy, Y);
    return copy;
  }

  void apply_forward(const multivector_type& X, multivector_type& Y, Scalar alpha,
                     Scalar beta) const {
    const std::size_t count = X.getNumVectors();
    const auto exporter = A_->getGraph()->getExporter();
    const bool exports = !exporter.is_null();
    const multivector_type& x = readable(X, Y);
    multivector_type& y = exports ? on_rows_.get(A_->getRowMap(), count) : writable(Y, beta);
    multivector_type* imported = nullptr;
    if (!import_.is_null()) {
      imported = &on_imported_.get(import_->getTargetMap(), count);
      imported->beginImport(x, *import_, ::Tpetra::INSERT);
      if (!split_) imported->endImport(x, *import_, ::Tpetra::INSERT);
    }
    const auto y_local = detail::tpetra::to_write(y);
    const auto x_local = detail::tpetra::to_read(imported && !split_ ? *imported : x);
    multiply(*own_, Op::none, alpha, x_local, exports ? Scalar(0) : beta, y_local);
    if (imported && split_) {
      imported->endImport(x, *import_, ::Tpetra::INSERT);
      multiply(*imported_, Op::none, alpha, detail::tpetra::to_read(*imported), Scalar(1), y_local);
    }
    if (exports) {
      detail::tpetra::scale(beta, Y);
      Y.doExport(y, *exporter, ::Tpetra::ADD_ASSIGN);
    } else if (&y != &Y) {
      ::Tpetra::deep_copy(Y, y);
    }
  }

  void apply_transposed(Op op, const multivector_type& X, multivector_type& Y, Scalar alpha,
                        Scalar beta) const {
    const std::size_t count = X.getNumVectors();
    const auto exporter = A_->getGraph()->getExporter();
    if (!exporter.is_null()) {
      on_rows_.get(A_->getRowMap(), count).doImport(X, *exporter, ::Tpetra::INSERT);
    }
    const multivector_type& x =
        exporter.is_null() ? readable(X, Y) : on_rows_.get(A_->getRowMap(), count);
    const auto x_local = detail::tpetra::to_read(x);
    multivector_type* imported = nullptr;
    if (!import_.is_null()) imported = &on_imported_.get(import_->getTargetMap(), count);
    if (imported && !split_) {
      multiply(*own_, op, alpha, x_local, Scalar(0), detail::tpetra::to_write(*imported));
      detail::tpetra::scale(beta, Y);
      return Y.doExport(*imported, *import_, ::Tpetra::ADD_ASSIGN);
    }
    multivector_type& y = writable(Y, beta);
    if (imported) {
      multiply(*imported_, op, alpha, x_local, Scalar(0), detail::tpetra::to_write(*imported));
      y.beginExport(*imported, *import_, ::Tpetra::ADD);
    }
    multiply(*own_, op, alpha, x_local, beta, detail::tpetra::to_write(y));
    if (imported) y.endExport(*imported, *import_, ::Tpetra::ADD);
    if (&y != &Y) ::Tpetra::deep_copy(Y, y);
  }

  Teuchos::RCP<const crs_matrix_type> A_;
  Teuchos::RCP<const ::Tpetra::Import<LO, GO, Node>> import_;  // imports all columns if not split
  std::optional<detail::tpetra::ColumnSplit<Exec, Matrix>> split_;  // empty: not split
  // Tpetra::Operator::apply is const, but a plan changes its own memory in an apply.
  mutable std::optional<Plan> own_, imported_;
  mutable std::array<bool, 4> prepared_{};
  mutable Work on_imported_, on_rows_, x_copy_, y_copy_;
};

template <class S, class LO, class GO, class Node>
Operator(const Teuchos::RCP<::Tpetra::CrsMatrix<S, LO, GO, Node>>&) -> Operator<S, LO, GO, Node>;
template <class S, class LO, class GO, class Node>
Operator(const Teuchos::RCP<::Tpetra::CrsMatrix<S, LO, GO, Node>>&, const OperatorOptions&)
    -> Operator<S, LO, GO, Node>;

}  // namespace heddle::tpetra
