// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "pass.hpp"
#include "rows_kernel.hpp"

namespace heddle::detail::gauss_seidel {

/// Rows of a block, at most.
inline constexpr int most_block_rows = 8;

/// One side of a matrix of blocks in the order in which a half sweep takes the rows of blocks: that
/// at place p has blocks row_ptr[p] to row_ptr[p + 1], of which the last is the row itself and has
/// no values here. A block holds size x size values, column by column; what lies beyond the last
/// row or column is zero.
template <Scalar S, Ordinal O, Offset Off>
struct BlockRowsView {
  using scalar_type = S;
  using ordinal_type = O;
  using offset_type = Off;

  const Off* row_ptr;
  const O* col_idx;
  const S* values;
  const S* inverse;   ///< of the diagonal blocks, in their own order
  const S* diagonal;  ///< those blocks
  std::int64_t rows;  ///< of the matrix
  int size;

  KOKKOS_FORCEINLINE_FUNCTION O row(std::int64_t place) const {
    return col_idx[row_ptr[place + 1] - 1];
  }
  /// Rows of a block, of which the last one has fewer.
  KOKKOS_FORCEINLINE_FUNCTION int height(O block) const {
    const std::int64_t left = rows - static_cast<std::int64_t>(block) * size;
    return left < size ? static_cast<int>(left) : size;
  }
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t first_value(std::int64_t place) const {
    return (static_cast<std::int64_t>(row_ptr[place]) - place) * size * size;
  }
};

/// Sums of a row of blocks, for several vectors. Size is that of the blocks, or 0 where that is not
/// known to the compiler.
template <Scalar S, int Size, int Vectors>
struct BlockSums {
  static constexpr int most = Size ? Size : most_block_rows;
  S sum[Vectors][most] = {};

  KOKKOS_FORCEINLINE_FUNCTION static int size_of(int size) { return Size ? Size : size; }

  /// Adds a block, of which `columns` are there, times entries of x from `first` on.
  template <class X>
  KOKKOS_FORCEINLINE_FUNCTION void add(const S* block, int block_size, int columns, const X& x,
                                       std::int64_t first, int vector) {
    const int size = size_of(block_size);
    for (int c = 0; c < size && c < columns; ++c) {
      for (int v = 0; v < Vectors; ++v) {
        const S known = x(first + c, vector + v);
        for (int r = 0; r < size; ++r) sum[v][r] += block[c * size + r] * known;
      }
    }
  }
  /// Adds all of a place but its diagonal block.
  template <class View, class X>
  KOKKOS_FORCEINLINE_FUNCTION void add_place(const View& view, std::int64_t place, const X& x,
                                             int vector) {
    const int size = size_of(view.size);
    const S* block = view.values + view.first_value(place);
    const auto end = view.row_ptr[place + 1] - 1;
    for (auto k = view.row_ptr[place]; k < end; ++k, block += size * size) {
      const auto column = view.col_idx[k];
      add(block, size, view.height(column), x, static_cast<std::int64_t>(column) * size, vector);
    }
  }
};

/// kernel.one<Size, Vectors>(place, vector) for all vectors of a place, `vectors_together` of them
/// at once where there are so many.
template <int Size, class Kernel>
KOKKOS_FORCEINLINE_FUNCTION void for_vectors(const Kernel& kernel, std::int64_t place, int count) {
  int v = 0;
  for (; count - v >= vectors_together; v += vectors_together) {
    kernel.template one<Size, vectors_together>(place, v);
  }
  for (; v < count; ++v) kernel.template one<Size, 1>(place, v);
}
/// The same with the Size that BlockSums has for the kernel's blocks.
template <class Kernel>
KOKKOS_FORCEINLINE_FUNCTION void for_vectors_of_blocks(const Kernel& kernel, std::int64_t place,
                                                       int count) {
  switch (kernel.view.size) {
    case 2: return for_vectors<2>(kernel, place, count);
    case 3: return for_vectors<3>(kernel, place, count);
    case 4: return for_vectors<4>(kernel, place, count);
    default: return for_vectors<0>(kernel, place, count);
  }
}

/// A half sweep, place by place, of rows of blocks: as RowsKernel.
template <Scalar S, Ordinal O, Offset Off, Start start>
struct BlockRowsKernel {
  using View = BlockRowsView<S, O, Off>;
  View view;
  View rest;
  Pass<S> pass;

  KOKKOS_FUNCTION void operator()(std::int64_t place) const {
    for_vectors_of_blocks(*this, place, pass.x.count);
  }
  /// A run of places, one after the other.
  void operator()(std::int64_t first, std::int64_t stop) const {
    for (std::int64_t place = first; place < stop; ++place) (*this)(place);
  }

  template <int Size, int Vectors>
  KOKKOS_FORCEINLINE_FUNCTION void one(std::int64_t place, int vector) const {
    using Sums = BlockSums<S, Size, Vectors>;
    const int size = Sums::size_of(view.size);
    const O block = view.row(place);
    const int height = view.height(block);
    const std::int64_t first = static_cast<std::int64_t>(block) * size;
    Sums sums, other;
    sums.add_place(view, place, pass.x, vector);
    if constexpr (start == Start::rest) other.add_place(rest, place, pass.x, vector);
    for (int v = 0; v < Vectors; ++v) {
      BlockSums<S, Size, 1> quotient;
      const S* column = view.inverse + first * size;
      for (int c = 0; c < height; ++c, column += size) {
        const S right = pass.template right_hand_side<start>(first + c, vector + v) -
                        other.sum[v][c] - sums.sum[v][c];
        for (int r = 0; r < size; ++r) quotient.sum[0][r] += column[r] * right;
      }
      for (int r = 0; r < height; ++r) {
        const S old = pass.template share_of_old<start>(first + r, vector + v);
        pass.x(first + r, vector + v) = old + pass.omega * quotient.sum[0][r];
        if (pass.keeps) pass.kept(first + r, vector + v) = sums.sum[v][r];
      }
    }
  }
};

/// A side times x, or the residual: as SideKernel.
template <Scalar S, Ordinal O, Offset Off, bool residual>
struct BlockSideKernel {
  BlockRowsView<S, O, Off> view;
  Multivector<const S> b;
  Multivector<const S> x;
  Multivector<const S> kept;
  Multivector<S> to;

  KOKKOS_FUNCTION void operator()(std::int64_t place) const {
    for_vectors_of_blocks(*this, place, x.count);
  }

  template <int Size, int Vectors>
  KOKKOS_FORCEINLINE_FUNCTION void one(std::int64_t place, int vector) const {
    using Sums = BlockSums<S, Size, Vectors>;
    const int size = Sums::size_of(view.size);
    const O block = view.row(place);
    const int height = view.height(block);
    const std::int64_t first = static_cast<std::int64_t>(block) * size;
    Sums sums;
    sums.add_place(view, place, x, vector);
    if constexpr (residual) {
      sums.add(view.diagonal + first * size, size, height, x, first, vector);
    }
    for (int v = 0; v < Vectors; ++v) {
      for (int r = 0; r < height; ++r) {
        const S sum = sums.sum[v][r];
        const auto i = first + r;
        to(i, vector + v) = residual ? b(i, vector + v) - kept(i, vector + v) - sum : sum;
      }
    }
  }
};

}  // namespace heddle::detail::gauss_seidel
