// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

#include "../core/integers.hpp"

namespace heddle::detail {

/// A bit for each column, and one for each word of these, so that marked columns are found in
/// order: fast if the columns of a row are close together, or few.
struct ColumnBits {
  std::uint64_t* words;
  std::uint64_t* marked_words;
  std::int64_t first = 0, last = -1;  ///< range of marked_words that are not zero

  static std::int64_t words_for(std::int64_t columns) { return ceil_div(columns, 64); }

  /// Marks a column. Returns whether it was not marked yet.
  KOKKOS_FORCEINLINE_FUNCTION bool mark(std::int64_t column) {
    std::uint64_t& word = words[column / 64];
    const std::uint64_t bit = std::uint64_t{1} << (column % 64);
    if (word == 0) {
      const std::int64_t group = column / 4096;
      marked_words[group] |= std::uint64_t{1} << (column / 64 % 64);
      if (last < first) {
        first = last = group;
      } else {
        first = group < first ? group : first;
        last = group > last ? group : last;
      }
    }
    const bool is_new = (word & bit) == 0;
    word |= bit;
    return is_new;
  }
  /// use(column) for each marked column in ascending order; clears all marks.
  template <class Use>
  KOKKOS_FORCEINLINE_FUNCTION void take_all(const Use& use) {
    for (std::int64_t group = first; group <= last; ++group) {
      for (std::uint64_t left = marked_words[group]; left != 0; left &= left - 1) {
        const std::int64_t place = group * 64 + countr_zero(left);
        for (std::uint64_t bits = words[place]; bits != 0; bits &= bits - 1) {
          use(place * 64 + countr_zero(bits));
        }
        words[place] = 0;
      }
      marked_words[group] = 0;
    }
    first = 0;
    last = -1;
  }
};

}  // namespace heddle::detail
