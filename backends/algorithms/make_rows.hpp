// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../core/arena.hpp"
#include "../../core/matrix.hpp"
#include "../loops.hpp"

/// CSR matrices made row by row: count, exclusive prefix sum, allocation, fill.
namespace heddle::detail {

/// Labels of the three launches.
struct RowLabels {
  const char *count, *row_ptr, *fill;
};

template <class Off, class Count>
struct CountRows {
  Off* counts;
  Count count;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { counts[i] = static_cast<Off>(count(i)); }
};

/// Makes a matrix whose row i has count(i) entries. fill(storage) returns the loop over rows that
/// writes columns, and values if there are any; row pointers are written before. Waits for `exec`.
template <Scalar S, Ordinal O, Offset Off, ExecutionSpace Exec, class Count, class Fill>
auto make_rows(const Exec& exec, const RowLabels& labels, std::int64_t rows, std::int64_t columns,
               const Count& count, const Fill& fill) {
  using Space = typename Exec::memory_space;
  Off* starts = nullptr;
  const Arena<Space> work(exec, labels.row_ptr, arena_array(starts, rows + 1));
  parallel_for(exec, labels.count, rows, CountRows<Off, Count>{starts, count});
  const std::int64_t entries =
      running_sum_and_total(exec, labels.row_ptr, starts, rows, Terms<Off>{starts});
  CsrStorage<S, O, Off, Space> storage(exec, rows, columns, entries);
  copy(exec, labels.row_ptr, storage.row_ptr().data(), rows + 1, starts);
  parallel_for(exec, labels.fill, rows, fill(storage));
  return storage;  // the release of `work` waits
}

/// Marks the entries k of row i for which the predicate keep(i, k) holds, and counts them.
template <class Pattern, class Keep>
struct MarkKept {
  Pattern A;
  Keep keep;
  unsigned char* kept;

  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t i) const {
    std::int64_t count = 0;
    for (auto k = A.row_ptr().data()[i]; k < A.row_ptr().data()[i + 1]; ++k) {
      kept[k] = keep(i, k);
      count += kept[k];
    }
    return count;
  }
};

/// Compaction: writes the columns of the kept entries, and calls put(i, k, place) for each, where
/// place is its number in the new matrix.
template <class Pattern, class Put>
struct PutKept {
  Pattern A;
  const unsigned char* kept;
  const typename Pattern::offset_type* row_ptr;
  typename Pattern::ordinal_type* col_idx;
  Put put;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    auto to = row_ptr[i];
    for (auto k = A.row_ptr().data()[i]; k < A.row_ptr().data()[i + 1]; ++k) {
      if (!kept[k]) continue;
      col_idx[to] = A.col_idx().data()[k];
      put(i, k, to++);
    }
  }
};

struct PutNothing {
  template <class Off>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(std::int64_t, Off, Off) const {}
};

/// Compaction: the entries k of each row i of A for which keep(i, k) holds, in the order of A;
/// kept[k] becomes 1 for these. put_of(storage) returns the `put` of PutKept. Waits for `exec`.
template <Scalar S, ExecutionSpace Exec, Ordinal O, Offset Off, MemorySpace Space, class Keep,
          class PutOf>
auto keep_rows(const Exec& exec, const RowLabels& labels, const CsrPattern<O, Off, Space>& A,
               unsigned char* kept, const Keep& keep, const PutOf& put_of) {
  using Pattern = CsrPattern<O, Off, Space>;
  return make_rows<S, O, Off>(exec, labels, A.rows(), A.columns(),
                              MarkKept<Pattern, Keep>{A, keep, kept}, [&](const auto& storage) {
                                const auto put = put_of(storage);
                                return PutKept<Pattern, std::remove_const_t<decltype(put)>>{
                                    A, kept, storage.row_ptr().data(), storage.col_idx().data(),
                                    put};
                              });
}
template <Scalar S, ExecutionSpace Exec, Ordinal O, Offset Off, MemorySpace Space, class Keep>
auto keep_rows(const Exec& exec, const RowLabels& labels, const CsrPattern<O, Off, Space>& A,
               unsigned char* kept, const Keep& keep) {
  return keep_rows<S>(exec, labels, A, kept, keep, [](const auto&) { return PutNothing(); });
}

}  // namespace heddle::detail
