// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Ifpack2_LocalSparseTriangularSolver.hpp>
#include <Tpetra_Details_determineLocalTriangularStructure.hpp>
#include <array>
#include <optional>

#include "../../core/interop/kokkos_kernels.hpp"
#include "../sptrsv.hpp"
#include "vectors.hpp"

/// Heddle inside Ifpack2's preconditioners.
namespace heddle::tpetra {

/// Ifpack2::LocalSparseTriangularSolver with an SptrsvPlan inside: it solves with the local
/// triangle of each process, y = alpha * op(T)^-1 * x + beta * y.
///
/// It replaces a LocalSparseTriangularSolver: the matrix is a filled Tpetra::CrsMatrix, locally
/// square, lower or upper triangular by its local indices. Its diagonal counts as one unless every
/// row stores it. compute() takes new values without a new inspection. Parameters ("trisolver:
/// type" and others) select among Ifpack2's algorithms and are ignored. RowMatrix is a
/// Tpetra::RowMatrix. A solver applies once at a time; it is as reproducible as SptrsvPlan.
template <class RowMatrix = ::Tpetra::RowMatrix<>>
class LocalTriangularSolver : public Ifpack2::LocalSparseTriangularSolver<RowMatrix> {
  using Base = Ifpack2::LocalSparseTriangularSolver<RowMatrix>;

 public:
  using scalar_type = typename Base::scalar_type;
  using crs_matrix_type = typename Base::crs_matrix_type;
  using multivector_type =
      ::Tpetra::MultiVector<scalar_type, typename Base::local_ordinal_type,
                            typename Base::global_ordinal_type, typename Base::node_type>;
  using execution_space = typename Base::node_type::execution_space;

  /// Triangle and diagonal of the options are overwritten by those of the matrix.
  explicit LocalTriangularSolver(const SptrsvOptions& options = {}) : options_(options) {}
  explicit LocalTriangularSolver(const Teuchos::RCP<const RowMatrix>& T,
                                 const SptrsvOptions& options = {})
      : Base(T), options_(options) {}

  void setMatrix(const Teuchos::RCP<const RowMatrix>& T) override {
    if (T.get() == this->getMatrix().get()) return;
    Base::setMatrix(T);
    reset();
  }

  /// Determines which triangle it is. The graph must be fill complete. Throws Error if the matrix
  /// is not a Tpetra::CrsMatrix, or not such a triangle.
  void initialize() override {
    const Teuchos::Time clock("initialize");
    const double begin = clock.wallTime();
    reset();
    T_ = Teuchos::rcp_dynamic_cast<const crs_matrix_type>(this->getMatrix());
    if (T_.is_null()) {
      throw Error("a LocalTriangularSolver without a Tpetra::CrsMatrix",
                  "give one to the constructor or to setMatrix");
    }
    const auto graph = T_->getGraph();
    if (!graph->isFillComplete()) {
      throw Error("the graph of a triangle is not fill complete", "call fillComplete() on it");
    }
    const auto local = T_->getLocalMatrixDevice();
    if (!graph->getImporter().is_null() || !graph->getExporter().is_null() ||
        local.numRows() != local.numCols()) {
      throw Error("a local triangular solve with a matrix of other processes' columns or rows",
                  "give the triangle of one process: Ifpack2::LocalFilter, or factors of RILUK");
    }
    const bool by_local_index = true;
    const auto structure = ::Tpetra::Details::determineLocalTriangularStructure(
        local.graph, T_->getRowMap()->getLocalMap(), T_->getColMap()->getLocalMap(),
        by_local_index);
    if (!structure.couldBeLowerTriangular && !structure.couldBeUpperTriangular) {
      throw Error("the matrix is neither lower nor upper triangular by its local indices",
                  "give one triangle");
    }
    options_.triangle = structure.couldBeLowerTriangular ? Triangle::lower : Triangle::upper;
    options_.diagonal = structure.diagCount < local.numRows() ? Diagonal::unit : Diagonal::stored;
    initialized_ = true;
    ++initializations_;
    initialize_seconds_ += clock.wallTime() - begin;
  }
  bool isInitialized() const override { return initialized_; }

  /// Inspects the matrix at the first call after initialize(); later calls take its values. Waits.
  /// The matrix must be fill complete. Throws Error, naming the row, if a diagonal entry is zero.
  void compute() override {
    const Teuchos::Time clock("compute");
    const double begin = clock.wallTime();
    if (!initialized_) initialize();
    if (!T_->isFillComplete()) {
      throw Error("a triangle is not fill complete", "call fillComplete() on it");
    }
    const Exec exec;
    const Matrix T = csr_matrix(T_->getLocalMatrixDevice());
    computed_ = false;
    if (plan_) {
      plan_->update_values(exec, T);
      plan_->check_values(exec);
    } else {
      plan_.emplace(exec, T, options_);
    }
    computed_ = true;
    ++computations_;
    compute_seconds_ += clock.wallTime() - begin;
  }
  bool isComputed() const override { return computed_; }

  /// X and Y have the local rows of the matrix, and may be the same. Not collective. beta == 0
  /// overwrites Y without reading it; alpha == 0 reads neither X nor the matrix. The first apply of
  /// a transposing mode that is not in the options' ops prepares it. Throws Error before compute(),
  /// and as SptrsvPlan::apply does.
  void apply(const multivector_type& X, multivector_type& Y,
             Teuchos::ETransp mode = Teuchos::NO_TRANS, scalar_type alpha = scalar_type(1),
             scalar_type beta = scalar_type(0)) const override {
    const Teuchos::Time clock("apply");
    const double begin = clock.wallTime();
    if (!computed_) throw Error("a triangular solve before compute()", "call compute() first");
    if (X.getNumVectors() != Y.getNumVectors()) {
      throw Error("x holds " + std::to_string(X.getNumVectors()) + " vectors and y " +
                      std::to_string(Y.getNumVectors()),
                  "give both the same number of vectors");
    }
    const Op op = detail::tpetra::op_of(mode);
    if (transposes(op) && !transpose_prepared_) {
      plan_->prepare(Exec(), op);
      transpose_prepared_ = true;
    }
    if (alpha == scalar_type(0)) {
      detail::tpetra::scale(beta, Y);
    } else if (beta == scalar_type(0) && X.isConstantStride() && Y.isConstantStride()) {
      solve(op, alpha, X, Y);
    } else {
      auto& x = copy_.get(Y.getMap(), Y.getNumVectors());
      ::Tpetra::deep_copy(x, X);
      solve(op, alpha, x, x);
      Y.update(scalar_type(1), x, beta);
    }
    ++applies_;
    apply_seconds_ += clock.wallTime() - begin;
  }

  int getNumInitialize() const override { return initializations_; }
  int getNumCompute() const override { return computations_; }
  int getNumApply() const override { return applies_; }
  double getInitializeTime() const override { return initialize_seconds_; }
  double getComputeTime() const override { return compute_seconds_; }
  double getApplyTime() const override { return apply_seconds_; }

  /// The scheme that runs. Throws Error before compute().
  const Scheme& scheme() const {
    if (!plan_) throw Error("a scheme is asked for before compute()", "call compute() first");
    return plan_->scheme();
  }
  std::string description() const override {
    return "heddle::tpetra::LocalTriangularSolver: " +
           (plan_ ? plan_->scheme().to_string() : std::string("not computed"));
  }

 private:
  using Exec = execution_space;
  using S = typename multivector_type::impl_scalar_type;
  using Matrix = decltype(csr_matrix(std::declval<crs_matrix_type>().getLocalMatrixDevice()));
  using Plan = SptrsvPlan<Exec, Matrix>;

  void reset() {
    plan_.reset();
    T_ = Teuchos::null;
    initialized_ = computed_ = transpose_prepared_ = false;
  }

  void solve(Op op, scalar_type alpha, const multivector_type& x, multivector_type& y) const {
    plan_->execute(Exec(), op, S(alpha), detail::tpetra::to_read(x), detail::tpetra::to_write(y));
  }

  SptrsvOptions options_;
  Teuchos::RCP<const crs_matrix_type> T_;
  bool initialized_ = false, computed_ = false;
  int initializations_ = 0, computations_ = 0;
  double initialize_seconds_ = 0, compute_seconds_ = 0;
  // A Tpetra::Operator applies const, and a plan keeps what a solve needs.
  mutable std::optional<Plan> plan_;
  mutable bool transpose_prepared_ = false;
  mutable detail::tpetra::WorkVectors<multivector_type> copy_;
  mutable int applies_ = 0;
  mutable double apply_seconds_ = 0;
};

}  // namespace heddle::tpetra
