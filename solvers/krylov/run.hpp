// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <string>

#include "../../core/error.hpp"
#include "../vectors/operands.hpp"
#include "concepts.hpp"
#include "state.hpp"

namespace heddle::detail::krylov {

/// Throws Error for options that make no sense.
inline void check_options(const KrylovOptions& options) {
  const auto refuse = [](const std::string& problem, const char* remedy) {
    throw Error(problem, remedy);
  };
  if (options.max_iterations < 0) {
    refuse("options.max_iterations is " + std::to_string(options.max_iterations),
           "give the products with A that are allowed");
  }
  if (options.check_every < 0) {
    refuse("options.check_every is " + std::to_string(options.check_every),
           "give the iterations between looks of the host, or 0 for none");
  }
  if (options.recompute_every < 0 || options.stagnation_window < 1) {
    refuse("options.recompute_every is negative, or options.stagnation_window not positive",
           "give numbers of iterations");
  }
  if (!(options.relative_tolerance >= 0) || !(options.absolute_tolerance >= 0)) {
    refuse("a tolerance is negative or NaN", "give one from 0 on");
  }
}

template <class A>
void check_square(const A& matrix, std::int64_t rows) {
  if (static_cast<std::int64_t>(matrix.rows()) != rows ||
      static_cast<std::int64_t>(matrix.columns()) != rows) {
    throw Error("the operator is " + std::to_string(matrix.rows()) + " x " +
                    std::to_string(matrix.columns()) + ", and the solver is for " +
                    std::to_string(rows) + " unknowns",
                "make the solver for the operator's size");
  }
}

template <class B, class X>
void check_system(std::int64_t rows, int count, const Multivector<B>& b, const Multivector<X>& x) {
  vectors::check_alike("b", b, "x", x);
  vectors::check_distinct("b", b, "x", x);
  if (b.rows != rows || b.count != count) {
    throw Error("b is " + std::to_string(b.rows) + " x " + std::to_string(b.count) +
                    ", and the solver is for " + std::to_string(count) + " right-hand sides of " +
                    std::to_string(rows) + " rows",
                "make the solver for the size of b");
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

template <class Real>
Limits<Real> limits_of(const KrylovOptions& options, Real* history) {
  return {static_cast<Real>(options.relative_tolerance),
          static_cast<Real>(options.absolute_tolerance),
          options.relative_to == RelativeTo::first_residual ? 1 : 0,
          options.max_iterations,
          options.stagnation_window,
          history};
}

/// Queues iterations in blocks until all right-hand sides have ended, looking after each block.
/// queue(first, stop) queues iterations, of `products` products each; look() waits, and fills
/// `results`. Without check_every all are queued and nothing is waited for.
template <class Queue, class Look>
void run(const KrylovOptions& options, int products, std::vector<KrylovResult>& results,
         const Queue& queue, const Look& look) {
  const int most = options.max_iterations / products;
  if (options.check_every == 0) {
    queue(0, most);
    return;
  }
  const Kokkos::Timer timer;
  const auto running = [&] {
    return std::any_of(results.begin(), results.end(),
                       [](const KrylovResult& r) { return r.outcome == Outcome::running; });
  };
  const auto end = [&](Outcome outcome) {
    for (KrylovResult& result : results) {
      if (result.outcome == Outcome::running) result.outcome = outcome;
    }
  };
  look();
  for (int step = 0; step < most && running();) {
    const int stop = std::min(most, step + options.check_every);
    queue(step, stop);
    look();
    step = stop;
    if (!running()) return;
    if (options.callback) {
      double residual = 0;
      int iterations = 0;
      for (const KrylovResult& result : results) {
        residual = std::max(residual, result.relative_residual());
        iterations = std::max(iterations, result.iterations);
      }
      if (!options.callback(iterations, residual)) return end(Outcome::stopped_by_user);
    }
    if (timer.seconds() > options.max_seconds) return end(Outcome::out_of_time);
  }
}

}  // namespace heddle::detail::krylov
