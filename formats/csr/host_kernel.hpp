// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../backends/launch.hpp"
#include "../common/compressed_rows/host_plain_rows.hpp"
#include "../common/equal_work.hpp"
#include "../common/team_sums/dot.hpp"
#include "host_simd_rows.hpp"
#include "share_search.hpp"

/// The CSR kernels of CPUs, where a lane is a thread. They share out the rows; Rows, one of
/// HostPlainRows, HostSimdRows and HostSimdVectors, computes them.
namespace heddle::detail::csr {

/// Stores rows [first, stop) and adds up their dot, if one is wanted: block by block, while y is in
/// the first cache.
template <class Operands, class Rows, Scalar Acc>
KOKKOS_FORCEINLINE_FUNCTION void store_rows(const Operands& operands, const Rows& rows,
                                            std::int64_t first, std::int64_t stop,
                                            const team_sums::Dot<Acc>& dot, Acc& sum) {
  constexpr std::int64_t block_rows = 512;
  const std::int64_t block = dot.result ? block_rows : stop - first;
  for (std::int64_t at = first; at < stop; at += block) {
    const std::int64_t until = at + block < stop ? at + block : stop;
    rows.store_rows(operands, at, until);
    if (dot.result) sum += team_sums::dot_of_rows(dot, operands.x, operands.y, at, until);
  }
}

/// csr/scalar, csr/blocks and csr/merge,search=apply: each team, which is a thread, takes
/// contiguous rows: so many, or, where that is 0, those between two of the table, or without a
/// table a share that it searches for.
template <class Operands, class Rows>
struct HostRowsKernel {
  using Scratch = backends::NoScratch;

  Operands operands;
  Rows rows;
  std::int64_t rows_per_team;
  const typename Operands::ordinal_type* first;
  ShareSearch search;
  team_sums::Dot<typename Operands::accumulator_type> dot;
  std::int64_t teams;

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Team& team, Scratch&) const {
    const std::int64_t row = first_row(team, team.index());
    const std::int64_t stop = first_row(team, team.index() + 1);
    typename Operands::accumulator_type sum[1] = {};
    store_rows(operands, rows, row, stop, dot, sum[0]);
    if (dot.result) team_sums::finish_dot_of_thread(team, dot, teams, sum);
  }

 private:
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t first_row(const Team& team, std::int64_t share) const {
    if (first) return first[share];
    if (rows_per_team == 0) {
      return search.first_row(team.subwarp(), operands.row_ptr, operands.rows, share);
    }
    const std::int64_t row = share * rows_per_team;
    return row < operands.rows ? row : operands.rows;
  }
};

/// csr/adaptive and csr/merge: each thread takes a share. Carry-outs as in ShareTable.
template <class Operands, class Rows, class Table>
struct HostShareKernel {
  using Scratch = backends::NoScratch;
  using O = typename Operands::ordinal_type;
  using Off = typename Operands::offset_type;
  using Acc = typename Operands::accumulator_type;

  Operands operands;
  Rows rows;
  Table table;
  team_sums::Dot<Acc> dot;

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Team& team, Scratch&) const {
    const std::int64_t t = team.index();
    Acc dot_sum[1] = {};
    const auto& begin = table.edges[t];
    const auto& end = table.edges[t + 1];
    O row = begin.row;
    const bool finishes = begin.first_share >= 0 && row < end.row;
    Acc first_sum[Rows::vectors] = {};
    if (finishes) {
      rows.sum_nonzeros(operands, begin.nonzero, operands.row_ptr[row + 1], first_sum);
      ++row;
    }
    store_rows(operands, rows, row, end.row, dot, dot_sum[0]);
    if (end.first_share >= 0) {
      const Off row_begin = operands.row_ptr[end.row];
      Acc sum[Rows::vectors];
      rows.sum_nonzeros(operands, row_begin < begin.nonzero ? begin.nonzero : row_begin,
                        end.nonzero, sum);
      for (int c = 0; c < operands.x.count; ++c) table.carries.post(t, c, sum[c]);
    }
    // Last, since the share before posts its carry-out only when it is through.
    if (finishes) {
      for (int c = 0; c < operands.x.count; ++c) {
        if constexpr (Table::waits) {
          const Acc carried =
              table.carries.collect_all(begin.first_share, static_cast<int>(t), 1, c);
          operands.store(begin.row, c, first_sum[c] + carried);
        } else {
          table.carries.post(table.shares + t, c, first_sum[c]);
        }
      }
    }
    if (!dot.result) return;
    if (finishes) {
      dot_sum[0] += team_sums::dot_of_row(dot, operands.x, operands.y, begin.row);
    }
    team_sums::finish_dot_of_thread(team, dot, table.shares, dot_sum);
  }
};

}  // namespace heddle::detail::csr
