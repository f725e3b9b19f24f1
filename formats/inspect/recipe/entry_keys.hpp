// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <limits>

#include "../../../core/matrix.hpp"
#include "../../../core/search.hpp"
#include "steps.hpp"

namespace heddle::recipe {

inline constexpr std::int64_t no_key = std::numeric_limits<std::int64_t>::max();

/// Extents of a matrix before the first step.
template <class Matrix>
Extents extents_of(const Matrix& A) {
  return {A.rows(), 0, A.columns()};
}

/// The entries of a CSR matrix and the map of a recipe, as kernels see them.
template <class Matrix, class Map>
struct Entries {
  using O = typename Matrix::ordinal_type;
  using Off = typename Matrix::offset_type;

  const Off* row_ptr;
  const O* col_idx;
  std::int64_t rows;
  Map map;

  Entries(const Matrix& A, const Map& of)
      : row_ptr(A.row_ptr().data()), col_idx(A.col_idx().data()), rows(A.rows()), map(of) {}

  KOKKOS_FORCEINLINE_FUNCTION std::int64_t begin(std::int64_t row) const {
    return row < rows ? static_cast<std::int64_t>(row_ptr[row]) : 0;
  }
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t end(std::int64_t row) const {
    return row < rows ? static_cast<std::int64_t>(row_ptr[row + 1]) : 0;
  }
  /// The point of entry k, which is in `row`.
  KOKKOS_FORCEINLINE_FUNCTION Point point(std::int64_t row, std::int64_t k) const {
    return map(Point{row, static_cast<std::int64_t>(col_idx[k]), k - begin(row)});
  }
  /// The point of a row, which may be beyond the last.
  KOKKOS_FORCEINLINE_FUNCTION Point row_point(std::int64_t row) const {
    return map(Point{row, 0, 0});
  }
};

/// Index of `key` among the ascending keys [begin, end), which contain it. Tests `guess` and its
/// successor first.
template <class Key, class Off>
KOKKOS_FORCEINLINE_FUNCTION Off find_key(const Key* keys, Off begin, Off end, Off guess,
                                         std::int64_t key) {
  if (static_cast<std::int64_t>(keys[guess]) == key) return guess;
  if (guess + 1 < end && static_cast<std::int64_t>(keys[guess + 1]) == key) return guess + 1;
  return detail::last_not_above(keys, begin, end, key);
}

}  // namespace heddle::recipe
