// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Ifpack2_Details_getCrsMatrix.hpp>
#include <Ifpack2_RILUK.hpp>
#include <algorithm>

#include "../ilu/plan.hpp"
#include "preconditioner.hpp"
#include "triangular_solver.hpp"

namespace heddle::tpetra {

/// Ifpack2::RILUK by an IluPlan: a replacement that takes the same parameters and gives the same
/// factors up to rounding.
///
/// Ifpack2 computes the factors, and Heddle solves with them (LocalTriangularSolver), if parameters
/// are set that IluPlan does not have: a relaxation ("fact: relax value"), or thresholds that
/// change the diagonal ("fact: absolute threshold", "fact: relative threshold"). So it does for a
/// matrix that is neither a Tpetra::CrsMatrix nor made from one by Ifpack2::AdditiveSchwarz, or
/// whose row, domain and range maps differ. description() says which it is. Parameters that select
/// among Ifpack2's algorithms ("fact: type", "trisolver: type") are ignored, and its streams
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

  /// The options of the solves: ops, vectors, scheme, threads, expected_applies.
  explicit RILUK(const Teuchos::RCP<const RowMatrix>& A, const SptrsvOptions& options = {})
      : Base(A), options_(options) {
    this->L_solver_ = Teuchos::rcp(new LocalTriangularSolver<RowMatrix>(options));
    this->U_solver_ = Teuchos::rcp(new LocalTriangularSolver<RowMatrix>(options));
  }

  /// The parameters of Ifpack2::RILUK; they take effect at the next initialize(). Throws Error for
  /// streams.
  void setParameters(const Teuchos::ParameterList& parameters) override {
    Base::setParameters(parameters);
    if (this->isKokkosKernelsStream_) {
      this->isKokkosKernelsStream_ = false;
      throw Error("heddle::tpetra::RILUK with \"fact: kspiluk number-of-streams\"",
                  "leave it out, or take Ifpack2::RILUK");
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
      throw Error("a transposing apply of a RILUK whose options do not name it",
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
  /// Keeps the matrix if so.
  bool takes_matrix() {
    const auto given = this->getMatrix();
    if (given.is_null() || !given->isFillComplete()) return false;  // an error of Ifpack2's
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
  Teuchos::RCP<const crs_matrix_type> matrix_;  // null where Ifpack2 makes the factors
  std::optional<Preconditioner<Plan, crs_matrix_type>> factors_;
};

}  // namespace heddle::tpetra
