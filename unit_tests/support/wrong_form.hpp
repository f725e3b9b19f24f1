// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether an operator is symmetric and positive definite.
#pragma once

#include <cmath>
#include <string>

#include "../../core/real_part.hpp"
#include "../../testing/backends.hpp"

namespace heddle::test {

/// The error of x' M y = conj(y' M x) up to rounding, and x' M x > 0, given vectors on the
/// host; "" if there is none.
template <class V, class W>
std::string wrong_form(const V& x, const V& y, const W& Mx, const W& My, double tolerance) {
  using S = typename V::non_const_value_type;
  using Wide = std::conditional_t<is_complex<S>, Kokkos::complex<double>, double>;
  const auto product = [](const V& u, const W& v) {
    Wide sum(0);
    for (std::size_t i = 0; i < u.extent(0); ++i) sum += conjugate(Wide(u(i))) * Wide(v(i));
    return sum;
  };
  const double xMx = heddle::detail::real_part(product(x, Mx)),
               yMy = heddle::detail::real_part(product(y, My));
  if (x.extent(0) > 0 && !(xMx > 0 && yMy > 0)) return "not positive definite";
  const double off = Kokkos::abs(product(x, My) - conjugate(product(y, Mx)));
  return off <= tolerance * std::sqrt(xMx) * std::sqrt(yMy) ? "" : "not symmetric";
}

}  // namespace heddle::test
