// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../common/slots/kernel.hpp"

namespace heddle::detail::blocked_ell {

using slots::no_delta;

/// Consecutive row places, and the starts of their slots and columns.
template <Ordinal O>
struct Slice {
  std::int64_t first_slot;    ///< first slot of its values
  std::int64_t first_column;  ///< first 16-bit word of its columns
  O base;                     ///< columns are 16-bit distances from it; -1: ordinals
  std::int32_t width;         ///< slots of a row
};

/// A run of the slots of a slice: those from `first` on, at most piece_width of them. If the slice
/// is cut into several, the piece stores its sums as carry-out number `carry`; else that is -1.
struct SlicePiece {
  std::int64_t slice;
  std::int64_t carry;
  std::int32_t first;
};

/// A matrix in blocked ELL as kernels see it: plain pointers. Slot j of row place r of slice s is
/// slice[s].first_slot + j * slice_rows + r; the columns have the same order. Slots without an
/// entry (no_delta or -1) follow the entries of their row.
template <Scalar S, Ordinal O>
struct View {
  using scalar_type = S;
  using ordinal_type = O;

  std::int64_t rows;
  int slice_bits;  ///< 2^slice_bits rows in a slice
  const Slice<O>* slice;
  const O* row_at;  ///< the row at each place; null: row i at place i
  const std::uint16_t* columns;
  const S* values;
  std::int64_t pieces;      ///< number of pieces, or of slices if none is cut
  const SlicePiece* piece;  ///< null if none is cut

  KOKKOS_FORCEINLINE_FUNCTION int slice_rows() const { return 1 << slice_bits; }
  KOKKOS_FORCEINLINE_FUNCTION SlicePiece piece_at(std::int64_t index) const {
    return piece ? piece[index] : SlicePiece{index, -1, 0};
  }

  /// The slots of a slice with 16-bit columns, and of one with ordinals.
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
