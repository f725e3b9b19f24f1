// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <any>
#include <functional>
#include <memory>
#include <string>

#include "../../core/matrix.hpp"
#include "../krylov/concepts.hpp"
#include "options.hpp"

namespace heddle {

namespace detail::solve {

/// Complete factors of a matrix with signed offsets, as a preconditioner.
template <ExecutionSpace Exec, class Matrix>
class AnyDirect {
 public:
  using S = typename Matrix::scalar_type;
  virtual ~AnyDirect() = default;
  virtual void apply(const Exec& exec, const ConstSolverVector<Exec, S>& b,
                     const SolverVector<Exec, S>& x) const = 0;
  /// Throws Error if the new values cannot be factored.
  virtual void update_values(const Exec& exec, const Matrix& A) = 0;
  virtual std::size_t bytes() const = 0;
  virtual VersionNumber version() const = 0;
  virtual std::string name() const = 0;
};

template <ExecutionSpace Exec, class Matrix>
using MakeDirect =
    std::function<std::unique_ptr<AnyDirect<Exec, Matrix>>(const Exec&, const Matrix&)>;

template <ExecutionSpace Exec, class Matrix, class Plan>
class PlannedDirect final : public AnyDirect<Exec, Matrix> {
 public:
  using typename AnyDirect<Exec, Matrix>::S;

  template <class... Options>
  PlannedDirect(const Exec& exec, const Matrix& A, const Options&... options)
      : plan_(exec, A, options...) {}

  void apply(const Exec& exec, const ConstSolverVector<Exec, S>& b,
             const SolverVector<Exec, S>& x) const override {
    plan_.apply(exec, b, x);
  }
  void update_values(const Exec& exec, const Matrix& A) override {
    plan_.update_values(exec, A);
    if constexpr (requires { plan_.check_values(exec); }) plan_.check_values(exec);
  }
  std::size_t bytes() const override { return plan_.bytes(); }
  VersionNumber version() const override { return plan_.version(); }
  std::string name() const override { return Plan::name(); }

 private:
  Plan plan_;
};

}  // namespace detail::solve

/// SolveOptions::direct from a direct plan: heddle::direct_solver<heddle::SparseDirectPlan>(exec,
/// A, options of that plan), for matrices of A's type. Nothing is factored before a solve takes the
/// pair gmres/direct; the plan then keeps its factors for later solves, and takes new values.
template <template <ExecutionSpace, class> class Plan, ExecutionSpace Exec, class Matrix,
          class... Options>
  requires(sizeof...(Options) <= 1)
SolveDirect direct_solver(const Exec&, const Matrix&, const Options&... options) {
  using Signed = SignedOffsets<Matrix>;
  using Direct = Plan<Exec, Signed>;
  const detail::solve::MakeDirect<Exec, Signed> make =
      [=](const Exec& exec,
          const Signed& A) -> std::unique_ptr<detail::solve::AnyDirect<Exec, Signed>> {
    return std::make_unique<detail::solve::PlannedDirect<Exec, Signed, Direct>>(exec, A,
                                                                                options...);
  };
  return SolveDirect::of(make);
}

}  // namespace heddle
