// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

#include "../../../solvers/multigrid/core.hpp"
#include "../../../solvers/multigrid/options.hpp"
#include "../solve/problem.hpp"

namespace heddle::bench {

/// Options of `heddle-bench multigrid`; the method is that of the solve that verifies a hierarchy.
struct MultigridRequest : SystemRequest {
  MultigridOptions options;
  std::string strength_measure = "automatic";

  MultigridRequest() { limits.max_iterations = 1000; }
};

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

template <Scalar S, Offset Off>
struct MultigridProblem : LinearSystem<S, Off> {
  using Contestant = MultigridContestant;

  MultigridRequest request;
};

}  // namespace heddle::bench
