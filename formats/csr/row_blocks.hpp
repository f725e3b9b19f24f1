// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

#include "../../core/arena.hpp"
#include "../../core/matrix.hpp"

namespace heddle::detail::csr {

/// Blocks of consecutive rows, as kernels see them. Block b has rows [first[b], first[b + 1]): one
/// row of more than `long_row` nonzeros, or a bounded number of shorter rows with 2^lane_bits[b]
/// lanes each.
template <Ordinal O, Offset Off>
struct RowBlockTable {
  std::int64_t blocks = 0;
  const O* first = nullptr;  ///< length blocks + 1
  Off long_row = 0;
  const std::uint8_t* lane_bits = nullptr;  ///< null: lanes by the mean row of the block
};

/// Finds the first rows of blocks: each long row, the row after it, and each rows_per_block-th row.
/// A reduction over rows counts the blocks, and an exclusive prefix sum writes their first rows.
template <Ordinal O, Offset Off>
struct FindRowBlocks {
  const Off* row_ptr;
  std::int64_t rows;
  std::int64_t rows_per_block;
  Off long_row;
  O* first;

  KOKKOS_FUNCTION void operator()(std::int64_t row, std::int64_t& block) const {
    block += begins(row);
  }
  KOKKOS_FUNCTION void operator()(std::int64_t row, std::int64_t& block, bool last) const {
    const bool is_first = begins(row);
    if (last && is_first) first[block] = static_cast<O>(row);
    block += is_first;
    if (last && row == rows - 1) first[block] = static_cast<O>(rows);
  }

 private:
  KOKKOS_FUNCTION bool is_long(std::int64_t row) const {
    return row_ptr[row + 1] - row_ptr[row] > long_row;
  }
  KOKKOS_FUNCTION bool begins(std::int64_t row) const {
    return row % rows_per_block == 0 || is_long(row) || is_long(row - 1);
  }
};

/// The blocks of a matrix.
template <ExecutionSpace Exec, Ordinal O, Offset Off>
class RowBlocks {
 public:
  using Space = typename Exec::memory_space;
  using Table = RowBlockTable<O, Off>;

  RowBlocks() = default;

  /// Finds the blocks, with room for lane bits of each block if `with_lanes`; without, lanes follow
  /// from its mean row. Two launches, one readback, which waits for `exec`, and one allocation.
  template <Scalar S>
  RowBlocks(const Exec& exec, const CsrMatrix<S, O, Off, Space>& A, std::int64_t rows_per_block,
            std::int64_t long_row, bool with_lanes = false) {
    const auto longest = static_cast<std::int64_t>(A.nonzeros());
    table_.long_row = static_cast<Off>(long_row < longest ? long_row : longest);
    FindRowBlocks<O, Off> find{A.row_ptr().data(), A.rows(), rows_per_block, table_.long_row,
                               nullptr};
    Kokkos::parallel_reduce("heddle::spmv::csr_count_blocks", range_policy(exec, A.rows()), find,
                            table_.blocks);
    const auto n = static_cast<std::size_t>(table_.blocks + 1);
    const std::size_t n_lanes = with_lanes ? n - 1 : 0;
    arena_ = Arena<Space>(exec, "heddle::spmv::csr_blocks",
                          arena_bytes<O>(n) + arena_bytes<std::uint8_t>(n_lanes));
    find.first = arena_.template take<O>(n).data();
    table_.first = find.first;
    Kokkos::parallel_scan("heddle::spmv::csr_find_blocks", scan_policy(exec, A.rows()), find);
    if (n_lanes > 0) {
      lane_bits_ = arena_.template take<std::uint8_t>(n_lanes);
      table_.lane_bits = lane_bits_.data();
    }
  }

  /// The table's lane bits, one a block, for the caller to write; empty without room for them.
  const typename Arena<Space>::template Array<std::uint8_t>& lane_bits() const {
    return lane_bits_;
  }

  const Table& table() const { return table_; }
  std::size_t bytes() const { return arena_.bytes(); }

 private:
  Arena<Space> arena_;
  typename Arena<Space>::template Array<std::uint8_t> lane_bits_;
  Table table_;
};

}  // namespace heddle::detail::csr
