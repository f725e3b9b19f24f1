// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "linear_system.hpp"

namespace heddle::bench {

/// A contestant that solves with one matrix from zero, by one method and one preconditioner.
template <Scalar S>
class SolveContestant : public Contestant {
 public:
  /// Solves; throws Error if it did not converge.
  void run(const Exec& exec) final {
    solved_ = solve(exec);
    if (solved_.converged) return;
    throw Error(
        "not solved after " + std::to_string(solved_.iterations) + " products: " + solved_.why, "");
  }
  int iterations() const { return solved_.iterations; }

 private:
  /// Solves from zero, into the problem's x.
  virtual Solved solve(const Exec& exec) = 0;

  Solved solved_;
};

/// The input of every contestant.
template <Scalar S, Offset Off>
struct SolveProblem : LinearSystem<S, Off> {
  using Contestant = SolveContestant<S>;

  SolveRequest request;
};

}  // namespace heddle::bench
