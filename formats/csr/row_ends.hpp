// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

#include "../../backends/threads_at_once.hpp"
#include "../../core/types.hpp"

namespace heddle::detail::csr {

/// How well the branch predictor of a CPU will foresee where rows end. A misprediction costs about
/// as much as ten nonzeros, so kernels avoid branches where there would be many, and only there.
enum class RowEnds {
  foreseen,       ///< rows are alike, or few enough to be known by heart: branches are free
  unforeseen,     ///< a branch a nonzero would be mispredicted, a branch every four mostly not
  unpredictable,  ///< even the number of fours of a row is mispredicted
  sparse,         ///< most rows are empty
};

/// Counts the rows whose length, in `step` nonzeros, a table does not foretell from the lengths of
/// the rows above: what a branch predictor does with the outcomes of branches. A thread's table
/// learns from the first rows of its share, and is then asked about the same rows, as in a second
/// apply.
///
/// Idea: global-history prediction (T.-Y. Yeh and Y. Patt, 1991).
template <Offset Off>
struct MispredictedRows {
  static constexpr std::int64_t most_rows = 16384;
  static constexpr int table_bits = 14;

  const Off* row_ptr;
  std::int64_t rows;
  std::int64_t rows_per_share;
  std::int64_t step;

  void operator()(std::int64_t share, std::int64_t& mispredictions) const {
    const std::int64_t first = share * rows_per_share;
    std::int64_t stop = first + (rows_per_share < most_rows ? rows_per_share : most_rows);
    if (stop > rows) stop = rows;
    std::uint16_t table[1 << table_bits] = {};
    for (const bool learning : {true, false}) {
      std::uint64_t history = 0;  // four bits a row: the last sixteen lengths, more or less
      for (std::int64_t row = first; row < stop; ++row) {
        const std::int64_t nonzeros = row_ptr[row + 1] - row_ptr[row];
        const auto length = static_cast<std::uint16_t>(ceil_div(nonzeros, step));
        std::uint16_t& guess = table[(history * 0x9e3779b97f4a7c15u) >> (64 - table_bits)];
        if (!learning && guess != length) ++mispredictions;
        guess = length;
        history = (history << 4) ^ length;
      }
    }
  }
};

/// The ends of the rows of a matrix, where a predictor learns `predicted_rows` rows of a thread by
/// heart from apply to apply. Looks at up to 16384 rows a thread, and waits for the result.
///
/// The limits are fitted to 44 matrices (docs/csr.md).
template <ExecutionSpace Exec, Offset Off>
RowEnds row_ends(const Exec& exec, const Off* row_ptr, std::int64_t rows,
                 std::int64_t predicted_rows) {
  const std::int64_t shares = backends::threads_at_once(exec);
  const std::int64_t rows_per_share = ceil_div(rows, shares);
  if (rows == 0) return RowEnds::foreseen;
  if (static_cast<std::int64_t>(row_ptr[rows]) * 2 < rows) return RowEnds::sparse;

  using Kernel = MispredictedRows<Off>;
  const std::int64_t asked = rows_per_share < Kernel::most_rows ? rows : shares * Kernel::most_rows;
  std::int64_t by_length = 0, by_fours = 0;
  Kokkos::parallel_reduce("heddle::csr::predict_lengths", range_policy(exec, shares),
                          Kernel{row_ptr, rows, rows_per_share, 1}, by_length);
  if (by_length * 20 <= asked * 3) return RowEnds::foreseen;
  if (rows_per_share <= predicted_rows) return RowEnds::unforeseen;
  Kokkos::parallel_reduce("heddle::csr::predict_fours", range_policy(exec, shares),
                          Kernel{row_ptr, rows, rows_per_share, 4}, by_fours);
  return by_fours * 4 >= asked ? RowEnds::unpredictable : RowEnds::unforeseen;
}

}  // namespace heddle::detail::csr
