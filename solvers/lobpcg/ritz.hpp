// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "options.hpp"
#include "orthonormal.hpp"

namespace heddle::detail::lobpcg {

/// What a basis [X P W] gives.
template <class T>
struct Ritz {
  std::vector<double> values;
  Dense<T> x;        ///< coefficients of the new X, orthonormal; fewer columns if the basis has
  Dense<T> p;        ///< and of the new P, orthonormal to each other and to X
  double scale = 0;  ///< the largest Ritz value of the basis, in magnitude
  double least = 0;  ///< the least eigenvalue of G of vectors of norm one
};

/// The wanted pairs of A in the space of a basis, from its Gram matrices G = S' B S and H = S' A S;
/// P of those columns of X that are `active`. P is what X gained of all but the old X, made
/// orthonormal to the new one. Source: U. Hetmaniuk and R. Lehoucq (2006).
template <class T>
Ritz<T> rayleigh_ritz(const Dense<T>& g, const Dense<T>& h, int count,
                      const std::vector<int>& active, Wanted wanted, double drop) {
  Ritz<T> ritz;
  const Dense<T> basis = orthonormal(g, drop, &ritz.least);
  const int dimension = basis.columns, m = g.rows;
  Dense<T> small = adjoint_times(basis, times(h, basis));
  for (int j = 0; j < dimension; ++j) {
    for (int i = 0; i <= j; ++i) {
      small(i, j) = (small(i, j) + conjugated(small(j, i))) * 0.5;
      small(j, i) = conjugated(small(i, j));
    }
  }
  const Eigen<T> of = eigen(small);
  for (const double value : of.values) ritz.scale = std::max(ritz.scale, std::abs(value));
  const int found = std::min(count, dimension);
  Dense<T> chosen(dimension, found);
  for (int j = 0; j < found; ++j) {
    const int from = wanted == Wanted::smallest ? j : dimension - 1 - j;
    ritz.values.push_back(of.values[static_cast<std::size_t>(from)]);
    for (int i = 0; i < dimension; ++i) chosen(i, j) = of.vectors(i, from);
  }
  ritz.x = times(basis, chosen);
  ritz.p = Dense<T>(m, 0);
  if (m == count || found < count || active.empty()) return ritz;

  Dense<T> p(m, static_cast<int>(active.size()));
  for (int j = 0; j < p.columns; ++j) {
    for (int i = count; i < m; ++i) p(i, j) = ritz.x(i, active[static_cast<std::size_t>(j)]);
  }
  for (int twice = 0; twice < 2; ++twice) {
    const Dense<T> along = times(ritz.x, adjoint_times(ritz.x, times(g, p)));
    for (std::size_t i = 0; i < p.entries.size(); ++i) p.entries[i] -= along.entries[i];
  }
  const Dense<T> own = adjoint_times(p, times(g, p));
  ritz.p = times(p, orthonormal(own, drop));
  return ritz;
}

}  // namespace heddle::detail::lobpcg
