// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cmath>
#include <cstdint>

#include "options.hpp"
#include "squares.hpp"

/// What is known of an iteration, and how it is judged: on the device.
namespace heddle::detail::krylov {

/// What an iteration knows of one right-hand side, in memory of the device; the state of a solver
/// with numbers of its own derives from it. Norms are those of the user's system. The iteration
/// itself works on residuals that are multiplied by `scale`, so that they begin with a norm between
/// 1 and 2.
struct Progress {
  Outcome outcome;  ///< `converged` is only a claim until it is `verified`
  int iterations;
  int best_iteration;
  int recorded;  ///< residuals in the history
  int verified;  ///< whether `residual` is that of b - A x
  int unscaled;  ///< whether r is b - A x as it is, and the iteration goes on from it
  int anew;      ///< whether it begins anew there, with nothing of its directions
  int zero;      ///< whether b is zero, and with it x
  double residual, best, first, reference, target;
  double carried;         ///< the residual of the recurrence
  double restarted;       ///< the residual when the iteration last began anew
  double scale, unscale;  ///< a power of two, and its reciprocal

  KOKKOS_FORCEINLINE_FUNCTION bool running() const { return outcome == Outcome::running; }
};

/// What all right-hand sides have in common.
struct Limits {
  double relative, absolute, divergence;
  int to_first;  ///< whether the tolerance is relative to the first residual
  int max_iterations;
  int stagnation_window;
  double* history;  ///< of right-hand side v from v * (max_iterations + 1) on, or null
};

/// Of which right-hand sides b - A x is computed.
enum class Due : int {
  ended,    ///< whose iteration has ended
  running,  ///< and those that run
  all       ///< and nothing follows: what misses the tolerance has missed it
};

KOKKOS_FORCEINLINE_FUNCTION bool is_due(const Progress& progress, Due due) {
  if (due == Due::ended) return !progress.running() && !progress.verified;
  if (due == Due::running) return progress.running() || !progress.verified;
  return progress.outcome != Outcome::converged || !progress.verified;
}

KOKKOS_FORCEINLINE_FUNCTION void begin_anew(Progress& progress) {
  const PowerOfTwo size = PowerOfTwo::below(progress.residual);
  progress.unscale = size.value;
  progress.scale = size.reciprocal;
  progress.restarted = progress.residual;
  progress.unscaled = progress.anew = 1;
}

KOKKOS_FORCEINLINE_FUNCTION void record(Progress& progress, const Limits& limits, int v,
                                        double residual) {
  if (limits.history && progress.recorded <= limits.max_iterations) {
    limits.history[std::int64_t{v} * (limits.max_iterations + 1) + progress.recorded] = residual;
  }
  ++progress.recorded;
}

/// Before the first iteration, from the norms of b - A x and b. `cost`: products of an iteration.
KOKKOS_FORCEINLINE_FUNCTION void begin(Progress& progress, const Limits& limits, int v,
                                       double residual, double right_hand_side, int cost) {
  progress.zero = right_hand_side == 0 ? 1 : 0;
  if (progress.zero) residual = 0;
  progress.iterations = progress.best_iteration = progress.recorded = 0;
  progress.verified = 1;
  progress.unscaled = progress.anew = 0;
  progress.residual = progress.carried = progress.best = residual;
  progress.first = progress.restarted = residual;
  progress.reference = limits.to_first ? residual : right_hand_side;
  const double relative = limits.relative * progress.reference;
  progress.target = relative > limits.absolute ? relative : limits.absolute;
  progress.scale = progress.unscale = 1;
  record(progress, limits, v, residual);
  if (!Kokkos::isfinite(residual)) {
    progress.outcome = Outcome::not_a_number;
  } else if (residual <= progress.target) {
    progress.outcome = Outcome::converged;
  } else if (cost > limits.max_iterations) {
    progress.outcome = Outcome::iteration_limit;
  } else {
    progress.outcome = Outcome::running;
    begin_anew(progress);
  }
}

/// After `products` products that came to a residual of this norm, scaled.
KOKKOS_FORCEINLINE_FUNCTION void advance(Progress& progress, const Limits& limits, int v,
                                         double scaled, int products, int cost) {
  const double residual = scaled * progress.unscale;
  progress.iterations += products;
  progress.residual = progress.carried = residual;
  progress.verified = 0;
  record(progress, limits, v, residual);
  if (residual < progress.best) {
    progress.best = residual;
    progress.best_iteration = progress.iterations;
  }
  if (!Kokkos::isfinite(residual)) {
    progress.outcome = Outcome::not_a_number;
  } else if (residual <= progress.target) {
    progress.outcome = Outcome::converged;
  } else if (residual > limits.divergence * progress.first) {
    progress.outcome = Outcome::diverged;
  } else if (progress.iterations - progress.best_iteration >= limits.stagnation_window) {
    progress.outcome = Outcome::stagnated;
  } else if (progress.iterations + cost > limits.max_iterations) {
    progress.outcome = Outcome::iteration_limit;
  }
}

/// From the norm of b - A x. A claim that it does not bear out goes on from here while what was
/// computed so halves from one claim to the next. There, and where the recurrence has drifted off,
/// `restarts` says whether the iteration begins anew; else it keeps its directions.
KOKKOS_FORCEINLINE_FUNCTION void judge(Progress& progress, const Limits& limits, int v,
                                       double residual, Due due, int cost, bool restarts = true) {
  constexpr double falls = 0.5, drift = 1.1;
  const bool claimed = progress.outcome == Outcome::converged, ran = progress.running();
  progress.residual = residual;
  progress.verified = 1;
  progress.unscaled = progress.anew = 0;
  if (progress.recorded > 0) --progress.recorded;
  record(progress, limits, v, residual);
  if (residual <= progress.target) {
    progress.outcome = Outcome::converged;
  } else if (claimed && (due == Due::all || residual > falls * progress.restarted)) {
    progress.outcome = Outcome::attainable_accuracy;
  } else if (claimed || ran) {
    const bool drifted = claimed || residual > drift * progress.carried;
    if (drifted || residual < progress.best) {  // what was better was none
      progress.best = residual;
      progress.best_iteration = progress.iterations;
    }
    if (!Kokkos::isfinite(residual)) {
      progress.outcome = Outcome::not_a_number;
    } else if (progress.iterations + cost > limits.max_iterations) {
      progress.outcome = Outcome::iteration_limit;
    } else {
      progress.outcome = Outcome::running;
      progress.carried = residual;
      progress.unscaled = 1;
      if (claimed) progress.restarted = residual;
      if (restarts && drifted) begin_anew(progress);
    }
  }
}

inline KrylovResult result_of(const Progress& progress) {
  KrylovResult result;
  result.outcome = progress.outcome;
  result.iterations = progress.iterations;
  result.residual = progress.residual;
  result.first_residual = progress.first;
  result.reference = progress.reference;
  return result;
}

}  // namespace heddle::detail::krylov
