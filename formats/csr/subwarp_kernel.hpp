// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <heddle/backends/launch.hpp>
#include <heddle/backends/unroll.hpp>
#include <heddle/formats/csr/operands.hpp>

namespace heddle::csr {

/// csr/scalar and csr/subwarp: a subwarp sums RowsAtOnce rows side by side, its lanes taking every
/// W-th nonzero of each. Side by side, the loads of several short rows are in flight together.
///
/// Deterministic: the order of every sum is fixed by W. Source: N. Bell and M. Garland,
/// "Implementing sparse matrix-vector multiplication on throughput-oriented processors", SC 2009,
/// with the warp split into subwarps and several rows a subwarp.
template <class Operands, int ColumnsAtOnce, int RowsAtOnce>
struct SubwarpKernel {
  using Scratch = backends::NoScratch;
  using O = typename Operands::ordinal_type;
  using Off = typename Operands::offset_type;
  using Acc = typename Operands::accumulator_type;

  Operands operands;

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Team& team, Scratch&) const {
    constexpr int W = Team::subwarp_width;
    const auto subwarp = team.subwarp();
    const std::int64_t first =
        team.index() * Team::subwarps * RowsAtOnce + team.subwarp_index();

    Off begin[RowsAtOnce], end[RowsAtOnce];
    Acc sum[RowsAtOnce][ColumnsAtOnce];
    for (int r = 0; r < RowsAtOnce; ++r) {
      const std::int64_t row = first + r * Team::subwarps;
      const bool exists = row < operands.rows;
      begin[r] = exists ? operands.row_ptr[row] + subwarp.lane() : 0;
      end[r] = exists ? operands.row_ptr[row + 1] : 0;
      for (int c = 0; c < ColumnsAtOnce; ++c) sum[r][c] = Acc(0);
    }
    for (int r = 0; r < RowsAtOnce; ++r) {
      if (begin[r] < end[r]) add(begin[r], sum[r]);
    }
    for (int r = 0; r < RowsAtOnce; ++r) {
      HEDDLE_UNROLL(4)
      for (Off k = begin[r] + W; k < end[r]; k += W) add(k, sum[r]);
    }
    for (int r = 0; r < RowsAtOnce; ++r) {
      const std::int64_t row = first + r * Team::subwarps;
      for (int c = 0; c < ColumnsAtOnce; ++c) {
        const Acc total = subwarp.sum(sum[r][c]);
        if (subwarp.lane() == 0 && row < operands.rows && c < operands.x.count) {
          operands.store(static_cast<O>(row), c, total);
        }
      }
    }
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION void add(Off k, Acc* sum) const {
    const auto value = operands.value(k);
    const O column = operands.column(k);
    for (int c = 0; c < ColumnsAtOnce; ++c) {
      if (ColumnsAtOnce == 1 || c < operands.x.count) {
        sum[c] += operands.product(value, column, c);
      }
    }
  }
};

}  // namespace heddle::csr
