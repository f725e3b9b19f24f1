// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tpetra_CrsMatrix.hpp>
#include <Tpetra_Operator.hpp>
#include <memory>
#include <optional>

#include "../../core/interop/kokkos_kernels.hpp"
#include "../krylov/concepts.hpp"
#include "split_matrix.hpp"
#include "vectors.hpp"

namespace heddle::tpetra {

/// The rows and columns of a Tpetra::CrsMatrix that a process owns, from which Heddle makes a
/// preconditioner.
template <class CrsMatrix>
using LocalBlock = decltype(csr_matrix(std::declval<CrsMatrix>().getLocalMatrixDevice()));

/// A preconditioner M of Heddle, or of yours, as a Tpetra::Operator for Belos: y = alpha M x + beta
/// y. Each process has one for the rows and columns that it owns, so an apply sends no message
/// (block Jacobi over processes).
///
/// M has `apply(exec, b, x)` for vectors of rank 1 on the device, also of rank 2 if it has
/// `takes_several_vectors`, or `apply(exec, op, b, x)` for any number of vectors. For new values it
/// has `update_values(exec, block)` and, if a bad row shall be an error, `check_values(exec)`.
/// JacobiPreconditioner, BlockJacobiPreconditioner, GaussSeidelPlan, MultigridPlan, IluPlan and
/// IcPlan qualify. Holds a reference to the matrix. A Preconditioner applies once at a time; it is
/// as reproducible as M.
template <class M, class CrsMatrix = ::Tpetra::CrsMatrix<>>
class Preconditioner : public ::Tpetra::Operator<
                           typename CrsMatrix::scalar_type, typename CrsMatrix::local_ordinal_type,
                           typename CrsMatrix::global_ordinal_type, typename CrsMatrix::node_type> {
 public:
  using Scalar = typename CrsMatrix::scalar_type;
  using LO = typename CrsMatrix::local_ordinal_type;
  using GO = typename CrsMatrix::global_ordinal_type;
  using Node = typename CrsMatrix::node_type;
  using map_type = ::Tpetra::Map<LO, GO, Node>;
  using multivector_type = ::Tpetra::MultiVector<Scalar, LO, GO, Node>;
  using execution_space = typename Node::execution_space;
  using Block = LocalBlock<CrsMatrix>;

  /// make(exec, block) returns a std::unique_ptr<M>; the block lives as long as this object. It is
  /// A's own if the process imports no column, otherwise a copy. Collective; a failure on one
  /// process is an Error on all. Throws Error if A is not fill complete, or its row, domain and
  /// range maps differ.
  template <class Make>
  Preconditioner(const Teuchos::RCP<const CrsMatrix>& A, const Make& make) : A_(A) {
    if (A.is_null() || !A->isFillComplete()) {
      throw Error("the Tpetra::CrsMatrix of a Preconditioner is null or not fill complete",
                  "call fillComplete() on it");
    }
    const auto rows = A->getRowMap();
    if (!rows->isSameAs(*A->getDomainMap()) || !rows->isSameAs(*A->getRangeMap())) {
      throw Error("the row, domain and range maps of the matrix differ", "fill it with one map");
    }
    detail::tpetra::agreed(*A->getComm(), [&] {
      const Exec exec;
      const auto importer = A->getGraph()->getImporter();
      if (!importer.is_null()) {
        const detail::tpetra::ImportedColumns<LO, GO, Node> columns(*importer);
        split_.emplace(detail::tpetra::split_columns(exec, local(), columns.places, columns.own,
                                                     columns.imported));
      }
      made_ = make(exec, block());
      exec.fence("heddle::tpetra::preconditioner");
    });
  }

  /// y = alpha M x + beta y; beta == 0 overwrites y without reading it, alpha == 0 does not read x.
  /// Not collective. Allocates a vector when the number of vectors changes, unless alpha is 1, beta
  /// is 0, and x and y are different and of constant stride. For a transposing mode M's own op is
  /// used if M accepts one, or M itself if it says that it is symmetric (and the scalar is real, or
  /// the mode is the conjugate transpose); otherwise it throws Error. Throws Error if x and y hold
  /// different numbers of vectors.
  void apply(const multivector_type& X, multivector_type& Y,
             Teuchos::ETransp mode = Teuchos::NO_TRANS, Scalar alpha = Scalar(1),
             Scalar beta = Scalar(0)) const override {
    if (X.getNumVectors() != Y.getNumVectors()) {
      throw Error("x holds " + std::to_string(X.getNumVectors()) + " vectors and y " +
                      std::to_string(Y.getNumVectors()),
                  "give both the same number of vectors");
    }
    const bool alike = mode == Teuchos::CONJ_TRANS || !heddle::is_complex<S>;
    if (mode != Teuchos::NO_TRANS && !takes_op && !(hasTransposeApply() && alike)) {
      throw Error(detail::krylov::name_of(*made_) + " has no transpose",
                  "apply it as it is, or use a symmetric one");
    }
    if (alpha == Scalar(0)) return detail::tpetra::scale(beta, Y);
    const bool plain = alpha == Scalar(1) && beta == Scalar(0) && &X != &Y;
    const Op op = detail::tpetra::op_of(mode);
    if (plain && X.isConstantStride() && Y.isConstantStride()) return apply_to(X, Y, op);
    const multivector_type* x = &X;
    if (!X.isConstantStride()) {
      auto& copy = x_copy_.get(X.getMap(), X.getNumVectors());
      ::Tpetra::deep_copy(copy, X);
      x = &copy;
    }
    auto& product = product_.get(Y.getMap(), Y.getNumVectors());
    apply_to(*x, product, op);
    if (beta == Scalar(0)) {
      Y.scale(alpha, product);
    } else {
      Y.update(alpha, product, beta);
    }
  }

  /// Reads the values of the matrix, refilled with the same pattern. Collective, as the
  /// constructor; allocates nothing itself. Throws Error on all processes if a diagonal entry,
  /// pivot or block is bad.
  void update_values() {
    detail::tpetra::agreed(*A_->getComm(), [&] {
      const Exec exec;
      if (split_) detail::tpetra::fill_entries(exec, local(), *split_);
      made_->update_values(exec, block());
      if constexpr (requires { made_->check_values(exec); }) made_->check_values(exec);
    });
  }

  Teuchos::RCP<const map_type> getDomainMap() const override { return A_->getDomainMap(); }
  Teuchos::RCP<const map_type> getRangeMap() const override { return A_->getRangeMap(); }
  bool hasTransposeApply() const override {
    return takes_op || (detail::krylov::symmetric(*made_) && !detail::krylov::is_variable(*made_));
  }
  std::string description() const override {
    return "heddle::tpetra::Preconditioner: " + detail::krylov::name_of(*made_);
  }
  /// The preconditioner of this process.
  const M& local_preconditioner() const { return *made_; }

 private:
  using Exec = execution_space;
  using S = typename multivector_type::impl_scalar_type;
  using Work = detail::tpetra::WorkVectors<multivector_type>;
  static constexpr bool takes_op =
      requires(M& made, const Exec& exec, const ConstSolverVector<Exec, S>& b,
               const SolverVector<Exec, S>& x) { made.apply(exec, Op::none, b, x); };

  Block local() const { return csr_matrix(A_->getLocalMatrixDevice()); }
  Block block() const { return split_ ? split_->own.matrix() : local(); }

  void apply_to(const multivector_type& X, multivector_type& Y, Op op) const {
    if (X.getLocalLength() == 0) return;  // a View without rows may not know its columns
    const auto x = X.getLocalViewDevice(::Tpetra::Access::ReadOnly);
    const auto y = Y.getLocalViewDevice(::Tpetra::Access::OverwriteAll);
    if constexpr (takes_op) {
      made_->apply(Exec(), op, x, y);
    } else if constexpr (detail::krylov::takes_several_vectors<M>()) {
      made_->apply(Exec(), x, y);
    } else {
      for (std::size_t v = 0; v < X.getNumVectors(); ++v) {
        made_->apply(Exec(), Kokkos::subview(x, Kokkos::ALL, v),
                     Kokkos::subview(y, Kokkos::ALL, v));
      }
    }
  }

  Teuchos::RCP<const CrsMatrix> A_;
  std::optional<detail::tpetra::ColumnSplit<Exec, Block>> split_;
  std::unique_ptr<M> made_;
  // Tpetra::Operator::apply is const.
  mutable Work x_copy_, product_;
};

}  // namespace heddle::tpetra
