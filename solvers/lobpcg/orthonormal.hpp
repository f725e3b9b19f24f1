// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "eigen.hpp"

namespace heddle::detail::lobpcg {

/// Coefficients T with T' G T = I, of the Gram matrix G of vectors: as many columns as they have
/// independent directions, one that is less than `drop` of the longest being none. Vectors are
/// scaled to norm one before; `least` becomes the least eigenvalue of the Gram matrix of these, and
/// `kept` is lowered to the least of those above `drop`. Source: A. Stathopoulos and K. Wu (2002).
template <class T>
Dense<T> orthonormal(const Dense<T>& gram, double drop, double* least = nullptr,
                     double* kept = nullptr) {
  const int m = gram.rows;
  std::vector<double> scale(static_cast<std::size_t>(m));
  for (int i = 0; i < m; ++i) {
    const double square = real_part(gram(i, i));
    scale[static_cast<std::size_t>(i)] = square > 0 ? 1 / std::sqrt(square) : 0;
  }
  Dense<T> scaled(m, m);
  for (int j = 0; j < m; ++j) {
    for (int i = 0; i < m; ++i) {
      scaled(i, j) =
          (gram(i, j) + conjugated(gram(j, i))) *
          (0.5 * scale[static_cast<std::size_t>(i)] * scale[static_cast<std::size_t>(j)]);
    }
  }
  const Eigen<T> of = eigen(scaled);
  const double bound = m > 0 ? std::max(drop * of.values.back(), 0.0) : 0;
  if (least) *least = m > 0 ? of.values.front() : 0;
  const int first = static_cast<int>(std::upper_bound(of.values.begin(), of.values.end(), bound) -
                                     of.values.begin());
  if (kept && first < m) *kept = std::min(*kept, of.values[static_cast<std::size_t>(first)]);
  Dense<T> result(m, m - first);
  for (int j = first; j < m; ++j) {
    const double by = 1 / std::sqrt(of.values[static_cast<std::size_t>(j)]);
    for (int i = 0; i < m; ++i) {
      result(i, j - first) = of.vectors(i, j) * (by * scale[static_cast<std::size_t>(i)]);
    }
  }
  return result;
}

}  // namespace heddle::detail::lobpcg
