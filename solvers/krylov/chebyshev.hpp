// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../core/arena.hpp"
#include "../../core/version.hpp"
#include "../../formats/compiled.hpp"
#include "../vectors/operations.hpp"
#include "concepts.hpp"
#include "solver.hpp"
#include "state.hpp"

namespace heddle::detail::krylov {

inline void check_bounds(const SpectrumBounds& bounds) {
  if (!(bounds.lower > 0) || !(bounds.upper >= bounds.lower) || !std::isfinite(bounds.upper)) {
    throw Error(
        "the bounds are " + std::to_string(bounds.lower) + " and " + std::to_string(bounds.upper),
        "give two positive numbers, the lower one first");
  }
}

/// The coefficients of Chebyshev's iteration for a spectrum between two bounds. They are known
/// beforehand, so that no step waits for a sum.
class ChebyshevNumbers {
 public:
  explicit ChebyshevNumbers(const SpectrumBounds& of)
      : middle_((of.upper + of.lower) / 2),
        half_((of.upper - of.lower) / 2),
        rho_(half_ / middle_) {}

  /// Coefficient of z in the first direction.
  double first() const { return 1 / middle_; }
  /// Coefficients of the last direction and of z in the next direction.
  std::pair<double, double> next() {
    const double scale = 1 / (2 * middle_ - rho_ * half_);
    const double before = std::exchange(rho_, half_ * scale);
    return {rho_ * before, 2 * scale};
  }

 private:
  double middle_, half_, rho_;
};

/// A few steps of Chebyshev's iteration in D^-1 A from zero, where D is a diagonal or another
/// preconditioner's: bounds, degree, and memory for as many vectors as are computed together.
template <ExecutionSpace Exec, Scalar S>
class ChebyshevSteps {
 public:
  ChebyshevSteps() = default;
  ChebyshevSteps(const Exec& exec, std::int64_t rows, const SpectrumBounds& bounds, int degree);

  void set_bounds(const SpectrumBounds& bounds) {
    check_bounds(bounds);
    bounds_ = bounds;
    version_.renew();
  }
  void reserve(const Exec& exec, int vectors);

  template <class A, class D, VectorView B, WritableVectorView X>
  void apply(const Exec& exec, A& matrix, const D& inverse, const B& b, const X& x) const {
    const auto to = vectors::to_write(x);
    vectors::check_preconditioned(vectors::to_read(b), to, rows_);
    if constexpr (B::rank() == 1 && X::rank() == 1) {
      run(exec, matrix, inverse, b, x);
    } else {
      for (int first = 0; first < to.count; first += together_) {
        const auto some = std::pair(first, std::min(first + together_, to.count));
        run(exec, matrix, inverse, Kokkos::subview(b, Kokkos::ALL, some),
            Kokkos::subview(x, Kokkos::ALL, some));
      }
    }
  }

  VersionNumber version() const { return version_.number(); }
  std::size_t bytes() const { return arena_.bytes(); }

 private:
  using Vectors = SolverVectors<Exec, S>;

  /// d = first D^-1 r
  void set_direction(const Exec& exec, const Multivector<const S>& inverse, const Vectors& r,
                     const Vectors& d, double first) const;
  /// x += d, r -= q, d = old d + fresh D^-1 r
  void take_step(const Exec& exec, const Multivector<const S>& inverse, const Multivector<S>& x,
                 const Vectors& r, const Vectors& d, const Vectors& q, double old,
                 double fresh) const;

  /// d = old d + fresh z
  void set_direction(const Exec& exec, const Vectors& z, const Vectors& d, double old,
                     double fresh) const;
  /// x += d, r -= q
  void take_step(const Exec& exec, const Multivector<S>& x, const Vectors& r, const Vectors& d,
                 const Vectors& q) const;

  template <class A, class D, class B, class X>
  void run(const Exec& exec, A& matrix, const D& preconditioner, const B& b, const X& x) const {
    const auto to = vectors::to_write(x);
    const auto of = [&](S* data) {
      return Vectors(data, static_cast<std::size_t>(rows_), static_cast<std::size_t>(to.count));
    };
    const Vectors r = of(r_), d = of(d_), q = of(q_);
    ChebyshevNumbers numbers(bounds_);
    heddle::vectors::copy(exec, b, r);
    if constexpr (how_with<const D>() == Preconditioned::by_diagonal) {
      auto inverse = vectors::to_read(preconditioner.inverse_diagonal());
      inverse.vector_stride = 0;
      set_direction(exec, inverse, r, d, numbers.first());
      heddle::vectors::scale(exec, 0, x);
      for (int step = 0; step < degree_; ++step) {
        krylov::apply<Exec, S>(exec, matrix, d, q);
        const auto [old, fresh] = numbers.next();
        take_step(exec, inverse, to, r, d, q, old, fresh);
      }
    } else {
      preconditioner.apply(exec, r, q);
      set_direction(exec, q, d, 0, numbers.first());
      heddle::vectors::scale(exec, 0, x);
      for (int step = 0; step < degree_; ++step) {
        krylov::apply<Exec, S>(exec, matrix, d, q);
        const auto [old, fresh] = numbers.next();
        take_step(exec, to, r, d, q);
        preconditioner.apply(exec, r, q);
        set_direction(exec, q, d, old, fresh);
      }
    }
    heddle::vectors::axpy(exec, 1, d, x);
  }

  std::int64_t rows_ = 0;
  int degree_ = 0, together_ = 0;
  SpectrumBounds bounds_;
  Arena<typename Exec::memory_space> arena_;
  S *r_ = nullptr, *d_ = nullptr, *q_ = nullptr;
  Version version_;
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
/// preconditioner 9 n b and its own, in two launches.
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
  /// Coefficients depend only on the bounds, so the iteration never restarts.
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
    return how == How::not_at_all ? 7 : how == How::by_diagonal ? 8 : 9;
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
  /// Continues from b - A x.
  void go_on(const Exec& exec);

  /// The passes of a step, for one way of reading M.
  template <detail::krylov::Preconditioned how>
  struct Passes {
    ChebyshevSolver& solver;
    /// d = old d + fresh z; old == 0 does not read d.
    void direction(const Exec& exec, const Multivector<const S>& z, double old, double fresh) const;
    /// x += d, r -= q and, unless z is a vector, d = old d + fresh z; with `norm`, the norm of r.
    void step(const Exec& exec, const Multivector<const S>& z, double old, double fresh,
              bool norm) const;
  };

  template <class M>
  void direction(const Exec& exec, M& preconditioner, double old, double fresh) {
    constexpr How how = detail::krylov::how_with<M>();
    if constexpr (how == How::by_operator) {
      detail::krylov::apply<Exec, S>(exec, preconditioner, r_, z_);
    }
    Passes<how>{*this}.direction(exec, read_of(preconditioner), old, fresh);
  }

  /// Queues a step. The last step computes the norm of r, and with options.history every step does.
  template <class A, class M>
  void iterate(const Exec& exec, A& matrix, M& preconditioner, bool last) {
    constexpr How how = detail::krylov::how_with<M>();
    detail::krylov::apply<Exec, S>(exec, matrix, d_, q_);
    const auto [old, fresh] = numbers_.next();
    ++unseen_;
    const bool norm = last || options().history;
    Passes<how>{*this}.step(exec, read_of(preconditioner), old, fresh, norm);
    if (norm) unseen_ = 0;
    if constexpr (how == How::by_operator) direction(exec, preconditioner, old, fresh);
  }

  detail::krylov::ChebyshevNumbers numbers_{{1, 1}};
  int unseen_ = 0;  ///< number of products since the last norm
  Vectors d_, z_;
};

/// The scalar is double if none is named.
template <ExecutionSpace Exec>
ChebyshevSolver(const Exec&, std::int64_t, const KrylovOptions&) -> ChebyshevSolver<Exec, double>;

}  // namespace heddle

#ifdef HEDDLE_DEFINITIONS
#include "chebyshev_definitions.hpp"
#endif

/// The instances of Chebyshev's iteration for a scalar that the compiled part (compiled.hpp) holds:
/// all but the loop over an operator and a preconditioner.
#define HEDDLE_CHEBYSHEV_INSTANCES(EXTERN, SCALAR) \
  HEDDLE_EACH_SPACE(HEDDLE_CHEBYSHEV_INSTANCES_ON, EXTERN, SCALAR)
#define HEDDLE_CHEBYSHEV_INSTANCES_ON(EXTERN, SCALAR, EXEC)                   \
  HEDDLE_SOLVER_INSTANCES(EXTERN, SCALAR, EXEC, heddle::ChebyshevSolver,      \
                          heddle::detail::krylov::Progress)                   \
  EXTERN template class heddle::detail::krylov::ChebyshevSteps<EXEC, SCALAR>; \
  HEDDLE_CHEBYSHEV_PASSES(EXTERN, SCALAR, not_at_all, EXEC)                   \
  HEDDLE_CHEBYSHEV_PASSES(EXTERN, SCALAR, by_diagonal, EXEC)                  \
  HEDDLE_CHEBYSHEV_PASSES(EXTERN, SCALAR, by_operator, EXEC)
#define HEDDLE_CHEBYSHEV_PASSES(EXTERN, SCALAR, HOW, EXEC)              \
  EXTERN template struct heddle::ChebyshevSolver<EXEC, SCALAR>::Passes< \
      heddle::detail::krylov::Preconditioned::HOW>;

HEDDLE_EACH_COMPILED_SCALAR(HEDDLE_CHEBYSHEV_INSTANCES, HEDDLE_EXTERN)
