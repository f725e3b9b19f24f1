// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../core/search.hpp"
#include "../launch.hpp"

namespace heddle::detail {

/// The row after `row` and before `stop` that holds nonzero k; mostly it is the next one.
template <class Off>
KOKKOS_FORCEINLINE_FUNCTION std::int64_t row_behind(const Off* row_ptr, std::int64_t row,
                                                    std::int64_t stop, std::int64_t k) {
  ++row;
  const bool here = k < static_cast<std::int64_t>(row_ptr[row + 1]);
  return here ? row : last_not_above(row_ptr, row, stop, k);
}

/// Each team takes one chunk of nonzeros; a thread takes every Team::threads-th of them.
template <class Off, class Visit>
struct EachEntryKernel {
  using Scratch = backends::NoScratch;
  using Shape = backends::Shape<1, 256>;
  static constexpr std::int64_t chunk = 2048;

  const Off* row_ptr;
  std::int64_t rows;
  Visit first_visit;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team, Scratch&) const {
    const std::int64_t begin = team.index() * chunk;
    const auto entries = static_cast<std::int64_t>(row_ptr[rows]);
    const std::int64_t end = begin + chunk < entries ? begin + chunk : entries;
    Visit visit = first_visit;
    std::int64_t row = -1;
    for (std::int64_t k = begin + team.thread(); k < end; k += Team::threads) {
      if (row < 0) {
        row = last_not_above(row_ptr, std::int64_t{0}, rows, k);
      } else if (k >= static_cast<std::int64_t>(row_ptr[row + 1])) {
        row = row_behind(row_ptr, row, rows, k);
      }
      visit(row, k);
    }
  }
};

/// Calls visit(row, k) for each nonzero k, in any order; there are at most `most`. The work is cut
/// by nonzeros, however long rows are. Each thread calls a copy of `visit`, for ascending nonzeros,
/// so that it may remember the last. One launch in the order of `exec`; no wait.
template <ExecutionSpace Exec, class Off, class Visit>
void each_entry(const Exec& exec, const char* label, const Off* row_ptr, std::int64_t rows,
                std::int64_t most, const Visit& visit) {
  using Kernel = EachEntryKernel<Off, Visit>;
  backends::launch<typename Kernel::Shape>(exec, label, ceil_div(most, Kernel::chunk),
                                           Kernel{row_ptr, rows, visit});
}

/// Each work item sums one share of the nonzeros.
template <class Sum, class Off, class Term>
struct SumEntriesKernel {
  using value_type = Sum;

  const Off* row_ptr;
  std::int64_t rows;
  std::int64_t entries;
  std::int64_t share;
  Term term;

  KOKKOS_FUNCTION void init(Sum& sum) const { sum = Sum(); }
  KOKKOS_FUNCTION void join(Sum& sum, const Sum& other) const { sum += other; }
  KOKKOS_FUNCTION void operator()(std::int64_t item, Sum& sum) const {
    const std::int64_t begin = item * share;
    const std::int64_t end = begin + share < entries ? begin + share : entries;
    std::int64_t row = last_not_above(row_ptr, std::int64_t{0}, rows, begin);
    for (std::int64_t k = begin; k < end; ++k) {
      if (k >= static_cast<std::int64_t>(row_ptr[row + 1])) row = row_behind(row_ptr, row, rows, k);
      term(row, k, sum);
    }
  }
};

/// The sum of what term(row, k, sum) adds for each of `entries` nonzeros. The work is cut by
/// nonzeros, however long rows are. Sum is an integer type, since Kokkos chooses the order. One
/// launch and one readback, which waits for `exec`; no allocation.
template <class Sum, ExecutionSpace Exec, class Off, class Term>
Sum sum_entries(const Exec& exec, const char* label, const Off* row_ptr, std::int64_t rows,
                std::int64_t entries, const Term& term) {
  // GPU: one memory sector of columns a thread. CPU: enough to hide the search for the row.
  constexpr std::int64_t share = backends::has_lanes<Exec> ? 8 : 512;
  Sum sum{};
  Kokkos::parallel_reduce(label, range_policy(exec, ceil_div(entries, share)),
                          SumEntriesKernel<Sum, Off, Term>{row_ptr, rows, entries, share, term},
                          sum);
  return sum;
}

}  // namespace heddle::detail
