// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <heddle/csr.hpp>

#include "../../bench/common/plans.hpp"
#include "cases.hpp"

// Operations on matrices whose results have as many entries as the pattern, or a few times as many.
namespace heddle::bench {

using CliffDevice = CsrStorage<double, Index, std::int32_t, Space>;

/// The set-up finds the pattern, an update computes new values, and there is nothing to apply.
template <class Work>
class MatrixOperation : public AnyOperator<double> {
 public:
  MatrixOperation(const Exec& exec, const CliffMatrix& A)
      : AnyOperator<double>(A.rows()), A_(A), work_(exec, A) {}

  void apply(const Exec&, const Const&, const Vector&) override {}
  bool updates() const override { return true; }
  void update_values(const Exec& exec) override { work_.update(exec, A_); }

 private:
  CliffMatrix A_;
  Work work_;
};

struct PutAggregates {
  std::int32_t* row_ptr;
  Index* col_idx;
  double* values;
  std::int64_t rows;

  KOKKOS_FUNCTION void operator()(std::int64_t row) const {
    row_ptr[row] = static_cast<std::int32_t>(row);
    if (row == rows) return;
    col_idx[row] = static_cast<Index>(row / 4);
    values[row] = 1;
  }
};

/// A prolongation from aggregates of four consecutive rows.
inline CliffDevice aggregates_of_four(const Exec& exec, Index rows) {
  const CliffDevice P(exec, rows, (rows + 3) / 4, rows);
  heddle::detail::parallel_for(
      exec, "heddle::bench::aggregates", std::int64_t{rows} + 1,
      PutAggregates{P.row_ptr().data(), P.col_idx().data(), P.values().data(), rows});
  return P;
}

struct ProductWithP {
  CliffDevice P;
  MultiplyPlan<Exec, CliffMatrix> plan;

  ProductWithP(const Exec& exec, const CliffMatrix& A)
      : P(aggregates_of_four(exec, A.rows())), plan(exec, A, P.matrix()) {
    update(exec, A);
  }
  void update(const Exec& exec, const CliffMatrix& A) { plan.numeric(exec, A, P.matrix()); }
};

struct TripleProduct {
  CliffDevice P;
  GalerkinPlan<Exec, CliffMatrix> plan;

  TripleProduct(const Exec& exec, const CliffMatrix& A)
      : P(aggregates_of_four(exec, A.rows())), plan(exec, A, P.matrix()) {
    update(exec, A);
  }
  void update(const Exec& exec, const CliffMatrix& A) { plan.numeric(exec, A, P.matrix()); }
};

struct ProductAndSum {
  CliffDevice I;
  MultiplyPlan<Exec, CliffMatrix> plan;

  ProductAndSum(const Exec& exec, const CliffMatrix& A)
      : I(identity<double, Index, std::int32_t>(exec, A.rows())), plan(exec, I.matrix(), A, A) {
    update(exec, A);
  }
  void update(const Exec& exec, const CliffMatrix& A) {
    plan.numeric(exec, 1, I.matrix(), A, 2, A);
  }
};

struct SumWithTranspose {
  DerivedCsr<Exec, double, Index, std::int32_t> transposed, sum;

  SumWithTranspose(const Exec& exec, const CliffMatrix& A)
      : transposed(transpose(exec, A)), sum(add(exec, 1, A, 1, transposed.matrix())) {}
  void update(const Exec& exec, const CliffMatrix& A) {
    transposed.update_values(exec, A);
    sum.update_values(exec, A, transposed.matrix());
  }
};

/// A product with the lower triangle of a matrix that counts as symmetric.
class TriangleProduct : public AnyOperator<double> {
 public:
  TriangleProduct(const Exec& exec, const CliffMatrix& A)
      : AnyOperator<double>(A.rows()), A_(A), lower_(part_of(exec, A, MatrixPart::lower)) {
    SpmvOptions options;
    options.symmetry = Symmetry::symmetric;
    plan_ = make_product<double, std::int32_t>(exec, lower_.matrix(), options);
  }

  void apply(const Exec& exec, const Const& from, const Vector& to) override {
    plan_->apply(exec, from, to);
  }
  bool updates() const override { return true; }
  void update_values(const Exec& exec) override {
    lower_.update_values(exec, A_);
    plan_->update_values(exec);
  }

 private:
  CliffMatrix A_;
  DerivedCsr<Exec, double, Index, std::int32_t> lower_;
  std::unique_ptr<AnyProduct<double>> plan_;
};

}  // namespace heddle::bench
