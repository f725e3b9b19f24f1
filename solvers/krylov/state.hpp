// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cmath>
#include <cstdint>

#include "../vectors/operands.hpp"
#include "options.hpp"

/// The state of an iteration, and how the device judges it.
namespace heddle::detail::krylov {

/// Which x a solve leaves.
enum class Left : int {
  own,    ///< the x of the last iteration
  guess,  ///< the guess, whose residual is smaller
  start   ///< the x of the last restart
};

/// State of an iteration for one right-hand side, in memory of the device. The state of a solver
/// with more numbers derives from it. Norms are those of the user's system. The iteration itself
/// works on residuals that are multiplied by `scale`, so that they begin with a norm between 1 and
/// 2.
struct Progress {
  Outcome outcome;  ///< `converged` is only a claim until it is `verified`
  int iterations;
  int best_iteration;
  int recorded;  ///< number of residuals in the history
  int verified;  ///< whether `residual` is that of b - A x
  int unscaled;  ///< whether the iteration continues from b - A x, which is not scaled yet
  int anew;      ///< whether it restarts there, without its directions
  int closed;    ///< whether `converged` only asks for b - A x, since its basis serves no longer
  int zero;      ///< whether b is zero, and so is x
  int restarts;  ///< number of restarts after the first start
  Left left;
  int inconsistent;  ///< whether `outside` is at least the tolerance
  double outside;    ///< norm of the part of b outside the range of A, which is left out of b and
                     ///< of all norms but `reference`
  double residual, best, first, reference, target;
  double aim;             ///< a residual of the recurrence up to this claims convergence
  double carried;         ///< the residual of the recurrence
  double restarted;       ///< the residual at the last restart
  double failed;          ///< norm of b - A x at the last claim that failed, or of the guess; see
                          ///< verify()
  double scale, unscale;  ///< a power of two, and its reciprocal

  KOKKOS_FORCEINLINE_FUNCTION bool running() const { return outcome == Outcome::running; }
};

/// Limits that all right-hand sides share.
struct Limits {
  double relative, absolute, divergence;
  int to_first;  ///< whether the tolerance is relative to the first residual
  int max_iterations;
  int stagnation_window;
  int history_room;  ///< number of residuals of a right-hand side until the host copies them
  double* history;   ///< ring buffers: right-hand side v begins at v * history_room; or null
};

/// Properties in which methods differ when b - A x is judged.
struct Method {
  int cost = 1;                   ///< number of products in an iteration
  bool restarts = true;           ///< whether it restarts if the recurrence has drifted off
  bool keeps_directions = false;  ///< whether it keeps directions if a claim fails by little
  bool last_is_best = false;      ///< whether the last x counts at the iteration limit
  bool keeps_start = false;       ///< whether it has the x of Left::start
  /// Whether x is known only after a cycle, so that b - A x is computed for all right-hand sides at
  /// once, when the cycle ends or none of them runs.
  bool in_cycles = false;
  /// Whether the recurrence keeps its own residual until it restarts, because its steps do not
  /// depend on it; b - A x is then in q_, not in r_.
  bool keeps_residual = false;
};

/// The right-hand sides for which b - A x is computed.
enum class Due : int {
  ended,    ///< those whose iteration has ended
  running,  ///< those too that run
  last      ///< all but those verified to converge; nothing follows, so a failed claim is final
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

/// Whether the recurrence claims convergence, so that b - A x is to be computed.
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

/// Begins an iteration, from the norms of b - A x and b without the part `outside`. `cost`: number
/// of products in an iteration.
KOKKOS_FORCEINLINE_FUNCTION void begin(Progress& progress, const Limits& limits, int v,
                                       double residual, double right_hand_side, double outside,
                                       int cost) {
  progress.outside = outside;
  progress.zero = right_hand_side == 0 && outside == 0 ? 1 : 0;
  if (progress.zero) residual = 0;
  progress.iterations = progress.best_iteration = progress.recorded = 0;
  progress.verified = 1;
  progress.unscaled = progress.anew = progress.closed = 0;
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

/// Judges an iteration after `products` products by the scaled norm of its residual. `falls`:
/// whether something other than the norm shows progress.
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

/// Which x remains after an iteration that has ended with a residual of b - A x. That of a
/// least-squares solution may be larger than the guess's: by rounding, or because it is the
/// smallest in the norm of M. Left::guess of such an outcome is the iteration's own choice.
KOKKOS_FORCEINLINE_FUNCTION Left left_of(const Progress& progress, Method method, bool drifted) {
  if (progress.outcome == Outcome::inconsistent && (!drifted || progress.left == Left::guess)) {
    return progress.left;
  }
  const bool last = method.last_is_best && progress.outcome == Outcome::iteration_limit && !drifted;
  const bool started = method.keeps_start && progress.restarted < progress.first;
  const double other = started ? progress.restarted : progress.first;
  if (last || progress.residual <= other) return Left::own;
  return started ? Left::start : Left::guess;
}

/// Judges an iteration by the norm of b - A x. After a failed claim it continues from here, with a
/// lower aim if the tolerance is near, if b - A x has fallen since the last failed claim by more
/// than it differs from the claimed residual: so by a part of the tolerance each time. It restarts
/// if the recurrence has drifted off, or after a failed claim unless the method keeps directions.
/// If the method keeps its residual, what a failed claim adds to that stays until a restart, and
/// failed claims are compared from one restart to the next.
KOKKOS_FORCEINLINE_FUNCTION void verify(Progress& progress, const Limits& limits, int v,
                                        double residual, Due due, Method method) {
  constexpr double drift = 1.1, near = 2, lower = 0.9;
  const bool claimed = progress.outcome == Outcome::converged && !progress.closed;
  const bool closed = progress.closed, ran = progress.running() || closed;
  const bool exhausted = progress.carried * progress.scale < least_scaled;
  const bool drifted = !(residual <= drift * progress.carried) || exhausted;
  const bool falls = progress.failed - residual > residual - progress.carried;
  progress.residual = residual;
  progress.verified = 1;
  progress.unscaled = progress.anew = progress.closed = 0;
  if (progress.recorded > 0) --progress.recorded;
  record(progress, limits, v, residual);
  if (residual <= progress.target) {
    progress.outcome = Outcome::converged;
  } else if (claimed && (due == Due::last || !falls)) {
    progress.outcome = Outcome::attainable_accuracy;
  } else if ((claimed || ran) && Kokkos::isfinite(residual)) {
    const bool anew = drifted || (claimed && !method.keeps_directions);
    if (anew || residual < progress.best) {  // a better one of the recurrence was wrong
      progress.best = residual;
      // Cycles that close and gain nothing stagnate.
      if (!closed || residual < progress.restarted) progress.best_iteration = progress.iterations;
    }
    const bool replaces = anew || !method.keeps_residual;
    if (claimed) {
      if (replaces) progress.failed = residual;
      progress.aim = (residual <= near * progress.target ? lower : 1) * progress.target;
    }
    if (progress.iterations + method.cost > limits.max_iterations) {
      progress.outcome = Outcome::iteration_limit;
    } else {
      progress.outcome = Outcome::running;
      if (replaces) {
        progress.carried = residual;
        progress.unscaled = 1;
      }
      if (method.restarts && anew) begin_anew(progress);
    }
  }
  if (!Kokkos::isfinite(residual) && progress.outcome != Outcome::diverged) {
    progress.outcome = Outcome::not_a_number;
  }
  const bool chosen = progress.left == Left::guess;
  if (!progress.running() || due == Due::last) progress.left = left_of(progress, method, drifted);
  // b - A x of a least-squares solution is what was carried.
  if (progress.outcome == Outcome::inconsistent && drifted && !chosen) {
    progress.outcome = Outcome::stagnated;
  }
}

/// The norm of b - A x for the x that is left.
inline double residual_left(const Progress& progress) {
  return progress.left == Left::own     ? progress.residual
         : progress.left == Left::guess ? progress.first
                                        : progress.restarted;
}

/// The norm of b - A x, from that without the part of b outside the range of A.
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
