// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../backends/launch.hpp"
#include "stored_pattern.hpp"

namespace heddle::detail::ilu {

/// Merges row i of a pattern with the fill of one level more, a subwarp a row; columns ascend.
///
/// All entries of lower levels stand in the pattern, so fill of level l is where entries (i, t) and
/// (t, j) of it have levels that add up to l - 1, with t below i and j. A lane looks for the next
/// such column in the rows t that are its own, and the lowest of all lanes is next. No row waits
/// for another, and nothing but the result is stored.
template <Ordinal O, Offset Off>
struct MergeFill {
  PatternView<O, Off> from;
  int new_level;

  /// emit(place, column, level) by one lane, place from 0 on; the number of them to all lanes.
  template <class Subwarp, class Emit>
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t operator()(const Subwarp& subwarp, std::int64_t i,
                                                      const Emit& emit) const {
    const Off begin = from.row_ptr[i], end = from.row_ptr[i + 1];
    const O none = static_cast<O>(from.rows);
    Off old = begin;
    O last = O(-1);
    std::int64_t count = 0;
    for (;;) {
      O next = none;
      for (Off k = begin + static_cast<Off>(subwarp.lane()); k < end;
           k += static_cast<Off>(Subwarp::width)) {
        if (static_cast<std::int64_t>(from.col_idx[k]) >= i) break;
        const O column = fill_of(from.col_idx[k], new_level - 1 - from.level_of(k), last, none);
        next = column < next ? column : next;
      }
      next = -subwarp.max(-next);
      const O here = old < end ? from.col_idx[old] : none;
      if (here <= next) next = here;
      if (next == none) return count;
      const bool is_old = next == here;
      if (subwarp.lane() == 0) emit(count, next, is_old ? from.level_of(old) : new_level);
      if (is_old) ++old;
      last = next;
      ++count;
    }
  }

 private:
  /// The first column of row t after t and `last` whose level is `level`.
  KOKKOS_FORCEINLINE_FUNCTION O fill_of(O t, int level, O last, O none) const {
    if (level < 0) return none;
    const Off begin = from.row_ptr[t], end = from.row_ptr[t + 1];
    const std::int64_t after = last > t ? last : t;
    Off first = begin + first_not_below(from.col_idx + begin, end - begin, after + 1);
    while (first < end && from.level_of(first) != level) ++first;
    return first < end ? from.col_idx[first] : none;
  }
};

template <Ordinal O, Offset Off>
struct CountFillKernel {
  using Scratch = backends::NoScratch;
  MergeFill<O, Off> merge;
  std::int64_t* count;

  struct Nothing {
    KOKKOS_FORCEINLINE_FUNCTION void operator()(std::int64_t, O, int) const {}
  };
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Team& team, Scratch&) const {
    const std::int64_t i = team.index() * Team::subwarps + team.subwarp_index();
    if (i >= merge.from.rows) return;
    const std::int64_t entries = merge(team.subwarp(), i, Nothing());
    if (team.subwarp().lane() == 0) count[i] = entries;
  }
};

template <Ordinal O, Offset Off>
struct WriteFillKernel {
  using Scratch = backends::NoScratch;
  MergeFill<O, Off> merge;
  const Off* row_ptr;
  O* col_idx;
  int* level;

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Team& team, Scratch&) const {
    const std::int64_t i = team.index() * Team::subwarps + team.subwarp_index();
    if (i >= merge.from.rows) return;
    merge(team.subwarp(), i, [&](std::int64_t place, O column, int of_level) {
      col_idx[row_ptr[i] + static_cast<Off>(place)] = column;
      level[row_ptr[i] + static_cast<Off>(place)] = of_level;
    });
  }
};

/// The pattern with the fill of `new_level`. Waits for `exec`.
template <ExecutionSpace Exec, Ordinal O, Offset Off>
StoredPattern<Exec, O, Off> add_fill_on_lanes(const Exec& exec, const PatternView<O, Off>& from,
                                              int new_level) {
  using Shape = backends::Shape<8>;
  constexpr std::int64_t rows_per_team = backends::Team<Exec, Shape>::subwarps;
  using Space = typename Exec::memory_space;
  const std::int64_t teams = ceil_div(from.rows, rows_per_team);
  const auto rows = static_cast<std::size_t>(from.rows);
  Arena<Space> work(exec, "heddle::ilu::fill_count", arena_bytes<std::int64_t>(rows));
  std::int64_t* const count = work.template take<std::int64_t>(rows).data();
  const MergeFill<O, Off> merge{from, new_level};
  backends::launch<Shape>(exec, "heddle::ilu::count_fill", teams,
                          CountFillKernel<O, Off>{merge, count});
  StoredPattern<Exec, O, Off> to(exec, from.rows, true, Terms<std::int64_t>{count});
  backends::launch<Shape>(exec, "heddle::ilu::write_fill", teams,
                          WriteFillKernel<O, Off>{merge, to.row_ptr(), to.col_idx(), to.level()});
  exec.fence("heddle::ilu::filled");
  return to;
}

}  // namespace heddle::detail::ilu
