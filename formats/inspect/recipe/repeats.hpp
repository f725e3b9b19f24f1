// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <map>
#include <string>

#include "../../../backends/algorithms/lowest_where.hpp"
#include "../../../backends/loops.hpp"
#include "../../../core/arena.hpp"
#include "../../../core/partition.hpp"
#include "panel_keys.hpp"

namespace heddle::recipe {

/// Treatment of repeated entries, which have the same row and column: their values are added in the
/// order of their row, or they are an error.
enum class Repeats { add_up, refuse };

/// The first entry that repeats the one before it in its row, if the map takes both, and the first
/// other entry that is out of order; no_key if there is none.
struct EntryOrder {
  std::int64_t repeat = no_key;
  std::int64_t disorder = no_key;
};

/// Tests all entries but the first, an item an entry. The row is searched only if columns do not
/// ascend, mostly at the beginning of a row.
template <class AnyEntries>
struct EntryOrderKernel {
  using value_type = EntryOrder;
  using Off = typename AnyEntries::Off;

  AnyEntries entries;

  KOKKOS_FUNCTION void init(value_type& order) const { order = value_type(); }
  KOKKOS_FUNCTION void join(value_type& order, const value_type& other) const {
    order.repeat = Kokkos::min(order.repeat, other.repeat);
    order.disorder = Kokkos::min(order.disorder, other.disorder);
  }
  KOKKOS_FUNCTION void operator()(std::int64_t k, value_type& order) const {
    const auto before = entries.col_idx[k - 1], column = entries.col_idx[k];
    if (before < column) return;
    const std::int64_t row =
        first_row_from(entries.row_ptr, entries.rows, static_cast<Off>(k + 1)) - 1;
    if (entries.begin(row) == k) return;
    const bool both = entries.point(row, k - 1).taken && entries.point(row, k).taken;
    std::int64_t& first = before == column && both ? order.repeat : order.disorder;
    first = Kokkos::min(first, k);
  }
};

/// Tests all entries: one launch and one readback, which waits for `exec`; no allocation.
template <ExecutionSpace Exec, class AnyEntries>
EntryOrder entry_order(const Exec& exec, const AnyEntries& entries, std::int64_t nonzeros) {
  EntryOrder order;
  if (nonzeros < 2) return order;
  Kokkos::parallel_reduce("heddle::recipe::entry_order", range_policy(exec, 1, nonzeros),
                          EntryOrderKernel<AnyEntries>{entries}, order);
  return order;
}

/// Keys by which a sort makes repeated entries neighbours.
template <class AnyEntries>
struct ColumnKeys {
  AnyEntries entries;

  KOKKOS_FORCEINLINE_FUNCTION std::int64_t operator()(std::int64_t row, std::int64_t k) const {
    return entries.point(row, k).taken ? static_cast<std::int64_t>(entries.col_idx[k]) : -1;
  }
};

/// Whether a key equals its neighbour before it in the same row, among keys that sort_row_keys
/// sorted.
template <class AnyEntries>
struct IsSortedRepeat {
  using Off = typename AnyEntries::Off;

  AnyEntries entries;
  const Off* keys;

  KOKKOS_FUNCTION bool operator()(std::int64_t k) const {
    if (k == 0 || keys[k] != keys[k - 1] || keys[k] == Off(0)) return false;
    const std::int64_t row =
        first_row_from(entries.row_ptr, entries.rows, static_cast<Off>(k + 1)) - 1;
    return entries.begin(row) < k;
  }
};

/// Two entries with the same row and column.
struct Repeat {
  std::int64_t row = -1;
  std::int64_t column = -1;
  std::int64_t first = -1;
  std::int64_t second = -1;

  bool found() const { return row >= 0; }
  Where where() const { return {.row = row, .entry = second}; }
  std::string to_string() const {
    return "column " + std::to_string(column) + " stands twice in row " + std::to_string(row) +
           ", as entries " + std::to_string(first) + " and " + std::to_string(second);
  }
};

/// Finds the repeat in the row that holds entry k, from a copy of the matrix on the host.
template <class Matrix, class Map>
Repeat repeat_in_row_of(const Matrix& A, const Map& map, std::int64_t k) {
  using Off = typename Matrix::offset_type;
  const auto row_ptr = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), A.row_ptr(),
                                                           "heddle::recipe::row_ptr");
  const auto col_idx = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), A.col_idx(),
                                                           "heddle::recipe::col_idx");
  const std::int64_t row =
      first_row_from(row_ptr.data(), std::int64_t{A.rows()}, static_cast<Off>(k + 1)) - 1;
  const auto begin = static_cast<std::int64_t>(row_ptr(static_cast<std::size_t>(row)));
  const auto end = static_cast<std::int64_t>(row_ptr(static_cast<std::size_t>(row) + 1));
  std::map<std::int64_t, std::int64_t> entry_of;
  for (std::int64_t entry = begin; entry < end; ++entry) {
    const auto column = static_cast<std::int64_t>(col_idx(static_cast<std::size_t>(entry)));
    if (!map(Point{row, column, entry - begin}).taken) continue;
    const auto [place, is_new] = entry_of.try_emplace(column, entry);
    if (!is_new) return {row, column, place->second, entry};
  }
  return {};
}

/// Finds two entries with the same row and column, both taken by the map, in the first row that has
/// such a pair; found() is false if there is none. One launch over the entries and one readback,
/// which waits for `exec`; if columns do not ascend in some row, up to four more, and a workspace
/// of an offset for each nonzero, which is freed.
template <ExecutionSpace Exec, class Matrix, class Map>
Repeat find_repeat(const Exec& exec, const Matrix& A, const Map& map) {
  using Off = typename Matrix::offset_type;
  const Entries<Matrix, Map> entries(A, map);
  const auto nonzeros = static_cast<std::int64_t>(A.nonzeros());
  const EntryOrder order = entry_order(exec, entries, nonzeros);
  if (order.disorder == no_key) {
    return order.repeat == no_key ? Repeat() : repeat_in_row_of(A, map, order.repeat);
  }
  Off* keys = nullptr;
  const Arena<typename Exec::memory_space> work(exec, "heddle::recipe::row_keys",
                                                arena_array(keys, nonzeros));
  sort_row_keys(exec, entries, ColumnKeys<Entries<Matrix, Map>>{entries}, keys);
  const std::int64_t first =
      detail::lowest_where(exec, "heddle::recipe::repeats", nonzeros,
                           IsSortedRepeat<Entries<Matrix, Map>>{entries, keys});
  return first == nonzeros ? Repeat() : repeat_in_row_of(A, map, first);
}

/// Throws Error, naming row, column and both entries, if the map takes two entries with the same
/// row and column; costs what find_repeat does. Ends of recipes call it with Repeats::refuse.
template <ExecutionSpace Exec, class Matrix, class Map>
void refuse_repeats(const Exec& exec, const Matrix& A, const Map& map) {
  const Repeat repeat = find_repeat(exec, A, map);
  if (!repeat.found()) return;
  throw Error("two entries are in one place: " + repeat.to_string(), repeat.where(),
              "add them up, or use a recipe that does (Repeats::add_up)");
}

/// Counts the entries of a row that the map takes.
template <class AnyEntries>
struct CountTaken {
  AnyEntries entries;
  std::int64_t* counts;

  KOKKOS_FUNCTION void operator()(std::int64_t row) const {
    std::int64_t taken = 0;
    for (std::int64_t k = entries.begin(row); k < entries.end(row); ++k) {
      taken += entries.point(row, k).taken;
    }
    counts[row] = taken;
  }
};

template <class AnyEntries, class Row, class Column, class Source>
struct WriteTaken {
  AnyEntries entries;
  const std::int64_t* first;
  Row* rows;
  Column* columns;
  Source* sources;

  KOKKOS_FUNCTION void operator()(std::int64_t row) const {
    std::int64_t to = first[row];
    for (std::int64_t k = entries.begin(row); k < entries.end(row); ++k) {
      const Point point = entries.point(row, k);
      if (!point.taken) continue;
      if (rows) rows[to] = static_cast<Row>(row);
      if (columns) columns[to] = static_cast<Column>(point.column);
      if (sources) sources[to] = static_cast<Source>(k);
      ++to;
    }
  }
};

/// An end of a recipe: one flat list of the entries that the map takes, in the order of rows and of
/// their places in them. COO of a whole matrix, or of the entries that a split leaves.
///
/// The constructor counts, with one readback, which waits for `exec`; write() fills the format's
/// arrays. Memory until it is destroyed: 8 bytes for each row. Repeated entries are kept, or with
/// Repeats::refuse throw what refuse_repeats does.
template <ExecutionSpace Exec, class Matrix, class Map>
class Coalesce {
 public:
  using Space = typename Exec::memory_space;

  Coalesce(const Exec& exec, const Matrix& A, const Map& map, Repeats repeats = Repeats::add_up)
      : entries_(A, map),
        work_(exec, "heddle::recipe::first",
              arena_bytes<std::int64_t>(static_cast<std::size_t>(A.rows()) + 1)),
        first_(work_.template take<std::int64_t>(static_cast<std::size_t>(A.rows()) + 1)) {
    if (repeats == Repeats::refuse) refuse_repeats(exec, A, map);
    count(exec);
  }

  /// Number of entries that are taken.
  std::int64_t entries() const { return entries_taken_; }

  /// Writes for each taken entry its row, its column as mapped, and its place in the matrix's
  /// arrays, where its values are read, in update_values too. Any pointer may be null. One launch,
  /// in the order of `exec`; no wait.
  template <class Row, class Column, class Source>
  void write(const Exec& exec, Row* rows, Column* columns, Source* sources) const {
    Kokkos::parallel_for("heddle::recipe::flat", range_policy(exec, entries_.rows),
                         WriteTaken<Entries<Matrix, Map>, Row, Column, Source>{
                             entries_, first_.data(), rows, columns, sources});
  }

  void count(const Exec& exec) {
    Kokkos::parallel_for("heddle::recipe::count", range_policy(exec, entries_.rows),
                         CountTaken<Entries<Matrix, Map>>{entries_, first_.data()});
    entries_taken_ =
        detail::running_sum_and_total(exec, "heddle::recipe::scan", first_.data(), entries_.rows,
                                      detail::Terms<std::int64_t>{first_.data()});
  }

 private:
  Entries<Matrix, Map> entries_;
  std::int64_t entries_taken_ = 0;
  Arena<Space> work_;
  typename Arena<Space>::template Array<std::int64_t> first_;
};

}  // namespace heddle::recipe
