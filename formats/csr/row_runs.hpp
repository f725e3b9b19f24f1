// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <cmath>
#include <cstdint>

#include "../../backends/threads_at_once.hpp"
#include "../../core/arena.hpp"
#include "../../core/matrix.hpp"
#include "../../core/types.hpp"

namespace heddle::detail::csr {

/// Relation between the columns of consecutive rows.
enum class RowRun : unsigned {
  any,      ///< none that helps
  same,     ///< all rows have the columns of the first: unknowns of one node
  shifted,  ///< each row has the columns of the row above, moved by one: a stencil on a grid
};

/// Encodes a run as a byte for each row: the kind of the run from that row on, and its number of
/// rows. Loops may begin at any row, so shares may be cut anywhere.
///
/// Idea: rows of equal columns ("inodes") of PETSc; diagonals stored for each run of rows.
struct RowRunCode {
  static constexpr int most_rows = 64;
  /// Fewest shifted rows of a run.
  static constexpr int least_shifted = 8;
  /// Longest row in a run; longer rows are computed one at a time.
  static constexpr std::int64_t longest_row = 1 << 20;

  static std::uint8_t encode(RowRun kind, int rows) {
    return static_cast<std::uint8_t>(static_cast<unsigned>(kind) * most_rows +
                                     static_cast<unsigned>(rows - 1));
  }
  static RowRun kind(std::uint8_t code) { return static_cast<RowRun>(code / most_rows); }
  static int rows(std::uint8_t code) { return code % most_rows + 1; }
};

/// Finds runs, a thread `chunk_rows` rows at a time; no run crosses a chunk. Adds up their gain:
/// the nonzeros in runs that help, minus the cost of going from run to run.
template <Ordinal O, Offset Off>
struct RowRunKernel {
  static constexpr std::int64_t chunk_rows = 512;
  /// Cost of a branch that is hard to predict, in nonzeros: such that none of 44 matrices that fit
  /// into the caches is slower with runs.
  static constexpr std::int64_t cost_of_a_run = 20;

  const Off* row_ptr;
  const O* col_idx;
  std::int64_t rows;
  std::uint8_t* codes;
  bool same_gain;  ///< whether runs of the same columns help; otherwise they count against runs

  void operator()(std::int64_t chunk, std::int64_t& gain) const {
    const std::int64_t first = chunk * chunk_rows;
    const std::int64_t stop = first + chunk_rows < rows ? first + chunk_rows : rows;
    // Rows are visited from the last to the first. These are the following rows in each relation.
    int same = 0, shifted = 0, unrelated = 0;
    for (std::int64_t row = stop - 1; row >= first; --row) {
      if (same > 0) {
        codes[row] = RowRunCode::encode(RowRun::same, same + 1);
      } else if (shifted + 1 >= RowRunCode::least_shifted) {
        codes[row] = RowRunCode::encode(RowRun::shifted, shifted + 1);
      } else {
        codes[row] = RowRunCode::encode(RowRun::any, unrelated + 1);
      }
      const bool any = RowRunCode::kind(codes[row]) == RowRun::any;
      unrelated = any ? one_more(unrelated) : 0;
      const RowRun relation = row > first ? relation_to_row_above(row) : RowRun::any;
      same = relation == RowRun::same ? one_more(same) : 0;
      shifted = relation == RowRun::shifted ? one_more(shifted) : 0;
    }
    for (std::int64_t row = first; row < stop;) {
      const std::int64_t next = row + RowRunCode::rows(codes[row]);
      const std::int64_t nonzeros = row_ptr[next] - row_ptr[row];
      const RowRun kind = RowRunCode::kind(codes[row]);
      if (kind != RowRun::any) gain += kind == RowRun::shifted || same_gain ? nonzeros : -nonzeros;
      gain -= cost_of_a_run;
      row = next;
    }
  }

 private:
  static int one_more(int rows) { return rows < RowRunCode::most_rows - 1 ? rows + 1 : rows; }

  RowRun relation_to_row_above(std::int64_t row) const {
    const Off begin = row_ptr[row];
    const Off length = row_ptr[row + 1] - begin;
    const Off above = row_ptr[row - 1];
    if (length == 0 || begin - above != length || length > RowRunCode::longest_row) {
      return RowRun::any;
    }
    const O step = col_idx[begin] - col_idx[above];
    if (step != 0 && step != 1) return RowRun::any;
    for (Off k = 1; k < length; ++k) {
      if (col_idx[begin + k] - col_idx[above + k] != step) return RowRun::any;
    }
    return step == 0 ? RowRun::same : RowRun::shifted;
  }
};

/// The runs of a matrix on a CPU: one byte for each row, or nothing if runs gain too little.
template <ExecutionSpace Exec>
class RowRuns {
 public:
  RowRuns() = default;

  /// Finds the runs in one pass over row_ptr and col_idx, and waits for it. Keeps them if they gain
  /// more than a share `least_gain` of the nonzeros, or in any case. `same_gain`: whether runs of
  /// the same columns are a gain.
  template <Scalar S, Ordinal O, Offset Off, MemorySpace Space>
  RowRuns(const Exec& exec, const CsrMatrix<S, O, Off, Space>& A, bool same_gain, double least_gain,
          bool in_any_case = false) {
    const auto rows = static_cast<std::int64_t>(A.rows());
    const auto bytes = static_cast<std::size_t>(rows);
    Arena<typename Exec::memory_space> arena(exec, "heddle::csr::row_runs",
                                             arena_bytes<std::uint8_t>(bytes));
    auto codes = arena.template take<std::uint8_t>(bytes);
    using Kernel = RowRunKernel<O, Off>;
    const std::int64_t chunks = ceil_div(rows, Kernel::chunk_rows);
    std::int64_t gain = 0;
    Kokkos::parallel_reduce(
        "heddle::csr::find_row_runs", range_policy(exec, chunks),
        Kernel{A.row_ptr().data(), A.col_idx().data(), rows, codes.data(), same_gain}, gain);
    const double enough = least_gain * static_cast<double>(A.nonzeros());
    if (!in_any_case && static_cast<double>(gain) <= enough) return;
    arena_ = arena;
    codes_ = codes.data();
  }

  /// One code for each row, or null.
  const std::uint8_t* codes() const { return codes_; }
  std::size_t bytes() const { return arena_.bytes(); }

 private:
  Arena<typename Exec::memory_space> arena_;
  const std::uint8_t* codes_ = nullptr;
};

/// How many rows are read at most to learn about the columns of all.
inline constexpr std::int64_t sampled_rows = 4096;

/// Counts the fours of nonzeros, from the first of each row on, and those of them whose columns are
/// consecutive, in one of `step` rows.
template <Ordinal O, Offset Off>
struct ConsecutiveColumns {
  const Off* row_ptr;
  const O* col_idx;
  std::int64_t step;

  void operator()(std::int64_t sample, std::int64_t& fours, std::int64_t& consecutive) const {
    for (Off k = row_ptr[sample * step]; row_ptr[sample * step + 1] - k >= 4; k += 4) {
      const O* const columns = col_idx + k;
      ++fours;
      consecutive += columns[1] - columns[0] == 1 && columns[2] - columns[1] == 1 &&
                     columns[3] - columns[2] == 1;
    }
  }
};

/// The share of the fours of nonzeros of a matrix that have consecutive columns, estimated from
/// some 4096 of its rows. Waits for the result.
template <ExecutionSpace Exec, Scalar S, Ordinal O, Offset Off, MemorySpace Space>
double share_of_consecutive_columns(const Exec& exec, const CsrMatrix<S, O, Off, Space>& A) {
  const auto rows = static_cast<std::int64_t>(A.rows());
  const std::int64_t step = ceil_div(rows, sampled_rows);
  if (rows == 0) return 0;
  std::int64_t fours = 0, consecutive = 0;
  Kokkos::parallel_reduce(
      "heddle::csr::consecutive_columns", range_policy(exec, ceil_div(rows, step)),
      ConsecutiveColumns<O, Off>{A.row_ptr().data(), A.col_idx().data(), step}, fours, consecutive);
  return fours == 0 ? 0 : static_cast<double>(consecutive) / static_cast<double>(fours);
}

/// Sums the distances from the first to the last column of one in `step` rows.
template <Ordinal O, Offset Off>
struct SpanOfColumns {
  const Off* row_ptr;
  const O* col_idx;
  std::int64_t step;

  void operator()(std::int64_t sample, double& sum) const {
    const Off begin = row_ptr[sample * step], end = row_ptr[sample * step + 1];
    if (begin == end) return;
    const auto first = static_cast<double>(col_idx[begin]);
    sum += std::abs(static_cast<double>(col_idx[end - 1]) - first);
  }
};

/// The mean distance from the first to the last column of a row, estimated from some 4096 rows.
/// Waits for the result.
template <ExecutionSpace Exec, Scalar S, Ordinal O, Offset Off, MemorySpace Space>
double mean_span_of_columns(const Exec& exec, const CsrMatrix<S, O, Off, Space>& A) {
  const auto rows = static_cast<std::int64_t>(A.rows());
  if (rows == 0) return 0;
  const std::int64_t step = ceil_div(rows, sampled_rows), samples = ceil_div(rows, step);
  double sum = 0;
  Kokkos::parallel_reduce("heddle::csr::span_of_columns", range_policy(exec, samples),
                          SpanOfColumns<O, Off>{A.row_ptr().data(), A.col_idx().data(), step}, sum);
  return sum / static_cast<double>(samples);
}

/// How well a CPU's branch predictor predicts the ends of rows. A misprediction costs about as much
/// as ten nonzeros, so kernels avoid branches if many would be mispredicted, and only then.
enum class RowEnds {
  foreseen,       ///< rows are alike, or few enough to be learned: branches are free
  unforeseen,     ///< a branch a nonzero is mispredicted, a branch every four mostly is not
  unpredictable,  ///< even the number of fours of a row is mispredicted
  sparse,         ///< most rows are empty
};

/// Counts the rows whose length, in units of `step` nonzeros, a table does not predict from the
/// lengths of the rows before: a model of a branch predictor. A thread's table learns from the
/// first rows of its share, and is then tested on the same rows, as in a second apply.
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
      std::uint64_t history = 0;  // four bits for each row: about the last sixteen lengths
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

/// How predictable the ends of a matrix's rows are, if a predictor learns `predicted_rows` rows of
/// a thread from apply to apply. Samples up to 16384 rows of each thread, and waits for the result.
///
/// The limits are fitted to 44 matrices (docs/design/cpu.md).
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
