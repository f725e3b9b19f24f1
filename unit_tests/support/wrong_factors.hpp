// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Incomplete factors of a plan, and solutions with them, against those of the sequential loop.
#pragma once

#include <string>

#include "incomplete.hpp"

namespace heddle::test {

/// The error of the factors of a plan of a matrix; "" if there is none.
template <class Exec, class Plan, class Matrix>
std::string wrong_factors(const Exec& exec, const Plan& plan, const Matrix& A,
                          const IluOptions& options,
                          const FactorRows<typename Matrix::scalar_type>& expected,
                          double tolerance) {
  plan.check_values(exec);
  const double off = difference(plan.factors(exec), expected);
  if (!(off < tolerance)) return "factors are off by " + std::to_string(off);
  const double left = plan.residual(exec, A);
  if (options.pivot_floor > 0 || left < tolerance) return "";
  return "factors leave " + std::to_string(left);
}

/// Factors of the sequential loop: U holds the diagonal and L has ones on it, or, of Cholesky, L
/// alone holds it.
struct ExpectedFactors {
  FactorRows<double> rows;
  bool cholesky;

  /// op(L U) or L L' times x.
  std::vector<double> product(Op op, const std::vector<double>& x) const {
    if (cholesky) return times(true, false, times(true, true, x));
    const bool transposed = transposes(op);
    return times(!transposed, transposed, times(transposed, transposed, x));
  }

  /// The error of solutions x of the factors for b; "" if there is none.
  template <class B, class X>
  std::string wrong_solutions(Op op, const B& b, const X& x, double tolerance) const {
    for (std::size_t v = 0; v < x.extent(1); ++v) {
      std::vector<double> of_x(x.extent(0));
      for (std::size_t i = 0; i < of_x.size(); ++i) of_x[i] = x(i, v);
      const auto got = product(op, of_x);
      for (std::size_t i = 0; i < of_x.size(); ++i) {
        const double off = got[i] - b(i, v);
        if (std::abs(off) < tolerance) continue;
        return "entry " + std::to_string(i) + " of the product with the factors is off by " +
               std::to_string(off);
      }
    }
    return "";
  }

 private:
  /// L or U, or its transpose, times x.
  std::vector<double> times(bool lower, bool transposed, const std::vector<double>& x) const {
    std::vector<double> y(x.size(), 0);
    const auto add = [&](std::size_t i, std::size_t j, double value) {
      transposed ? y[j] += value * x[i] : y[i] += value * x[j];
    };
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (!cholesky && lower) add(i, i, 1);
      for (const auto& [column, value] : rows[i]) {
        const auto j = static_cast<std::size_t>(column);
        const bool is_lower = j < i || (j == i && cholesky);
        if (is_lower == lower) add(i, j, static_cast<double>(value));
      }
    }
    return y;
  }
};

}  // namespace heddle::test
