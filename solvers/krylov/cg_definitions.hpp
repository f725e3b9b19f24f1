// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../backends/device.hpp"
#include "cg.hpp"
#include "cg_in_one_launch.hpp"
#include "solver_definitions.hpp"

/// Defines what cg.hpp declares: the passes of conjugate gradients. Numbers of a step stay on the
/// device: the last team of a pass that adds up computes them.
namespace heddle::detail::krylov {

/// Throws Error for a scheme that is not one of conjugate gradients.
inline void check_cg_scheme(const std::optional<Scheme>& scheme) {
  if (!scheme || *scheme == cg_launches() || *scheme == cg_one_team() ||
      *scheme == cg_one_cluster()) {
    return;
  }
  throw Error("options.scheme is " + scheme->to_string(),
              "pin " + cg_launches().to_string() + ", " + cg_one_team().to_string() + " or " +
                  cg_one_cluster().to_string());
}

/// r . z if the iteration continues from b - A x. If it keeps p and is flexible, r . p too: M has
/// changed since p was computed, so that r . z is not the slope along p.
template <Scalar S, Preconditioned how>
struct CgRestart : vectors::Pass<Wide<S>, 2> {
  Multivector<const S> r, z, p;
  CgState* state;
  bool flexible;

  KOKKOS_FORCEINLINE_FUNCTION bool active(int v) const { return state[v].unscaled != 0; }
  KOKKOS_FORCEINLINE_FUNCTION auto operands(int v) const {
    return operands_of(loaded(r), loaded(z, how != Preconditioned::not_at_all),
                       loaded(p, reads_slope(v)));
  }
  template <class Pack>
  KOKKOS_FORCEINLINE_FUNCTION auto formula(int) const {
    return [](const auto&, Pack* sum, const Pack& r, const Pack& read, const Pack& p) {
      add_dot(r, z_of<how>(read, r), sum[0]);
      add_dot(r, p, sum[1]);
    };
  }
  KOKKOS_FORCEINLINE_FUNCTION void finish(int v, const Wide<S>* total) const {
    state[v].turns = active(v) && state[v].anew ? 1 : 0;
    if (!active(v)) return;
    restart_cg(state[v], real_part(total[0]));
    if (!reads_slope(v)) return;
    const double slope = real_part(total[1]);
    if (slope > 0) {
      state[v].rho = slope;
    } else {
      state[v].turns = 1;
    }
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION bool reads_slope(int v) const { return flexible && !state[v].anew; }
};

/// p . q, the curvature along p
template <Scalar S>
struct CgCurvature : heddle::vectors::passes::SumOfProducts<S, Wide<S>> {
  const CgState* state;
  Wide<S>* curvature;

  KOKKOS_FORCEINLINE_FUNCTION bool active(int v) const { return state[v].running(); }
  KOKKOS_FORCEINLINE_FUNCTION void finish(int v, const Wide<S>* total) const {
    curvature[v] = *total;
  }
};

/// r -= alpha q with alpha = rho / p . q; r . r and r . z
template <Scalar S, Preconditioned how>
struct CgResidual : vectors::Pass<Wide<S>, how == Preconditioned::by_diagonal ? 2 : 1> {
  Multivector<S> r;
  Multivector<const S> q, z;
  CgState* state;
  const Wide<S>* curvature;
  Limits limits;

  KOKKOS_FORCEINLINE_FUNCTION bool active(int v) const {
    return state[v].running() && is_curved(real_part(curvature[v]));
  }
  KOKKOS_FORCEINLINE_FUNCTION auto operands(int) const {
    return operands_of(updated(r), loaded(q), loaded(z, how == Preconditioned::by_diagonal));
  }
  template <class Pack>
  KOKKOS_FORCEINLINE_FUNCTION auto formula(int v) const {
    return [minus_alpha = Pack::all(Wide<S>(-state[v].rho / real_part(curvature[v])))](
               const auto& at, Pack* sum, Pack& r, const Pack& q, const Pack& d) {
      r = at.keep(Pack::multiply_add(minus_alpha, q, r));
      add_dot(r, r, sum[0]);
      if constexpr (how == Preconditioned::by_diagonal) add_dot(r, Pack::multiply(d, r), sum[1]);
    };
  }
  KOKKOS_FORCEINLINE_FUNCTION void finish(int v, const Wide<S>* total) const {
    take_curvature(state[v], real_part(curvature[v]));
    if (!state[v].running()) return;
    advance_cg(state[v], limits, v, real_part(total[0]));
    if (how != Preconditioned::by_operator) {
      next_direction(state[v], real_part(total[CgResidual::sums - 1]));
    }
  }
};

/// r . z, if z is a vector, and beta from it
template <Scalar S>
struct CgRho : heddle::vectors::passes::SumOfProducts<S, Wide<S>> {
  CgState* state;

  KOKKOS_FORCEINLINE_FUNCTION bool active(int v) const { return has_direction(state[v]); }
  KOKKOS_FORCEINLINE_FUNCTION void finish(int v, const Wide<S>* total) const {
    next_direction(state[v], real_part(*total));
  }
};

/// r . z, r . p, and z_scale z . (r - r before) with r - r before = -alpha q; beta from them. q . z
/// has the size of A M, which may be out of range, and q . (z_scale z) that of A.
template <Scalar S>
struct CgFlexibleRho : vectors::Pass<Wide<S>, 3> {
  Multivector<const S> r, z, q, p;
  CgState* state;

  KOKKOS_FORCEINLINE_FUNCTION bool active(int v) const { return has_direction(state[v]); }
  KOKKOS_FORCEINLINE_FUNCTION auto operands(int) const {
    return operands_of(loaded(r), loaded(z), loaded(q), loaded(p));
  }
  template <class Pack>
  KOKKOS_FORCEINLINE_FUNCTION auto formula(int v) const {
    return [z_scale = Pack::all(Wide<S>(state[v].z_scale))](
               const auto&, Pack* sum, const Pack& r, const Pack& z, const Pack& q, const Pack& p) {
      add_dot(r, z, sum[0]);
      add_dot(q, Pack::multiply(z_scale, z), sum[1]);
      add_dot(r, p, sum[2]);
    };
  }
  KOKKOS_FORCEINLINE_FUNCTION void finish(int v, const Wide<S>* total) const {
    next_direction(state[v], real_part(total[0]), -state[v].alpha * real_part(total[1]),
                   real_part(total[2]));
  }
};

/// x += alpha p, p = z + beta p. x is not scaled, and r and p are. With `turning`: p = z, if the
/// iteration restarts.
template <Scalar S, Preconditioned how>
struct CgDirections : vectors::Pass<Wide<S>> {
  Multivector<S> x, p;
  Multivector<const S> r, z;
  const CgState* state;
  bool turning;

  KOKKOS_FORCEINLINE_FUNCTION bool active(int v) const {
    return (turning ? state[v].turns : state[v].moves) != 0;
  }
  KOKKOS_FORCEINLINE_FUNCTION auto operands(int) const {
    return operands_of(updated(x, !turning, !turning), updated(p, !turning),
                       loaded(r, how != Preconditioned::by_operator),
                       loaded(z, how != Preconditioned::not_at_all));
  }
  template <class Pack>
  KOKKOS_FORCEINLINE_FUNCTION auto formula(int v) const {
    return [alpha = Pack::all(Wide<S>(state[v].alpha * state[v].unscale)),
            beta = Pack::all(Wide<S>(state[v].beta)), scale = Pack::all(Wide<S>(state[v].z_scale))](
               Pack& x, Pack& p, const Pack& r, const Pack& read) {
      x = Pack::multiply_add(alpha, p, x);
      p = Pack::multiply_add(beta, p, Pack::multiply(scale, z_of<how>(read, r)));
    };
  }
};

}  // namespace heddle::detail::krylov

namespace heddle {

template <ExecutionSpace Exec, Scalar S>
CgSolver<Exec, S>::CgSolver(const Exec& exec, std::int64_t rows, const KrylovOptions& options)
    : Base(exec, rows, options), device_(backends::describe(exec)) {
  detail::krylov::check_cg_scheme(options.scheme);
  const auto vectors = static_cast<std::size_t>(options.vectors);
  allocate(exec, {&p_, &z_}, arena_bytes<Sum>(vectors));
  curvature_ = arena_.template take<Sum>(vectors).data();
}

template <ExecutionSpace Exec, Scalar S>
std::optional<Scheme> CgSolver<Exec, S>::in_one_launch(std::int64_t nonzeros) const {
  if (count() != 1 || flexible() || sums_) return std::nullopt;
  return detail::krylov::cg_in_one_launch<Exec, S>(device_, options().scheme, rows_, nonzeros);
}

template <ExecutionSpace Exec, Scalar S>
void CgSolver<Exec, S>::check_pinned() const {
  if (const auto& pinned = options().scheme; pinned && *pinned != scheme_) {
    throw Error(pinned->to_string() +
                    " cannot solve this system: A has no csr(), or M is neither none nor "
                    "Jacobi, or there are several right-hand sides, options.nullspace, "
                    "options.flexible or options.reduction, or too many rows for one team or "
                    "cluster",
                "leave out options.scheme");
  }
}

template <ExecutionSpace Exec, Scalar S>
template <detail::krylov::Preconditioned how>
void CgSolver<Exec, S>::Passes<how>::restart(const Exec& exec, const Const& z) const {
  solver.pass(exec, "heddle::cg::restart", z.row_stride == 1,
              detail::krylov::CgRestart<S, how>{
                  {}, read(solver.r_), z, read(solver.p_), solver.states(), solver.flexible()});
}

template <ExecutionSpace Exec, Scalar S>
template <detail::krylov::Preconditioned how>
auto CgSolver<Exec, S>::Passes<how>::residual_pass(const Const& z) const {
  return detail::krylov::CgResidual<S, how>{{},
                                            write(solver.r_),
                                            read(solver.q_),
                                            z,
                                            solver.states(),
                                            solver.curvature_,
                                            solver.limits()};
}

template <ExecutionSpace Exec, Scalar S>
template <detail::krylov::Preconditioned how>
void CgSolver<Exec, S>::Passes<how>::residual(const Exec& exec, const Const& z) const {
  constexpr const char* label = "heddle::cg::residual";
  const bool unit_stride = z.row_stride == 1;
  if (how == How::by_operator && solver.sums_) {
    solver.add_up(exec, label, unit_stride, residual_pass(z), solver.sums_.totals());
  } else {
    solver.pass(exec, label, unit_stride, residual_pass(z));
  }
}

template <ExecutionSpace Exec, Scalar S>
template <detail::krylov::Preconditioned how>
void CgSolver<Exec, S>::Passes<how>::directions(const Exec& exec, const Const& z,
                                                bool turning) const {
  solver.pass(
      exec, "heddle::cg::directions", z.row_stride == 1,
      detail::krylov::CgDirections<S, how>{
          {}, write(solver.x_), write(solver.p_), read(solver.r_), z, solver.states(), turning});
}

template <ExecutionSpace Exec, Scalar S>
void CgSolver<Exec, S>::curvature(const Exec& exec) {
  pass(exec, "heddle::cg::curvature", true,
       detail::krylov::CgCurvature<S>{{{}, read(p_), read(q_)}, states(), curvature_});
}

template <ExecutionSpace Exec, Scalar S>
void CgSolver<Exec, S>::rho(const Exec& exec, const Const& z) {
  const auto run = [&]<class Rho>(const char* label, const Rho& rho) {
    if (!sums_) return pass(exec, label, true, rho);
    Sum* const of_residual = sums_.totals();
    Sum* const of_rho = of_residual + count();
    this->add_up(exec, label, true, rho, of_rho);
    sums_.complete(exec, count() * (1 + Rho::sums));
    this->finish(exec, Passes<How::by_operator>{*this}.residual_pass(z), of_residual);
    this->finish(exec, rho, of_rho);
  };
  if (flexible()) {
    run("heddle::cg::flexible_rho",
        detail::krylov::CgFlexibleRho<S>{{}, read(r_), z, read(q_), read(p_), states()});
  } else {
    run("heddle::cg::rho", detail::krylov::CgRho<S>{{{}, read(r_), z}, states()});
  }
}

}  // namespace heddle
