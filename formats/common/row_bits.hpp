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

  /// Number of words for `rows` rows.
  KOKKOS_FORCEINLINE_FUNCTION static std::int64_t words_for(std::int64_t rows) {
    return ceil_div<std::int64_t>(rows, per_word);
  }
};

/// Number of entries of a row beyond its first `width`.
template <Offset Off>
struct EntriesBeyond {
  const Off* row_ptr;
  Off width;

  KOKKOS_FORCEINLINE_FUNCTION Off operator()(std::int64_t row) const {
    const Off length = row_ptr[row + 1] - row_ptr[row];
    return length > width ? length - width : Off(0);
  }
};

/// Sets the bits of rows whose entries(row) is not zero, and clears the others: an item a word.
template <class Entries>
struct MarkRows {
  Entries entries;
  std::int64_t rows;
  std::uint32_t* words;

  KOKKOS_FUNCTION void operator()(std::int64_t word) const {
    const std::int64_t first = word * RowBits::per_word;
    std::uint32_t bits = 0;
    for (int i = 0; i < RowBits::per_word && first + i < rows; ++i) {
      bits |= static_cast<std::uint32_t>(entries(first + i) != 0) << i;
    }
    words[word] = bits;
  }
};

}  // namespace heddle::detail
