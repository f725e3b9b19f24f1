// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../formats/inspect/each_entry.hpp"
#include "ascending.hpp"

namespace heddle::detail::ilu {

/// Where entry (i, t) of a pattern, t below i, makes fill of one level: in the columns j above t of
/// row t whose level and its own add up to that level less one.
template <Ordinal O, Offset Off>
struct FillOfEntry {
  PatternView<O, Off> from;
  int new_level;

  template <class Visit>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(std::int64_t i, std::int64_t k,
                                              const Visit& visit) const {
    const O t = from.col_idx[k];
    const int wanted = new_level - 1 - from.level_of(static_cast<Off>(k));
    if (static_cast<std::int64_t>(t) >= i || wanted < 0) return;
    for (Off q = from.row_ptr[t + 1]; q > from.row_ptr[t] && from.col_idx[q - 1] > t; --q) {
      if (from.level_of(q - 1) == wanted) visit(from.col_idx[q - 1]);
    }
  }
};

/// Of each entry: itself, and its fill.
template <Ordinal O, Offset Off>
struct CountFill {
  FillOfEntry<O, Off> fill;
  std::int64_t* count;

  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t k) const {
    std::int64_t columns = 1;
    fill(i, k, [&](O) { ++columns; });
    count[k] = columns;
  }
};
template <Ordinal O, Offset Off>
struct WriteFill {
  FillOfEntry<O, Off> fill;
  const std::int64_t* begin;  ///< of each entry
  O* col_idx;

  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t k) const {
    O* next = col_idx + begin[k];
    *next++ = fill.from.col_idx[k];
    fill(i, k, [&](O column) { *next++ = column; });
  }
};
template <Offset Off>
struct BeginOfRows {
  const Off* row_ptr;
  const std::int64_t* begin;
  Off* to;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    to[i] = static_cast<Off>(begin[row_ptr[i]]);
  }
};

/// Entries of the pattern before keep their levels.
template <Ordinal O, Offset Off>
struct LevelOfEntry {
  PatternView<O, Off> before;
  int new_level;
  const O* col_idx;
  int* level;

  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t k) const {
    const Off end = before.row_ptr[i + 1];
    const Off at = find_column(before.col_idx, before.row_ptr[i], end, col_idx[k]);
    level[k] = at < end ? before.level_of(at) : new_level;
  }
};

/// The pattern with the fill of `new_level`, on a device of many lanes. Waits for `exec`.
///
/// All entries of lower levels stand in the pattern, so fill of level l is where entries (i, t) and
/// (t, j) of it have levels that add up to l - 1, with t below i and j. A thread has an entry (i,
/// t) and writes all such columns; those of a row are sorted then, and each kept once. So nobody
/// goes along a row more than once for each entry that needs it, however long it is.
template <ExecutionSpace Exec, Ordinal O, Offset Off>
StoredPattern<Exec, O, Off> add_fill_on_lanes(const Exec& exec, const PatternView<O, Off>& from,
                                              int new_level) {
  using Space = typename Exec::memory_space;
  const FillOfEntry<O, Off> fill{from, new_level};
  const auto entries = static_cast<std::size_t>(from.entries);
  StoredPattern<Exec, O, Off> repeated(exec, from.rows);
  {
    Arena<Space> work(exec, "heddle::ilu::fill_begin", arena_bytes<std::int64_t>(entries + 1));
    std::int64_t* const begin = work.template take<std::int64_t>(entries + 1).data();
    each_entry(exec, "heddle::ilu::count_fill", from.row_ptr, from.rows, from.entries,
               CountFill<O, Off>{fill, begin});
    const std::int64_t columns = running_sum_and_total<std::int64_t>(
        exec, "heddle::ilu::fill_begin", begin, from.entries, Terms<std::int64_t>{begin});
    repeated.allocate(exec, false, columns);
    Kokkos::parallel_for("heddle::ilu::row_ptr", range_policy(exec, from.rows + 1),
                         BeginOfRows<Off>{from.row_ptr, begin, repeated.row_ptr()});
    each_entry(exec, "heddle::ilu::write_fill", from.row_ptr, from.rows, from.entries,
               WriteFill<O, Off>{fill, begin, repeated.col_idx()});
    exec.fence("heddle::ilu::fill_written");
  }
  const Parts all{nullptr, from.rows, 1, false};
  const AscendingPattern<Exec, O, Off> once(exec, static_cast<O>(from.rows),
                                            static_cast<Off>(repeated.entries()),
                                            repeated.row_ptr(), repeated.col_idx(), all);
  const auto view = once.view();
  StoredPattern<Exec, O, Off> to(exec, from.rows);
  to.allocate(exec, true, view.entries);
  copy(exec, "heddle::ilu::row_ptr", to.row_ptr(), from.rows + 1, view.row_ptr);
  copy(exec, "heddle::ilu::columns", to.col_idx(), view.entries, view.col_idx);
  each_entry(exec, "heddle::ilu::levels", to.row_ptr(), from.rows, view.entries,
             LevelOfEntry<O, Off>{from, new_level, to.col_idx(), to.level()});
  exec.fence("heddle::ilu::filled");
  return to;
}

}  // namespace heddle::detail::ilu
