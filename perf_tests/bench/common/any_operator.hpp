// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../../solvers/krylov/concepts.hpp"
#include "problem.hpp"

namespace heddle::bench {

/// A product or a preconditioner of a square matrix whose plan is compiled elsewhere: plans take
/// long to compile, and solvers take them from here.
template <Scalar S>
class AnyOperator : public SetUp {
 public:
  using Const = ConstSolverVector<Exec, S>;
  using Vector = SolverVector<Exec, S>;

  explicit AnyOperator(std::int64_t rows) : rows_(rows) {}

  virtual void apply(const Exec& exec, const Const& from, const Vector& to) = 0;
  /// Takes the matrix's values anew, of the same pattern.
  virtual void update_values(const Exec& exec) = 0;
  virtual bool symmetric() const { return true; }
  std::int64_t rows() const { return rows_; }
  std::int64_t columns() const { return rows_; }

 private:
  std::int64_t rows_;
};

/// A product that may give x . A x beside it.
template <Scalar S>
class AnyProduct : public AnyOperator<S> {
 public:
  using AnyOperator<S>::AnyOperator;
  using typename AnyOperator<S>::Const;
  using typename AnyOperator<S>::Vector;

  virtual void apply_dot(const Exec& exec, const Const& x, const Vector& y,
                         const VectorWorkspace<Exec, S>& workspace,
                         const heddle::detail::krylov::SolverNumber<Exec, S>& result) = 0;
  virtual bool has_dot() const = 0;
};

}  // namespace heddle::bench
