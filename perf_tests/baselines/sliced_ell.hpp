// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../bench/spmv/problem.hpp"

namespace heddle::bench {

/// A CSR matrix as sliced ELL, for libraries that accept it and do not convert: slices of 32 rows,
/// column-major inside a slice, padded to the longest row of the slice with column -1. Built on the
/// device in two passes.
template <Scalar S, Offset Off>
struct SlicedEll {
  using Matrix = CsrMatrix<S, Index, Off, Space>;
  using Range = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>;
  static constexpr int slice_rows = 32;
  static constexpr std::int64_t most_bytes = std::int64_t{1} << 35;

  Kokkos::View<Off*, Space> slice_ptr;
  Kokkos::View<Index*, Space> col_idx;
  Kokkos::View<S*, Space> values;

  struct Measure {
    typename Matrix::template Array<Off> row_ptr;
    Kokkos::View<Off*, Space> slice_ptr;
    std::int64_t rows, slices;

    KOKKOS_FUNCTION void operator()(std::int64_t slice, std::int64_t& sum, bool final) const {
      if (final) slice_ptr(slice) = static_cast<Off>(sum);
      if (slice == slices) return;
      Off width = 0;
      for (std::int64_t row = slice * slice_rows; row < (slice + 1) * slice_rows && row < rows;
           ++row) {
        const Off length = row_ptr(row + 1) - row_ptr(row);
        if (length > width) width = length;
      }
      sum += static_cast<std::int64_t>(width) * slice_rows;
    }
  };

  struct Fill {
    typename Matrix::template Array<Off> row_ptr;
    typename Matrix::template Array<Index> from_col_idx;
    typename Matrix::template Array<S> from_values;
    Kokkos::View<Off*, Space> slice_ptr;
    Kokkos::View<Index*, Space> col_idx;
    Kokkos::View<S*, Space> values;
    std::int64_t rows;

    KOKKOS_FUNCTION void operator()(std::int64_t padded_row) const {
      const std::int64_t slice = padded_row / slice_rows;
      const bool real = padded_row < rows;
      Off k = real ? row_ptr(padded_row) : Off(0);
      const Off end = real ? row_ptr(padded_row + 1) : Off(0);
      const auto stop = static_cast<std::int64_t>(slice_ptr(slice + 1));
      for (auto to = static_cast<std::int64_t>(slice_ptr(slice)) + padded_row % slice_rows;
           to < stop; to += slice_rows, ++k) {
        col_idx(to) = k < end ? from_col_idx(k) : Index(-1);
        values(to) = k < end ? from_values(k) : S(0);
      }
    }
  };

  SlicedEll(const Exec& exec, const Matrix& A) {
    const auto unset = [&](const char* label) {
      return Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, std::string(label));
    };
    const std::int64_t slices = ceil_div<std::int64_t>(A.rows(), slice_rows);
    slice_ptr = Kokkos::View<Off*, Space>(unset("heddle::bench::sell_ptr"), slices + 1);
    std::int64_t size = 0;
    Kokkos::parallel_scan("heddle::bench::sell_measure", Range(exec, 0, slices + 1),
                          Measure{A.row_ptr(), slice_ptr, A.rows(), slices}, size);
    const auto entry_bytes = static_cast<std::int64_t>(sizeof(S) + sizeof(Index));
    if (size > std::numeric_limits<Off>::max() || size * entry_bytes > most_bytes) {
      throw Error("sliced ELL would hold " + std::to_string(size) + " entries", "leave it out");
    }
    col_idx = Kokkos::View<Index*, Space>(unset("heddle::bench::sell_col_idx"), size);
    values = Kokkos::View<S*, Space>(unset("heddle::bench::sell_values"), size);
    Kokkos::parallel_for(
        "heddle::bench::sell_fill", Range(exec, 0, slices * slice_rows),
        Fill{A.row_ptr(), A.col_idx(), A.values(), slice_ptr, col_idx, values, A.rows()});
  }

  std::size_t bytes() const {
    return slice_ptr.extent(0) * sizeof(Off) + col_idx.extent(0) * (sizeof(Index) + sizeof(S));
  }
};

}  // namespace heddle::bench
