// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <heddle/backends/host/pair_of_sums.hpp>
#include <heddle/backends/launch.hpp>
#include <heddle/formats/csr/operands.hpp>
#include <heddle/formats/csr/tiles.hpp>
#include <type_traits>

/// The CSR kernels of CPUs, where a lane is a thread: plain loops over rows, with the sums of one
/// row spread over several accumulators so that an addition need not wait for the one before.
namespace heddle::csr {

/// The entry of one vector that nonzero k multiplies. Unit stride is known to the compiler.
template <bool UnitStride, class Operands>
KOKKOS_FORCEINLINE_FUNCTION typename Operands::accumulator_type factor(
    const Operands& operands, typename Operands::offset_type k) {
  const std::int64_t stride = UnitStride ? 1 : operands.x.row_stride;
  return typename Operands::accumulator_type(
      operands.x.data[static_cast<std::int64_t>(operands.column(k)) * stride]);
}

/// Adds the products of nonzeros k and k + 1.
template <bool UnitStride, class Operands>
KOKKOS_FORCEINLINE_FUNCTION void add_two(
    const Operands& operands, typename Operands::offset_type k,
    backends::PairOfSums<typename Operands::accumulator_type>& sums) {
  using Acc = typename Operands::accumulator_type;
  const Acc factor0 = factor<UnitStride>(operands, k);
  const Acc factor1 = factor<UnitStride>(operands, k + 1);
  if constexpr (std::is_same_v<typename Operands::scalar_type, Acc> && !is_complex<Acc>) {
    sums.add(operands.values + k, factor0, factor1);
  } else {
    const Acc values[2] = {Acc(operands.value(k)), Acc(operands.value(k + 1))};
    sums.add(values, factor0, factor1);
  }
}

/// Adds up nonzeros [begin, end) against one vector, four sums side by side.
template <bool UnitStride, class Operands>
KOKKOS_FORCEINLINE_FUNCTION typename Operands::accumulator_type sum_of_one_column(
    const Operands& operands, typename Operands::offset_type begin,
    typename Operands::offset_type end) {
  using Acc = typename Operands::accumulator_type;
  Acc sum(0);
  auto k = begin;
  if (end - begin >= 4) {
    backends::PairOfSums<Acc> first, second;
    for (; end - k >= 4; k += 4) {
      add_two<UnitStride>(operands, k, first);
      add_two<UnitStride>(operands, k + 2, second);
    }
    sum = first.total() + second.total();
  }
  for (; k < end; ++k) sum += Acc(operands.value(k)) * factor<UnitStride>(operands, k);
  return sum;
}

/// Adds up nonzeros [begin, end) for ColumnsAtOnce columns of x.
template <int ColumnsAtOnce, class Operands>
KOKKOS_FORCEINLINE_FUNCTION void sum_nonzeros(const Operands& operands,
                                              typename Operands::offset_type begin,
                                              typename Operands::offset_type end,
                                              typename Operands::accumulator_type* sum) {
  using Acc = typename Operands::accumulator_type;
  if constexpr (ColumnsAtOnce == 1) {
    sum[0] = operands.x.row_stride == 1 ? sum_of_one_column<true>(operands, begin, end)
                                        : sum_of_one_column<false>(operands, begin, end);
  } else {
    const int count = operands.x.count;
    for (int c = 0; c < ColumnsAtOnce; ++c) sum[c] = Acc(0);
    for (auto k = begin; k < end; ++k) {
      const auto value = operands.value(k);
      const auto column = operands.column(k);
      for (int c = 0; c < count; ++c) sum[c] += operands.product(value, column, c);
    }
  }
}

/// Stores the sums of one row.
template <int ColumnsAtOnce, class Operands>
KOKKOS_FORCEINLINE_FUNCTION void store_sums(const Operands& operands,
                                            typename Operands::ordinal_type row,
                                            const typename Operands::accumulator_type* sum) {
  const int count = ColumnsAtOnce == 1 ? 1 : operands.x.count;
  for (int c = 0; c < count; ++c) operands.store(row, c, sum[c]);
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
    const Operands here = operands;  // which no store to y can change, so it stays in registers
    const std::int64_t first = team.index() * rows_per_team;
    const std::int64_t stop = first + rows_per_team < here.rows ? first + rows_per_team : here.rows;
    auto k = here.row_ptr[first];
    for (std::int64_t row = first; row < stop; ++row) {
      const auto row_end = here.row_ptr[row + 1];
      Acc sum[ColumnsAtOnce];
      sum_nonzeros<ColumnsAtOnce>(here, k, row_end, sum);
      k = row_end;
      store_sums<ColumnsAtOnce>(here, static_cast<O>(row), sum);
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
    const Operands here = operands;  // which no store to y can change, so it stays in registers
    const std::int64_t t = team.index();
    const int chain = table.chain[t];
    const O last_row = table.row[t + 1];
    O row = table.row[t];
    Off k = table.nonzero[t];
    const bool finishes = chain >= 0 && row < last_row;
    Acc first_sum[ColumnsAtOnce] = {};
    if (finishes) {
      sum_nonzeros<ColumnsAtOnce>(here, k, here.row_ptr[row + 1], first_sum);
      k = here.row_ptr[row + 1];
      ++row;
    }
    Acc sum[ColumnsAtOnce];
    for (; row < last_row; ++row) {
      const Off row_end = here.row_ptr[row + 1];
      sum_nonzeros<ColumnsAtOnce>(here, k, row_end, sum);
      k = row_end;
      store_sums<ColumnsAtOnce>(here, row, sum);
    }
    const bool leaves = table.chain[t + 1] >= 0;
    if (leaves) {
      sum_nonzeros<ColumnsAtOnce>(here, k, table.nonzero[t + 1], sum);
      for (int c = 0; c < here.x.count; ++c) table.parts.leave(t, c, sum[c]);
    }
    // Last, since the tile before leaves its part only when it is through.
    if (finishes) {
      for (int c = 0; c < here.x.count; ++c) {
        here.store(table.row[t], c, first_sum[c] + parts_before(chain, t, c));
      }
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
