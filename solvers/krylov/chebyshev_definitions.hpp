// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../backends/loops.hpp"
#include "chebyshev.hpp"
#include "solver_definitions.hpp"

/// Defines what chebyshev.hpp declares: the passes of Chebyshev's iteration.
namespace heddle {

namespace detail::krylov {

/// x += unscale d, r -= q, then d = old d + fresh z with z = M r; with Norm, r . r too. If z is a
/// vector, ChebyshevDirection computes d.
template <Scalar S, Preconditioned how, bool Norm>
struct ChebyshevStep : vectors::Pass<Wide<S>, Norm ? 1 : 0> {
  Multivector<S> x, r, d;
  Multivector<const S> q, z;
  double old, fresh;
  Progress* progress;  ///< null: the pass is always active
  Limits limits;
  int products;  ///< number of products since the last norm

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

/// d = old d + fresh z with z = M r. old == 0 does not read d.
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

/// Marks that r is b - A x, scaled: one item.
struct ChebyshevGoesOn {
  Progress* progress;

  KOKKOS_FUNCTION void operator()(std::int64_t) const { progress->unscaled = 0; }
};

/// Returns the options. Throws Error if they are invalid or have no valid bounds.
inline const KrylovOptions& with_bounds(const KrylovOptions& options, const TakenOptions& takes) {
  if (!checked(options, takes).bounds) {
    throw Error("ChebyshevSolver needs options.bounds",
                "give bounds of the eigenvalues of M A, or use CgSolver");
  }
  check_bounds(*options.bounds);
  return options;
}

}  // namespace detail::krylov

template <ExecutionSpace Exec, Scalar S>
ChebyshevSolver<Exec, S>::ChebyshevSolver(const Exec& exec, std::int64_t rows,
                                          const KrylovOptions& options)
    : Base(exec, rows, detail::krylov::with_bounds(options, traits.takes)) {
  this->allocate(exec, {&d_, &z_});
}

template <ExecutionSpace Exec, Scalar S>
void ChebyshevSolver<Exec, S>::go_on(const Exec& exec) {
  this->scale_residual(exec);
  detail::parallel_for(exec, "heddle::chebyshev::go_on", 1,
                       detail::krylov::ChebyshevGoesOn{states()});
}

template <ExecutionSpace Exec, Scalar S>
template <detail::krylov::Preconditioned how>
void ChebyshevSolver<Exec, S>::Passes<how>::direction(const Exec& exec,
                                                      const Multivector<const S>& z, double old,
                                                      double fresh) const {
  solver.pass(exec, "heddle::chebyshev::direction", true,
              detail::krylov::ChebyshevDirection<S, how>{
                  {}, read(solver.r_), z, write(solver.d_), old, fresh, solver.states()});
}

template <ExecutionSpace Exec, Scalar S>
template <detail::krylov::Preconditioned how>
void ChebyshevSolver<Exec, S>::Passes<how>::step(const Exec& exec, const Multivector<const S>& z,
                                                 double old, double fresh, bool norm) const {
  const auto run = [&]<bool with_norm>() {
    solver.pass(exec, "heddle::chebyshev::step", true,
                detail::krylov::ChebyshevStep<S, how, with_norm>{{},
                                                                 write(solver.x_),
                                                                 write(solver.r_),
                                                                 write(solver.d_),
                                                                 read(solver.q_),
                                                                 z,
                                                                 old,
                                                                 fresh,
                                                                 solver.states(),
                                                                 solver.limits(),
                                                                 solver.unseen_});
  };
  norm ? run.template operator()<true>() : run.template operator()<false>();
}

namespace detail::krylov {

template <ExecutionSpace Exec, Scalar S>
ChebyshevSteps<Exec, S>::ChebyshevSteps(const Exec& exec, std::int64_t rows,
                                        const SpectrumBounds& bounds, int degree)
    : rows_(rows), degree_(degree) {
  if (degree < 0) {
    throw Error("the degree is " + std::to_string(degree), "give 0 or more");
  }
  set_bounds(bounds);
  reserve(exec, 1);
}

template <ExecutionSpace Exec, Scalar S>
void ChebyshevSteps<Exec, S>::reserve(const Exec& exec, int vectors) {
  if (vectors <= together_) return;
  const auto n = static_cast<std::size_t>(rows_) * static_cast<std::size_t>(vectors);
  arena_ = Arena<typename Exec::memory_space>(exec, "heddle::chebyshev::preconditioner",
                                              arena_array(r_, n), arena_array(d_, n),
                                              arena_array(q_, n));
  together_ = vectors;
  version_.renew();
}

template <ExecutionSpace Exec, Scalar S>
void ChebyshevSteps<Exec, S>::set_direction(const Exec& exec, const Multivector<const S>& inverse,
                                            const Vectors& r, const Vectors& d,
                                            double first) const {
  vectors::stream(
      exec, "heddle::chebyshev::direction", rows_, static_cast<int>(r.extent(1)), true,
      ChebyshevDirection<S, Preconditioned::by_diagonal>{
          {}, multivector_of<const S>(r), inverse, multivector_of<S>(d), 0, first, nullptr});
}

template <ExecutionSpace Exec, Scalar S>
void ChebyshevSteps<Exec, S>::set_direction(const Exec& exec, const Vectors& z, const Vectors& d,
                                            double old, double fresh) const {
  vectors::stream(
      exec, "heddle::chebyshev::direction", rows_, static_cast<int>(d.extent(1)), true,
      ChebyshevDirection<S, Preconditioned::by_operator>{
          {}, {}, multivector_of<const S>(z), multivector_of<S>(d), old, fresh, nullptr});
}

template <ExecutionSpace Exec, Scalar S>
void ChebyshevSteps<Exec, S>::take_step(const Exec& exec, const Multivector<S>& x, const Vectors& r,
                                        const Vectors& d, const Vectors& q) const {
  vectors::stream(exec, "heddle::chebyshev::step", rows_, x.count, vectors::has_unit_stride(x),
                  ChebyshevStep<S, Preconditioned::by_operator, false>{{},
                                                                       x,
                                                                       multivector_of<S>(r),
                                                                       multivector_of<S>(d),
                                                                       multivector_of<const S>(q),
                                                                       {},
                                                                       0,
                                                                       0,
                                                                       nullptr,
                                                                       {},
                                                                       0});
}

template <ExecutionSpace Exec, Scalar S>
void ChebyshevSteps<Exec, S>::take_step(const Exec& exec, const Multivector<const S>& inverse,
                                        const Multivector<S>& x, const Vectors& r, const Vectors& d,
                                        const Vectors& q, double old, double fresh) const {
  vectors::stream(exec, "heddle::chebyshev::step", rows_, x.count, vectors::has_unit_stride(x),
                  ChebyshevStep<S, Preconditioned::by_diagonal, false>{{},
                                                                       x,
                                                                       multivector_of<S>(r),
                                                                       multivector_of<S>(d),
                                                                       multivector_of<const S>(q),
                                                                       inverse,
                                                                       old,
                                                                       fresh,
                                                                       nullptr,
                                                                       {},
                                                                       0});
}

}  // namespace detail::krylov

}  // namespace heddle
