// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <numeric>

#include "small_dense.hpp"

namespace heddle::detail::lobpcg {

template <class T>
struct Eigen {
  std::vector<double> values;  ///< ascending
  Dense<T> vectors;
};

/// All eigenpairs of a Hermitian matrix, by Jacobi's rotations: no library is needed, and what is
/// ill-conditioned comes out as it is, never as NaN. Of NaN it ends too.
template <class T>
Eigen<T> eigen_by_rotations(Dense<T> a) {
  const int n = a.rows;
  Dense<T> v(n, n);
  double size = 0;
  for (int j = 0; j < n; ++j) {
    v(j, j) = T(1);
    for (int i = 0; i < n; ++i) size = std::max(size, static_cast<double>(Kokkos::abs(a(i, j))));
  }
  constexpr int most_sweeps = 40;
  bool turned = true;
  for (int sweep = 0; turned && sweep < most_sweeps; ++sweep) {
    turned = false;
    for (int p = 0; p < n; ++p) {
      for (int q = p + 1; q < n; ++q) {
        const double g = Kokkos::abs(a(p, q));
        if (!(g > 1e-17 * size)) continue;
        turned = true;
        const double tau = (real_part(a(q, q)) - real_part(a(p, p))) / (2 * g);
        const double t = (tau < 0 ? -1 : 1) / (std::abs(tau) + std::hypot(1.0, tau));
        const double c = 1 / std::hypot(1.0, t), s = t * c;
        const T phase = a(p, q) / g, back = conjugated(phase);
        const auto turn = [&](Dense<T>& m) {
          for (int i = 0; i < n; ++i) {
            const T x = m(i, p), y = m(i, q) * back;
            m(i, p) = c * x - s * y;
            m(i, q) = s * x + c * y;
          }
        };
        turn(a);
        turn(v);
        for (int i = 0; i < n; ++i) {
          const T x = a(p, i), y = a(q, i) * phase;
          a(p, i) = c * x - s * y;
          a(q, i) = s * x + c * y;
        }
      }
    }
  }
  std::vector<int> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](int i, int j) { return real_part(a(i, i)) < real_part(a(j, j)); });
  Eigen<T> result{std::vector<double>(static_cast<std::size_t>(n)), Dense<T>(n, n)};
  for (int j = 0; j < n; ++j) {
    const int from = order[static_cast<std::size_t>(j)];
    result.values[static_cast<std::size_t>(j)] = real_part(a(from, from));
    for (int i = 0; i < n; ++i) result.vectors(i, j) = v(i, from);
  }
  return result;
}

}  // namespace heddle::detail::lobpcg
