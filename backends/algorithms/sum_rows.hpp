// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../core/types.hpp"
#include "../launch.hpp"

namespace heddle::detail {

/// Each subwarp sums one row.
template <class Sum, Offset Off, class Term, class To>
struct SumRows {
  using Scratch = backends::NoScratch;
  using Shape = backends::Shape<8, 128>;

  const Off* row_ptr;
  std::int64_t rows;
  Term term;
  To to;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team, Scratch&) const {
    const auto subwarp = team.subwarp();
    const std::int64_t row = team.index() * Team::subwarps + team.subwarp_index();
    if (row >= rows) return;
    Sum sum(0);
    const auto end = static_cast<std::int64_t>(row_ptr[row + 1]);
    for (std::int64_t k = static_cast<std::int64_t>(row_ptr[row]) + subwarp.lane(); k < end;
         k += Team::subwarp_width) {
      term(row, k, sum);
    }
    sum = subwarp.sum(sum);
    if (subwarp.lane() == 0) to(row) = sum;
  }
};

/// Row sums: to(row) = the sum of what term(row, k, sum) adds for the entries k of each of `rows`
/// rows, in an order fixed by the device. One launch in the order of `exec`; no wait.
template <class Sum, ExecutionSpace Exec, Offset Off, class Term, class To>
void sum_rows(const Exec& exec, const char* label, const Off* row_ptr, std::int64_t rows,
              const Term& term, const To& to) {
  using Kernel = SumRows<Sum, Off, Term, To>;
  using Team = backends::Team<Exec, typename Kernel::Shape>;
  backends::launch<typename Kernel::Shape>(exec, label, ceil_div(rows, Team::subwarps),
                                           Kernel{row_ptr, rows, term, to});
}

}  // namespace heddle::detail
