// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

#include "../atomics.hpp"

namespace heddle::detail::triangle {

/// Notes a bad row in *word: 0 if no row is bad, else one more than the lowest bad row. Any number
/// of threads may call it, in any order.
KOKKOS_FORCEINLINE_FUNCTION void mark_bad_row(std::int64_t* word, std::int64_t row) {
  const std::int64_t mark = row + 1;
  std::int64_t seen = backends::atomic_load(word);
  while (seen == 0 || seen > mark) {
    const std::int64_t before = backends::atomic_compare_exchange(word, seen, mark);
    if (before == seen) return;
    seen = before;
  }
}

}  // namespace heddle::detail::triangle
