// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "options.hpp"
#include "orthonormal.hpp"

namespace heddle::detail::lobpcg {

/// What a basis [X P W] gives.
template <class T>
struct Ritz {
  std::vector<double> values;
  Dense<T> c;        ///< coefficients of the new [X P], orthonormal
  int found = 0;     ///< columns of X; fewer than wanted if the basis has fewer
  Dense<T> h;        ///< [X P]' A [X P]
  double scale = 0;  ///< the largest Ritz value of the basis, in magnitude
  double least = 0;  ///< the least eigenvalue of G of vectors of norm one
  double kept = 1;   ///< and of what [X P] is made of, of norm one: rounding grows by its inverse
};

/// P of those columns of X that are `active`: what X gained of all but the old X, made orthonormal
/// to the new one. Source: U. Hetmaniuk and R. Lehoucq (2006).
template <class T>
Dense<T> directions(const Dense<T>& g, const Dense<T>& x, const std::vector<int>& active,
                    double drop, double* kept) {
  Dense<T> p(g.rows, static_cast<int>(active.size()));
  for (int j = 0; j < p.columns; ++j) {
    for (int i = x.columns; i < g.rows; ++i) p(i, j) = x(i, active[static_cast<std::size_t>(j)]);
  }
  for (int twice = 0; twice < 2; ++twice) {
    const Dense<T> along = times(x, adjoint_times(x, times(g, p)));
    for (std::size_t i = 0; i < p.entries.size(); ++i) p.entries[i] -= along.entries[i];
  }
  return times(p, orthonormal(adjoint_times(p, times(g, p)), drop, nullptr, kept));
}

/// The wanted pairs of A in the space of a basis, from its Gram matrices G = S' B S and H = S' A S.
template <class T>
Ritz<T> rayleigh_ritz(const Dense<T>& g, const Dense<T>& h, int count,
                      const std::vector<int>& active, Wanted wanted, double drop) {
  Ritz<T> ritz;
  const Dense<T> basis = orthonormal(g, drop, &ritz.least, &ritz.kept);
  const int dimension = basis.columns, m = g.rows;
  Dense<T> small = adjoint_times(basis, times(h, basis));
  make_hermitian(small);
  const Eigen<T> of = eigen(small);
  for (const double value : of.values) ritz.scale = std::max(ritz.scale, std::abs(value));
  const int found = std::min(count, dimension);
  Dense<T> chosen(dimension, found);
  for (int j = 0; j < found; ++j) {
    const int from = wanted == Wanted::smallest ? j : dimension - 1 - j;
    ritz.values.push_back(of.values[static_cast<std::size_t>(from)]);
    for (int i = 0; i < dimension; ++i) chosen(i, j) = of.vectors(i, from);
  }
  ritz.c = times(basis, chosen);
  ritz.found = found;
  if (m > count && found == count && !active.empty()) {
    append(ritz.c, directions(g, ritz.c, active, drop, &ritz.kept));
  }
  ritz.h = adjoint_times(ritz.c, times(h, ritz.c));
  make_hermitian(ritz.h);
  return ritz;
}

}  // namespace heddle::detail::lobpcg
