// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../solve/linear_system.hpp"
#include "make_multigrid.hpp"
#include "request.hpp"

namespace heddle::bench {

/// A multigrid preconditioner of one system: run() is a cycle, of the problem's b, into its x.
class MultigridContestant : public Contestant {
 public:
  /// Solves with it, from zero, into the problem's x.
  virtual Solved solve(const Exec& exec) = 0;
  /// What its levels are; no level where nobody knows.
  virtual MultigridHierarchy levels() const { return {}; }
  /// A cycle of a level and those coarser than it.
  virtual void apply_from(const Exec&, int) {}
};

/// What every contestant is given.
template <Scalar S, Offset Off>
struct MultigridProblem : LinearSystem<S, Off> {
  using Contestant = MultigridContestant;

  MultigridRequest request;
};

}  // namespace heddle::bench
