// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../core/matrix.hpp"

/// A matrix cut by columns into what one process owns of x and what it imports.
namespace heddle::detail::tpetra {

/// Where a column of the matrix finds its entry of x: row `place` of the own part of x, or, where
/// `place` is negative, row -1 - place of the imported part.
template <class O>
KOKKOS_FORCEINLINE_FUNCTION constexpr O imported_place(O k) {
  return -1 - k;
}

template <class Exec, class Matrix>
struct ColumnSplit {
  using S = typename Matrix::scalar_type;
  using O = typename Matrix::ordinal_type;
  using Off = typename Matrix::offset_type;
  using Space = typename Matrix::memory_space;
  using Storage = CsrStorage<S, O, Off, Space>;
  using Places = Kokkos::View<O*, Space>;

  Places places;  // one a column
  Storage own, imported;
};

/// Entries whose column is imported.
template <class Exec, class Matrix, class Places>
typename Matrix::offset_type count_imported(const Exec& exec, const Matrix& A,
                                            const Places& places) {
  using Off = typename Matrix::offset_type;
  const auto col_idx = A.col_idx();
  Off count = 0;
  Kokkos::parallel_reduce(
      "heddle::tpetra::count_imported", Kokkos::RangePolicy<Exec>(exec, 0, A.nonzeros()),
      KOKKOS_LAMBDA(Off k, Off & sum) { sum += places(col_idx(k)) < 0 ? 1 : 0; }, count);
  return count;
}

/// Writes the row pointers of both parts. A has a row or more.
template <class Exec, class Matrix, class Split>
void fill_row_pointers(const Exec& exec, const Matrix& A, const Split& split) {
  using O = typename Matrix::ordinal_type;
  using Off = typename Matrix::offset_type;
  const O rows = A.rows();
  const auto row_ptr = A.row_ptr();
  const auto col_idx = A.col_idx();
  const auto places = split.places;
  const auto own = split.own.row_ptr();
  const auto imported = split.imported.row_ptr();
  Kokkos::parallel_scan(
      "heddle::tpetra::fill_row_pointers", Kokkos::RangePolicy<Exec>(exec, 0, rows + 1),
      KOKKOS_LAMBDA(O i, Off & before, bool last) {
        if (last) {
          imported(i) = before;
          own(i) = row_ptr(i) - row_ptr(0) - before;
        }
        if (i == rows) return;
        for (Off k = row_ptr(i); k < row_ptr(i + 1); ++k) before += places(col_idx(k)) < 0 ? 1 : 0;
      });
}

/// Writes columns and values of both parts, each row in the order it has in A. Never beyond the
/// room of a row, even if A is not the matrix that was counted.
template <class Exec, class Matrix, class Split>
void fill_entries(const Exec& exec, const Matrix& A, const Split& split) {
  using O = typename Matrix::ordinal_type;
  using Off = typename Matrix::offset_type;
  const auto row_ptr = A.row_ptr();
  const auto col_idx = A.col_idx();
  const auto values = A.values();
  const auto places = split.places;
  const auto own = split.own;
  const auto imported = split.imported;
  const auto own_ptr = own.row_ptr(), imported_ptr = imported.row_ptr();
  const auto own_columns = own.col_idx(), imported_columns = imported.col_idx();
  const auto own_values = own.values(), imported_values = imported.values();
  Kokkos::parallel_for(
      "heddle::tpetra::fill_entries", Kokkos::RangePolicy<Exec>(exec, 0, A.rows()),
      KOKKOS_LAMBDA(O i) {
        Off to_own = own_ptr(i), to_imported = imported_ptr(i);
        for (Off k = row_ptr(i); k < row_ptr(i + 1); ++k) {
          const O place = places(col_idx(k));
          if (place >= 0 && to_own < own_ptr(i + 1)) {
            own_columns(to_own) = place;
            own_values(to_own++) = values(k);
          } else if (place < 0 && to_imported < imported_ptr(i + 1)) {
            imported_columns(to_imported) = imported_place(place);  // its own inverse
            imported_values(to_imported++) = values(k);
          }
        }
      });
}

/// Both parts of A as matrices of their own, with all of A's rows, and own_columns and
/// imported_columns columns. Allocates, and waits for `exec`.
template <class Exec, class Matrix>
ColumnSplit<Exec, Matrix> split_columns(const Exec& exec, const Matrix& A,
                                        const typename ColumnSplit<Exec, Matrix>::Places& places,
                                        typename Matrix::ordinal_type own_columns,
                                        typename Matrix::ordinal_type imported_columns) {
  using Split = ColumnSplit<Exec, Matrix>;
  const auto imported = count_imported(exec, A, places);
  Split split{places, typename Split::Storage(exec, A.rows(), own_columns, A.nonzeros() - imported),
              typename Split::Storage(exec, A.rows(), imported_columns, imported)};
  if (A.rows() > 0) {
    fill_row_pointers(exec, A, split);
    fill_entries(exec, A, split);
  } else {
    Kokkos::deep_copy(exec, split.own.row_ptr(), 0);
    Kokkos::deep_copy(exec, split.imported.row_ptr(), 0);
  }
  exec.fence("heddle::tpetra::split");
  return split;
}

}  // namespace heddle::detail::tpetra
