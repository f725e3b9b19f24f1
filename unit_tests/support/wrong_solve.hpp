// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reports of a Krylov solver against the residual of the host.
#pragma once

#include <cmath>
#include <sstream>
#include <string>

#include "../../solvers/krylov/options.hpp"
#include "entries.hpp"

namespace heddle::test {

/// The error of a result if the norm of b - A x is `residual`; "" if there is none. The reported
/// norm may be off by `slack`, relatively, and by `noise`.
inline std::string wrong_report(const KrylovResult& result, double residual, double target,
                                double slack, double noise) {
  std::ostringstream problem;
  if (!(std::abs(result.residual - residual) <= slack * residual + noise)) {
    problem << "a residual of " << residual << " is reported as " << result.residual;
  } else if (result.converged() && !(residual <= (1 + slack) * target + noise)) {
    problem << "converged at " << residual << " with a tolerance of " << target;
  } else if (result.outcome == Outcome::running) {
    problem << "still running";
  } else {
    return "";
  }
  problem << " (rounding " << noise << "), " << name(result.outcome);
  return problem.str();
}

}  // namespace heddle::test
