// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "cusparse_graph.hpp"

namespace heddle::bench::cusparse {

/// Indices of the scalars of an iteration.
struct BicgstabNumbers {
  enum {
    rho = GraphNumbers::count,
    before,
    along,  // shadow . v
    alpha,
    less_alpha,
    tr,
    tt,
    omega,
    less_omega,
    beta,
    norms
  };
};

template <Scalar S>
struct BicgstabBeta {
  using N = BicgstabNumbers;
  Kokkos::View<S*, Space> n;
  KOKKOS_FUNCTION void operator()(int) const {
    n(N::beta) = quotient(n(N::rho), n(N::before)) * quotient(n(N::alpha), n(N::omega));
    n(N::before) = n(N::rho);
  }
};

/// BiCGStab with M on the right (H. van der Vorst, 1992).
template <Scalar S, Offset Off>
class GraphBicgstab : public GraphIterations<GraphBicgstab<S, Off>, S, Off> {
  using Base = GraphIterations<GraphBicgstab, S, Off>;
  friend Base;
  using Numbers = BicgstabNumbers;
  using Base::system_, Base::blas_, Base::numbers_, Base::number, Base::r_;

 public:
  GraphBicgstab(const Exec& exec, const SolveProblem<S, Off>& problem, With with)
      : Base(exec, problem, with, Numbers::norms, 2) {
    for (auto* const made : {&shadow_, &p_, &v_, &t_}) *made = this->vector(exec);
    p_hat_ = system_.preconditions() ? this->vector(exec) : p_;
    r_hat_ = system_.preconditions() ? this->vector(exec) : r_;
  }

 private:
  void begin(const Exec& exec) const {
    Kokkos::deep_copy(exec, shadow_, r_);
    for (const auto& zero : {p_, v_}) Kokkos::deep_copy(exec, zero, S(0));
    for (const int one : {Numbers::before, Numbers::alpha, Numbers::omega}) {
      this->set(exec, one, S(1));
    }
    this->set(exec, Numbers::less_omega, S(-1));
  }
  void iterate(const Exec& exec, int i) const {
    const auto& x = this->problem_.x;
    blas_.dot(shadow_, r_, number(Numbers::rho));
    this->step(exec, "heddle::bench::beta", BicgstabBeta<S>{numbers_});
    blas_.axpy(number(Numbers::less_omega), v_, p_);
    blas_.axpby(number(GraphNumbers::one), r_, number(Numbers::beta), p_);
    if (system_.preconditions()) system_.precondition(p_, p_hat_);
    system_.product(p_hat_, v_);
    blas_.dot(shadow_, v_, number(Numbers::along));
    this->step(
        exec, "heddle::bench::alpha",
        StepLength<S>{numbers_, this->before(i), Numbers::alpha, Numbers::rho, Numbers::along});
    blas_.axpy(number(Numbers::less_alpha), v_, r_);
    blas_.axpy(number(Numbers::alpha), p_hat_, x);
    if (system_.preconditions()) system_.precondition(r_, r_hat_);
    system_.product(r_hat_, t_);
    blas_.dot(t_, r_, number(Numbers::tr));
    blas_.dot(t_, t_, number(Numbers::tt));
    this->step(exec, "heddle::bench::omega",
               StepLength<S>{numbers_, this->before(i), Numbers::omega, Numbers::tr, Numbers::tt});
    blas_.axpy(number(Numbers::omega), r_hat_, x);
    blas_.axpy(number(Numbers::less_omega), t_, r_);
    blas_.dot(r_, r_, this->after(i));
  }

  typename Base::Vector shadow_, p_, v_, t_, p_hat_, r_hat_;
};

}  // namespace heddle::bench::cusparse
