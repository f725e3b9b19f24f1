// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../../solvers/krylov/concepts.hpp"
#include "problem.hpp"

namespace heddle::bench {

/// A product or a preconditioner of a square matrix whose plan is compiled in another source: plans
/// take long to compile, and solvers share these.
template <Scalar S>
class AnyOperator : public SetUp {
 public:
  using Const = ConstSolverVector<Exec, S>;
  using Vector = SolverVector<Exec, S>;

  explicit AnyOperator(std::int64_t rows) : rows_(rows) {}

  virtual void apply(const Exec& exec, const Const& from, const Vector& to) = 0;
  virtual bool symmetric() const { return true; }
  std::int64_t rows() const { return rows_; }
  std::int64_t columns() const { return rows_; }

 private:
  std::int64_t rows_;
};

/// A product that may also return x . A x.
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

/// A plan that implements `Interface`: it is made of a matrix and updated from its values.
template <Scalar S, Offset Off, class Plan, class Interface = AnyOperator<S>>
class PlannedOperator : public Interface {
 public:
  using typename Interface::Const;
  using typename Interface::Vector;
  using Matrix = CsrMatrix<S, Index, Off, Space>;

  template <class... Options>
  PlannedOperator(const Exec& exec, const Matrix& A, const Options&... options)
      : Interface(A.rows()), A_(A), plan_(exec, A, options...) {}

  void apply(const Exec& exec, const Const& from, const Vector& to) override {
    plan_.apply(exec, from, to);
  }
  bool updates() const override { return true; }
  void update_values(const Exec& exec) override { plan_.update_values(exec, A_); }
  bool symmetric() const override {
    if constexpr (requires { plan_.symmetric(); }) return plan_.symmetric();
    return true;
  }
  std::size_t bytes() const override { return plan_.bytes(); }
  std::string scheme() const override {
    if constexpr (requires { plan_.scheme(); }) return plan_.scheme().to_string();
    return "";
  }
  const Plan& plan() const { return plan_; }
  Plan& plan() { return plan_; }

 private:
  Matrix A_;
  Plan plan_;
};

}  // namespace heddle::bench
