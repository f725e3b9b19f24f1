// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <type_traits>

#include "../../../core/device.hpp"
#include "../equal_work.hpp"
#include "tuning.hpp"

namespace heddle::detail::segments {

/// Type of the stored row of a nonzero, counted from the first row of its share. A GPU's share has
/// too few rows for more than 16 bits.
template <ExecutionSpace Exec, Ordinal O>
using LocalRow = std::conditional_t<backends::has_lanes<Exec>, std::uint16_t, O>;

/// Fills the local rows: a team a share. Each thread finds the row of its first nonzero by binary
/// search, and searches from there for the next.
template <class Table, Ordinal O, Offset Off, class LocalRow>
struct LocalRowsKernel {
  using Scratch = backends::NoScratch;

  Table table;
  const Off* row_ptr;
  O rows;
  LocalRow* local_row;

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Team& team, Scratch&) const {
    const auto begin = table.edges[team.index()];
    const auto end = table.edges[team.index() + 1];
    O row = begin.row;
    for (Off k = begin.nonzero + static_cast<Off>(team.thread()); k < end.nonzero;
         k += static_cast<Off>(Team::threads)) {
      row = row_from(row, end.row < rows ? end.row : rows - 1, k);
      local_row[k] = static_cast<LocalRow>(row - begin.row);
    }
  }

 private:
  /// The row of [row, last] that holds nonzero k.
  KOKKOS_FORCEINLINE_FUNCTION O row_from(O row, O last, Off k) const {
    // Usually it is this row or the next.
    for (int i = 0; i < 2; ++i) {
      if (row_ptr[row + 1] > k) return row;
      ++row;
    }
    while (row < last) {
      const O middle = row + (last - row) / 2;
      if (row_ptr[middle + 1] > k) {
        last = middle;
      } else {
        row = middle + 1;
      }
    }
    return row;
  }
};

/// The nonzeros of a matrix in shares of equal work, and the row of each: the storage of COO.
template <ExecutionSpace Exec, Ordinal O, Offset Off, Scalar Acc>
class ShareRows {
 public:
  using Space = typename Exec::memory_space;
  using Row = LocalRow<Exec, O>;
  using Shares = EqualWork<Exec, O, Off, Acc>;
  using Table = typename Shares::Table;

  ShareRows() = default;

  /// Cuts A and fills the local rows on the device, in the order of `exec`: one allocation, two
  /// launches, no wait. The row pointer of A must live until the launches end.
  template <Scalar S>
  ShareRows(const Exec& exec, const CsrMatrix<S, O, Off, Space>& A, const Device& device)
      : shares_(exec, A, share_work(device, A.rows(), static_cast<std::int64_t>(A.nonzeros())),
                row_steps, Cutting::equal_work, Off(0), arena_bytes<Row>(padded(A.nonzeros()))) {
    Row* const local_row = shares_.template take<Row>(padded(A.nonzeros())).data();
    local_row_ = local_row;
    using Kernel = LocalRowsKernel<Table, O, Off, Row>;
    backends::launch<backends::Shape<1, 128>>(
        exec, "heddle::spmv::share_rows", table().shares,
        Kernel{table(), A.row_ptr().data(), A.rows(), local_row});
  }

  const Table& table() const { return shares_.table(); }
  const Row* local_row() const { return local_row_; }
  std::size_t bytes() const { return shares_.bytes(); }
  /// Bytes that a pass reads besides `nonzeros` columns and values, and that each vector adds.
  double read_bytes(Off nonzeros) const {
    return shares_.read_bytes() + static_cast<double>(nonzeros) * sizeof(Row);
  }
  double carried_bytes() const { return shares_.carried_bytes(); }

 private:
  static constexpr GpuTuning gpu = gpu_tuning<backends::Tag<Exec>>;
  static constexpr CpuTuning cpu = cpu_tuning<backends::Tag<Exec>>;
  static constexpr int row_steps = backends::has_lanes<Exec> ? gpu.row_steps : cpu.row_steps;
  static_assert(gpu.most_work(1) <= 65535, "local rows have 16 bits");

  /// Length of the array of local rows: a GPU's kernel reads several at once, beyond the last.
  static std::size_t padded(Off nonzeros) {
    return ceil_div(static_cast<std::size_t>(nonzeros), share_alignment) * share_alignment;
  }

  /// Steps of a share: an equal number for every resident team, or for every thread of a CPU; not
  /// too few to be worth it, and no more than a team's scratch holds.
  static std::int64_t share_work(const Device& device, O rows, std::int64_t nonzeros) {
    const std::int64_t work = merge_path_steps(rows, nonzeros, row_steps);
    if constexpr (backends::has_lanes<Exec>) {
      const std::int64_t teams = device.multiprocessors * gpu.teams_resident;
      return std::clamp<std::int64_t>(ceil_div(work, teams), gpu.least_work(sizeof(Acc)),
                                      gpu.most_work(sizeof(Acc)));
    } else {
      return std::max<std::int64_t>(ceil_div<std::int64_t>(work, device.multiprocessors),
                                    cpu.least_work);
    }
  }

  Shares shares_;
  const Row* local_row_ = nullptr;
};

}  // namespace heddle::detail::segments
