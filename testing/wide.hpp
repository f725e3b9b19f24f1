// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The numbers in which the reference computes.
#pragma once

#include <cmath>
#include <ostream>
#include <type_traits>

#include "../core/types.hpp"

namespace heddle::test::detail {

/// A complex or real number of long doubles. std::complex multiplies by the rules for infinities;
/// this one is plain and fast.
struct Wide {
  long double re = 0, im = 0;

  constexpr Wide() = default;
  constexpr Wide(long double real, long double imag) : re(real), im(imag) {}
  template <class S>
    requires std::is_arithmetic_v<S>
  constexpr explicit Wide(const S& value) : re(static_cast<long double>(value)) {}
  template <class Real>
  constexpr explicit Wide(const Kokkos::complex<Real>& value)
      : re(value.real()), im(value.imag()) {}

  long double real() const { return re; }
  long double imag() const { return im; }
  bool finite() const { return std::isfinite(re) && std::isfinite(im); }

  /// A real factor scales both parts: an infinite factor must not multiply its imaginary 0.
  friend Wide operator*(const Wide& a, const Wide& b) {
    if (a.im == 0) return {a.re * b.re, b.im == 0 ? 0 : a.re * b.im};
    if (b.im == 0) return {a.re * b.re, a.im * b.re};
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
  }
  friend Wide operator+(const Wide& a, const Wide& b) { return {a.re + b.re, a.im + b.im}; }
  friend Wide operator-(const Wide& a, const Wide& b) { return {a.re - b.re, a.im - b.im}; }
  friend bool operator==(const Wide&, const Wide&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Wide& a) {
    return out << '(' << a.re << ',' << a.im << ')';
  }
};

inline long double magnitude(long double value) { return std::fabs(value); }
inline long double magnitude(const Wide& value) {
  return value.im == 0 ? std::fabs(value.re) : std::hypot(value.re, value.im);
}

/// Type of the products of two scalars in the reference.
template <class A, class B>
using WideOf = std::conditional_t<is_complex<A> || is_complex<B>, Wide, long double>;

/// Whether a result is of the same kind as an expected one that is infinite or NaN.
template <bool complex>
bool same_class(const Wide& got, const Wide& expected) {
  if constexpr (complex) return !std::isfinite(got.re) && !std::isfinite(got.im);
  return std::isnan(expected.re) ? std::isnan(got.re) : got.re == expected.re;
}

template <VectorView V>
auto& at(const V& view, std::size_t i, std::size_t k) {
  if constexpr (V::rank() == 1) {
    return view(i);
  } else {
    return view(i, k);
  }
}

}  // namespace heddle::test::detail
