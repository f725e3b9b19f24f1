// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The body of test_spmv_*.cpp, which differ in the types they run it for.
#pragma once

#include "spmv_check.hpp"

namespace heddle::test {

/// Every scheme over every test matrix, with alpha and beta that take every branch.
template <class T>
void every_scheme_agrees(const std::vector<Pattern>& patterns) {
  using S = typename T::Scalar;
  const typename T::Exec exec;
  const std::vector<std::pair<S, S>> factors = {
      {S(1), S(0)}, {S(-1), S(1)}, {S(0.5), S(-2)}, {S(0), S(0)}, {S(0), S(3)}};
  for (const Pattern& pattern : patterns) {
    const auto A = to_device<T>(exec, pattern);
    for (const Scheme& scheme : spmv_schemes<typename T::Exec>()) {
      const SpmvPlan plan(exec, A.matrix(), {.scheme = scheme});
      for (std::size_t f = 0; f < factors.size(); ++f) {
        const auto [alpha, beta] = factors[f];
        const Op op = f % 2 ? Op::conjugate : Op::none;
        const std::string problem = apply_and_compare(exec, plan, A, op, alpha, beta, 7 + f);
        CHECK_MESSAGE(problem.empty(), A.name, ", ", scheme.to_string(), ", ", name(op), ", case ",
                      f, ": ", problem);
      }
    }
  }
}

}  // namespace heddle::test
