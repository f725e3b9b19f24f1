// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "bicgstab_passes.hpp"
#include "solver.hpp"

namespace heddle {

/// BiCGStab: solves A x = b for any A in the memory of eight vectors, with any preconditioner M on
/// the right, so that the residual is that of A x = b itself. Where it would break down it begins
/// anew from the residual, which KrylovResult::restarts counts, and breaks down if that does not
/// help. It may stagnate, which the result reports; GMRES needs more vectors.
///
/// A solver is made once for a size, with all its memory: bytes(). It can be moved, not copied.
/// solve allocates nothing, and the host checks only every options.check_every steps. A step is two
/// products with A, which iterations count, and two applies of M. It moves their bytes and 19 n b.
/// A step that ends after its first half counts one product. A block of options.check_every steps
/// runs as one graph on CUDA and HIP if A and M are capturable(). b - A x, scaling and sums are as
/// in CgSolver. A solver solves one system at a time. The bits are the same on every run if those
/// of A and M are.
///
/// Source: H. van der Vorst (1992).
template <ExecutionSpace Exec, Scalar S>
class BicgstabSolver : public detail::krylov::KrylovSolver<BicgstabSolver<Exec, S>, Exec, S,
                                                           detail::krylov::BicgstabState<S>> {
  using State = detail::krylov::BicgstabState<S>;
  using Base = detail::krylov::KrylovSolver<BicgstabSolver, Exec, S, State>;
  friend Base;

 public:
  /// An empty solver, to be assigned to.
  BicgstabSolver() = default;
  /// A solver for systems of `rows` unknowns. Throws Error if options are invalid. Without `exec`:
  /// on the default instance.
  BicgstabSolver(const Exec& exec, std::int64_t rows, const KrylovOptions& options = {});
  explicit BicgstabSolver(std::int64_t rows, const KrylovOptions& options = {})
      : BicgstabSolver(Exec(), rows, options) {}

 private:
  using Base::limits, Base::q_, Base::r_, Base::read, Base::rows_, Base::scale_residual,
      Base::states, Base::workspace_, Base::write, Base::x_;
  using typename Base::Vectors;
  static constexpr detail::krylov::SolverTraits traits = {
      .takes = {.name = "BicgstabSolver"},
      .monitor = {"heddle::bicgstab::state", "heddle::bicgstab::state_on_host",
                  "heddle::bicgstab::check"},
      .labels = {"heddle::bicgstab::true_residual", "heddle::bicgstab::scale_residual",
                 "heddle::bicgstab::solution"},
      .vectors = "heddle::bicgstab::vectors",
      .best = "heddle::bicgstab::best",
      .method = {.cost = detail::krylov::products_of_bicgstab},
      .passes = 5,
      .recorded = true};

  template <class M, class A>
  double vectors_moved(const A&) const {
    return 19;
  }

  template <class Pass>
  void pass(const Exec& exec, const char* label, const Pass& of) {
    Base::pass(exec, label, true, of);
  }

  template <class M>
  void begin(const Exec& exec, M& preconditioner) {
    vectors::scale(exec, 0, v_);
    restart(exec, preconditioner);
  }
  template <class M>
  void restart(const Exec& exec, M&) {
    scale_residual(exec);
    pass(exec, "heddle::bicgstab::restart",
         detail::krylov::BicgstabRestart<S>{{}, read(r_), write(shadow_), write(p_), states()});
  }
  template <class A, class M>
  void iterate(const Exec& exec, A& matrix, M& preconditioner, bool) {
    namespace krylov = detail::krylov;
    const Vectors& t = q_;
    State* const state = states();
    pass(exec, "heddle::bicgstab::direction",
         krylov::BicgstabDirection<S>{{}, read(r_), read(v_), write(p_), write(shadow_), state});
    const Vectors p = this->preconditioned(exec, preconditioner, p_, p_hat_);
    krylov::apply<Exec, S>(exec, matrix, p, v_);
    pass(exec, "heddle::bicgstab::alpha",
         krylov::BicgstabAlpha<S>{{}, read(shadow_), read(v_), state, limits()});
    pass(exec, "heddle::bicgstab::half",
         krylov::BicgstabHalf<S>{{}, write(r_), read(v_), state, limits()});
    const Vectors s = this->preconditioned(exec, preconditioner, r_, s_hat_);
    krylov::apply<Exec, S>(exec, matrix, s, t);
    pass(exec, "heddle::bicgstab::omega", krylov::BicgstabOmega<S>{{}, read(r_), read(t), state});
    pass(exec, "heddle::bicgstab::update",
         krylov::BicgstabUpdate<S>{
             {}, write(x_), write(r_), read(p), read(s), read(t), read(shadow_), state, limits()});
  }

  Vectors shadow_, p_, v_, p_hat_, s_hat_;
};

}  // namespace heddle
