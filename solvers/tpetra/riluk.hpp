// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Ifpack2_Details_getCrsMatrix.hpp>
#include <Ifpack2_RILUK.hpp>
#include <algorithm>

#include "../ilu/plan.hpp"
#include "preconditioner.hpp"
#include "triangular_solver.hpp"

namespace heddle::tpetra {

/// Ifpack2::RILUK by an IluPlan: it stands wherever that does, takes the same parameters, and its
/// factors are the same to rounding.
///
/// Parameters that IluPlan has not, a relaxation ("fact: relax value") or thresholds ("fact:
/// absolute threshold", "fact: relative threshold") that change the diagonal, are left to Ifpack2,
/// which then computes the factors, and Heddle solves with them (LocalTriangularSolver); so is a
/// matrix that is no Tpetra::CrsMatrix, nor made of one by Ifpack2::AdditiveSchwarz, or whose row,
/// domain and range maps differ. description() says which it is. What chooses among Ifpack2's own
/// ways ("fact: type", "trisolver: type") is not used, and its streams ("fact: kspiluk
/// number-of-streams") are refused.
///
/// Where an IluPlan has the factors, getL, getD, getU and getGraph of Ifpack2 have none:
/// IluPlan::factors. One RILUK applies once at a time; reproducible as IluPlan.
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

  /// Options are those of the solves: ops, vectors, scheme, threads, expected_applies.
  explicit RILUK(const Teuchos::RCP<const RowMatrix>& A, const SptrsvOptions& options = {})
      : Base(A), options_(options) {
    this->L_solver_ = Teuchos::rcp(new LocalTriangularSolver<RowMatrix>(options));
    this->U_solver_ = Teuchos::rcp(new LocalTriangularSolver<RowMatrix>(options));
  }

  /// Those of Ifpack2::RILUK; they hold from the next initialize(). Throws Error for streams.
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

  /// Decides who makes the factors; Ifpack2's are inspected. The matrix must be fill complete.
  /// Collective.
  void initialize() override {
    reset();
    if (!takes_parameters() || !takes_matrix()) return Base::initialize();
    this->isInitialized_ = true;
    ++this->numInitialize_;
  }

  /// Makes the IluPlan at the first call after initialize(), later factors the values that the
  /// matrix has now, without an allocation; waits. Collective: what fails on one process is an
  /// Error on all. Throws Error, naming the row, for a diagonal entry that is not stored, and for a
  /// pivot that is zero or not finite.
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
  /// == 0 reads no X. Throws Error for a transposing mode that the options' ops do not name.
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
  /// The plan of this process, or null where Ifpack2 has the factors, or none are computed.
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
