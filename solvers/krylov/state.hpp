// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cmath>
#include <cstdint>

#include "../vectors/operands.hpp"
#include "options.hpp"

/// What is known of an iteration, and how it is judged: on the device.
namespace heddle::detail::krylov {

/// Which x a solve leaves.
enum class Left : int {
  own,    ///< that of the last iteration
  guess,  ///< the guess, whose residual is smaller
  start   ///< the one that the iteration last began anew from
};

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
  int restarts;  ///< how often it began anew after the first time
  Left left;
  int inconsistent;  ///< whether `outside` is more than the tolerance
  double outside;    ///< the norm of the part of b that is not in the range of A, which is left out
                     ///< of b and of all norms but `reference`
  double residual, best, first, reference, target;
  double aim;             ///< the residual of the recurrence that is a claim
  double carried;         ///< the residual of the recurrence
  double restarted;       ///< the residual when the iteration last began anew
  double failed;          ///< b - A x at the last claim that failed, or of the guess
  double scale, unscale;  ///< a power of two, and its reciprocal

  KOKKOS_FORCEINLINE_FUNCTION bool running() const { return outcome == Outcome::running; }
};

/// What all right-hand sides have in common.
struct Limits {
  double relative, absolute, divergence;
  int to_first;  ///< whether the tolerance is relative to the first residual
  int max_iterations;
  int stagnation_window;
  int history_room;  ///< residuals of a right-hand side that are kept until the host copies them
  double* history;   ///< of right-hand side v from v * history_room on, by turns, or null
};

/// What tells methods from each other where b - A x is judged.
struct Method {
  int cost = 1;                   ///< products of an iteration
  bool restarts = true;           ///< whether it begins anew where the recurrence has drifted off
  bool keeps_directions = false;  ///< whether it needs not, where a claim fails by little
  bool last_is_best = false;      ///< whether the last x counts at the iteration limit
  bool keeps_start = false;       ///< whether it has the x of Left::start
};

/// Of which right-hand sides b - A x is computed.
enum class Due : int {
  ended,    ///< whose iteration has ended
  running,  ///< and those that run
  last      ///< and nothing follows: what misses the tolerance has missed it
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
  ++progress.restarts;
}

/// Squares of an r this small, and dots of vectors like it, may underflow.
inline constexpr double least_scaled = 0x1p-200;

/// Whether the recurrence has come so far that b - A x is to be computed.
KOKKOS_FORCEINLINE_FUNCTION bool claims(const Progress& progress, double scaled) {
  return scaled * progress.unscale <= progress.aim || scaled < least_scaled;
}

KOKKOS_FORCEINLINE_FUNCTION void record(Progress& progress, const Limits& limits, int v,
                                        double residual) {
  if (limits.history) {
    limits
        .history[std::int64_t{v} * limits.history_room + progress.recorded % limits.history_room] =
        residual;
  }
  ++progress.recorded;
}

/// Before the first iteration, from the norms of b - A x and b, without what is `outside`. `cost`:
/// products of an iteration.
KOKKOS_FORCEINLINE_FUNCTION void begin(Progress& progress, const Limits& limits, int v,
                                       double residual, double right_hand_side, double outside,
                                       int cost) {
  progress.outside = outside;
  progress.zero = right_hand_side == 0 && outside == 0 ? 1 : 0;
  if (progress.zero) residual = 0;
  progress.iterations = progress.best_iteration = progress.recorded = 0;
  progress.verified = 1;
  progress.unscaled = progress.anew = 0;
  progress.residual = progress.carried = progress.best = residual;
  progress.first = progress.restarted = progress.failed = residual;
  progress.left = Left::own;
  progress.reference = limits.to_first ? residual : right_hand_side;
  if (outside > 0) progress.reference = Kokkos::hypot(progress.reference, outside);
  const double relative = limits.relative * progress.reference;
  progress.target = relative > limits.absolute ? relative : limits.absolute;
  progress.inconsistent = outside > 0 && outside >= progress.target ? 1 : 0;
  if (!progress.inconsistent) progress.target -= outside;  // the norms of both parts together
  progress.aim = progress.target;
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
  progress.restarts = 0;
}

/// After `products` products that came to a residual of this norm, scaled. `falls`: whether
/// something else than the norm says that the iteration gets on.
KOKKOS_FORCEINLINE_FUNCTION void advance(Progress& progress, const Limits& limits, int v,
                                         double scaled, int products, int cost,
                                         bool falls = false) {
  const double residual = scaled * progress.unscale;
  progress.iterations += products;
  progress.residual = progress.carried = residual;
  progress.verified = 0;
  record(progress, limits, v, residual);
  if (residual < progress.best) {
    progress.best = residual;
    progress.best_iteration = progress.iterations;
  }
  const bool waited = progress.iterations - progress.best_iteration >= limits.stagnation_window;
  if (waited && falls) progress.best_iteration = progress.iterations;
  if (!Kokkos::isfinite(residual)) {
    progress.outcome = Outcome::not_a_number;
  } else if (claims(progress, scaled)) {
    progress.outcome = Outcome::converged;
  } else if (residual > limits.divergence * progress.first) {
    progress.outcome = Outcome::diverged;
  } else if (waited && !falls) {
    progress.outcome = Outcome::stagnated;
  } else if (progress.iterations + cost > limits.max_iterations) {
    progress.outcome = Outcome::iteration_limit;
  }
}

/// Which x is left of an iteration that has ended with a residual of b - A x.
KOKKOS_FORCEINLINE_FUNCTION Left left_of(const Progress& progress, Method method, bool drifted) {
  const bool last = method.last_is_best && progress.outcome == Outcome::iteration_limit && !drifted;
  const bool started = method.keeps_start && progress.restarted < progress.first;
  const double other = started ? progress.restarted : progress.first;
  if (last || progress.residual <= other) return Left::own;
  return started ? Left::start : Left::guess;
}

/// From the norm of b - A x. A claim that it does not bear out goes on from here, with a lower aim
/// where the tolerance is near, if b - A x has fallen since the last such claim by more than it
/// differs from what was claimed: so by a part of the tolerance each time. There, and where the
/// recurrence has drifted off, the iteration begins anew; else it keeps its directions.
KOKKOS_FORCEINLINE_FUNCTION void verify(Progress& progress, const Limits& limits, int v,
                                        double residual, Due due, Method method) {
  constexpr double drift = 1.1, near = 2, lower = 0.9;
  const bool claimed = progress.outcome == Outcome::converged, ran = progress.running();
  const bool exhausted = progress.carried * progress.scale < least_scaled;
  const bool drifted = !(residual <= drift * progress.carried) || exhausted;
  const bool falls = progress.failed - residual > residual - progress.carried;
  progress.residual = residual;
  progress.verified = 1;
  progress.unscaled = progress.anew = 0;
  if (progress.recorded > 0) --progress.recorded;
  record(progress, limits, v, residual);
  if (residual <= progress.target) {
    progress.outcome = Outcome::converged;
  } else if (claimed && (due == Due::last || !falls)) {
    progress.outcome = Outcome::attainable_accuracy;
  } else if ((claimed || ran) && Kokkos::isfinite(residual)) {
    const bool anew = drifted || (claimed && !method.keeps_directions);
    if (anew || residual < progress.best) {  // what was better was none
      progress.best = residual;
      progress.best_iteration = progress.iterations;
    }
    if (claimed) {
      progress.failed = residual;
      progress.aim = (residual <= near * progress.target ? lower : 1) * progress.target;
    }
    if (progress.iterations + method.cost > limits.max_iterations) {
      progress.outcome = Outcome::iteration_limit;
    } else {
      progress.outcome = Outcome::running;
      progress.carried = residual;
      progress.unscaled = 1;
      if (method.restarts && anew) begin_anew(progress);
    }
  }
  if (!Kokkos::isfinite(residual) && progress.outcome != Outcome::diverged) {
    progress.outcome = Outcome::not_a_number;
  }
  if (!progress.running() || due == Due::last) progress.left = left_of(progress, method, drifted);
}

/// The norm of b - A x of the x that is left.
inline double residual_left(const Progress& progress) {
  return progress.left == Left::own     ? progress.residual
         : progress.left == Left::guess ? progress.first
                                        : progress.restarted;
}

/// The norm of b - A x, of what the iteration takes for it.
inline double with_outside(const Progress& progress, double residual) {
  return progress.outside > 0 ? std::hypot(residual, progress.outside) : residual;
}

inline KrylovResult result_of(const Progress& progress) {
  KrylovResult result;
  const bool inconsistent = progress.inconsistent && progress.outcome == Outcome::converged;
  result.outcome = inconsistent ? Outcome::inconsistent : progress.outcome;
  result.iterations = progress.iterations;
  result.residual = with_outside(progress, residual_left(progress));
  result.first_residual = with_outside(progress, progress.first);
  result.reference = progress.reference;
  result.restarts = progress.restarts;
  return result;
}

}  // namespace heddle::detail::krylov
