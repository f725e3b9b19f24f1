// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../backends/loops.hpp"
#include "../../core/hash.hpp"
#include "../krylov/apply.hpp"

namespace heddle {

/// What solve is given where A x = lambda x is meant, and constraints come behind it.
struct NoMassMatrix {};
/// What solve is given where there are no constraints.
struct NoConstraints {};

namespace detail::lobpcg {

template <class B>
inline constexpr bool is_given = !std::is_same_v<std::decay_t<B>, NoMassMatrix> &&
                                 !std::is_same_v<std::decay_t<B>, NoConstraints>;

/// A number in [-1, 1) of its place and a seed, alike on all devices.
template <Scalar S>
struct RandomEntry {
  S* to;
  std::uint64_t seed;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const std::uint64_t bits = mixed_bits(static_cast<std::uint64_t>(i) * golden_ratio + seed);
    to[i] = S(static_cast<heddle::RealOf<S>>(static_cast<double>(bits >> 11) * 0x1p-52 - 1));
  }
};

/// What vectors are multiplied by to be of norm one; those of zeros or of no numbers by one. A norm
/// whose reciprocal overflows gives the largest number, which leaves a vector that squares can be
/// taken of.
template <Scalar S>
struct Reciprocals {
  S* to;
  const double* norms;
  KOKKOS_FUNCTION void operator()(std::int64_t j) const {
    using Real = heddle::RealOf<S>;
    const double norm = norms[j];
    const bool usable = norm > 0 && Kokkos::isfinite(norm);
    const double factor = usable ? 1 / norm : 1;
    constexpr Real most = Kokkos::Experimental::finite_max_v<Real>;
    to[j] = S(factor < static_cast<double>(most) ? static_cast<Real>(factor) : most);
  }
};

/// Vectors of a basis, their products with A and with B; without B the latter are the vectors.
template <class S>
struct Block {
  S *vectors = nullptr, *image = nullptr, *mass = nullptr;
};

/// Norms of what a basis holds, as the host has read them last: of R for each of k pairs, of the
/// vectors and of A and B times them for each of 3 k.
struct Norms {
  int k = 0;
  std::vector<double> all;

  double residual(int j) const { return all[static_cast<std::size_t>(j)]; }
  double vector(int j) const { return all[static_cast<std::size_t>(k + j)]; }
  double image(int j) const { return all[static_cast<std::size_t>(4 * k + j)]; }
  double mass(int j) const { return all[static_cast<std::size_t>(7 * k + j)]; }
};

/// How many columns from `at` on follow each other in `columns`.
inline int run_length(const std::vector<int>& columns, std::size_t at) {
  std::size_t end = at + 1;
  while (end < columns.size() && columns[end] == columns[end - 1] + 1) ++end;
  return static_cast<int>(end - at);
}

}  // namespace detail::lobpcg

}  // namespace heddle
