// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How far results may be from the oracle where sums are wider than the vectors.
#pragma once

#include "../../testing/reference.hpp"

namespace heddle::test {

/// What is wrong with results that were added up in Acc and rounded to V once; empty if nothing.
template <Scalar Acc, VectorView Y>
std::string wrong_sum(const Reference& reference, const Y& y) {
  using V = typename Y::non_const_value_type;
  using Limits = std::numeric_limits<RealOf<V>>;
  if constexpr (Limits::epsilon() <= std::numeric_limits<RealOf<Acc>>::epsilon()) {
    return mismatch<Acc>(reference, y);
  } else {
    for (std::size_t at = 0; at < reference.values.size(); ++at) {
      const std::size_t i = at % reference.rows, k = at / reference.rows;
      const detail::Wide got(y(i, k)), expected = reference.values[at];
      const long double allowed = allowed_error<Acc>(reference, at) +
                                  Limits::epsilon() * detail::magnitude(expected) + Limits::min();
      if (detail::magnitude(got - expected) <= allowed) continue;
      std::ostringstream text;
      text << "entry (" << i << ", " << k << ") is " << got << ", not " << expected << " within "
           << allowed;
      return text.str();
    }
    return "";
  }
}

/// Whether V or the sums have more digits than the entries of a matrix of S.
template <Scalar S, Scalar V, Scalar Acc>
inline constexpr bool wider_than_values =
    !std::is_same_v<RealOf<S>, RealOf<V>> || !std::is_same_v<RealOf<S>, RealOf<Acc>>;

}  // namespace heddle::test
