// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cmath>
#include <string>

#include "../../core/error.hpp"
#include "concepts.hpp"
#include "state.hpp"

namespace heddle::detail::krylov {

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
           "give seconds, and how many times the first residual is too much");
  }
  if (options.recompute_every < 0 || options.stagnation_window < 1) {
    refuse("options.recompute_every is negative, or options.stagnation_window not positive",
           "give numbers of iterations");
  }
  if (!(options.relative_tolerance.value_or(0) >= 0) || !(options.absolute_tolerance >= 0)) {
    refuse("a tolerance is negative or NaN", "give one from 0 on");
  }
}

/// For a method that `needs` a symmetric preconditioner ("conjugate gradients need").
template <class M>
void check_symmetric(const M& preconditioner, const std::string& needs) {
  if (symmetric(preconditioner)) return;
  throw Error(
      name_of(preconditioner) + " is not symmetric, and " + needs + " a preconditioner that is",
      "sweep forward and backward, or take gmres or bicgstab");
}

/// `is_double`: whether S is double, or complex of it.
inline Limits limits_of(const KrylovOptions& options, bool is_double, double* history) {
  return {options.relative_tolerance.value_or(is_double ? 1e-8 : 1e-5),
          options.absolute_tolerance,
          options.divergence_factor,
          options.relative_to == RelativeTo::first_residual ? 1 : 0,
          options.max_iterations,
          options.stagnation_window,
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
