// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "state.hpp"

/// The numbers of conjugate gradients, on the device.
namespace heddle::detail::krylov {

/// Of one right-hand side.
struct CgState {
  static constexpr int cost = 1;  ///< products of an iteration
  Progress progress;
  double rho, alpha, beta;
  int moves;  ///< whether this step has an alpha, so that x moves

  KOKKOS_FORCEINLINE_FUNCTION bool running() const { return progress.running(); }
};

/// Whether a step can be taken along a p of this p . q.
KOKKOS_FORCEINLINE_FUNCTION bool is_curved(double curvature) {
  return Kokkos::isfinite(curvature) && curvature > 0;
}

KOKKOS_FORCEINLINE_FUNCTION void check_rho(CgState& state, double rho) {
  if (!Kokkos::isfinite(rho)) {
    state.progress.outcome = Outcome::not_a_number;
  } else if (rho <= 0) {
    state.progress.outcome = Outcome::indefinite;
  }
}

/// r . z of an r that is b - A x.
KOKKOS_FORCEINLINE_FUNCTION void restart_cg(CgState& state, double rho) {
  state.progress.unscaled = 0;
  state.rho = rho;
  if (state.progress.anew) {
    state.alpha = state.beta = 0;
    state.moves = 0;
  }
  check_rho(state, rho);
}

/// alpha from p . q
KOKKOS_FORCEINLINE_FUNCTION void take_curvature(CgState& state, double curvature) {
  state.moves = 0;
  if (!state.running()) return;
  if (is_curved(curvature)) {
    state.alpha = state.rho / curvature;
    state.moves = 1;
  } else {
    state.progress.outcome =
        Kokkos::isfinite(curvature) ? Outcome::indefinite : Outcome::not_a_number;
  }
}

/// From the norm of the residual that the step came to.
KOKKOS_FORCEINLINE_FUNCTION void advance_cg(CgState& state, const Limits& limits, int v,
                                            double square) {
  advance(state.progress, limits, v, Kokkos::sqrt(square), 1, CgState::cost);
}

/// beta from the new r . z
KOKKOS_FORCEINLINE_FUNCTION void next_direction(CgState& state, double rho) {
  if (!state.running()) return;
  check_rho(state, rho);
  state.beta = rho / state.rho;
  state.rho = rho;
}

}  // namespace heddle::detail::krylov
