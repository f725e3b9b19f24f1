// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cmath>
#include <string>

#include "../../core/error.hpp"
#include "concepts.hpp"
#include "state.hpp"

namespace heddle::detail::krylov {

/// Of the states on the device, of their copy on the host, and of the fence behind a check.
struct MonitorLabels {
  const char* states;
  const char* on_host;
  const char* check;
};

/// Of passes over b - A x; `scale` is null where a solver scales by itself.
struct ResidualLabels {
  const char* residual;
  const char* scale;
  const char* give;
};

/// A solver by name, and which options it takes that others do not.
struct TakenOptions {
  const char* name;
  bool restart = false, bounds = false, vectors = false, scheme = false, recompute_every = true;
};

/// What tells one solver from another.
struct SolverTraits {
  TakenOptions takes;
  MonitorLabels monitor;
  ResidualLabels labels;
  const char* vectors;  ///< label of their memory
  const char* best;     ///< and of the best solution; null: it keeps none
  Method method = {};
  int passes = 2;                         ///< of a step, over vectors
  bool recorded = false;                  ///< whether blocks of steps may run as graphs
  bool dot_in_product = false;            ///< whether it asks an operator for apply_dot
  const char* needs_symmetric = nullptr;  ///< "conjugate gradients need", a preconditioner that is
};

/// Throws Error for an option that is set and has no effect on the solver.
inline void check_effects(const KrylovOptions& options, const TakenOptions& takes) {
  const auto refuse = [&](bool set, bool taken, const char* option, const char* remedy) {
    if (!set || taken) return;
    throw Error(std::string("options.") + option + " has no effect on " + takes.name, remedy);
  };
  refuse(options.restart.has_value(), takes.restart, "restart",
         "leave it out: it is GmresSolver's");
  refuse(options.bounds.has_value(), takes.bounds, "bounds",
         "leave it out: it is ChebyshevSolver's");
  refuse(options.scheme.has_value(), takes.scheme, "scheme", "leave it out: it is CgSolver's");
  refuse(options.recompute_every != 0, takes.recompute_every, "recompute_every",
         "leave it out: b - A x is computed at every restart");
  if (options.vectors < 1 || (options.vectors > 1 && !takes.vectors)) {
    throw Error("options.vectors is " + std::to_string(options.vectors) + ", of " + takes.name,
                takes.vectors ? "give the number of right-hand sides"
                              : "solve one system after the other: it takes one right-hand side");
  }
}

/// Throws Error for options that make no sense.
inline void check_options(const KrylovOptions& options) {
  const auto refuse = [](const std::string& problem, const char* remedy) {
    throw Error(problem, remedy);
  };
  if (options.max_iterations < 0 || options.max_iterations > (1 << 30)) {
    refuse("options.max_iterations is " + std::to_string(options.max_iterations),
           "give the products with A that are allowed");
  }
  if (options.check_every < 0) {
    refuse("options.check_every is " + std::to_string(options.check_every),
           "give the iterations after which the host checks, or 0 for never");
  }
  if (options.check_every == 0 && (options.callback || !std::isinf(options.max_seconds))) {
    refuse(std::string("options.") + (options.callback ? "callback" : "max_seconds") +
               " has no effect with options.check_every = 0",
           "leave it out, or let the host check");
  }
  if (!(options.max_seconds >= 0) || !(options.divergence_factor > 1)) {
    refuse("options.max_seconds is negative, or options.divergence_factor not above 1",
           "give a time of 0 or more, and a factor above 1");
  }
  if (options.recompute_every < 0 || options.stagnation_window.value_or(1) < 1) {
    refuse("options.recompute_every is negative, or options.stagnation_window not positive",
           "give numbers of iterations");
  }
  if (!(options.relative_tolerance.value_or(0) >= 0) || !(options.absolute_tolerance >= 0)) {
    refuse("a tolerance is negative or NaN", "give 0 or more");
  }
}

/// The options themselves. Throws Error if they make no sense, or have no effect.
inline const KrylovOptions& checked(const KrylovOptions& options, const TakenOptions& takes) {
  check_effects(options, takes);
  check_options(options);
  return options;
}

/// For a method that `needs` a symmetric preconditioner; null: it does not.
template <class M>
void check_symmetric(const M& preconditioner, const char* needs) {
  if (!needs || symmetric(preconditioner)) return;
  throw Error(name_of(preconditioner) + " is not symmetric, and " + needs +
                  " a preconditioner that is" + asymmetry_of(preconditioner),
              "sweep forward and backward, or take gmres or bicgstab");
}

/// Residuals of a right-hand side that the device keeps: those between two checks, and the one
/// before, which a check may replace.
inline int history_room(const KrylovOptions& options) {
  if (options.check_every == 0) return options.max_iterations + 1;
  return std::min(options.check_every, options.max_iterations) + 2;
}

/// Of options whose stagnation_window is set. `is_double`: whether S is double, or complex of it.
inline Limits limits_of(const KrylovOptions& options, bool is_double, double* history) {
  return {options.relative_tolerance.value_or(is_double ? 1e-8 : 1e-5),
          options.absolute_tolerance,
          options.divergence_factor,
          options.relative_to == RelativeTo::first_residual ? 1 : 0,
          options.max_iterations,
          *options.stagnation_window,
          history_room(options),
          history};
}

/// Iterations of a block that is alike each time.
inline int block_of(const KrylovOptions& options) {
  if (options.recompute_every == 0 || options.check_every == 0) {
    return std::max(options.check_every, options.recompute_every);
  }
  return std::min(options.check_every, options.recompute_every);
}

/// Iterations [first, stop) by blocks(first, stop), and recompute() after every `every` of all.
template <class Blocks, class Recompute>
void with_recomputed(int first, int stop, int every, const Blocks& blocks,
                     const Recompute& recompute) {
  while (every > 0 && first / every < stop / every) {
    const int due = (first / every + 1) * every;
    blocks(first, due);
    recompute();
    first = due;
  }
  if (first < stop) blocks(first, stop);
}

}  // namespace heddle::detail::krylov
