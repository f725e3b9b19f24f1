// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "../../core/scheme.hpp"
#include "../../core/types.hpp"

namespace heddle {

/// How an iteration ended, or that it has not.
enum class Outcome : int {
  running,         ///< max_iterations products, and the tolerance is not met
  converged,       ///< the residual is below the tolerance
  breakdown,       ///< a number to divide by is zero
  not_a_number,    ///< NaN or infinity in the residual or a product
  indefinite,      ///< p' A p or r' M r is not positive: A or M is not positive definite
  stagnated,       ///< no smaller residual for stagnation_window iterations
  out_of_time,     ///< max_seconds are over
  stopped_by_user  ///< the callback said so
};

/// In words.
constexpr const char* name(Outcome outcome) {
  switch (outcome) {
    case Outcome::running: return "the iterations allowed are used up";
    case Outcome::converged: return "converged";
    case Outcome::breakdown: return "broke down: a number to divide by is zero";
    case Outcome::not_a_number: return "NaN or infinity in the residual or a product";
    case Outcome::indefinite: return "the matrix or the preconditioner is not positive definite";
    case Outcome::stagnated: return "stagnated: the residual falls no more";
    case Outcome::out_of_time: return "the time allowed is over";
    case Outcome::stopped_by_user: return "stopped by the callback";
  }
  return "?";
}

/// What the tolerance is relative to.
enum class RelativeTo { right_hand_side, first_residual };

/// What a user may say about an iteration; every default is sensible.
struct KrylovOptions {
  /// It ends when the residual's norm is at most relative_tolerance times that of b or of the first
  /// residual, or at most absolute_tolerance.
  double relative_tolerance = 1e-8;
  /// Of the residual's norm; 0: only the relative tolerance counts.
  double absolute_tolerance = 0;
  /// What relative_tolerance is multiplied by.
  RelativeTo relative_to = RelativeTo::right_hand_side;
  /// Products with A, but for that of the first residual.
  int max_iterations = 1000;
  /// Iterations from one look of the host to the next; iterations beyond the last change nothing.
  /// 0: the host never looks, all iterations are queued at once, and the result is in device
  /// memory.
  int check_every = 10;
  /// Whether x is zero whatever is in it: then it is not read, and a product is saved.
  bool zero_guess = false;
  /// The residual is the one that the iteration carries along; every so many iterations it is
  /// computed from x anew. 0: never. (gmres: at every restart, whatever this says.)
  int recompute_every = 0;
  /// It ends when there was no smaller residual for so many iterations.
  int stagnation_window = 1000;
  /// Looked at where the host looks.
  double max_seconds = std::numeric_limits<double>::infinity();
  /// Whether the residual norms of all iterations are kept: room is made with the solver.
  bool history = false;
  /// Called where the host looks, with iterations and the largest residual norm, relative; ends the
  /// iteration by returning false.
  std::function<bool(int iterations, double residual)> callback = {};
  /// Of CgSolver, which has four: pins cg/launches, cg/one-team, cg/one-cluster or cg/all-teams.
  std::optional<Scheme> scheme = std::nullopt;
};

/// How an iteration ended, of one right-hand side.
struct KrylovResult {
  Outcome outcome = Outcome::running;
  int iterations = 0;
  double residual = 0;        ///< its norm at the end, as the iteration knows it
  double first_residual = 0;  ///< its norm at the start
  double reference = 0;       ///< the norm that the tolerance is relative to
  bool recomputed = false;    ///< whether `residual` was computed from x, not carried along

  bool converged() const { return outcome == Outcome::converged; }
  double relative_residual() const { return reference > 0 ? residual / reference : residual; }
};

}  // namespace heddle
