// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Eigenpairs against A x and B x of the host, in numbers of a wider range, whose squares do not
// overflow.
#pragma once

#include <cmath>
#include <heddle/lobpcg.hpp>
#include <string>
#include <vector>

#include "entries.hpp"

namespace heddle::test {

using WideColumns = std::vector<std::vector<long double>>;

/// A X; X if there is no A.
template <class Operator, class X>
WideColumns wide_product(const Operator* a, const X& x) {
  const auto host = to_host(x);
  WideColumns from(host.extent(1), std::vector<long double>(host.extent(0)));
  WideColumns y = from;
  for (std::size_t c = 0; c < y.size(); ++c) {
    for (std::size_t i = 0; i < y[c].size(); ++i) from[c][i] = static_cast<long double>(host(i, c));
  }
  if (!a) return from;
  each_entry(*a, [&](auto value, std::size_t i, std::size_t j) {
    for (std::size_t c = 0; c < y.size(); ++c) {
      y[c][i] += static_cast<long double>(value) * from[c][j];
    }
  });
  return y;
}

inline long double sum_of_products(const std::vector<long double>& x,
                                   const std::vector<long double>& y) {
  long double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) sum += x[i] * y[i];
  return sum;
}

/// Errors of real eigenpairs.
struct PairErrors {
  std::vector<double> residuals;  ///< |A x - lambda B x| / |x| of each pair
  double skew = 0;                ///< the largest entry of X' B X - I
  double constraints = 0;         ///< the largest |y' B x| / (|y| |x| |B|)
  double norm_of_a, norm_of_b;    ///< infinity norms

  template <class Operator, class X, class Y>
  PairErrors(const Operator& a, const Operator* b, const X& of_x, const LobpcgResult& result,
             const Y& of_y)
      : norm_of_a(std::ranges::max(row_sums(a, true))),
        norm_of_b(b ? std::ranges::max(row_sums(*b, true)) : 1) {
    const Operator* const none = nullptr;
    const WideColumns x = wide_product(none, of_x), ax = wide_product(&a, of_x),
                      bx = wide_product(b, of_x), y = wide_product(none, of_y);
    for (std::size_t j = 0; j < x.size(); ++j) {
      const long double norm = std::sqrt(sum_of_products(x[j], x[j]));
      std::vector<long double> r = ax[j];
      for (std::size_t i = 0; i < r.size(); ++i) r[i] -= result.pairs[j].value * bx[j][i];
      residuals.push_back(static_cast<double>(std::sqrt(sum_of_products(r, r)) / norm));
      for (std::size_t k = 0; k < x.size(); ++k) {
        keep_largest(skew, sum_of_products(x[k], bx[j]) - (k == j));
      }
      for (const auto& constraint : y) {
        const long double size = std::sqrt(sum_of_products(constraint, constraint));
        if (size > 0) {
          keep_largest(constraints, sum_of_products(constraint, bx[j]) / (size * norm * norm_of_b));
        }
      }
    }
  }

 private:
  static void keep_largest(double& largest, long double value) {
    const auto size = static_cast<double>(std::abs(value));
    if (!(size <= largest)) largest = size;  // NaN counts as largest
  }
};

/// The error of the report of a search, given errors of its pairs; "" if there is none.
inline std::string wrong_pairs(const LobpcgResult& result, const PairErrors& errors,
                               double relative_tolerance) {
  bool all = true;
  for (std::size_t j = 0; j < errors.residuals.size(); ++j) {
    const auto& pair = result.pairs[j];
    const double residual = errors.residuals[j];
    const double unit = errors.norm_of_a + std::abs(pair.value) * errors.norm_of_b;
    all = all && pair.converged;
    if (pair.converged && !(residual <= 1.01 * relative_tolerance * result.scale + 1e-13 * unit)) {
      return "a pair called converged has a residual of " + std::to_string(residual);
    }
    if (!(std::abs(residual - pair.residual) <= 1e-2 * residual + 1e-10 * unit)) {
      return "a residual of " + std::to_string(residual) + " is reported as " +
             std::to_string(pair.residual);
    }
    if (!(pair.error * errors.norm_of_b >= 0.98 * pair.residual)) {
      return "an error bound below the residual in the norm of B";
    }
  }
  if (!(errors.skew <= 1e-9)) return "vectors are not orthonormal";
  if (!(errors.constraints <= 1e-9)) return "vectors are not orthogonal to the constraints";
  return all == result.converged() ? "" : "the outcome is not that of the pairs";
}

}  // namespace heddle::test
