// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "chebyshev_passes.hpp"
#include "solver.hpp"

namespace heddle {

/// Chebyshev's iteration: solves A x = b for symmetric A and M whose product M A has its
/// eigenvalues between two positive bounds, options.bounds. It needs no dots, so no product waits
/// for a sum; with known bounds (a smoother, a mass matrix) it converges like CG. If an eigenvalue
/// exceeds the upper bound it diverges, which the result reports.
///
/// A solver is made once for a size, with all its memory: bytes(). It can be moved, not copied.
/// solve allocates nothing. The norm of the residual is computed every options.check_every
/// iterations (with 0: at the end), when the host checks, and with options.history in each
/// iteration. b - A x, scaling and sums are as in CgSolver. A step is the product and one launch,
/// and moves the bytes of the product and 7 n b, with JacobiPreconditioner 8 n b; with another
/// preconditioner 10 n b and its own, in two launches.
///
/// Source: Y. Saad, Iterative Methods for Sparse Linear Systems (2003), algorithm 12.1.
template <ExecutionSpace Exec, Scalar S>
class ChebyshevSolver : public detail::krylov::KrylovSolver<ChebyshevSolver<Exec, S>, Exec, S,
                                                            detail::krylov::Progress> {
  using Base = detail::krylov::KrylovSolver<ChebyshevSolver, Exec, S, detail::krylov::Progress>;
  friend Base;

 public:
  /// An empty solver, to be assigned to.
  ChebyshevSolver() = default;
  /// A solver for systems of `rows` unknowns. Throws Error if options are invalid or have no
  /// bounds. Without `exec`: on the default instance.
  ChebyshevSolver(const Exec& exec, std::int64_t rows, const KrylovOptions& options);
  ChebyshevSolver(std::int64_t rows, const KrylovOptions& options)
      : ChebyshevSolver(Exec(), rows, options) {}
  ChebyshevSolver(const Exec&, std::int64_t, const SpectrumBounds&,
                  const KrylovOptions& = {}) = delete;  // the bounds are options.bounds

 private:
  using Base::limits, Base::options, Base::pass, Base::q_, Base::r_, Base::read, Base::rows_,
      Base::states, Base::write, Base::x_;
  using typename Base::How, typename Base::Vectors;
  /// Coefficients come from the bounds alone, so the iteration never begins anew.
  static constexpr detail::krylov::SolverTraits traits = {
      .takes = {.name = "ChebyshevSolver", .bounds = true},
      .monitor = {"heddle::chebyshev::progress", "heddle::chebyshev::progress_on_host",
                  "heddle::chebyshev::check"},
      .labels = {"heddle::chebyshev::true_residual", "heddle::chebyshev::scale_residual",
                 "heddle::chebyshev::solution"},
      .vectors = "heddle::chebyshev::vectors",
      .best = "heddle::chebyshev::best",
      .method = {.restarts = false},
      .needs_symmetric = "Chebyshev's iteration needs"};

  template <class M, class A>
  double vectors_moved(const A&) const {
    constexpr How how = detail::krylov::how_with<M>();
    return how == How::not_at_all ? 7 : how == How::by_diagonal ? 8 : 10;
  }

  template <class M>
  Multivector<const S> read_of(M& preconditioner) const {
    return detail::krylov::read_of<S>(preconditioner, read(z_), rows_);
  }
  template <class M>
  void begin(const Exec& exec, M& preconditioner) {
    numbers_ = detail::krylov::ChebyshevNumbers(*options().bounds);
    unseen_ = 0;
    go_on(exec);
    direction(exec, preconditioner, 0, numbers_.first());
  }
  template <class M>
  void restart(const Exec& exec, M&) {
    go_on(exec);
  }
  /// From b - A x.
  void go_on(const Exec& exec);

  template <class M>
  void direction(const Exec& exec, M& preconditioner, double old, double fresh) {
    constexpr How how = detail::krylov::how_with<M>();
    if constexpr (how == How::by_operator) {
      detail::krylov::apply<Exec, S>(exec, preconditioner, r_, z_);
    }
    pass(exec, "heddle::chebyshev::direction", true,
         detail::krylov::ChebyshevDirection<S, how>{
             {}, read(r_), read_of(preconditioner), write(d_), old, fresh, states()});
  }

  /// The norm comes with the last step, and with options.history in all.
  template <class A, class M>
  void iterate(const Exec& exec, A& matrix, M& preconditioner, bool last) {
    constexpr How how = detail::krylov::how_with<M>();
    detail::krylov::apply<Exec, S>(exec, matrix, d_, q_);
    const auto [old, fresh] = numbers_.next();
    ++unseen_;
    const auto step = [&, old = old, fresh = fresh]<bool norm>() {
      pass(exec, "heddle::chebyshev::step", true,
           detail::krylov::ChebyshevStep<S, how, norm>{{},
                                                       write(x_),
                                                       write(r_),
                                                       write(d_),
                                                       read(q_),
                                                       read_of(preconditioner),
                                                       old,
                                                       fresh,
                                                       states(),
                                                       limits(),
                                                       unseen_});
    };
    if (last || options().history) {
      step.template operator()<true>();
      unseen_ = 0;
    } else {
      step.template operator()<false>();
    }
    if constexpr (how == How::by_operator) direction(exec, preconditioner, old, fresh);
  }

  detail::krylov::ChebyshevNumbers numbers_{{1, 1}};
  int unseen_ = 0;  ///< products since the last norm
  Vectors d_, z_;
};

}  // namespace heddle
