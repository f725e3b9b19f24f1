// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../subwarp.hpp"

namespace heddle::detail {

/// The sum of term(k) for begin <= k < end, for all lanes of a subwarp of up to 8: eight sums, of
/// every eighth term each, added as a tree. The order is the same for every width, so that devices
/// and CPUs add alike.
template <class Sum, class Subwarp, class Term>
KOKKOS_FORCEINLINE_FUNCTION Sum eight_sums(const Subwarp& subwarp, std::int64_t begin,
                                           std::int64_t end, const Term& term) {
  static_assert(Subwarp::width <= 8, "a lane has a sum of its own");
  constexpr int own = 8 / Subwarp::width;
  Sum sums[own];
  for (int s = 0; s < own; ++s) sums[s] = Sum(0);
  for (std::int64_t first = begin; first < end; first += 8) {
    for (int s = 0; s < own; ++s) {
      const std::int64_t k = first + s * Subwarp::width + subwarp.lane();
      if (k < end) sums[s] += term(k);
    }
  }
  for (int half = own / 2; half > 0; half /= 2) {
    for (int s = 0; s < half; ++s) sums[s] += sums[s + half];
  }
  return subwarp.sum(sums[0]);
}

}  // namespace heddle::detail
