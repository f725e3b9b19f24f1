// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../backends/pack.hpp"
#include "../../core/multivector.hpp"

namespace heddle::detail::vectors {

/// The rows that a lane holds at once, of one vector. UnitStride: entries of a vector follow each
/// other. Whole: all rows of the pack are there.
template <class Pack, bool UnitStride, bool Whole>
struct Entries {
  std::int64_t row;
  int vector;
  std::int64_t rows;  ///< that are there from `row` on

  template <Scalar V>
  KOKKOS_FORCEINLINE_FUNCTION Pack load(const Multivector<V>& v) const {
    const V* const from = address(v);
    if constexpr (UnitStride && Whole) {
      return Pack::load(from);
    } else if constexpr (UnitStride) {
      return Pack::load(from, mask());
    } else {
      return Pack::strided(from, v.row_stride, mask());
    }
  }
  template <Scalar V>
  KOKKOS_FORCEINLINE_FUNCTION Pack load(const Multivector<const V>& v) const {
    return load(
        Multivector<V>{const_cast<V*>(v.data), v.row_stride, v.vector_stride, v.rows, v.count});
  }
  template <Scalar V>
  KOKKOS_FORCEINLINE_FUNCTION void store(const Multivector<V>& v, const Pack& values) const {
    V* const to = address(v);
    if constexpr (UnitStride && Whole) {
      Pack::store(to, values);
    } else if constexpr (UnitStride) {
      Pack::store(to, values, mask());
    } else {
      Pack::store_strided(to, v.row_stride, values, mask());
    }
  }
  /// The same of a vector whose first entry is at hand, in loops over many vectors.
  template <Scalar V>
  KOKKOS_FORCEINLINE_FUNCTION Pack load(const V* first, int row_stride) const {
    const V* const from = first + row * (UnitStride ? 1 : row_stride);
    if constexpr (UnitStride && Whole) {
      return Pack::load(from);
    } else if constexpr (UnitStride) {
      return Pack::load(from, mask());
    } else {
      return Pack::strided(from, row_stride, mask());
    }
  }
  /// What is to be added up: nothing beyond the last row, whatever became of the zeros there.
  KOKKOS_FORCEINLINE_FUNCTION Pack keep(const Pack& values) const {
    if constexpr (Whole) {
      return values;
    } else {
      return Pack::keep(mask(), values);
    }
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION typename Pack::Mask mask() const {
    return Pack::Mask::first(Whole ? Pack::width : rows);
  }
  template <Scalar V>
  KOKKOS_FORCEINLINE_FUNCTION V* address(const Multivector<V>& v) const {
    return v.data + row * (UnitStride ? 1 : v.row_stride) + vector * v.vector_stride;
  }
};

}  // namespace heddle::detail::vectors
