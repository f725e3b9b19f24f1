// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <vector>

#include "../../backends/host/threads.hpp"
#include "../../core/search.hpp"
#include "stored_pattern.hpp"

namespace heddle::detail::ilu {

/// What a thread finds of the rows that are its own.
template <Ordinal O>
struct FilledRows {
  std::vector<O> col_idx;
  std::vector<int> level;
};

/// Rows [first, stop) of the pattern with the fill of `new_level` (MergeFill says which that is),
/// and how many entries each has. `seen` has an entry a column, none of which is a row's number.
template <Ordinal O, Offset Off>
void fill_rows(const PatternView<O, Off>& from, int new_level, std::int64_t first,
               std::int64_t stop, std::vector<O>& seen, std::int64_t* count, FilledRows<O>& to) {
  std::vector<O> fill;
  for (std::int64_t i = first; i < stop; ++i) {
    const Off begin = from.row_ptr[i], end = from.row_ptr[i + 1];
    const O row = static_cast<O>(i);
    fill.clear();
    for (Off k = begin; k < end; ++k) seen[static_cast<std::size_t>(from.col_idx[k])] = row;
    for (Off k = begin; k < end && from.col_idx[k] < row; ++k) {
      const O t = from.col_idx[k];
      const int wanted = new_level - 1 - from.level_of(k);
      if (wanted < 0) continue;
      for (Off q = from.row_ptr[t + 1]; q > from.row_ptr[t] && from.col_idx[q - 1] > t; --q) {
        O& of_column = seen[static_cast<std::size_t>(from.col_idx[q - 1])];
        if (of_column == row || from.level_of(q - 1) != wanted) continue;
        of_column = row;
        fill.push_back(from.col_idx[q - 1]);
      }
    }
    std::sort(fill.begin(), fill.end());
    auto next = fill.begin();
    for (Off k = begin; k < end; ++k) {
      for (; next != fill.end() && *next < from.col_idx[k]; ++next) {
        to.col_idx.push_back(*next);
        to.level.push_back(new_level);
      }
      to.col_idx.push_back(from.col_idx[k]);
      to.level.push_back(from.level_of(k));
    }
    to.col_idx.insert(to.col_idx.end(), next, fill.end());
    to.level.resize(to.col_idx.size(), new_level);
    count[i] = static_cast<std::int64_t>(end - begin) + static_cast<std::int64_t>(fill.size());
  }
}

/// The pattern with the fill of `new_level`, on the threads of a CPU. Waits for `exec`.
template <ExecutionSpace Exec, Ordinal O, Offset Off>
StoredPattern<Exec, O, Off> add_fill_on_threads(const Exec& exec, const PatternView<O, Off>& from,
                                                int new_level) {
  const auto threads = static_cast<std::size_t>(std::max(1, exec.concurrency()));
  std::vector<std::int64_t> count(static_cast<std::size_t>(from.rows));
  std::vector<FilledRows<O>> found(threads);
  // Shares of about as many entries; a thread that was not granted leaves its share to others.
  std::vector<std::int64_t> begin(threads + 1, from.rows);
  for (std::size_t t = 0; t < threads; ++t) {
    const auto entry =
        from.entries * static_cast<std::int64_t>(t) / static_cast<std::int64_t>(threads);
    begin[t] = std::lower_bound(from.row_ptr, from.row_ptr + from.rows, static_cast<Off>(entry)) -
               from.row_ptr;
  }
  const auto share = [&](int me, int granted) {
    std::vector<O> seen(static_cast<std::size_t>(from.rows), O(-1));
    for (auto t = static_cast<std::size_t>(me); t < threads;
         t += static_cast<std::size_t>(granted)) {
      fill_rows(from, new_level, begin[t], begin[t + 1], seen, count.data(), found[t]);
    }
  };
  backends::run_on_threads(exec, "heddle::ilu::fill", exec.concurrency(), share);
  StoredPattern<Exec, O, Off> to(exec, from.rows, true, Terms<std::int64_t>{count.data()});
  const auto copy = [&](int me, int granted) {
    for (auto t = static_cast<std::size_t>(me); t < threads;
         t += static_cast<std::size_t>(granted)) {
      const auto place = static_cast<std::ptrdiff_t>(to.row_ptr()[begin[t]]);
      std::copy(found[t].col_idx.begin(), found[t].col_idx.end(), to.col_idx() + place);
      std::copy(found[t].level.begin(), found[t].level.end(), to.level() + place);
    }
  };
  backends::run_on_threads(exec, "heddle::ilu::write_fill", exec.concurrency(), copy);
  return to;
}

}  // namespace heddle::detail::ilu
