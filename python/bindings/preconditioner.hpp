// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <heddle/cg.hpp>
#include <string>

#include "arrays.hpp"

namespace heddle::python {

template <class T>
concept HasScheme = requires(const T& one) { one.scheme(); };

/// A plan that applies an approximate inverse of A: x = M b.
template <class S, class O>
class Preconditioner : public Kept {
 public:
  virtual void apply(const Exec& exec, Op op, const Vectors<const S>& b, const Vectors<S>& x) = 0;
  virtual void prepare(const Exec& exec, Op op) = 0;
  /// Updates the values and checks them, which an apply does not.
  virtual void update_values(const Exec& exec, const typename Matrix<S, O>::Csr& A) = 0;
  virtual bool symmetric() const = 0;
  virtual bool is_variable() const = 0;
  virtual bool capturable() const = 0;
  virtual VersionNumber version() const = 0;
  virtual std::string name() const = 0;
  virtual std::string scheme() const = 0;
  virtual double setup_seconds() const = 0;
  virtual std::size_t bytes() const = 0;

  bool small = false;  ///< whether its matrix is small
};

/// The preconditioner type of all solvers: one type for all plans.
template <class S, class O>
struct AnyPreconditioner {
  Preconditioner<S, O>* plan;

  void apply(const Exec& exec, const ConstSolverVector<Exec, S>& b,
             const SolverVector<Exec, S>& x) const {
    plan->apply(exec, Op::none, vectors_of(b.data(), b.extent(0)),
                vectors_of(x.data(), x.extent(0)));
  }
  bool symmetric() const { return plan->symmetric(); }
  bool is_variable() const { return plan->is_variable(); }
  bool capturable() const { return plan->capturable(); }
  static constexpr bool launches_by_heddle = true;
  VersionNumber version() const { return plan->version(); }
  std::string name() const { return plan->name(); }
};

template <class P, class S, class O>
class PreconditionerOf final : public Preconditioner<S, O> {
 public:
  PreconditionerOf(std::unique_ptr<P> plan, bool of_small) : plan_(std::move(plan)) {
    this->small = of_small;
  }
  ~PreconditionerOf() override { destroy(plan_); }
  void give_back() override { plan_.reset(); }

  void apply(const Exec& exec, Op op, const Vectors<const S>& b, const Vectors<S>& x) override {
    if constexpr (requires(P& p) { p.apply(exec, op, b, x); }) {
      if (op != Op::none) return plan().apply(exec, op, b, x);
    } else if constexpr (requires(P& p) { p.apply(exec, op, S(1), b, x); }) {
      if (op != Op::none) return plan().apply(exec, op, S(1), b, x);
    } else if (op != Op::none) {
      throw Error(name() + " has no transpose", "use an IluPlan, an IcPlan or a SptrsvPlan");
    }
    plan().apply(exec, b, x);
  }
  void prepare(const Exec& exec, Op op) override {
    if constexpr (requires(P& p) { p.prepare(exec, op); }) plan().prepare(exec, op);
  }
  void update_values(const Exec& exec, const typename Matrix<S, O>::Csr& A) override {
    plan().update_values(exec, A);
    plan().check_values(exec);
  }
  bool symmetric() const override { return plan().symmetric(); }
  bool is_variable() const override {
    if constexpr (requires(P& p) { p.is_variable(); }) return plan().is_variable();
    return false;
  }
  bool capturable() const override { return plan().capturable(); }
  VersionNumber version() const override { return plan().version(); }
  std::string name() const override { return plan().name(); }
  std::string scheme() const override {
    if constexpr (HasScheme<P>) {
      return plan().scheme().to_string();
    } else {
      return plan().levels().to_string();
    }
  }
  double setup_seconds() const override { return plan().setup_seconds(); }
  std::size_t bytes() const override { return plan().bytes(); }

 private:
  P& plan() const {
    begin();
    return *plan_;
  }

  std::unique_ptr<P> plan_;
};

template <class P, class S, class O, class... Arguments>
Preconditioner<S, O>* make(const typename Matrix<S, O>::Csr& A, const Arguments&... arguments) {
  const bool small = is_small(A);
  return new PreconditionerOf<P, S, O>(
      run(small, [&](const Exec& exec) { return std::make_unique<P>(exec, A, arguments...); }),
      small);
}

}  // namespace heddle::python
