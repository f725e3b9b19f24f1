// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "cusparse_graph.hpp"

namespace heddle::bench::cusparse {

/// Indices of the scalars of an iteration.
struct CgNumbers {
  enum { rho = GraphNumbers::count, before, pq, alpha, less_alpha, beta, norms };
};

template <Scalar S>
struct CgBeta {
  Kokkos::View<S*, Space> n;
  KOKKOS_FUNCTION void operator()(int) const {
    n(CgNumbers::beta) = quotient(n(CgNumbers::rho), n(CgNumbers::before));
    n(CgNumbers::before) = n(CgNumbers::rho);
  }
};

/// Conjugate gradients (M. Hestenes, E. Stiefel, 1952).
template <Scalar S, Offset Off>
class GraphCg : public GraphIterations<GraphCg<S, Off>, S, Off> {
  using Base = GraphIterations<GraphCg, S, Off>;
  friend Base;
  using Numbers = CgNumbers;
  using Base::system_, Base::blas_, Base::numbers_, Base::number, Base::r_;

 public:
  GraphCg(const Exec& exec, const SolveProblem<S, Off>& problem, With with)
      : Base(exec, problem, with, Numbers::norms, 1) {
    z_ = system_.preconditions() ? this->vector(exec) : r_;
    p_ = this->vector(exec);
    q_ = this->vector(exec);
  }

 private:
  void begin(const Exec& exec) const {
    Kokkos::deep_copy(exec, p_, S(0));
    this->set(exec, Numbers::before, S(1));
  }
  /// z = M r, rho = r . z, p = z + rho / before p, q = A p, x += alpha p, r -= alpha q.
  void iterate(const Exec& exec, int i) const {
    if (system_.preconditions()) system_.precondition(r_, z_);
    blas_.dot(r_, z_, number(Numbers::rho));
    this->step(exec, "heddle::bench::beta", CgBeta<S>{numbers_});
    blas_.axpby(number(GraphNumbers::one), z_, number(Numbers::beta), p_);
    system_.product(p_, q_);
    blas_.dot(p_, q_, number(Numbers::pq));
    this->step(exec, "heddle::bench::alpha",
               StepLength<S>{numbers_, this->before(i), Numbers::alpha, Numbers::rho, Numbers::pq});
    blas_.axpy(number(Numbers::alpha), p_, this->problem_.x);
    blas_.axpy(number(Numbers::less_alpha), q_, r_);
    blas_.dot(r_, r_, this->after(i));
  }

  typename Base::Vector z_, p_, q_;
};

}  // namespace heddle::bench::cusparse
