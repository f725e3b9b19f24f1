// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <utility>

#include "../matrix.hpp"
#include "threads.hpp"

namespace heddle::files {

template <class Space>
concept HostReadable =
    MemorySpace<Space> &&
    static_cast<bool>(Kokkos::SpaceAccessibility<Kokkos::HostSpace, Space>::accessible);

/// Throws Error, naming the row, unless row_ptr rises from 0 to the number of entries and every
/// column is one of the matrix; `name` is the file that the matrix was to go to.
template <Scalar S, Ordinal O, Offset Off, HostReadable Space>
void check_csr(const CsrMatrix<S, O, Off, Space>& matrix, const std::string& name, int threads) {
  if (matrix.row_ptr().extent(0) == 0) {
    if (matrix.nonzeros() == 0) return;
    throw Error("row_ptr is empty and there are " + std::to_string(matrix.nonzeros()) + " entries",
                Where{.file = name}, "give row_ptr of rows + 1 entries");
  }
  constexpr std::size_t grain = std::size_t{1} << 16;
  const auto rows = static_cast<std::size_t>(matrix.rows());
  const Off* const row_ptr = matrix.row_ptr().data();
  const O* const col_idx = matrix.col_idx().data();
  auto fail = [&](std::size_t at, std::size_t row, const std::string& why) {
    throw Error("row_ptr(" + std::to_string(at) + ") is " + std::to_string(row_ptr[at]) + why,
                Where{.file = name, .row = static_cast<std::int64_t>(row)},
                "let row_ptr rise from 0 to the number of entries");
  };
  if (row_ptr[0] != 0) fail(0, 0, ", not 0");
  for_each_range(threads, rows, grain, [&](auto begin, auto end) {
    for (std::size_t row = begin; row < end; ++row) {
      if (row_ptr[row + 1] < row_ptr[row]) {
        fail(row + 1, row, ", less than " + std::to_string(row_ptr[row]) + " before it");
      }
    }
  });
  if (row_ptr[rows] != matrix.nonzeros()) {
    fail(rows, rows > 0 ? rows - 1 : 0,
         ", and there are " + std::to_string(matrix.nonzeros()) + " entries");
  }
  if (matrix.nonzeros() == 0) return;
  for_each_range(threads, rows, grain, [&](auto begin, auto end) {
    for (std::size_t row = begin; row < end; ++row) {
      for (Off k = row_ptr[row]; k < row_ptr[row + 1]; ++k) {
        if (col_idx[k] >= 0 && col_idx[k] < matrix.columns()) continue;
        throw Error("column " + std::to_string(col_idx[k]) + " in a matrix of " +
                        std::to_string(matrix.columns()) + " columns",
                    Where{.file = name,
                          .row = static_cast<std::int64_t>(row),
                          .entry = static_cast<std::int64_t>(k)},
                    "give columns that count from 0");
      }
    }
  });
}

}  // namespace heddle::files
