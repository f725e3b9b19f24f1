// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../../backends/pack.hpp"
#include "../../../backends/unroll.hpp"

namespace heddle::detail::slots {

/// Room for the sum of each thread of a team.
template <class Acc, int Threads>
struct LaneScratch {
  // Raw bytes, since complex types have constructors that scratch must not run.
  alignas(16) unsigned char bytes[sizeof(Acc) * Threads];
  KOKKOS_FORCEINLINE_FUNCTION Acc& sum(int thread) { return reinterpret_cast<Acc*>(bytes)[thread]; }
};

/// Of rows of which each has several lanes of a GPU: calls store(vector, sum) on the first lane of
/// each that `exists`, for `count` vectors. The lanes of a row are `places` threads apart, thus in
/// different warps, so that a warp reads consecutive rows; their sums are added up in order.
/// Called by all threads of the team.
template <class Team, class Scratch, class Pack, int Packs, int Vectors, class Store>
KOKKOS_FORCEINLINE_FUNCTION void add_up_lanes(const Team& team, Scratch& scratch,
                                              const Pack (&sum)[Packs][Vectors], int count,
                                              int places, bool exists, const Store& store) {
  HEDDLE_UNROLL(Vectors)
  for (int v = 0; v < Vectors; ++v) {
    const bool wanted = v < count;
    if (v > 0 && wanted) team.barrier();  // the sums of the vector before have been read
    if (wanted) scratch.sum(team.thread()) = sum[0][v].lane(0);
    if (wanted) team.barrier();
    if (wanted && team.thread() < places && exists) {
      auto total = sum[0][v].lane(0);
      for (int t = team.thread() + places; t < Team::threads; t += places) {
        total += scratch.sum(t);
      }
      store(v, Pack::all(total));
    }
  }
}

}  // namespace heddle::detail::slots
