// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../formats/compiled.hpp"
#include "../vectors/instantiate.hpp"
#include "concepts.hpp"
#include "solver.hpp"
#include "state.hpp"

namespace heddle::detail::krylov {

inline void check_bounds(const SpectrumBounds& bounds) {
  if (!(bounds.lower > 0) || !(bounds.upper >= bounds.lower) || !std::isfinite(bounds.upper)) {
    throw Error("bounds of a spectrum from " + std::to_string(bounds.lower) + " to " +
                    std::to_string(bounds.upper),
                "give two positive numbers, the lower one first");
  }
}

/// The numbers of Chebyshev's iteration for a spectrum between two bounds: known beforehand, so
/// that no step waits for a sum.
class ChebyshevNumbers {
 public:
  explicit ChebyshevNumbers(const SpectrumBounds& of)
      : middle_((of.upper + of.lower) / 2),
        half_((of.upper - of.lower) / 2),
        rho_(half_ / middle_) {}

  /// Of z, in the first direction.
  double first() const { return 1 / middle_; }
  /// Of the direction before and of z, in the next.
  std::pair<double, double> next() {
    const double scale = 1 / (2 * middle_ - rho_ * half_);
    const double before = std::exchange(rho_, half_ * scale);
    return {rho_ * before, 2 * scale};
  }

 private:
  double middle_, half_, rho_;
};

/// x += d, which is scaled and x is not, r -= q, then d = old d + fresh z, of z = M r; with Norm, r
/// . r too. With a z that is a vector, d is left to ChebyshevDirection.
template <Scalar S, Preconditioned how, bool Norm>
struct ChebyshevStep : vectors::Pass<Wide<S>, Norm ? 1 : 0> {
  Multivector<S> x, r, d;
  Multivector<const S> q, z;
  double old, fresh;
  Progress* progress;  ///< null: goes on whatever comes
  Limits limits;
  int products;  ///< since the last norm

  KOKKOS_FORCEINLINE_FUNCTION bool active(int) const { return !progress || progress->running(); }
  KOKKOS_FORCEINLINE_FUNCTION auto operands(int) const {
    return operands_of(updated(x), updated(r), updated(d, true, how != Preconditioned::by_operator),
                       loaded(q), loaded(z, how == Preconditioned::by_diagonal));
  }
  template <class Pack>
  KOKKOS_FORCEINLINE_FUNCTION auto formula(int) const {
    using Sum = Wide<S>;
    return
        [old = Pack::all(Sum(old)), fresh = Pack::all(Sum(fresh)), minus_one = Pack::all(Sum(-1)),
         unscale = Pack::all(Sum(progress ? progress->unscale : 1.0))](
            const auto& at, [[maybe_unused]] Pack* sum, Pack& x, Pack& r, Pack& d, const Pack& q,
            const Pack& read) {
          x = Pack::multiply_add(unscale, d, x);
          r = at.keep(Pack::multiply_add(minus_one, q, r));
          d = Pack::multiply_add(old, d, Pack::multiply(fresh, z_of<how>(read, r)));
          if constexpr (Norm) add_dot(r, r, *sum);
        };
  }
  KOKKOS_FORCEINLINE_FUNCTION void finish(int, const Wide<S>* total) const {
    if (active(0)) advance(*progress, limits, 0, Kokkos::sqrt(real_part(*total)), products, 1);
  }
};

/// d = old d + fresh z, of z = M r. old == 0 does not read d.
template <Scalar S, Preconditioned how>
struct ChebyshevDirection : vectors::Pass<Wide<S>> {
  Multivector<const S> r, z;
  Multivector<S> d;
  double old, fresh;
  const Progress* progress;

  KOKKOS_FORCEINLINE_FUNCTION bool active(int) const { return !progress || progress->running(); }
  KOKKOS_FORCEINLINE_FUNCTION auto operands(int) const {
    return operands_of(loaded(r, how != Preconditioned::by_operator),
                       loaded(z, how != Preconditioned::not_at_all), updated(d, old != 0));
  }
  template <class Pack>
  KOKKOS_FORCEINLINE_FUNCTION auto formula(int) const {
    return [old = Pack::all(Wide<S>(old)), fresh = Pack::all(Wide<S>(fresh))](
               const Pack& r, const Pack& read, Pack& d) {
      d = Pack::multiply_add(old, d, Pack::multiply(fresh, z_of<how>(read, r)));
    };
  }
};

/// After r was replaced by b - A x, scaled: one item.
struct ChebyshevGoesOn {
  Progress* progress;

  KOKKOS_FUNCTION void operator()(std::int64_t) const { progress->unscaled = 0; }
};

}  // namespace heddle::detail::krylov

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

#ifdef HEDDLE_DEFINITIONS
#include "chebyshev_definitions.hpp"
#endif

/// What the compiled part (compiled.hpp) holds of Chebyshev's iteration, for a scalar: all but the
/// loop over an operator and a preconditioner.
#define HEDDLE_CHEBYSHEV_INSTANCES(EXTERN, SCALAR) \
  HEDDLE_EACH_SPACE(HEDDLE_CHEBYSHEV_INSTANCES_ON, EXTERN, SCALAR)
#define HEDDLE_CHEBYSHEV_INSTANCES_ON(EXTERN, SCALAR, EXEC)    \
  EXTERN template class heddle::ChebyshevSolver<EXEC, SCALAR>; \
  HEDDLE_CHEBYSHEV_PASSES(EXTERN, SCALAR, not_at_all, EXEC)    \
  HEDDLE_CHEBYSHEV_PASSES(EXTERN, SCALAR, by_diagonal, EXEC)   \
  HEDDLE_CHEBYSHEV_PASSES(EXTERN, SCALAR, by_operator, EXEC)
#define HEDDLE_CHEBYSHEV_PASSES(EXTERN, SCALAR, HOW, EXEC)                                       \
  HEDDLE_STREAM_INSTANCE(                                                                        \
      EXTERN, EXEC,                                                                              \
      heddle::detail::krylov::ChebyshevStep<SCALAR, heddle::detail::krylov::Preconditioned::HOW, \
                                            true>)                                               \
  HEDDLE_STREAM_INSTANCE(                                                                        \
      EXTERN, EXEC,                                                                              \
      heddle::detail::krylov::ChebyshevStep<SCALAR, heddle::detail::krylov::Preconditioned::HOW, \
                                            false>)                                              \
  HEDDLE_STREAM_INSTANCE(                                                                        \
      EXTERN, EXEC,                                                                              \
      heddle::detail::krylov::ChebyshevDirection<SCALAR,                                         \
                                                 heddle::detail::krylov::Preconditioned::HOW>)

HEDDLE_EACH_COMPILED_SCALAR(HEDDLE_CHEBYSHEV_INSTANCES, HEDDLE_EXTERN)
