// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Errors of results against the oracle if sums are wider than the vectors.
#pragma once

#include "../../testing/reference.hpp"

namespace heddle::test {

/// The error of results that were summed in Acc and rounded to V once; "" if there is none.
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

/// Whether V or Acc has more digits than S, the type of the matrix.
template <Scalar S, Scalar V, Scalar Acc>
inline constexpr bool wider_than_values =
    !std::is_same_v<RealOf<S>, RealOf<V>> || !std::is_same_v<RealOf<S>, RealOf<Acc>>;

}  // namespace heddle::test
