// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <any>
#include <cstddef>
#include <functional>
#include <limits>
#include <optional>
#include <string>

#include "../../formats/common/prediction.hpp"
#include "../krylov/options.hpp"

namespace heddle {

/// A direct plan that a solve may take: see direct_solver, which makes it. Empty: none.
class SolveDirect {
 public:
  /// Keeps a function that makes the plan, of the types of a solve.
  template <class Make>
  static SolveDirect of(const Make& make) {
    SolveDirect direct;
    direct.make_ = make;
    return direct;
  }
  bool empty() const { return !make_.has_value(); }
  /// The function, or null if it is for other types.
  template <class Make>
  const Make* make() const {
    return std::any_cast<Make>(&make_);
  }

 private:
  std::any make_;
};

/// Options of heddle::solve and Solver. Every default is sensible.
struct SolveOptions {
  /// The solve has converged when the norm of b - A x is at most relative_tolerance times that of
  /// b, or at most absolute_tolerance. Default: 1e-8 for double, 1e-5 for float, and for the
  /// complex numbers of both.
  std::optional<double> relative_tolerance = std::nullopt;
  /// Bound of the norm of b - A x; 0: only the relative tolerance counts.
  double absolute_tolerance = 0;
  /// The limit of iterations (products with A) of a solve, those of all pairs together.
  int max_iterations = 10000;
  /// Limit of time of a solve, tested when the host checks; a set-up is not interrupted.
  double max_seconds = std::numeric_limits<double>::infinity();
  /// The most device memory, in bytes, that the Solver may keep: pairs that are predicted to exceed
  /// it are left out. The bound does not include temporary memory of inspections and set-ups.
  std::size_t max_bytes = no_bound;
  /// Whether A is positive definite: with true conjugate gradients come first whatever the
  /// inspection saw, with false they are left out. By default A counts as definite if it is
  /// symmetric (Hermitian) with a positive diagonal, and no negative eigenvalue was seen.
  std::optional<bool> positive_definite = std::nullopt;
  /// Number of solves with one set-up: more of them justify a longer set-up.
  int expected_solves = 1;
  /// Unknowns of each point, for multigrid; 0: as found in the pattern, 1 if nothing was found.
  int block_size = 0;
  /// Whether x counts as zero whatever it holds. Otherwise x is the guess, if its residual is
  /// smaller than b, and zero if not.
  bool zero_guess = false;
  /// Vectors that A and its conjugate transpose map to zero. By default none, or the constant
  /// vector if A is symmetric and all of its rows sum to zero, within rounding.
  Nullspace nullspace = {};
  /// Vectors that A maps to about zero away from the boundary, for multigrid:
  /// rigid_body_motions(exec, coordinates) for elastic bodies. By default the constant vector.
  Nullspace near_nullspace = {};
  /// Complete factors for the pair gmres/direct, which is considered beside the others:
  /// direct_solver<SparseDirectPlan>(exec, A). By default there is no such pair.
  SolveDirect direct = {};
  /// Pins the pair of method and preconditioner, such as "cg/multigrid": no other one runs, and no
  /// Ritz values are computed. By default the pairs that may serve run in the order of their
  /// predicted times.
  std::string pair = {};
  /// A file that keeps the pair that solved a system, for later Solvers of the same pattern and
  /// options, which then run it first and compute no Ritz values: the tuning cache of plans.
  /// Trouble with the file is no Error: SolveReport::cache has it.
  std::string cache = {};
  /// Called when the host checks, with the number of iterations of all pairs so far and the
  /// relative residual norm. Returning false ends the solve, and an exception leaves it when x is
  /// in order.
  std::function<bool(int iterations, double residual)> callback = {};
};

}  // namespace heddle
