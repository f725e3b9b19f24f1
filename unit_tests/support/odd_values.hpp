// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// NaN and infinities, distinguished by their bits, so that the tests hold with -ffast-math too; and
// the rows of a triangle that they reach.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#include "../../core/types.hpp"
#include "../../solvers/sptrsv/options.hpp"

namespace heddle::test {

namespace detail {
template <class Real>
using BitsOf = std::conditional_t<sizeof(Real) == 4, std::uint32_t, std::uint64_t>;
template <class Real>
inline constexpr BitsOf<Real> infinite_bits =
    static_cast<BitsOf<Real>>(sizeof(Real) == 4 ? 0x7f800000u : 0x7ff0000000000000u);
}  // namespace detail

/// Whether no part is infinite or NaN.
template <Scalar S>
bool finite(const S& value) {
  if constexpr (is_complex<S>) {
    return finite(value.real()) && finite(value.imag());
  } else {
    constexpr auto exponent = detail::infinite_bits<S>;
    return (std::bit_cast<detail::BitsOf<S>>(value) & exponent) != exponent;
  }
}

struct OddValue {
  const char* name;
  std::uint32_t single;
  std::uint64_t twofold;

  constexpr bool infinite() const { return (single & 0x7fffffffu) == 0x7f800000u; }
};
/// The third is the NaN that means "no value yet" in the library (backends/mailbox.hpp), and the
/// fourth the one that replaces it.
inline constexpr OddValue odd_values[] = {
    {"NaN", 0x7fc00000u, 0x7ff8000000000000u},
    {"infinity", 0x7f800000u, 0x7ff0000000000000u},
    {"empty word", 0x7fc0c5a1u, 0x7ff8c5a1c5a1c5a1u},
    {"beside the empty word", 0x7fc0c5a2u, 0x7ff8c5a1c5a1c5a2u},
    {"all bits", 0xffffffffu, 0xffffffffffffffffu},
    {"-infinity", 0xff800000u, 0xfff0000000000000u},
};

/// A number with the odd value in every part.
template <Scalar S>
S make_odd(const OddValue& odd) {
  if constexpr (is_complex<S>) {
    const auto part = make_odd<typename S::value_type>(odd);
    return S(part, part);
  } else if constexpr (sizeof(S) == 4) {
    return std::bit_cast<S>(odd.single);
  } else {
    return std::bit_cast<S>(odd.twofold);
  }
}

/// The rows that need row `from`, directly or through others, and row `from`.
template <class Host>
std::vector<bool> rows_that_need(const Host& T, Triangle triangle, std::int64_t from) {
  const auto n = static_cast<std::int64_t>(T.rows());
  std::vector<bool> reached(static_cast<std::size_t>(n), false);
  reached[static_cast<std::size_t>(from)] = true;
  for (std::int64_t p = 0; p < n; ++p) {
    const auto i = static_cast<std::size_t>(triangle == Triangle::lower ? p : n - 1 - p);
    for (auto k = T.row_ptr()(i); k < T.row_ptr()(i + 1); ++k) {
      const auto j = static_cast<std::size_t>(T.col_idx()(static_cast<std::size_t>(k)));
      const bool off_diagonal = triangle == Triangle::lower ? j < i : j > i;
      if (off_diagonal && reached[j]) reached[i] = true;
    }
  }
  return reached;
}

/// The error in a solution after a NaN or infinity entered at row `from`, "" if there is none;
/// `clean` is the finite solution without it. Rows that do not need that row keep every bit, or are
/// close if the scheme treats neighbours of such values in another way.
template <class Host, class X>
std::string spreads_wrongly(const Host& T, Triangle triangle, std::int64_t from, const X& x,
                            const X& clean, bool keeps_bits) {
  const auto reached = rows_that_need(T, triangle, from);
  for (std::size_t i = 0; i < reached.size(); ++i) {
    const auto row = "row " + std::to_string(i);
    if (!finite(clean(i))) return row + " was not finite before";
    if (finite(x(i)) == reached[i]) return row + (reached[i] ? " is finite" : " is not finite");
    if (reached[i] || std::memcmp(&x(i), &clean(i), sizeof(x(i))) == 0) continue;
    const bool close = Kokkos::abs(x(i) - clean(i)) <= 1e-3 * (1 + Kokkos::abs(clean(i)));
    if (keeps_bits || !close) return row + " changed";
  }
  return "";
}

}  // namespace heddle::test
