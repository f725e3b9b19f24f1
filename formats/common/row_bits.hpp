// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../core/types.hpp"

namespace heddle::detail {

/// A bit for each row of a matrix, as kernels see it.
struct RowBits {
  static constexpr int per_word = 32;

  const std::uint32_t* words = nullptr;

  KOKKOS_FORCEINLINE_FUNCTION bool operator()(std::int64_t row) const {
    return (words[row / per_word] >> (row % per_word) & 1) != 0;
  }

  /// Words for so many rows.
  KOKKOS_FORCEINLINE_FUNCTION static std::int64_t words_for(std::int64_t rows) {
    return ceil_div<std::int64_t>(rows, per_word);
  }
};

/// Sets the bits of rows with more than `length` entries, and clears the others: an item a word.
template <Offset Off>
struct MarkLongerRows {
  const Off* row_ptr;
  std::int64_t rows;
  Off length;
  std::uint32_t* words;

  KOKKOS_FUNCTION void operator()(std::int64_t word) const {
    const std::int64_t first = word * RowBits::per_word;
    std::uint32_t bits = 0;
    for (int i = 0; i < RowBits::per_word && first + i < rows; ++i) {
      const bool longer = row_ptr[first + i + 1] - row_ptr[first + i] > length;
      bits |= static_cast<std::uint32_t>(longer) << i;
    }
    words[word] = bits;
  }
};

}  // namespace heddle::detail
