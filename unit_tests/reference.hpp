// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The oracle: y = alpha op(A) x + beta y, one entry after the other in wider precision, and how far
// a result may be from it.
#pragma once

#include <cmath>
#include <complex>
#include <heddle/core/matrix.hpp>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

namespace heddle::test {

namespace detail {

using Wide = std::complex<long double>;

template <Scalar S>
Wide widen(const S& value) {
  if constexpr (is_complex<S>) {
    return {value.real(), value.imag()};
  } else {
    return {value, 0};
  }
}

template <VectorView V>
auto& at(const V& view, std::size_t i, std::size_t k) {
  if constexpr (V::rank() == 1) {
    return view(i);
  } else {
    return view(i, k);
  }
}

template <class S>
struct RealPart {
  using type = S;
};
template <class S>
struct RealPart<Kokkos::complex<S>> {
  using type = S;
};

}  // namespace detail

/// The exact result (to the precision of long double) and, for each entry, what its rounding
/// errors are in proportion to: the sum of the magnitudes that were added, and their number.
struct Reference {
  std::size_t rows = 0;
  std::vector<detail::Wide> values;
  std::vector<long double> magnitudes;
  std::vector<std::int64_t> terms;
};

/// A matrix on the host; x and y on the host, of rank 1, or of rank 2 with as many columns. y is
/// what was there before; it is not read if beta is zero.
template <class Matrix, class Alpha, VectorView X, class Beta, VectorView Y>
Reference reference_spmv(Op op, const Alpha& alpha, const Matrix& A, const X& x, const Beta& beta,
                         const Y& y) {
  using detail::Wide;
  const auto rows = static_cast<std::size_t>(transposes(op) ? A.columns() : A.rows());
  const std::size_t columns = y.rank() == 1 ? 1 : y.extent(1);
  Reference reference{rows, std::vector<Wide>(rows * columns),
                      std::vector<long double>(rows * columns),
                      std::vector<std::int64_t>(rows * columns)};
  const auto add = [&](std::size_t i, std::size_t k, const Wide& value) {
    reference.values[k * rows + i] += value;
    reference.magnitudes[k * rows + i] += std::abs(value);
    reference.terms[k * rows + i] += 1;
  };
  for (std::size_t k = 0; k < columns; ++k) {
    for (std::size_t i = 0; i < static_cast<std::size_t>(A.rows()); ++i) {
      for (auto e = A.row_ptr()(i); e < A.row_ptr()(i + 1); ++e) {
        const auto j = static_cast<std::size_t>(A.col_idx()(e));
        const auto stored = A.values()(e);
        const Wide entry = detail::widen(conjugates(op) ? conjugate(stored) : stored);
        const auto from = transposes(op) ? i : j, to = transposes(op) ? j : i;
        add(to, k, detail::widen(alpha) * entry * detail::widen(detail::at(x, from, k)));
      }
    }
    if (detail::widen(beta) == Wide(0)) continue;
    for (std::size_t i = 0; i < rows; ++i) {
      add(i, k, detail::widen(beta) * detail::widen(detail::at(y, i, k)));
    }
  }
  return reference;
}

template <class Matrix, VectorView X, VectorView Y>
Reference reference_spmv(const Matrix& A, const X& x, const Y& y) {
  return reference_spmv(Op::none, 1.0, A, x, 0.0, y);
}

/// Says what is wrong with a host vector `y`; empty if every entry is within the rounding error of
/// adding up its terms in any order at precision `Precision` (by default y's own). That is taken as
/// 8 + 2 sqrt(terms) epsilon, for complex numbers four times that, of the sum of the magnitudes:
/// roundings of random data fall up and down alike, and the worst case, which grows with the number
/// of terms, would hide a term that is missing from a long row.
///
///     CHECK(mismatch(reference, y) == "");
template <class Precision = void, VectorView Y>
std::string mismatch(const Reference& reference, const Y& y) {
  using Scalar = std::remove_const_t<typename Y::value_type>;
  using Used = std::conditional_t<std::is_void_v<Precision>, Scalar, Precision>;
  using Limits = std::numeric_limits<typename detail::RealPart<Used>::type>;
  const std::size_t columns = y.rank() == 1 ? 1 : y.extent(1);
  std::ostringstream text;
  if (y.extent(0) != reference.rows || reference.rows * columns != reference.values.size()) {
    text << "y is " << y.extent(0) << " x " << columns << " where the result is " << reference.rows
         << " x " << (reference.rows ? reference.values.size() / reference.rows : 0);
    return text.str();
  }
  std::size_t wrong = 0;
  for (std::size_t k = 0; k < columns; ++k) {
    for (std::size_t i = 0; i < reference.rows; ++i) {
      const std::size_t r = k * reference.rows + i;
      const detail::Wide got = detail::widen(detail::at(y, i, k));
      const long double factor = is_complex<Scalar> ? 4 : 1;
      const auto terms = static_cast<long double>(reference.terms[r]);
      const long double allowed =
          factor * (8 + 2 * std::sqrt(terms)) * Limits::epsilon() * reference.magnitudes[r] +
          (terms > 0 ? Limits::min() : 0);
      const bool good = std::abs(got - reference.values[r]) <= allowed;
      if (good || ++wrong > 1) continue;
      text << "entry (" << i << ", " << k << ") is " << got << ", not " << reference.values[r]
           << " within " << allowed;
    }
  }
  if (wrong > 1) text << ", and " << wrong - 1 << " more are wrong";
  return text.str();
}

}  // namespace heddle::test
