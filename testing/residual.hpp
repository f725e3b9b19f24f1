// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The backward error of a solution.
#pragma once

#include "reference.hpp"

namespace heddle::test {

/// Largest residual of op(T) x = alpha * b over all entries, relative to its rounding error: the
/// precision of V times the magnitudes that add up there, times their number and 32. At most 1 for
/// a solve by substitution, whose backward error is small entry by entry, and for one by inverted
/// blocks of up to 32 rows that are well conditioned. Source: N. Higham, "Accuracy and stability of
/// numerical algorithms", theorem 8.5 and section 14.2.
template <class Host, class X, class B, class S>
double residual(const Host& T, Op op, const X& x, S alpha, const B& b) {
  using V = typename X::non_const_value_type;
  const Reference product = reference_product(op, T.matrix(), x);
  const std::size_t vectors = product.rows ? product.values.size() / product.rows : 0;
  const auto precision = static_cast<long double>(std::numeric_limits<RealOf<V>>::epsilon());
  long double worst = 0;
  for (std::size_t v = 0; v < vectors; ++v) {
    for (std::size_t i = 0; i < product.rows; ++i) {
      const std::size_t at = v * product.rows + i;
      const auto right = detail::Wide(alpha) * detail::Wide(detail::at(b, i, v));
      const auto rounding = precision * static_cast<long double>(product.terms[at] + 32) *
                            (product.magnitudes[at] + detail::magnitude(right));
      const long double error = detail::magnitude(product.values[at] - right);
      // A NaN counts as a huge error.
      const bool finite = std::isfinite(error) && std::isfinite(rounding);
      if (error != 0) worst = std::max(worst, finite ? error / rounding : 1e30L);
    }
  }
  return static_cast<double>(worst);
}

}  // namespace heddle::test
