// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_BitManipulation.hpp>

#include "../common/row_bits.hpp"
#include "../coo/view.hpp"
#include "../ell/view.hpp"

namespace heddle::detail::hyb {

/// Which rows have more entries than slots, and the how-manieth of them each is, as kernels see it:
/// a bit for each row, and for each word of bits how many are set in the words before.
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

/// A matrix in HYB as kernels see it: the first `slots.width` entries of each row in ELL, and what
/// the long rows have beyond in COO, whose rows are the places of the long rows.
template <Scalar S, Ordinal O, Offset Off, class LocalRow>
struct View {
  ell::View<S, O> slots;
  coo::View<S, O, Off, LocalRow> rest;
  LongRows<O> long_rows;
};

}  // namespace heddle::detail::hyb
