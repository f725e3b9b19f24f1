// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../inspect/check_csr.hpp"
#include "../inspect/each_entry.hpp"
#include "../inspect/radix_sort.hpp"
#include "derived.hpp"

/// Matrices from lists of entries: entries are sorted by row and column, and those that repeat a
/// place are added up.
namespace heddle::detail {

/// How entries are listed.
struct Listing {
  bool add_up = false;          ///< entries of one place become one
  bool columns_ascend = false;  ///< they are listed by ascending columns
  bool check = true;            ///< the matrix that they are of is checked
};

template <Ordinal O>
struct KeptBefore {
  const O* row_of;
  O rows;
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t& kept) const {
    kept += row_of[i] < rows;
  }
};

/// 1 of each entry that is kept and has a place for itself, of entries in their order.
template <Ordinal O>
struct HasPlace {
  const O* row_of;
  const O* column_of;
  O rows;
  bool add_up;

  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t i) const {
    if (row_of[i] >= rows) return 0;
    const bool repeats =
        add_up && i > 0 && row_of[i - 1] == row_of[i] && column_of[i - 1] == column_of[i];
    return repeats ? 0 : 1;
  }
};

template <Ordinal O, Offset Off>
struct PutEntries {
  HasPlace<O> has_place;
  const Off* place;  ///< places before that of each entry
  const Off* order;
  O* col_idx;
  Off* first;
  Off* source;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    source[i] = order[i];
    if (has_place(i) == 0) return;
    col_idx[place[i]] = has_place.column_of[i];
    if (first) first[place[i]] = static_cast<Off>(i);
  }
};

template <Offset Off>
struct PutRowStarts {
  Off* row_ptr;
  const Off* place;
  const Off* first_of_row;
  Off* first;
  std::int64_t rows;
  std::int64_t kept;

  KOKKOS_FUNCTION void operator()(std::int64_t row) const {
    row_ptr[row] = place[first_of_row[row]];
    if (first && row == rows) first[row_ptr[row]] = static_cast<Off>(kept);
  }
};

/// The pattern of rows x columns whose entries `list(row_of, column_of)` writes: `count` of them,
/// where a row of `rows` stands for one that is left out. Entries of one place stay in the order of
/// the list. A workspace of three ordinals and four offsets an entry, and that of the sort; waits
/// for `exec`.
template <Scalar S, Offset Off, ExecutionSpace Exec, Ordinal O, class List>
auto derive(const Exec& exec, O rows, O columns, std::int64_t count, const Listing& listing,
            const List& list) {
  using Space = typename Exec::memory_space;
  const auto n = static_cast<std::size_t>(matrix_size<Off>(count, "entries"));
  const auto starts = static_cast<std::size_t>(rows) + 1;
  Arena<Space> work(exec, "heddle::matrix::entries",
                    arena_bytes<O, O, O, Off, Off, Off, Off>(n, n, n, n, n, n + 1, starts));
  O* const row_of = work.template take<O>(n).data();
  O* const column_of = work.template take<O>(n).data();
  O* const sorted_columns = work.template take<O>(n).data();
  Off* const by_column = work.template take<Off>(n).data();
  Off* const order = work.template take<Off>(n).data();
  Off* const place = work.template take<Off>(n + 1).data();
  Off* const first_of_row = work.template take<Off>(starts).data();
  list(row_of, column_of);

  RadixSort<Exec, O, Off> sort(exec, count);
  if (listing.columns_ascend) {
    sort.sort(exec, row_of, rows, order);
  } else {
    sort.sort(exec, column_of, columns, by_column);
    gather(exec, "heddle::matrix::rows", sorted_columns, count, row_of, by_column);
    sort.sort(exec, sorted_columns, rows, place);
    gather(exec, "heddle::matrix::order", order, count, by_column, place);
  }
  gather(exec, "heddle::matrix::columns", sorted_columns, count, column_of, order);
  const O* const sorted_rows = sort.sorted();
  std::int64_t kept = 0;
  Kokkos::parallel_reduce("heddle::matrix::count", range_policy(exec, count),
                          KeptBefore<O>{sorted_rows, rows}, kept);
  const HasPlace<O> has_place{sorted_rows, sorted_columns, rows, listing.add_up};
  const std::int64_t places =
      running_sum_and_total(exec, "heddle::matrix::places", place, count, has_place);
  write_starts(exec, "heddle::matrix::row_starts", first_of_row, rows, sorted_rows, count);

  Derivation<S, O, Off, Space> made;
  made.storage = CsrStorage<S, O, Off, Space>(exec, rows, columns, places);
  const bool sums = places < kept;
  const auto sources = static_cast<std::size_t>(kept);
  const std::size_t firsts = sums ? static_cast<std::size_t>(places) + 1 : 0;
  made.kept = Arena<Space>(exec, "heddle::matrix::sources", arena_bytes<Off, Off>(firsts, sources));
  Off* const first = made.kept.template take<Off>(firsts).data();
  Off* const source = made.kept.template take<Off>(sources).data();
  made.first = sums ? first : nullptr;
  made.source = source;
  parallel_for(exec, "heddle::matrix::fill", kept,
               PutEntries<O, Off>{has_place, place, order, made.storage.col_idx().data(),
                                  sums ? first : nullptr, source});
  parallel_for(exec, "heddle::matrix::row_ptr", static_cast<std::int64_t>(starts),
               PutRowStarts<Off>{made.storage.row_ptr().data(), place, first_of_row,
                                 sums ? first : nullptr, rows, kept});
  exec.fence("heddle::matrix::derived");
  return made;
}

/// Lists entry k of a matrix as map(row, k, column) says, at `shift` + k.
template <Ordinal O, class Map>
struct ListEntries {
  const O* col_idx;
  O* row_of;
  O* column_of;
  std::int64_t shift;
  Map map;

  KOKKOS_FORCEINLINE_FUNCTION void operator()(std::int64_t row, std::int64_t k) const {
    O i = static_cast<O>(row), j = col_idx[k];
    map(k, i, j);
    row_of[shift + k] = i;
    column_of[shift + k] = j;
  }
};

template <ExecutionSpace Exec, Ordinal O, Offset Off, MemorySpace Space, class Map>
void list_entries(const Exec& exec, const CsrPattern<O, Off, Space>& A, O* row_of, O* column_of,
                  std::int64_t shift, const Map& map) {
  each_entry(exec, "heddle::matrix::list", A.row_ptr().data(), A.rows(),
             static_cast<std::int64_t>(A.nonzeros()),
             ListEntries<O, Map>{A.col_idx().data(), row_of, column_of, shift, map});
}

/// The matrix of the entries of A that `map(k, row, column)` leaves or moves, with their values.
template <ExecutionSpace Exec, Scalar S, Ordinal O, Offset Off, MemorySpace Space, class Map>
DerivedCsr<Exec, S, O, Off> derive_from(const Exec& exec, const CsrMatrix<S, O, Off, Space>& A,
                                        O rows, O columns, const Listing& listing, const Map& map,
                                        const Source<S>& source = {}) {
  if (listing.check) check_csr(exec, A);
  const auto nonzeros = static_cast<std::int64_t>(A.nonzeros());
  auto made = derive<S, Off>(exec, rows, columns, nonzeros, listing, [&](O* row_of, O* column_of) {
    list_entries(exec, A, row_of, column_of, 0, map);
  });
  DerivedCsr<Exec, S, O, Off> derived(std::move(made), nonzeros, 0, source, {}, false);
  derived.update_values(exec, A);
  return derived;
}

}  // namespace heddle::detail
