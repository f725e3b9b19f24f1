// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "matrix.hpp"

namespace heddle {

/// A matrix of dense square blocks in compressed rows of blocks, borrowed; also known as BSR.
///
/// Block k with row_ptr(I) <= k < row_ptr(I + 1) begins at row I * block_size, column col_idx(k) *
/// block_size, and has block_size^2 values, row by row. Block rows may be empty, columns unsorted,
/// blocks repeated (they add up). The arrays must outlive the matrix and everything built from it.
template <Scalar S, Ordinal O, Offset Off, MemorySpace Space>
class BlockMatrix {
 public:
  using scalar_type = S;
  using ordinal_type = O;
  using offset_type = Off;
  using memory_space = Space;
  using Pattern = CsrPattern<O, Off, Space>;
  template <class T>
  using Array = typename Pattern::template Array<T>;

  BlockMatrix() = default;

  /// The pattern `blocks` counts rows and columns in blocks, and has one entry for each block;
  /// values is a View of rank 1. Throws Error if block_size is not positive, if values has not
  /// block_size^2 entries for each block, or if O cannot hold the numbers of rows and columns.
  template <class Values>
    requires(Kokkos::is_view_v<Values>)
  BlockMatrix(const Pattern& blocks, int block_size, const Values& values)
      : blocks_(blocks), block_size_(block_size), values_(values.data(), values.extent(0)) {
    if (block_size < 1) {
      throw Error("block_size is " + std::to_string(block_size), "give 1 or more");
    }
    const auto size = std::int64_t{block_size};
    detail::matrix_size<O>(size * blocks.rows(), "rows");
    detail::matrix_size<O>(size * blocks.columns(), "columns");
    const std::int64_t places = size * size * static_cast<std::int64_t>(blocks.nonzeros());
    if (std::cmp_not_equal(values.extent(0), places)) {
      throw Error(std::to_string(blocks.nonzeros()) + " blocks of " + std::to_string(block_size) +
                      " x " + std::to_string(block_size) + " have " +
                      std::to_string(values.extent(0)) + " values",
                  "give " + std::to_string(places));
    }
    if (values.extent(0) > 1 && values.stride(0) != 1) {
      throw Error("values have a stride of " + std::to_string(values.stride(0)),
                  "copy them into a contiguous View");
    }
  }

  /// Rows and columns of the matrix, counted in scalars, not in blocks.
  O rows() const { return static_cast<O>(blocks_.rows() * block_size_); }
  O columns() const { return static_cast<O>(blocks_.columns() * block_size_); }
  int block_size() const { return block_size_; }
  /// The pattern of the blocks.
  const Pattern& blocks() const { return blocks_; }
  Array<S> values() const { return values_; }

 private:
  Pattern blocks_;
  int block_size_ = 1;
  Array<S> values_;
};

template <Ordinal O, Offset Off, MemorySpace Space, class Values>
BlockMatrix(const CsrPattern<O, Off, Space>&, int, const Values&)
    -> BlockMatrix<typename Values::non_const_value_type, O, Off, Space>;

}  // namespace heddle
