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

template <class O, class Off>
struct CountImported {
  const O* col_idx;
  const O* places;

  KOKKOS_FUNCTION void operator()(std::int64_t k, Off& sum) const {
    sum += places[col_idx[k]] < 0 ? 1 : 0;
  }
};

template <class O, class Off>
struct ScanRows {
  O rows;
  const Off* row_ptr;
  const O* col_idx;
  const O* places;
  Off* own;
  Off* imported;

  KOKKOS_FUNCTION void operator()(std::int64_t i, Off& before, bool last) const {
    if (last) {
      imported[i] = before;
      own[i] = row_ptr[i] - row_ptr[0] - before;
    }
    if (i == rows) return;
    for (Off k = row_ptr[i]; k < row_ptr[i + 1]; ++k) before += places[col_idx[k]] < 0 ? 1 : 0;
  }
};

template <class Matrix>
struct SplitRows {
  using S = typename Matrix::scalar_type;
  using O = typename Matrix::ordinal_type;
  using Off = typename Matrix::offset_type;

  struct Part {
    const Off* row_ptr;
    O* col_idx;
    S* values;
  };

  const Off* row_ptr;
  const O* col_idx;
  const S* values;
  const O* places;
  Part own, imported;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    Off to_own = own.row_ptr[i], to_imported = imported.row_ptr[i];
    for (Off k = row_ptr[i]; k < row_ptr[i + 1]; ++k) {
      const O place = places[col_idx[k]];
      if (place >= 0 && to_own < own.row_ptr[i + 1]) {
        own.col_idx[to_own] = place;
        own.values[to_own++] = values[k];
      } else if (place < 0 && to_imported < imported.row_ptr[i + 1]) {
        imported.col_idx[to_imported] = imported_place(place);  // its own inverse
        imported.values[to_imported++] = values[k];
      }
    }
  }
};

/// Entries whose column is imported.
template <class Exec, class Matrix, class Places>
typename Matrix::offset_type count_imported(const Exec& exec, const Matrix& A,
                                            const Places& places) {
  using O = typename Matrix::ordinal_type;
  using Off = typename Matrix::offset_type;
  Off count = 0;
  Kokkos::parallel_reduce("heddle::tpetra::count_imported", range_policy(exec, A.nonzeros()),
                          CountImported<O, Off>{A.col_idx().data(), places.data()}, count);
  return count;
}

/// Writes the row pointers of both parts. A has a row or more.
template <class Exec, class Matrix, class Split>
void fill_row_pointers(const Exec& exec, const Matrix& A, const Split& split) {
  using O = typename Matrix::ordinal_type;
  using Off = typename Matrix::offset_type;
  Kokkos::parallel_scan(
      "heddle::tpetra::fill_row_pointers", range_policy(exec, std::int64_t{A.rows()} + 1),
      ScanRows<O, Off>{A.rows(), A.row_ptr().data(), A.col_idx().data(), split.places.data(),
                       split.own.row_ptr().data(), split.imported.row_ptr().data()});
}

/// Writes columns and values of both parts, each row in the order it has in A. Never beyond the
/// room of a row, even if A is not the matrix that was counted.
template <class Exec, class Matrix, class Split>
void fill_entries(const Exec& exec, const Matrix& A, const Split& split) {
  const auto part = [](const auto& storage) {
    return typename SplitRows<Matrix>::Part{storage.row_ptr().data(), storage.col_idx().data(),
                                            storage.values().data()};
  };
  Kokkos::parallel_for(
      "heddle::tpetra::fill_entries", range_policy(exec, A.rows()),
      SplitRows<Matrix>{A.row_ptr().data(), A.col_idx().data(), A.values().data(),
                        split.places.data(), part(split.own), part(split.imported)});
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
