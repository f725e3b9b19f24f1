// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reports of a Krylov solver against the residual of the host.
#pragma once

#include <cmath>
#include <sstream>
#include <string>

#include "../../solvers/krylov/options.hpp"
#include "entries.hpp"

namespace heddle::test {

/// Norms of b - A x, of b, and of |A| |x| + |b|, which bounds rounding, computed on the host.
struct ResidualNorms {
  double residual, b, rounding;
};
template <class Operator, class B, class X>
ResidualNorms residual_norms(const Operator& a, const B& of_b, const X& of_x) {
  const auto b = to_host(of_b);
  const auto x = to_host(of_x);
  const auto wide = [](auto value) { return static_cast<long double>(value); };
  std::vector<long double> left, size;
  long double residual = 0, right = 0, rounding = 0;
  for (std::size_t i = 0; i < b.extent(0); ++i) {
    left.push_back(wide(b(i)));
    size.push_back(std::abs(left[i]));
    right += left[i] * left[i];
  }
  each_entry(a, [&](auto value, std::size_t i, std::size_t j) {
    left[i] -= wide(value) * wide(x(j));
    size[i] += std::abs(wide(value) * wide(x(j)));
  });
  for (std::size_t i = 0; i < left.size(); ++i) {
    residual += left[i] * left[i];
    rounding += size[i] * size[i];
  }
  const auto root = [](long double of) { return static_cast<double>(std::sqrt(of)); };
  return {root(residual), root(right), root(rounding)};
}

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
