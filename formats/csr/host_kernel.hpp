// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <heddle/backends/launch.hpp>
#include <heddle/formats/csr/host_plain_rows.hpp>
#include <heddle/formats/csr/host_vector_rows.hpp>
#include <heddle/formats/csr/tiles.hpp>

/// The CSR kernels of CPUs, where a lane is a thread. They share out the rows; Rows, one of
/// HostPlainRows, HostVectorRows and HostVectorColumns, computes them.
namespace heddle::csr {

/// csr/scalar and csr/subwarp=1: each thread takes an equal, contiguous share of the rows.
template <class Operands, class Rows>
struct HostRowsKernel {
  using Scratch = backends::NoScratch;

  Operands operands;
  Rows rows;
  std::int64_t rows_per_team;

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Team& team, Scratch&) const {
    const std::int64_t first = team.index() * rows_per_team;
    const std::int64_t stop = first + rows_per_team;
    rows.store_rows(operands, first, stop < operands.rows ? stop : operands.rows);
  }
};

/// csr/adaptive and csr/merge: each thread takes a tile. Chains as in TileTable.
template <class Operands, class Rows, class Table>
struct HostTileKernel {
  using Scratch = backends::NoScratch;
  using O = typename Operands::ordinal_type;
  using Off = typename Operands::offset_type;
  using Acc = typename Operands::accumulator_type;

  Operands operands;
  Rows rows;
  Table table;

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Team& team, Scratch&) const {
    const std::int64_t t = team.index();
    const auto& begin = table.edges[t];
    const auto& end = table.edges[t + 1];
    O row = begin.row;
    const bool finishes = begin.chain >= 0 && row < end.row;
    Acc first_sum[Rows::columns] = {};
    if (finishes) {
      rows.sum_nonzeros(operands, begin.nonzero, operands.row_ptr[row + 1], first_sum);
      ++row;
    }
    if (row < end.row) rows.store_rows(operands, row, end.row);
    if (end.chain >= 0) {
      const Off row_begin = operands.row_ptr[end.row];
      Acc sum[Rows::columns];
      rows.sum_nonzeros(operands, row_begin < begin.nonzero ? begin.nonzero : row_begin,
                        end.nonzero, sum);
      for (int c = 0; c < operands.x.count; ++c) table.parts.leave(t, c, sum[c]);
    }
    // Last, since the tile before leaves its part only when it is through.
    if (finishes) {
      for (int c = 0; c < operands.x.count; ++c) {
        operands.store(begin.row, c,
                       first_sum[c] + table.parts.take_all(begin.chain, static_cast<int>(t), 1, c));
      }
    }
  }
};

}  // namespace heddle::csr
