// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <heddle/backends/launch.hpp>
#include <heddle/backends/unroll.hpp>
#include <heddle/formats/csr/operands.hpp>

namespace heddle::csr {

/// csr/scalar and csr/subwarp on a GPU: a subwarp a row, its lanes taking every W-th nonzero. A
/// lane takes Batch nonzeros at a time, so that their loads are in flight together.
///
/// Deterministic: the order of every sum is fixed by W and Batch. Source: N. Bell and M. Garland,
/// "Implementing sparse matrix-vector multiplication on throughput-oriented processors", SC 2009,
/// with the warp split into subwarps.
template <class Operands, int ColumnsAtOnce, int Batch>
struct SubwarpKernel {
  using Scratch = backends::NoScratch;
  using S = typename Operands::scalar_type;
  using O = typename Operands::ordinal_type;
  using Off = typename Operands::offset_type;
  using Acc = typename Operands::accumulator_type;

  Operands operands;

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Team& team, Scratch&) const {
    const auto subwarp = team.subwarp();
    const std::int64_t row = team.index() * Team::subwarps + team.subwarp_index();
    // Lanes beyond the last row stay, since the sum is of the whole warp together.
    const bool exists = row < operands.rows;
    const Off begin = exists ? operands.row_ptr[row] : Off(0);
    const Off end = exists ? operands.row_ptr[row + 1] : Off(0);
    Acc sum[ColumnsAtOnce];
    for (int c = 0; c < ColumnsAtOnce; ++c) sum[c] = Acc(0);
    if (end - begin > static_cast<Off>(subwarp.lane())) {
      add<Team::subwarp_width>(begin + static_cast<Off>(subwarp.lane()), end, sum);
    }
    for (int c = 0; c < ColumnsAtOnce; ++c) {
      const Acc total = subwarp.sum_together(sum[c]);
      if (exists && subwarp.lane() == 0 && c < operands.x.count) {
        operands.store(static_cast<O>(row), c, total);
      }
    }
  }

 private:
  /// Adds nonzeros k, k + W, ... below end; k < end. Steps so that no offset beyond end is formed.
  template <int W>
  KOKKOS_FORCEINLINE_FUNCTION void add(Off k, Off end, Acc* sum) const {
    constexpr Off step = Batch * W;
    while (true) {
      const Off left = end - k;
      S value[Batch];
      O column[Batch];
      HEDDLE_UNROLL(Batch)
      for (int i = 0; i < Batch; ++i) {
        if (static_cast<Off>(i * W) < left) {
          column[i] = operands.column(k + static_cast<Off>(i * W));
          value[i] = operands.value(k + static_cast<Off>(i * W));
        }
      }
      HEDDLE_UNROLL(Batch)
      for (int i = 0; i < Batch; ++i) {
        if (static_cast<Off>(i * W) < left) {
          for (int c = 0; c < ColumnsAtOnce; ++c) {
            if (ColumnsAtOnce == 1 || c < operands.x.count) {
              sum[c] += operands.product(value[i], column[i], c);
            }
          }
        }
      }
      if (left <= step) return;
      k += step;
    }
  }
};

}  // namespace heddle::csr
