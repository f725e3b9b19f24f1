// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <heddle/backends/launch.hpp>
#include <heddle/formats/csr/operands.hpp>
#include <heddle/formats/csr/tiles.hpp>

/// The CSR kernels of CPUs, where a lane is a thread: plain loops over rows, with the sums of one
/// row spread over several accumulators so that an addition need not wait for the one before.
namespace heddle::csr {

/// Adds up nonzeros [begin, end) for ColumnsAtOnce columns of x.
template <int ColumnsAtOnce, class Operands>
KOKKOS_FORCEINLINE_FUNCTION void sum_nonzeros(const Operands& operands,
                                              typename Operands::offset_type begin,
                                              typename Operands::offset_type end,
                                              typename Operands::accumulator_type* sum) {
  using Acc = typename Operands::accumulator_type;
  using Off = typename Operands::offset_type;
  const auto product = [&](Off k, int c) {
    return operands.product(operands.value(k), operands.column(k), c);
  };
  if constexpr (ColumnsAtOnce == 1) {
    Acc even(0), odd(0), even2(0), odd2(0);
    Off k = begin;
    for (; k + 4 <= end; k += 4) {
      even += product(k, 0);
      odd += product(k + 1, 0);
      even2 += product(k + 2, 0);
      odd2 += product(k + 3, 0);
    }
    for (; k < end; ++k) even += product(k, 0);
    sum[0] = (even + even2) + (odd + odd2);
  } else {
    const int count = operands.x.count;
    for (int c = 0; c < ColumnsAtOnce; ++c) sum[c] = Acc(0);
    if (count == ColumnsAtOnce) {
      for (Off k = begin; k < end; ++k) {
        for (int c = 0; c < ColumnsAtOnce; ++c) sum[c] += product(k, c);
      }
    } else {
      for (Off k = begin; k < end; ++k) {
        for (int c = 0; c < count; ++c) sum[c] += product(k, c);
      }
    }
  }
}

/// csr/scalar and csr/subwarp=1: each thread takes an equal, contiguous share of the rows.
template <class Operands, int ColumnsAtOnce>
struct HostRowsKernel {
  using Scratch = backends::NoScratch;
  using O = typename Operands::ordinal_type;
  using Acc = typename Operands::accumulator_type;

  Operands operands;
  std::int64_t rows_per_team;

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Team& team, Scratch&) const {
    const std::int64_t first = team.index() * rows_per_team;
    const std::int64_t stop =
        first + rows_per_team < operands.rows ? first + rows_per_team : operands.rows;
    for (std::int64_t row = first; row < stop; ++row) {
      Acc sum[ColumnsAtOnce];
      sum_nonzeros<ColumnsAtOnce>(operands, operands.row_ptr[row], operands.row_ptr[row + 1], sum);
      for (int c = 0; c < operands.x.count; ++c) operands.store(static_cast<O>(row), c, sum[c]);
    }
  }
};

/// csr/adaptive and csr/merge: each thread takes a tile. Chains as in TileTable.
template <class Operands, int ColumnsAtOnce>
struct HostTileKernel {
  using Scratch = backends::NoScratch;
  using O = typename Operands::ordinal_type;
  using Off = typename Operands::offset_type;
  using Acc = typename Operands::accumulator_type;

  Operands operands;
  TileTable<O, Off, Acc> table;

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Team& team, Scratch&) const {
    const std::int64_t t = team.index();
    const int chain = table.chain[t];
    const O first_row = table.row[t];
    const O last_row = table.row[t + 1];
    Off k = table.nonzero[t];
    Acc sum[ColumnsAtOnce];
    for (O row = first_row; row < last_row; ++row) {
      const Off row_end = operands.row_ptr[row + 1];
      sum_nonzeros<ColumnsAtOnce>(operands, k, row_end, sum);
      k = row_end;
      const bool finishes = row == first_row && chain >= 0;
      for (int c = 0; c < operands.x.count; ++c) {
        if (finishes) sum[c] += parts_before(chain, t, c);
        operands.store(row, c, sum[c]);
      }
    }
    const bool leaves = table.chain[t + 1] >= 0;
    if (leaves) {
      sum_nonzeros<ColumnsAtOnce>(operands, k, table.nonzero[t + 1], sum);
      for (int c = 0; c < operands.x.count; ++c) table.parts.leave(t, c, sum[c]);
    }
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION Acc parts_before(std::int64_t chain, std::int64_t t, int c) const {
    Acc sum(0);
    for (std::int64_t tile = chain; tile < t; ++tile) sum += table.parts.take(tile, c);
    return sum;
  }
};

}  // namespace heddle::csr
