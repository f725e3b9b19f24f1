// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <type_traits>

#include "../../backends/unroll.hpp"
#include "rows.hpp"

namespace heddle::detail::gauss_seidel {

/// Maximum number of rows of a block.
inline constexpr int most_block_rows = 8;

/// One side of a matrix of blocks, in the order in which a half sweep visits block rows: the block
/// row at place p has blocks row_ptr[p] to row_ptr[p + 1]. The last of them is its diagonal block,
/// without values here. A block holds size x size values, column by column, padded with zeros after
/// the last row or column of the matrix.
template <Scalar S, Ordinal O, Offset Off>
struct BlockRowsView {
  using scalar_type = S;
  using ordinal_type = O;
  using offset_type = Off;

  const Off* row_ptr;
  const O* col_idx;
  const S* values;
  const S* inverse;   ///< inverses of the diagonal blocks, in ascending order
  const S* diagonal;  ///< the diagonal blocks, in ascending order
  std::int64_t rows;  ///< rows of the matrix
  int size;

  KOKKOS_FORCEINLINE_FUNCTION O row(std::int64_t place) const {
    return col_idx[row_ptr[place + 1] - 1];
  }
  /// Rows of a block; the last block may have fewer.
  KOKKOS_FORCEINLINE_FUNCTION int height(O block) const {
    const std::int64_t left = rows - static_cast<std::int64_t>(block) * size;
    return left < size ? static_cast<int>(left) : size;
  }
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t first_value(std::int64_t place) const {
    return (static_cast<std::int64_t>(row_ptr[place]) - place) * size * size;
  }
};

/// Number of vectors for which a block row is summed up at once, if there are so many: their sums
/// fit into the registers of a GPU's lane.
template <Scalar S, int Size>
inline constexpr int block_vectors_together = Size * sizeof(S) <= 32 ? vectors_together : 1;

/// Sums of a block row for several vectors. Loops over sums are unrolled, so that sums stay in
/// registers of a GPU. Other loops are not, or all values of a block would be loaded at once.
template <Scalar S, int Size, int Vectors>
struct BlockSums {
  S sum[Vectors][Size] = {};

  /// Adds the first `columns` columns of a block times entries of x from `first` on.
  template <class X>
  KOKKOS_FORCEINLINE_FUNCTION void add(const S* block, int columns, const X& x, std::int64_t first,
                                       int vector) {
    HEDDLE_UNROLL(1)
    for (int c = 0; c < columns; ++c) {
      HEDDLE_UNROLL(Vectors)
      for (int v = 0; v < Vectors; ++v) {
        const S known = x(first + c, vector + v);
        HEDDLE_UNROLL(Size)
        for (int r = 0; r < Size; ++r) sum[v][r] += block[c * Size + r] * known;
      }
    }
  }
  /// Adds all blocks of a place except its diagonal block.
  template <class View, class X>
  KOKKOS_FORCEINLINE_FUNCTION void add_place(const View& view, std::int64_t place, const X& x,
                                             int vector) {
    const S* block = view.values + view.first_value(place);
    const auto end = view.row_ptr[place + 1] - 1;
    for (auto k = view.row_ptr[place]; k < end; ++k, block += Size * Size) {
      const auto column = view.col_idx[k];
      add(block, view.height(column), x, static_cast<std::int64_t>(column) * Size, vector);
    }
  }
};

/// kernel.one<Vectors>(place, vector) for all vectors of a place, up to `Together` at once.
template <int Together, class Kernel>
KOKKOS_FORCEINLINE_FUNCTION void for_vectors(const Kernel& kernel, std::int64_t place, int count) {
  int v = 0;
  if constexpr (Together > 1) {
    for (; count - v >= Together; v += Together) kernel.template one<Together>(place, v);
  }
  for (; v < count; ++v) kernel.template one<1>(place, v);
}

/// A half sweep over block rows, place by place, as SweepRowsKernel for rows.
template <Scalar S, Ordinal O, Offset Off, Start start, int Size>
struct BlockRowsKernel {
  using View = BlockRowsView<S, O, Off>;
  View view;
  View rest;
  HalfSweep<S> pass;

  KOKKOS_FUNCTION void operator()(std::int64_t place) const {
    for_vectors<block_vectors_together<S, Size>>(*this, place, pass.x.count);
  }
  /// Solves for places first, ..., stop - 1, one after the other.
  void operator()(std::int64_t first, std::int64_t stop) const {
    for (std::int64_t place = first; place < stop; ++place) (*this)(place);
  }

  template <int Vectors>
  KOKKOS_FORCEINLINE_FUNCTION void one(std::int64_t place, int vector) const {
    const O block = view.row(place);
    const int height = view.height(block);
    const std::int64_t first = static_cast<std::int64_t>(block) * Size;
    BlockSums<S, Size, Vectors> sums, other;
    sums.add_place(view, place, pass.x, vector);
    if constexpr (start == Start::rest) other.add_place(rest, place, pass.x, vector);
    HEDDLE_UNROLL(Vectors)
    for (int v = 0; v < Vectors; ++v) {
      S right[Size];
      HEDDLE_UNROLL(Size)
      for (int c = 0; c < Size; ++c) {
        right[c] = S(0);
        if (c >= height) continue;
        right[c] = pass.template right_hand_side<start>(first + c, vector + v) - other.sum[v][c] -
                   sums.sum[v][c];
        if (pass.keeps) pass.kept(first + c, vector + v) = sums.sum[v][c];
      }
      const S* inverse = view.inverse + first * Size;
      HEDDLE_UNROLL(1)
      for (int r = 0; r < height; ++r, ++inverse) {
        S quotient(0);
        HEDDLE_UNROLL(Size)
        for (int c = 0; c < Size; ++c) quotient += inverse[c * Size] * right[c];
        pass.x(first + r, vector + v) =
            pass.template with_old<start>(pass.omega * quotient, first + r, vector + v);
      }
    }
  }
};

/// The product of a side with x, or the residual, as SideKernel for rows.
template <Scalar S, Ordinal O, Offset Off, bool residual, int Size>
struct BlockSideKernel {
  BlockRowsView<S, O, Off> view;
  HalfSweep<S> pass;
  Multivector<S> to;

  KOKKOS_FUNCTION void operator()(std::int64_t place) const {
    for_vectors<block_vectors_together<S, Size>>(*this, place, pass.x.count);
  }

  template <int Vectors>
  KOKKOS_FORCEINLINE_FUNCTION void one(std::int64_t place, int vector) const {
    const O block = view.row(place);
    const int height = view.height(block);
    const std::int64_t first = static_cast<std::int64_t>(block) * Size;
    BlockSums<S, Size, Vectors> sums;
    sums.add_place(view, place, pass.x, vector);
    if constexpr (residual) {
      sums.add(view.diagonal + first * Size, height, pass.x, first, vector);
    }
    HEDDLE_UNROLL(Vectors)
    for (int v = 0; v < Vectors; ++v) {
      HEDDLE_UNROLL(Size)
      for (int r = 0; r < Size; ++r) {
        if (r >= height) continue;
        const S sum = sums.sum[v][r];
        const std::int64_t i = first + r;
        to(i, vector + v) = residual ? pass.b(i, vector + v) - pass.kept(i, vector + v) - sum : sum;
      }
    }
  }
};

/// use(std::integral_constant<int, size>()), for blocks of 2 rows or more.
template <int Size = 2, class Use>
void with_block_size(int size, const Use& use) {
  if constexpr (Size < most_block_rows) {
    if (Size < size) return with_block_size<Size + 1>(size, use);
  }
  use(std::integral_constant<int, Size>());
}

}  // namespace heddle::detail::gauss_seidel
