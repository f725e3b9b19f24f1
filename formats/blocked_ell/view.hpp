// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../common/slots/kernel.hpp"

namespace heddle::detail::blocked_ell {

using slots::no_delta;

/// Consecutive places of rows, and where what they hold begins.
template <Ordinal O>
struct Slice {
  std::int64_t first_slot;    ///< of its values
  std::int64_t first_column;  ///< of its columns: in 16-bit words
  O base;                     ///< its columns are 16-bit distances from this one; -1: ordinals
  std::int32_t width;         ///< slots a row
};

/// A run of the slots of a slice: those from `first` on, as many as a piece has at most. Of a slice
/// that is cut into several, each posts its sums as carry-out number `carry`; else that is -1.
struct Piece {
  std::int64_t slice;
  std::int64_t carry;
  std::int32_t first;
};

/// A matrix in blocked ELL as kernels see it: plain pointers. Slot j of row place r of slice s lies
/// at slice[s].first_slot + j * slice_rows + r; the columns lie in the same order. A slot without
/// an entry (no_delta or -1) comes behind those of its row.
template <Scalar S, Ordinal O>
struct View {
  using scalar_type = S;
  using ordinal_type = O;

  std::int64_t rows;
  int slice_bits;  ///< 2^slice_bits rows a slice
  const Slice<O>* slice;
  const O* row_at;  ///< the row at each place, or null: row i at place i
  const std::uint16_t* columns;
  const S* values;
  std::int64_t pieces;  ///< as many as slices where none is cut
  const Piece* piece;   ///< null where none is cut

  KOKKOS_FORCEINLINE_FUNCTION int slice_rows() const { return 1 << slice_bits; }
  KOKKOS_FORCEINLINE_FUNCTION Piece piece_at(std::int64_t index) const {
    return piece ? piece[index] : Piece{index, -1, 0};
  }

  /// A slice of 16-bit columns, and one of ordinals.
  KOKKOS_FORCEINLINE_FUNCTION slots::Strip<S, O, std::uint16_t, unsigned> narrow_strip(
      const Slice<O>& of) const {
    return {values + of.first_slot, columns + of.first_column, 1u << slice_bits, of.base};
  }
  KOKKOS_FORCEINLINE_FUNCTION slots::Strip<S, O, O, unsigned> wide_strip(const Slice<O>& of) const {
    return {values + of.first_slot, reinterpret_cast<const O*>(columns + of.first_column),
            1u << slice_bits};
  }
};

}  // namespace heddle::detail::blocked_ell
