// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../backends/launch.hpp"
#include "../../backends/unroll.hpp"
#include "../handover/entry_batch.hpp"
#include "../order/tasks.hpp"
#include "pass.hpp"
#include "rows_view.hpp"

namespace heddle::detail::gauss_seidel {

/// What a batch of entries is asked for.
template <Scalar S, Ordinal O>
struct HandedOver {
  using scalar_type = S;
  using ordinal_type = O;
  using vector_type = S;
  using accumulator_type = S;

  const O* needed;
  const S* values;

  KOKKOS_FORCEINLINE_FUNCTION S value(const S& entry) const { return entry; }
};

/// A half sweep on a GPU in one launch: a warp a task of rows of one level, a subwarp a row. What a
/// row solves for comes through words that are their own flags, by rows; every lane asks for Batch
/// of them at once, and the lanes of the warp ask again together until all are there. b, x and what
/// is kept of the other side are read before the wait; of x a row reads its own entry alone.
///
/// Why it ends: no lane waits for a lane of its warp, since the rows of a task are of one level;
/// what they need lies in tasks of other warps of this team, or of teams of a lower ticket. So the
/// lowest task that has not ended waits for nobody.
///
/// Deterministic: a row is added up by the same lanes in the same order every time. Source: W. Liu
/// et al., "A synchronization-free algorithm for parallel sparse triangular solves", Euro-Par 2016,
/// which keeps a flag apart from the value.
template <Scalar S, Ordinal O, Offset Off, Start start, int Batch, int Vectors>
struct HandOverKernel {
  /// Asked for and not used: it limits the number of resident teams, since warps that poll for rows
  /// far ahead slow down the others.
  using Scratch = backends::DynamicScratch;
  using Entries = HandedOver<S, O>;

  RowsView<S, O, Off> view;
  Pass<S> pass;
  handover::SolvedValues<S> solved;
  const order::Task* tasks;
  std::int64_t count;  ///< of tasks
  std::int64_t teams;

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Team& team, Scratch&) const {
    using Exec = typename Team::execution_space;
    constexpr int warp_width = backends::max_subwarp_width<Exec>;
    constexpr int warps = Team::threads / warp_width;
    const std::int64_t index = team.index() * warps + team.thread() / warp_width;
    const int set = solved.set();
    if (index < count) {
      const order::Task task = tasks[index];
      const int row_of_warp = team.thread() % warp_width / Team::subwarp_width;
      solve(team.subwarp(), backends::Subwarp<Exec, warp_width>(), task.first + row_of_warp,
            row_of_warp < task.rows, set);
    }
    team.barrier();
    if (team.thread() == 0) solved.end(set, teams);
  }

 private:
  template <class Subwarp, class Warp>
  KOKKOS_FORCEINLINE_FUNCTION void solve(const Subwarp& subwarp, const Warp& warp,
                                         std::int64_t place, bool exists, int set) const {
    if (!exists) place = 0;
    const Off last = view.row_ptr[place + 1] - 1;  // the diagonal
    const Off end = exists ? last : view.row_ptr[place];
    Off k = view.row_ptr[place] + subwarp.lane();
    const O row = view.col_idx[last];
    const bool writes = exists && subwarp.lane() == 0;
    S right[Vectors], old[Vectors];
    HEDDLE_UNROLL(Vectors)
    for (int v = 0; v < Vectors; ++v) {
      const bool wanted = writes && v < solved.vectors;
      right[v] = wanted ? pass.template right_hand_side<start>(row, v) : S(0);
      old[v] = wanted ? pass.template share_of_old<start>(row, v) : S(0);
    }
    const S reciprocal = writes ? view.values[last] : S(1);
    if (writes) solved.empty(set, row);
    S sum[Vectors];
    for (int v = 0; v < Vectors; ++v) sum[v] = S(0);
    const Entries entries{view.col_idx, view.values};
    handover::EntryBatch<Entries, Batch, Vectors> batch;
    for (; warp.any(k < end); k += Batch * Subwarp::width) {
      batch.load_row(entries, solved, k, end, Off(Subwarp::width));
      while (warp.any(!batch.look(solved, set))) {
      }
      batch.add_to(sum, entries);
    }
    HEDDLE_UNROLL(Vectors)
    for (int v = 0; v < Vectors; ++v) {
      const S total = subwarp.sum_together(sum[v]);
      if (!writes || v >= solved.vectors) continue;
      const S value = old[v] + view.quotient(right[v] - total, reciprocal, pass.omega, place);
      solved.sets[set].post(solved.at(row, v), 0, value);
      pass.x(row, v) = value;
      if (pass.keeps) pass.kept(row, v) = total;
    }
  }
};

}  // namespace heddle::detail::gauss_seidel
