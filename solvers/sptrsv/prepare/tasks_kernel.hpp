// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../../backends/launch.hpp"
#include "../../../backends/unroll.hpp"
#include "../../handover/entry_batch.hpp"
#include "../../order/tasks.hpp"
#include "operands.hpp"
#include "trace.hpp"

namespace heddle::detail::sptrsv {

/// Tasks [first, stop) of a triangle on a GPU, a warp a task, a subwarp a row: every lane asks for
/// Batch values that the row needs at once, and the lanes of the warp ask again together, until all
/// are there.
///
/// Why it ends: the rows of a task are of one level, so no lane waits for a lane of its warp; what
/// they need lies in tasks of lower index, which earlier launches have run, or other warps of this
/// team, or teams of a lower ticket. So the lowest task that has not ended waits for nobody.
///
/// Deterministic: a row is added up by the same lanes in the same order every time. Entries name
/// places. Sources: W. Liu et al., "A synchronization-free algorithm for parallel sparse triangular
/// solves", Euro-Par 2016; Z. Hu et al., "AG-SpTRSV", TACO 2024, for variants of one kernel; both
/// keep a flag apart from the value.
///
/// `ends_solve` says that no launch of this solve comes after this one, of `teams` teams. A step
/// of a trace is a place.
template <class Operands, int Batch, int Vectors, class Trace = NoTrace>
struct TasksKernel {
  /// Asked for and not used: it limits the number of resident teams, since warps that poll
  /// for rows far ahead slow down the others.
  using Scratch = backends::DynamicScratch;
  using S = typename Operands::scalar_type;
  using O = typename Operands::ordinal_type;
  using V = typename Operands::vector_type;
  using Acc = typename Operands::accumulator_type;
  using Mailbox = typename handover::SolvedValues<V>::Mailbox;

  Operands operands;
  handover::SolvedValues<V> solved;
  const order::Task* tasks;
  std::int64_t first, stop;
  std::int64_t teams;  ///< of the launch
  bool ends_solve;
  Trace trace;

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Team& team, Scratch&) const {
    using Exec = typename Team::execution_space;
    constexpr int warp_width = backends::max_subwarp_width<Exec>;
    constexpr int warps = Team::threads / warp_width;
    const std::int64_t index = first + team.index() * warps + team.thread() / warp_width;
    const int set = solved.set();
    if (index < stop) {
      const order::Task task = tasks[index];
      const int row_of_warp = team.thread() % warp_width / Team::subwarp_width;
      solve(team.subwarp(), backends::Subwarp<Exec, warp_width>(), task.first + row_of_warp,
            row_of_warp < task.rows, set);
    }
    if (!ends_solve) return;
    team.barrier();
    if (team.thread() == 0) solved.end(set, teams);
  }

 private:
  template <class Subwarp, class Warp>
  KOKKOS_FORCEINLINE_FUNCTION void solve(const Subwarp& subwarp, const Warp& warp,
                                         std::int64_t place, bool exists, int set) const {
    const auto& T = operands.T;
    if (!exists) place = 0;
    const auto end = exists ? T.row_ptr[place + 1] : T.row_ptr[place];
    auto k = T.row_ptr[place] + subwarp.lane();
    const O row = T.row[place];
    const bool writes = exists && subwarp.lane() == 0;
    if (writes) trace.begin(place);
    Acc right[Vectors];
    HEDDLE_UNROLL(Vectors)
    for (int v = 0; v < Vectors; ++v) {
      right[v] = writes && v < solved.vectors ? operands.right_hand_side(row, v) : Acc(0);
    }
    // Before the wait, as all that depends on no other row.
    const Acc factor = writes ? operands.factor(place) : Acc(1);
    if (writes) solved.empty(set, place);
    Acc sum[Vectors];
    for (int v = 0; v < Vectors; ++v) sum[v] = Acc(0);
    handover::EntryBatch<Operands, Batch, Vectors> batch;
    for (; warp.any(k < end); k += Batch * Subwarp::width) {
      batch.template load_row<Subwarp::width>(T, solved, k, end);
      while (warp.any(!batch.look(solved, set))) {
      }
      batch.add_to(sum, operands);
    }
    HEDDLE_UNROLL(Vectors)
    for (int v = 0; v < Vectors; ++v) {
      const Acc total = subwarp.sum_together(sum[v]);
      if (!writes || v >= solved.vectors) continue;
      const V value = static_cast<V>(operands.quotient(right[v] - total, factor, place));
      solved.sets[set].post(solved.at(place, v), 0, value);
      operands.x(row, v) = value;
    }
    if (writes) trace.end(place);
  }
};

}  // namespace heddle::detail::sptrsv
