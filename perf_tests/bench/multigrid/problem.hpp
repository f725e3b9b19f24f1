// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../solve/linear_system.hpp"
#include "make_multigrid.hpp"
#include "request.hpp"

namespace heddle::bench {

/// A multigrid preconditioner of one system: run() applies a cycle to the problem's b, into its x.
class MultigridContestant : public Contestant {
 public:
  /// Solves with the preconditioner from zero, into the problem's x.
  virtual Solved solve(const Exec& exec) = 0;
  /// The levels of the hierarchy; empty if unknown.
  virtual MultigridHierarchy levels() const { return {}; }
  /// Applies a cycle that starts at a level and includes the coarser ones.
  virtual void apply_from(const Exec&, int) {}
};

/// The input of every contestant.
template <Scalar S, Offset Off>
struct MultigridProblem : LinearSystem<S, Off> {
  using Contestant = MultigridContestant;

  MultigridRequest request;
};

}  // namespace heddle::bench
