// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../../backends/loops.hpp"
#include "../../../core/arena.hpp"
#include "repeats.hpp"

namespace heddle::recipe {

/// Entries that a row's map takes: all of them are asked only if the map's last step splits.
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

/// An end: one flat loop over the entries that the map takes, in the order of rows and of their
/// places in them. COO, of a whole matrix or of what a split leaves.
///
/// The constructor counts, with one readback, which waits for `exec`; write() fills the format's
/// arrays. Memory until it is destroyed: 8 bytes a row. Repeated entries stay as they are, or with
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

  /// Entries that are taken.
  std::int64_t entries() const { return entries_taken_; }

  /// Of each of them its row, its column as the map left it, and its place in the matrix's arrays:
  /// values are taken from there, now and in update_values. Any pointer may be null. One launch, in
  /// the order of `exec`; no wait.
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
