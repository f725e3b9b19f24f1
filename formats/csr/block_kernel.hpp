// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../backends/launch.hpp"
#include "../../backends/unroll.hpp"
#include "row_blocks.hpp"

namespace heddle::detail::csr {

/// csr/blocks on a GPU: a team a block of rows. All lanes of a team add up a long row together.
/// Each short row gets 2^bits lanes: as many as have Batch nonzeros each in a row of the block's
/// mean length, or more if the block has too few rows for all lanes. For several vectors each of
/// these lanes is a group of VectorLanes lanes with VectorsPerLane vectors each; more vectors need
/// more rounds.
///
/// Deterministic: the blocks fix the order of every sum. Source: lanes that follow the lengths of
/// rows, and a team for a long row, are as in J. Greathouse and M. Daga, "Efficient sparse
/// matrix-vector multiplication on GPUs using the CSR storage format", SC 2014.
template <class Operands, int Threads, int Batch, int VectorLanes, int VectorsPerLane>
struct BlockKernel {
  using S = typename Operands::scalar_type;
  using O = typename Operands::ordinal_type;
  using Off = typename Operands::offset_type;
  using Acc = typename Operands::accumulator_type;
  static constexpr int vectors = VectorLanes * VectorsPerLane;
  /// Number of groups of lanes that read the same nonzeros.
  static constexpr int groups = Threads / VectorLanes;
  static constexpr int narrowest_subwarp = 32;

  struct Scratch {
    // Raw bytes, since complex types have constructors that scratch must not run.
    alignas(16) unsigned char sum_bytes[sizeof(Acc) * (Threads / narrowest_subwarp) * vectors];

    KOKKOS_FORCEINLINE_FUNCTION Acc& sum(int i) { return reinterpret_cast<Acc*>(sum_bytes)[i]; }
  };

  Operands operands;
  RowBlockTable<O, Off> table;

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Team& team, Scratch& scratch) const {
    const O row = table.first[team.index()], stop = table.first[team.index() + 1];
    const Off begin = operands.row_ptr[row], end = operands.row_ptr[stop];
    const int rows = static_cast<int>(stop - row);
    const bool long_row = rows == 1 && end - begin > table.long_row;
    const int bits = long_row          ? bits_of(groups)
                     : table.lane_bits ? given_bits<Team>(table.lane_bits[team.index()])
                                       : lane_bits<Team>(rows, end - begin);
    const int count = one_vector ? 1 : operands.x.count;
    for (int first = 0; first < count; first += vectors) {
      add_up_rows(team, scratch, row, rows, bits, first + team.thread() % VectorLanes);
    }
  }

 private:
  static constexpr bool one_vector = VectorLanes == 1 && VectorsPerLane == 1;

  /// Sums of a lane for its vectors.
  struct Sums {
    Acc of[VectorsPerLane];
  };

  KOKKOS_FORCEINLINE_FUNCTION static constexpr int bits_of(int power_of_two) {
    int bits = 0;
    while (1 << bits < power_of_two) ++bits;
    return bits;
  }

  /// The lane bits of the table, but no more than a subwarp has.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION static int given_bits(int bits) {
    constexpr int most = bits_of(Team::subwarp_width / VectorLanes);
    return bits < most ? bits : most;
  }

  /// Base-2 logarithm of the number of lanes for each row of a block.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION static int lane_bits(int rows, Off nonzeros) {
    constexpr int widest = Team::subwarp_width / VectorLanes;
    int bits = 0;
    while (2 << bits <= widest) {
      const bool has_more = static_cast<Off>(rows) * static_cast<Off>(Batch << bits) < nonzeros;
      const bool lanes_are_idle = rows << (bits + 1) <= groups;
      if (!has_more && !lanes_are_idle) break;
      ++bits;
    }
    return bits;
  }

  /// Adds up the rows of a block with 2^bits lanes each: for a long row all lanes of the team, else
  /// at most those of one subwarp.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void add_up_rows(const Team& team, Scratch& scratch, O first_row,
                                               int rows, int bits, int vector) const {
    constexpr int widest = Team::subwarp_width / VectorLanes;
    const auto subwarp = team.subwarp();
    const int lanes = 1 << bits;
    const int group = team.thread() / VectorLanes;
    const int lane = group & (lanes - 1);
    // Lanes beyond the last row stay active, since those of a warp exchange their sums together.
    for (int round = 0; round < rows; round += groups >> bits) {
      const int at = round + (group >> bits);
      const O row = first_row + static_cast<O>(at < rows ? at : 0);
      const Off begin = operands.row_ptr[row];
      const Off length = at < rows ? operands.row_ptr[row + 1] - begin : Off(0);
      Sums sums = add(begin, length, lane, lanes, vector);
      for (int bit = (lanes < widest ? lanes : widest) / 2; bit > 0; bit /= 2) {
        for (int c = 0; c < VectorsPerLane; ++c) {
          sums.of[c] += subwarp.shuffle_xor(sums.of[c], bit * VectorLanes);
        }
      }
      if (lanes > widest) add_up_over_team(team, scratch, sums);
      if (lane == 0 && at < rows) store(row, vector, sums);
    }
  }

  /// Adds up the sums of all subwarps, in order.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void add_up_over_team(const Team& team, Scratch& scratch,
                                                    Sums& sums) const {
    const int lane = team.thread() % VectorLanes;
    for (int c = 0; c < VectorsPerLane; ++c) {
      if (team.subwarp().lane() < VectorLanes) {
        scratch.sum(team.subwarp_index() * vectors + lane + c * VectorLanes) = sums.of[c];
      }
    }
    team.barrier();
    for (int c = 0; c < VectorsPerLane; ++c) {
      sums.of[c] = Acc(0);
      for (int i = 0; i < Team::subwarps; ++i) {
        sums.of[c] += scratch.sum(i * vectors + lane + c * VectorLanes);
      }
    }
    team.barrier();
  }

  /// Sums of nonzeros lane, lane + lanes, ... of `length` from `begin` on, Batch at a time so that
  /// their loads are in flight together.
  KOKKOS_FORCEINLINE_FUNCTION Sums add(Off begin, Off length, int lane, int lanes,
                                       int vector) const {
    Sums sums;
    for (int c = 0; c < VectorsPerLane; ++c) sums.of[c] = Acc(0);
    const Off step = static_cast<Off>(Batch) * static_cast<Off>(lanes);
    for (Off at = static_cast<Off>(lane); at < length;) {
      const Off left = length - at;
      const auto nonzeros = operands.from(begin + at);
      S value[Batch];
      O column[Batch];
      HEDDLE_UNROLL(Batch)
      for (int i = 0; i < Batch; ++i) {
        if (static_cast<Off>(i * lanes) < left) {
          column[i] = nonzeros.column(static_cast<Off>(i * lanes));
          value[i] = nonzeros.value(static_cast<Off>(i * lanes));
        }
      }
      HEDDLE_UNROLL(Batch)
      for (int i = 0; i < Batch; ++i) {
        if (static_cast<Off>(i * lanes) < left) {
          for (int c = 0; c < VectorsPerLane; ++c) {
            const int place = vector + c * VectorLanes;
            if (one_vector || place < operands.x.count) {
              sums.of[c] += operands.product(value[i], column[i], place);
            }
          }
        }
      }
      if (left <= step) break;
      at += step;
    }
    return sums;
  }

  KOKKOS_FORCEINLINE_FUNCTION void store(O row, int vector, const Sums& sums) const {
    for (int c = 0; c < VectorsPerLane; ++c) {
      const int place = vector + c * VectorLanes;
      if (one_vector || place < operands.x.count) operands.store(row, place, sums.of[c]);
    }
  }
};

}  // namespace heddle::detail::csr
