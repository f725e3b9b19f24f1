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

using WideColumns = std::vector<std::vector<detail::Wide>>;

/// A X; X if there is no A.
template <class Operator, class X>
WideColumns wide_product(const Operator* a, const X& x) {
  const auto host = to_host(x);
  WideColumns from(host.extent(1), std::vector<detail::Wide>(host.extent(0)));
  WideColumns y = from;
  for (std::size_t c = 0; c < y.size(); ++c) {
    for (std::size_t i = 0; i < y[c].size(); ++i) from[c][i] = detail::Wide(host(i, c));
  }
  if (!a) return from;
  each_entry(*a, [&](auto value, std::size_t i, std::size_t j) {
    for (std::size_t c = 0; c < y.size(); ++c) {
      y[c][i] = y[c][i] + detail::Wide(value) * from[c][j];
    }
  });
  return y;
}

/// The dot product conj(x) . y.
inline detail::Wide sum_of_products(const std::vector<detail::Wide>& x,
                                    const std::vector<detail::Wide>& y) {
  detail::Wide sum;
  for (std::size_t i = 0; i < x.size(); ++i) {
    sum = sum + detail::Wide(x[i].re, -x[i].im) * y[i];
  }
  return sum;
}
inline long double norm_of(const std::vector<detail::Wide>& x) {
  return std::sqrt(sum_of_products(x, x).re);
}

/// Errors of eigenpairs.
struct PairErrors {
  std::vector<double> residuals;  ///< |A x - lambda B x| / |x| of each pair
  double skew = 0;                ///< the largest entry of X' B X - I
  double terms = 1;             ///< the largest |x|^2, to which the rounding of X' B X is relative
  double constraints = 0;       ///< the largest |y' B x| / (|y| |x| |B|)
  double norm_of_a, norm_of_b;  ///< infinity norms

  template <class Operator, class X, class Y>
  PairErrors(const Operator& a, const Operator* b, const X& of_x, const LobpcgResult& result,
             const Y& of_y)
      : norm_of_a(std::ranges::max(row_sums(a, true))),
        norm_of_b(b ? std::ranges::max(row_sums(*b, true)) : 1) {
    const Operator* const none = nullptr;
    const WideColumns x = wide_product(none, of_x), ax = wide_product(&a, of_x),
                      bx = wide_product(b, of_x), y = wide_product(none, of_y);
    for (std::size_t j = 0; j < x.size(); ++j) {
      const long double norm = norm_of(x[j]);
      const detail::Wide lambda(result.pairs[j].value);
      std::vector<detail::Wide> r = ax[j];
      for (std::size_t i = 0; i < r.size(); ++i) r[i] = r[i] - lambda * bx[j][i];
      residuals.push_back(static_cast<double>(norm_of(r) / norm));
      keep_largest(terms, norm * norm);
      for (std::size_t k = 0; k < x.size(); ++k) {
        const detail::Wide expected(k == j ? 1 : 0);
        keep_largest(skew, detail::magnitude(sum_of_products(x[k], bx[j]) - expected));
      }
      for (const auto& constraint : y) {
        const long double size = norm_of(constraint);
        if (size > 0) {
          keep_largest(constraints, detail::magnitude(sum_of_products(constraint, bx[j])) /
                                        (size * norm * norm_of_b));
        }
      }
    }
  }

 private:
  static void keep_largest(double& largest, long double value) {
    const auto size = static_cast<double>(value);
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
