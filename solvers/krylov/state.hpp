// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../core/types.hpp"
#include "options.hpp"

namespace heddle::detail::krylov {

/// What an iteration knows of one right-hand side, in memory of the device. Numbers that the
/// tolerance is about are squares of norms.
template <class Real>
struct Progress {
  Outcome outcome;
  int iterations;
  int best_iteration;
  int recomputed;
  Real residual, best, first, reference, target;  // squares
};

/// What all right-hand sides have in common.
template <class Real>
struct Limits {
  Real relative, absolute;
  int to_first;  ///< whether the tolerance is relative to the first residual
  int max_iterations;
  int stagnation_window;
  Real* history;  ///< of right-hand side v from v * (max_iterations + 1) on, or null
};

template <class Real>
KOKKOS_FORCEINLINE_FUNCTION bool is_finite(Real value) {
  return Kokkos::isfinite(value);
}

/// Before the first iteration.
template <class Real>
KOKKOS_FORCEINLINE_FUNCTION void begin(Progress<Real>& progress, const Limits<Real>& limits, int v,
                                       Real residual, Real right_hand_side) {
  progress.iterations = progress.best_iteration = 0;
  progress.recomputed = 1;
  progress.residual = progress.best = progress.first = residual;
  progress.reference = limits.to_first ? residual : right_hand_side;
  const Real relative = limits.relative * limits.relative * progress.reference;
  const Real absolute = limits.absolute * limits.absolute;
  progress.target = relative > absolute ? relative : absolute;
  progress.outcome = !is_finite(residual)          ? Outcome::not_a_number
                     : residual <= progress.target ? Outcome::converged
                                                   : Outcome::running;
  if (limits.history) {
    limits.history[std::int64_t{v} * (limits.max_iterations + 1)] = Kokkos::sqrt(residual);
  }
}

/// After an iteration that came to a new residual with `products` products.
template <class Real>
KOKKOS_FORCEINLINE_FUNCTION void advance(Progress<Real>& progress, const Limits<Real>& limits,
                                         int v, Real residual, int products) {
  progress.iterations += products;
  progress.residual = residual;
  progress.recomputed = 0;
  if (limits.history && progress.iterations <= limits.max_iterations) {
    limits.history[std::int64_t{v} * (limits.max_iterations + 1) + progress.iterations] =
        Kokkos::sqrt(residual);
  }
  if (residual < progress.best) {
    progress.best = residual;
    progress.best_iteration = progress.iterations;
  }
  if (!is_finite(residual)) {
    progress.outcome = Outcome::not_a_number;
  } else if (residual <= progress.target) {
    progress.outcome = Outcome::converged;
  } else if (progress.iterations - progress.best_iteration >= limits.stagnation_window) {
    progress.outcome = Outcome::stagnated;
  }
}

template <class Real>
KrylovResult result_of(const Progress<Real>& progress) {
  KrylovResult result;
  result.outcome = progress.outcome;
  result.iterations = progress.iterations;
  result.residual = std::sqrt(static_cast<double>(progress.residual));
  result.first_residual = std::sqrt(static_cast<double>(progress.first));
  result.reference = std::sqrt(static_cast<double>(progress.reference));
  result.recomputed = progress.recomputed != 0;
  return result;
}

}  // namespace heddle::detail::krylov
