// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../../solvers/multigrid/options.hpp"
#include "../solve/request.hpp"

namespace heddle::bench {

/// Options of `heddle-bench multigrid`.
struct MultigridRequest : ContestOptions {
  MultigridOptions options;
  /// Method of the solve that verifies a preconditioner.
  std::string method_name = "cg";
  LoopLimits limits{1e-8, 1000};
  double excess = 1e-3;

  Method method() const { return method_name == "cg" ? Method::cg : Method::gmres; }
};

}  // namespace heddle::bench
