// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Teuchos_CommHelpers.hpp>
#include <Tpetra_CrsMatrix.hpp>
#include <Tpetra_Import.hpp>
#include <cstring>
#include <exception>
#include <string>

#include "../../core/error.hpp"
#include "../../core/matrix.hpp"

namespace heddle::detail::tpetra {

/// Runs step() on every process of `comm`, and throws on all of them if it throws on one: otherwise
/// the others would wait for that one for ever, in the next message. A process on which it threw
/// throws its own exception again; the others throw an Error that names the first such process and
/// has its message. step() sends nothing. Collective: one reduction, and no allocation of its own
/// if the step succeeds or memory has run out.
template <class Step>
void agreed(const Teuchos::Comm<int>& comm, const Step& step) {
  char said[512] = "an exception that is no std::exception";
  std::exception_ptr mine;
  try {
    step();
  } catch (const std::exception& error) {
    mine = std::current_exception();
    std::strncpy(said, error.what(), sizeof(said) - 1);
  } catch (...) {
    mine = std::current_exception();
  }
  const int processes = comm.getSize();
  int first = processes;
  Teuchos::reduceAll(comm, Teuchos::REDUCE_MIN, mine ? comm.getRank() : processes,
                     Teuchos::outArg(first));
  if (first == processes) return;
  Teuchos::broadcast<int, char>(comm, first, static_cast<int>(sizeof(said)), said);
  if (mine) std::rethrow_exception(mine);
  throw Error("process " + std::to_string(first) + " failed: " + said,
              "correct it there: all processes fail with it");
}

// A matrix split into the columns whose entries of x a process owns and those that it imports.

/// The place of entry k of the imported part of x. A column's entry is in row `place` of the own
/// part or, if `place` is negative, in row -1 - place of the imported part.
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

  Places places;  // one for each column
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

/// Number of entries whose column is imported.
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
      "heddle::tpetra::fill_row_pointers", scan_policy(exec, std::int64_t{A.rows()} + 1),
      ScanRows<O, Off>{A.rows(), A.row_ptr().data(), A.col_idx().data(), split.places.data(),
                       split.own.row_ptr().data(), split.imported.row_ptr().data()});
}

/// Writes columns and values of both parts, each row in the order it has in A. It never writes
/// beyond the room of a row, even if A is not the matrix that was counted.
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

/// Places of the entries of x for the columns of a distributed matrix, from its importer: from
/// vectors on the source map to those on the target map, the column map.
template <class LO, class GO, class Node>
struct ImportedColumns {
  using Map = Tpetra::Map<LO, GO, Node>;
  using Import = Tpetra::Import<LO, GO, Node>;
  using Places = Kokkos::View<LO*, typename Node::memory_space>;

  /// Places for split_columns, one for each column.
  Places places;
  LO own = 0, imported = 0;
  /// Whether any process of the communicator imports columns.
  bool any_imported = false;
  /// Whether a split is predicted to pay. It saves a copy of the own entries of x, 16 bytes each.
  /// For each imported entry it costs 24 bytes to unpack it, which Tpetra does only if the vector
  /// holds nothing else, and about 16 bytes of y, read and written again.
  bool split_pays = false;

  explicit ImportedColumns(const Import& importer) {
    const Map& x_map = *importer.getSourceMap();
    const Map& column_map = *importer.getTargetMap();
    const auto from = importer.getPermuteFromLIDs();
    const auto to = importer.getPermuteToLIDs();
    const auto remote = importer.getRemoteLIDs();
    own = static_cast<LO>(x_map.getLocalNumElements());
    imported = static_cast<LO>(remote.size());

    places = Places(Kokkos::view_alloc(Kokkos::WithoutInitializing, "heddle::tpetra::places"),
                    column_map.getLocalNumElements());
    const auto host = Kokkos::create_mirror_view(places);
    const LO same = static_cast<LO>(importer.getNumSameIDs());
    for (LO j = 0; j < same; ++j) host(j) = j;
    for (Teuchos::Ordinal k = 0; k < to.size(); ++k) host(to[k]) = from[k];
    for (LO k = 0; k < imported; ++k) host(remote[k]) = imported_place(k);
    Kokkos::deep_copy(places, host);
  }

  /// Decides for all processes whether a split pays. Collective.
  void decide(const Teuchos::Comm<int>& comm) {
    const double mine[] = {static_cast<double>(own), static_cast<double>(imported)};
    double all[] = {0, 0};
    Teuchos::reduceAll(comm, Teuchos::REDUCE_SUM, 2, mine, all);
    any_imported = all[1] > 0;
    split_pays = 40 * all[1] < 16 * all[0];
  }

  /// An importer of the imported entries of x only, in the order of arrival. Collective.
  static Teuchos::RCP<const Import> alone(const Import& importer) {
    const Map& column_map = *importer.getTargetMap();
    const auto remote = importer.getRemoteLIDs();
    Teuchos::Array<GO> elements(remote.size());
    for (Teuchos::Ordinal k = 0; k < remote.size(); ++k) {
      elements[k] = column_map.getGlobalElement(remote[k]);
    }
    const auto target =
        Teuchos::rcp(new Map(Teuchos::OrdinalTraits<Tpetra::global_size_t>::invalid(), elements(),
                             column_map.getIndexBase(), column_map.getComm()));
    return importer.createRemoteOnlyImport(target);
  }
};

}  // namespace heddle::detail::tpetra
