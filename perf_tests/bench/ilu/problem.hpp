// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>

#include "../../../solvers/ilu/options.hpp"
#include "../common/krylov_loops.hpp"
#include "../common/options.hpp"
#include "../common/problem.hpp"

namespace heddle::bench {

/// Options of `heddle-bench ilu`.
struct IluRequest : ContestOptions {
  std::string factors = "lu", keep = "same";
  IluOptions options;
  bool solve = false;

  bool cholesky() const { return factors == "cholesky"; }
};

/// Limits of the conjugate gradients.
inline constexpr LoopLimits solve_limits;

/// The timed work: new factors, an apply of them, or conjugate gradients with them.
enum class Timed { factor, apply, solve };

/// A contestant that makes incomplete factors of one matrix, applies them, or solves with them.
template <Scalar S>
class IluContestant : public Contestant {
 public:
  /// The largest error of the result of run() over its bound, at most 1 if it is right; empty if
  /// the contestant does not claim to be exact. Waits.
  virtual std::optional<double> error_over_bound(const Exec& exec) = 0;
};

/// A square matrix with vectors for an apply: columns ascend, each once, and the diagonal is whole.
/// Cholesky factors are those of its lower triangle.
template <Scalar S, Offset Off>
struct IluProblem : MatrixProblem<S, Off>, SolveVectors<S> {
  using Contestant = IluContestant<S>;

  IluOptions options;
  bool cholesky = false;
  bool solves = false;
};

}  // namespace heddle::bench
