// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "stored_pattern.hpp"

namespace heddle::detail::ilu {

template <Offset Off>
struct BlockRowPtr {
  const Off* row_ptr;
  std::int64_t rows;
  int size;
  Off* to;
  KOKKOS_FUNCTION void operator()(std::int64_t block) const {
    const std::int64_t row = block * size;
    to[block] = row_ptr[row < rows ? row : rows];
  }
};
template <Ordinal O>
struct BlockColumns {
  const O* col_idx;
  int size;
  O* to;
  KOKKOS_FUNCTION void operator()(std::int64_t k) const {
    to[k] = static_cast<O>(col_idx[k] / size);
  }
};

/// The blocks of a matrix, a row for each row of blocks: as many as entries, in no order.
template <ExecutionSpace Exec, Ordinal O, Offset Off>
StoredPattern<Exec, O, Off> blocks_of(const Exec& exec, std::int64_t rows, std::int64_t entries,
                                      const Off* row_ptr, const O* col_idx, int size) {
  StoredPattern<Exec, O, Off> blocks(exec, ceil_div(rows, std::int64_t{size}));
  blocks.allocate(exec, false, entries);
  Kokkos::parallel_for("heddle::ilu::block_row_ptr", range_policy(exec, blocks.rows() + 1),
                       BlockRowPtr<Off>{row_ptr, rows, size, blocks.row_ptr()});
  Kokkos::parallel_for("heddle::ilu::block_columns", range_policy(exec, entries),
                       BlockColumns<O>{col_idx, size, blocks.col_idx()});
  return blocks;
}

/// The columns of row i of full blocks, or those of its lower triangle.
template <Ordinal O, Offset Off>
struct FullBlocks {
  PatternView<O, Off> blocks;
  std::int64_t rows;
  int size;
  bool lower;

  /// visit(column) in ascending order.
  template <class Visit>
  KOKKOS_FORCEINLINE_FUNCTION void columns(std::int64_t i, const Visit& visit) const {
    const std::int64_t block = i / size, stop = lower ? i + 1 : rows;
    for (Off k = blocks.row_ptr[block]; k < blocks.row_ptr[block + 1]; ++k) {
      const std::int64_t first = static_cast<std::int64_t>(blocks.col_idx[k]) * size;
      const std::int64_t last = first + size < stop ? first + size : stop;
      for (std::int64_t j = first; j < last; ++j) visit(static_cast<O>(j));
    }
  }
};

/// Full blocks written out. Waits for `exec`.
template <ExecutionSpace Exec, Ordinal O, Offset Off>
StoredPattern<Exec, O, Off> expand(const Exec& exec, const FullBlocks<O, Off>& full) {
  return stored<O, Off>(exec, "heddle::ilu::columns", full.rows, full);
}

}  // namespace heddle::detail::ilu
