// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../backends/algorithms/bad_row.hpp"
#include "../../core/matrix.hpp"
#include "triangle.hpp"

namespace heddle::detail::triangle {

/// Largest number of rows of a diagonal block.
inline constexpr int largest_block = 32;

/// A dense block of `size` x `size` entries, column-major.
template <Scalar S>
struct DenseBlock {
  S* entries;
  int size;

  KOKKOS_FORCEINLINE_FUNCTION S& operator()(int r, int c) const { return entries[c * size + r]; }

  /// Loads block k on the diagonal of a CSR matrix. Repeated entries add up; rows and columns
  /// beyond the matrix have ones on the diagonal.
  template <Offset Off, Ordinal O>
  KOKKOS_FUNCTION void load(const Off* row_ptr, const O* col_idx, const S* values,
                            std::int64_t rows, std::int64_t k) const {
    for (int e = 0; e < size * size; ++e) entries[e] = S(0);
    for (int r = 0; r < size; ++r) {
      const std::int64_t row = k * size + r;
      if (row >= rows) {
        (*this)(r, r) = S(1);
        continue;
      }
      for (Off e = row_ptr[row]; e < row_ptr[row + 1]; ++e) {
        const std::int64_t c = static_cast<std::int64_t>(col_idx[e]) - k * size;
        if (c >= 0 && c < size) (*this)(r, static_cast<int>(c)) += values[e];
      }
    }
  }
  /// Eliminates column c, and stores that column of the inverse in its place.
  KOKKOS_FUNCTION void eliminate(int c) const {
    const S scale = S(1) / (*this)(c, c);
    (*this)(c, c) = S(1);
    for (int j = 0; j < size; ++j) (*this)(c, j) *= scale;
    for (int r = 0; r < size; ++r) {
      const S factor = (*this)(r, c);
      if (r == c || factor == S(0)) continue;
      (*this)(r, c) = S(0);
      for (int j = 0; j < size; ++j) (*this)(r, j) -= factor * (*this)(c, j);
    }
  }
};

/// Gauss-Jordan inversion, with row pivots, of the dense blocks on A's diagonal, one item for each
/// block. Entry (r, c) of block k is at (k * size + c) * size + r: blocks are column-major. The
/// last block is filled up with ones on its diagonal. If a block is singular, or it or its inverse
/// is not finite, the identity is written, and the first row of the lowest such block is marked in
/// *bad.
template <class Matrix>
struct InvertBlocks {
  using S = typename Matrix::scalar_type;
  using O = typename Matrix::ordinal_type;
  using Off = typename Matrix::offset_type;
  using Real = heddle::RealOf<S>;
  const Off* row_ptr;
  const O* col_idx;
  const S* values;
  S* inverse;
  S* original;  ///< the blocks themselves, in the same layout; or null
  std::int64_t* bad;
  std::int64_t rows;
  int size;

  KOKKOS_FUNCTION void operator()(std::int64_t k) const {
    S* const block = inverse + k * size * size;
    DenseBlock<S>{block, size}.load(row_ptr, col_idx, values, rows, k);
    if (original) {
      for (int e = 0; e < size * size; ++e) original[k * size * size + e] = block[e];
    }
    if (!invert(block)) {
      for (int e = 0; e < size * size; ++e) block[e] = S(e % (size + 1) == 0 ? 1 : 0);
      mark_bad_row(bad, k * size);
    }
  }

 private:
  /// Inverts a block in place; returns whether its inverse exists and is finite.
  KOKKOS_FUNCTION bool invert(S* block) const {
    int pivots[largest_block];
    for (int c = 0; c < size; ++c) {
      int pivot = c;
      for (int r = c + 1; r < size; ++r) {
        if (Kokkos::abs(block[c * size + r]) > Kokkos::abs(block[c * size + pivot])) pivot = r;
      }
      const Real largest = Kokkos::abs(block[c * size + pivot]);
      if (!(largest > Real(0)) || !is_finite(largest)) return false;
      pivots[c] = pivot;
      for (int j = 0; j < size; ++j) swap(block[j * size + c], block[j * size + pivot]);
      DenseBlock<S>{block, size}.eliminate(c);
    }
    // Exchanged rows are exchanged columns of the inverse, the last first.
    for (int c = size - 1; c >= 0; --c) {
      for (int r = 0; r < size; ++r) swap(block[c * size + r], block[pivots[c] * size + r]);
    }
    for (int e = 0; e < size * size; ++e) {
      if (!is_finite(block[e])) return false;
    }
    return true;
  }
  KOKKOS_FUNCTION static void swap(S& a, S& b) {
    const S kept = a;
    a = b;
    b = kept;
  }
};

}  // namespace heddle::detail::triangle
