// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../backends/launch.hpp"

namespace heddle::detail {

/// The last place in [low, high) whose number is not above `value`, of numbers that never descend
/// and the first of which is not above it: the row that holds nonzero `value` of a row pointer.
template <class Number>
KOKKOS_INLINE_FUNCTION std::int64_t last_not_above(const Number* numbers, std::int64_t low,
                                                   std::int64_t high, std::int64_t value) {
  while (high - low > 1) {
    const std::int64_t middle = low + (high - low) / 2;
    if (static_cast<std::int64_t>(numbers[middle]) <= value) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return low;
}

/// The first place in [0, count) whose number is not below `value`, or `count`.
template <class Number>
KOKKOS_INLINE_FUNCTION std::int64_t first_not_below(const Number* numbers, std::int64_t count,
                                                    std::int64_t value) {
  std::int64_t low = 0;
  while (low < count) {
    const std::int64_t middle = low + (count - low) / 2;
    if (static_cast<std::int64_t>(numbers[middle]) < value) {
      low = middle + 1;
    } else {
      count = middle;
    }
  }
  return low;
}

/// A team takes a chunk of nonzeros, and its threads every so manieth of them.
template <class Off, class Visit>
struct EachEntryKernel {
  using Scratch = backends::NoScratch;
  using Shape = backends::Shape<1, 256>;
  static constexpr std::int64_t chunk = 2048;

  const Off* row_ptr;
  std::int64_t rows;
  std::int64_t entries;
  Visit visit;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team, Scratch&) const {
    const std::int64_t begin = team.index() * chunk;
    const std::int64_t end = begin + chunk < entries ? begin + chunk : entries;
    std::int64_t row = -1;
    for (std::int64_t k = begin + team.thread(); k < end; k += Team::threads) {
      if (row < 0) row = last_not_above(row_ptr, 0, rows, k);
      if (ends(row, k)) {
        ++row;
        if (ends(row, k)) row = last_not_above(row_ptr, row + 1, rows, k);
      }
      visit(row, k);
    }
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION bool ends(std::int64_t row, std::int64_t k) const {
    return static_cast<std::int64_t>(row_ptr[row + 1]) <= k;
  }
};

/// Calls visit(row, k) for each nonzero k, in any order: cut by nonzeros, however long rows are.
/// One launch in the order of `exec`; no wait.
template <ExecutionSpace Exec, class Off, class Visit>
void each_entry(const Exec& exec, const char* label, const Off* row_ptr, std::int64_t rows,
                std::int64_t entries, const Visit& visit) {
  using Kernel = EachEntryKernel<Off, Visit>;
  backends::launch<typename Kernel::Shape>(exec, label, ceil_div(entries, Kernel::chunk),
                                           Kernel{row_ptr, rows, entries, visit});
}

}  // namespace heddle::detail
