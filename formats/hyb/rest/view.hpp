// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_BitManipulation.hpp>

#include "../../common/row_bits.hpp"

/// The rest: entries that the main part of a format (slots, diagonals) leaves. They lie in
/// coordinates, and the sum of a row's is handed to whoever adds up the row in the main part, so
/// that y is written once.
namespace heddle::detail::hyb::rest {

/// Which rows have entries in the rest, and the index of each among them, as kernels see it: a
/// bit for each row, and for each word of bits how many are set in the words before.
template <Ordinal O>
struct LongRows {
  RowBits bits;
  const O* before_word;

  KOKKOS_FORCEINLINE_FUNCTION bool operator()(std::int64_t row) const { return bits(row); }
  KOKKOS_FORCEINLINE_FUNCTION O place(std::int64_t row) const {
    const std::uint32_t below = (std::uint32_t{1} << (row % RowBits::per_word)) - 1;
    return before_word[row / RowBits::per_word] +
           static_cast<O>(Kokkos::popcount(bits.words[row / RowBits::per_word] & below));
  }
};

}  // namespace heddle::detail::hyb::rest
