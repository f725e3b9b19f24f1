// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../common/cut_panels.hpp"
#include "../inspect/recipe/compact_and_pad.hpp"
#include "tuning.hpp"
#include "view.hpp"

namespace heddle::detail::blocked_ell {

/// Where the next slice begins, in each of the arrays.
struct ArraySizes {
  std::int64_t slots = 0;
  std::int64_t column_words = 0;
  PieceCounts cuts;

  KOKKOS_INLINE_FUNCTION void add(const ArraySizes& other) {
    slots += other.slots;
    column_words += other.column_words;
    cuts.add(other.cuts);
  }
};

/// Lays slices out one after the other: a scan over their shapes, whose last sum is the sizes of
/// the arrays, and which writes the tables once there is room for them.
template <Ordinal O>
struct LayoutKernel {
  using value_type = ArraySizes;
  static constexpr int words_per_ordinal = sizeof(O) / sizeof(std::uint16_t);

  const recipe::PanelShape<O>* shapes;
  int slice_bits;
  Slice<O>* slice;  ///< null at first, when only sizes are asked for
  Piece* piece;     ///< null where no slice is cut
  CutPanel* cut;

  KOKKOS_FUNCTION void init(value_type& sum) const { sum = ArraySizes(); }
  KOKKOS_FUNCTION void join(value_type& sum, const value_type& other) const { sum.add(other); }

  KOKKOS_FUNCTION void operator()(std::int64_t s, value_type& sum, bool last) const {
    const recipe::PanelShape<O> shape = shapes[s];
    const bool narrow = shape.highest - shape.lowest < O{no_delta};
    ArraySizes size;
    size.slots = shape.width << slice_bits;
    size.column_words = size.slots * (narrow ? 1 : words_per_ordinal);
    size.cuts = PieceCounts::of(ceil_div<std::int64_t>(shape.width, piece_width));
    if (last && slice) {
      slice[s] = {sum.slots, sum.column_words, narrow ? shape.lowest : O(-1),
                  static_cast<std::int32_t>(shape.width)};
    }
    if (last && piece) {
      for (std::int64_t i = 0; i < size.cuts.pieces; ++i) {
        piece[sum.cuts.pieces + i] = {s, size.cuts.cut ? sum.cuts.carries + i : -1,
                                      static_cast<std::int32_t>(i * piece_width)};
      }
      if (size.cuts.cut) cut[sum.cuts.cut] = {s, sum.cuts.carries, size.cuts.carries};
    }
    sum.add(size);
  }
};

/// What fill_slots puts into slices: the values, and with Columns the columns too.
template <class Matrix, bool Columns>
struct Slots {
  using S = typename Matrix::scalar_type;
  using O = typename Matrix::ordinal_type;

  const O* from_columns;
  const S* from_values;
  int slice_bits;
  const Slice<O>* slice;
  std::uint16_t* columns;
  S* values;

  KOKKOS_FORCEINLINE_FUNCTION std::int64_t width(std::int64_t place) const {
    return slice[place >> slice_bits].width;
  }
  KOKKOS_FORCEINLINE_FUNCTION void put(std::int64_t place, std::int64_t j, std::int64_t k) const {
    const Slice<O>& to = slice[place >> slice_bits];
    const std::int64_t at = (j << slice_bits) + (place & ((std::int64_t{1} << slice_bits) - 1));
    values[to.first_slot + at] = k < 0 ? S(0) : from_values[k];
    if constexpr (Columns) {
      std::uint16_t* const words = columns + to.first_column;
      if (to.base >= 0) {
        words[at] = k < 0 ? no_delta : static_cast<std::uint16_t>(from_columns[k] - to.base);
      } else {
        reinterpret_cast<O*>(words)[at] = k < 0 ? O(-1) : from_columns[k];
      }
    }
  }
};

}  // namespace heddle::detail::blocked_ell
