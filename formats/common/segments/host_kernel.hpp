// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../../backends/launch.hpp"
#include "../equal_work.hpp"

namespace heddle::detail::segments {

/// Segmented sums on a CPU: a thread walks down the nonzeros of its share, and closes a row when
/// the next begins; four nonzeros of one row at once. Rows without entries are closed on the way.
/// Target and carry-outs as in the ShareKernel of GPUs.
template <class View, class Target, class Table, int VectorsAtOnce>
struct HostShareKernel {
  using Scratch = backends::NoScratch;
  using O = typename View::ordinal_type;
  using Off = typename View::offset_type;
  using Acc = typename Target::accumulator_type;

  View A;
  Target target;
  Table table;

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Team& team, Scratch&) const {
    // Copies, which no store to y can change: so they stay in registers.
    const View matrix = A;
    const Target to = target;
    const std::int64_t t = team.index();
    const auto begin = table.edges[t];
    const auto end = table.edges[t + 1];
    const bool finishes = begin.first_share >= 0 && begin.row < end.row;
    Acc sum[VectorsAtOnce] = {};
    Acc first_sum[VectorsAtOnce] = {};
    O row = begin.row;
    const auto close_until = [&](O next) {
      for (; row < next; ++row) {
        for (int c = 0; c < count(to); ++c) {
          if (finishes && row == begin.row) {
            first_sum[c] = sum[c];
          } else {
            to.store(row, c, sum[c]);
          }
          sum[c] = Acc(0);
        }
      }
    };
    const auto term = [&](Off k, int c) {
      return to.product(to.entry(matrix.values[k]), matrix.col_idx[k], c);
    };
    for (Off k = begin.nonzero; k < end.nonzero;) {
      const auto local = matrix.local_row[k];
      const O of = begin.row + static_cast<O>(local);
      if (of != row) close_until(of);
      // Rows ascend: if the fourth from here lies in this row, so do those between.
      const bool four = end.nonzero - k >= 4 && matrix.local_row[k + 3] == local;
      for (int c = 0; c < count(to); ++c) {
        if (four) {
          sum[c] += (term(k, c) + term(k + 1, c)) + (term(k + 2, c) + term(k + 3, c));
        } else {
          sum[c] += term(k, c);
        }
      }
      k += four ? Off(4) : Off(1);
    }
    close_until(end.row);
    if (end.first_share >= 0) {
      for (int c = 0; c < count(to); ++c) table.carries.post(t, c, sum[c]);
    }
    // Last, since the share before posts its carry-out only when it is through.
    if (finishes) finish(begin, t, first_sum);
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION static int count(const Target& to) {
    return VectorsAtOnce == 1 ? 1 : to.x.count;
  }

  template <class Edge>
  KOKKOS_FORCEINLINE_FUNCTION void finish(const Edge& begin, std::int64_t t,
                                          const Acc* first_sum) const {
    for (int c = 0; c < target.x.count; ++c) {
      if constexpr (Table::waits) {
        const Acc carried = table.carries.collect_all(begin.first_share, static_cast<int>(t), 1, c);
        target.store(begin.row, c, first_sum[c] + carried);
      } else {
        table.carries.post(table.shares + t, c, first_sum[c]);
      }
    }
  }
};

}  // namespace heddle::detail::segments
