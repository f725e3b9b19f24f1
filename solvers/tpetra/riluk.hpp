// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Ifpack2_Details_getCrsMatrix.hpp>
#include <Ifpack2_LocalSparseTriangularSolver.hpp>
#include <Ifpack2_RILUK.hpp>
#include <Tpetra_Details_determineLocalTriangularStructure.hpp>
#include <algorithm>
#include <array>
#include <optional>

#include "../../core/interop/kokkos_kernels.hpp"
#include "../ilu/plan.hpp"
#include "../sptrsv.hpp"
#include "preconditioner.hpp"
#include "vectors.hpp"

/// Heddle inside Ifpack2's preconditioners.
namespace heddle::tpetra {

/// Ifpack2::LocalSparseTriangularSolver with an SptrsvPlan inside: it solves with the local
/// triangle of each process, y = alpha * op(T)^-1 * x + beta * y.
///
/// It replaces a LocalSparseTriangularSolver: the matrix is a filled Tpetra::CrsMatrix, locally
/// square, lower or upper triangular by its local indices. Its diagonal counts as one unless every
/// row stores it. compute() reads new values without a new inspection. Parameters ("trisolver:
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

  /// The matrix overwrites the triangle and the diagonal of the options.
  explicit LocalTriangularSolver(const SptrsvOptions& options = {}) : options_(options) {}
  explicit LocalTriangularSolver(const Teuchos::RCP<const RowMatrix>& T,
                                 const SptrsvOptions& options = {})
      : Base(T), options_(options) {}

  void setMatrix(const Teuchos::RCP<const RowMatrix>& T) override {
    if (T.get() == this->getMatrix().get()) return;
    Base::setMatrix(T);
    reset();
  }

  /// Determines whether the matrix is a lower or an upper triangle. The graph must be fill
  /// complete. Throws Error if the matrix is not a Tpetra::CrsMatrix, or not such a triangle.
  void initialize() override {
    const Teuchos::Time clock("initialize");
    const double begin = clock.wallTime();
    reset();
    T_ = Teuchos::rcp_dynamic_cast<const crs_matrix_type>(this->getMatrix());
    if (T_.is_null()) {
      throw Error("LocalTriangularSolver has no Tpetra::CrsMatrix",
                  "give one to the constructor or to setMatrix");
    }
    const auto graph = T_->getGraph();
    if (!graph->isFillComplete()) {
      throw Error("the graph of a triangle is not fill complete", "call fillComplete() on it");
    }
    const auto local = T_->getLocalMatrixDevice();
    if (!graph->getImporter().is_null() || !graph->getExporter().is_null() ||
        local.numRows() != local.numCols()) {
      throw Error("the triangle has columns or rows of other processes",
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

  /// Inspects the matrix at the first call after initialize(); later calls read its values. Waits.
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
    if (!computed_) throw Error("the solve precedes compute()", "call compute() first");
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
  // Tpetra::Operator::apply is const, but a plan changes its own memory in a solve.
  mutable std::optional<Plan> plan_;
  mutable bool transpose_prepared_ = false;
  mutable detail::tpetra::WorkVectors<multivector_type> copy_;
  mutable int applies_ = 0;
  mutable double apply_seconds_ = 0;
};

/// Ifpack2::RILUK by an IluPlan: a replacement that accepts the same parameters and gives the same
/// factors up to rounding.
///
/// Ifpack2 computes the factors, and Heddle solves with them (LocalTriangularSolver), if parameters
/// are set that IluPlan does not have: a relaxation ("fact: relax value"), or thresholds that
/// change the diagonal ("fact: absolute threshold", "fact: relative threshold"). Ifpack2 also does
/// for a matrix that is neither a Tpetra::CrsMatrix nor made from one by Ifpack2::AdditiveSchwarz,
/// or whose row, domain and range maps differ. description() says which it is. Parameters that
/// select among Ifpack2's algorithms ("fact: type", "trisolver: type") are ignored, and its streams
/// ("fact: kspiluk number-of-streams") are refused.
///
/// If an IluPlan has the factors, getL, getD, getU and getGraph of Ifpack2 return none; use
/// IluPlan::factors. A RILUK applies once at a time; it is as reproducible as IluPlan.
template <class RowMatrix = ::Tpetra::RowMatrix<>>
class RILUK : public Ifpack2::RILUK<RowMatrix> {
  using Base = Ifpack2::RILUK<RowMatrix>;

 public:
  using scalar_type = typename Base::scalar_type;
  using crs_matrix_type = typename Base::crs_matrix_type;
  using execution_space = typename Base::execution_space;
  using map_type = ::Tpetra::Map<typename Base::local_ordinal_type,
                                 typename Base::global_ordinal_type, typename Base::node_type>;
  using multivector_type =
      ::Tpetra::MultiVector<scalar_type, typename Base::local_ordinal_type,
                            typename Base::global_ordinal_type, typename Base::node_type>;
  using Plan = IluPlan<execution_space, LocalBlock<crs_matrix_type>>;

  /// `options` are those of the solves: ops, vectors, scheme, threads, expected_applies.
  explicit RILUK(const Teuchos::RCP<const RowMatrix>& A, const SptrsvOptions& options = {})
      : Base(A), options_(options) {
    this->L_solver_ = Teuchos::rcp(new LocalTriangularSolver<RowMatrix>(options));
    this->U_solver_ = Teuchos::rcp(new LocalTriangularSolver<RowMatrix>(options));
  }

  /// Sets the parameters of Ifpack2::RILUK; they have effect at the next initialize(). Throws Error
  /// for streams.
  void setParameters(const Teuchos::ParameterList& parameters) override {
    Base::setParameters(parameters);
    if (this->isKokkosKernelsStream_) {
      this->isKokkosKernelsStream_ = false;
      throw Error("heddle::tpetra::RILUK lacks \"fact: kspiluk number-of-streams\"",
                  "leave it out, or use Ifpack2::RILUK");
    }
  }

  void setMatrix(const Teuchos::RCP<const RowMatrix>& A) override {
    if (A.get() != this->getMatrix().get()) reset();
    Base::setMatrix(A);
  }

  /// Decides whether IluPlan or Ifpack2 computes the factors, and inspects for Ifpack2. The matrix
  /// must be fill complete. Collective.
  void initialize() override {
    reset();
    if (!takes_parameters() || !takes_matrix()) return Base::initialize();
    this->isInitialized_ = true;
    ++this->numInitialize_;
  }

  /// Makes the IluPlan at the first call after initialize(); later calls factor the current values
  /// of the matrix without an allocation. Waits. Collective: a failure on one process is an Error
  /// on all. Throws Error, naming the row, for a missing diagonal entry, and for a pivot that is
  /// zero or not finite.
  void compute() override {
    if (!this->isInitialized()) initialize();
    if (matrix_.is_null()) return Base::compute();
    const Teuchos::Time clock("compute");
    const double begin = clock.wallTime();
    this->isComputed_ = false;
    if (factors_) {
      factors_->update_values();
    } else {
      factors_.emplace(matrix_, [this](const auto& exec, const auto& block) {
        return std::make_unique<Plan>(exec, block, ilu_options());
      });
    }
    this->isComputed_ = true;
    ++this->numCompute_;
    this->computeTime_ += clock.wallTime() - begin;
  }

  /// Y = alpha (LU)^-1 X + beta Y. Not collective. beta == 0 overwrites Y without reading it; alpha
  /// == 0 does not read X. Throws Error for a transposing mode that is not in the options' ops.
  void apply(const multivector_type& X, multivector_type& Y,
             Teuchos::ETransp mode = Teuchos::NO_TRANS, scalar_type alpha = scalar_type(1),
             scalar_type beta = scalar_type(0)) const override {
    if (!factors_ || !this->isComputed_) return Base::apply(X, Y, mode, alpha, beta);
    if (mode != Teuchos::NO_TRANS && std::none_of(options_.ops.begin(), options_.ops.end(),
                                                  [](Op op) { return transposes(op); })) {
      throw Error("the ops of this RILUK's options have no transpose",
                  "name Op::transpose in the ops of its options");
    }
    const Teuchos::Time clock("apply");
    const double begin = clock.wallTime();
    factors_->apply(X, Y, mode, alpha, beta);
    ++this->numApply_;
    this->applyTime_ += clock.wallTime() - begin;
  }

  Teuchos::RCP<const map_type> getDomainMap() const override {
    return matrix_.is_null() ? Base::getDomainMap() : matrix_->getDomainMap();
  }
  Teuchos::RCP<const map_type> getRangeMap() const override {
    return matrix_.is_null() ? Base::getRangeMap() : matrix_->getRangeMap();
  }
  /// The plan of this process; null if Ifpack2 has the factors, or none are computed.
  const Plan* plan() const { return factors_ ? &factors_->local_preconditioner() : nullptr; }
  std::string description() const override {
    if (matrix_.is_null()) return Base::description();
    return "heddle::tpetra::RILUK: level of fill " + std::to_string(this->getLevelOfFill()) + ", " +
           (factors_ ? plan()->scheme().to_string() : std::string("not computed"));
  }

 private:
  using Magnitude = typename Base::magnitude_type;

  bool takes_parameters() const {
    return this->getRelaxValue() == Magnitude(0) && this->getAbsoluteThreshold() == Magnitude(0) &&
           this->getRelativeThreshold() == Magnitude(1);
  }
  /// Whether an IluPlan can factor the matrix, which is then kept in matrix_.
  bool takes_matrix() {
    const auto given = this->getMatrix();
    if (given.is_null() || !given->isFillComplete()) return false;  // Ifpack2 reports the error
    const auto A = Ifpack2::Details::getCrsMatrix(given);
    if (A.is_null()) return false;
    const auto rows = A->getRowMap();
    if (!rows->isSameAs(*A->getDomainMap()) || !rows->isSameAs(*A->getRangeMap())) return false;
    matrix_ = A;
    return true;
  }
  IluOptions ilu_options() const {
    IluOptions options;
    options.fill_level = this->getLevelOfFill();
    options.vectors = options_.vectors;
    options.ops = options_.ops;
    options.expected_applies = options_.expected_applies;
    options.sptrsv_scheme = options_.scheme;
    options.threads = options_.threads;
    return options;
  }
  void reset() {
    factors_.reset();
    matrix_ = Teuchos::null;
    this->isInitialized_ = this->isComputed_ = false;
  }

  SptrsvOptions options_;
  Teuchos::RCP<const crs_matrix_type> matrix_;  // null: Ifpack2 computes the factors
  std::optional<Preconditioner<Plan, crs_matrix_type>> factors_;
};

}  // namespace heddle::tpetra
