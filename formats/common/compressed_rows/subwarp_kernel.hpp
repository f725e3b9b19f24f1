// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../../backends/launch.hpp"
#include "../../../backends/unroll.hpp"
#include "../../../core/types.hpp"

namespace heddle::detail::compressed_rows {

/// Rows with contiguous nonzeros on a GPU: a subwarp a row (csr/scalar, csr/subwarp, gcsr). Each
/// group of VectorLanes lanes covers the vectors of x, VectorsPerLane for each lane; G such groups
/// add every G-th nonzero, Batch at a time, so that their loads are in flight together. More
/// vectors need more rounds, for which the row is still in the caches.
///
/// Deterministic: the widths and Batch fix the order of every sum. Source: N. Bell and M. Garland,
/// "Implementing sparse matrix-vector multiplication on throughput-oriented processors", SC 2009,
/// with the warp split into subwarps; for lanes over vectors C. Yang, A. Buluc and J. Owens,
/// "Design principles for sparse matrix multiplication on the GPU", Euro-Par 2018.
template <class Operands, int VectorLanes, int VectorsPerLane, int Batch>
struct SubwarpKernel {
  using Scratch = backends::NoScratch;
  using S = typename Operands::scalar_type;
  using O = typename Operands::ordinal_type;
  using Off = typename Operands::offset_type;
  using Acc = typename Operands::accumulator_type;

  Operands operands;

  /// The first row that a team stores.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t first_place(std::int64_t team) const {
    return team * Team::subwarps;
  }

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Team& team, Scratch&) const {
    static_assert(Team::threads % backends::max_subwarp_width<typename Team::execution_space> == 0,
                  "sums together are those of whole warps");
    constexpr int groups = Team::subwarp_width / VectorLanes;
    const auto subwarp = team.subwarp();
    const int group = subwarp.lane() / VectorLanes;
    const std::int64_t row = team.index() * Team::subwarps + team.subwarp_index();
    // Lanes beyond the last row stay active, since the whole warp sums together.
    const bool exists = row < operands.rows;
    const Off begin = exists ? operands.row_ptr[row] : Off(0);
    const Off end = exists ? operands.row_ptr[row + 1] : Off(0);
    const int vectors = one_vector ? 1 : operands.x.count;
    for (int first = 0; first < vectors; first += VectorLanes * VectorsPerLane) {
      Acc sum[VectorsPerLane];
      for (int c = 0; c < VectorsPerLane; ++c) sum[c] = Acc(0);
      if (end - begin > static_cast<Off>(group)) {
        add<groups>(begin + static_cast<Off>(group), end, first + subwarp.lane() % VectorLanes,
                    sum);
      }
      for (int c = 0; c < VectorsPerLane; ++c) {
        const Acc total = subwarp.template sum_together<VectorLanes>(sum[c]);
        const int vector = first + c * VectorLanes + subwarp.lane();
        if (exists && group == 0 && vector < vectors) {
          operands.store(static_cast<O>(row), vector, total);
        }
      }
    }
  }

 private:
  static constexpr bool one_vector = VectorLanes == 1 && VectorsPerLane == 1;

  /// Adds nonzeros k, k + Groups, ... below end for vectors first, first + VectorLanes, ...; needs
  /// k < end. Forms no offset beyond end.
  template <int Groups>
  KOKKOS_FORCEINLINE_FUNCTION void add(Off k, Off end, int first, Acc* sum) const {
    constexpr Off step = Batch * Groups;
    while (true) {
      const Off left = end - k;
      S value[Batch];
      O column[Batch];
      HEDDLE_UNROLL(Batch)
      for (int i = 0; i < Batch; ++i) {
        if (static_cast<Off>(i * Groups) < left) {
          column[i] = operands.column(k + static_cast<Off>(i * Groups));
          value[i] = operands.value(k + static_cast<Off>(i * Groups));
        }
      }
      HEDDLE_UNROLL(Batch)
      for (int i = 0; i < Batch; ++i) {
        if (static_cast<Off>(i * Groups) < left) {
          for (int c = 0; c < VectorsPerLane; ++c) {
            const int place = first + c * VectorLanes;
            if (one_vector || place < operands.x.count) {
              sum[c] += operands.product(value[i], column[i], place);
            }
          }
        }
      }
      if (left <= step) return;
      k += step;
    }
  }
};

}  // namespace heddle::detail::compressed_rows
