// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../../backends/launch.hpp"
#include "../../../backends/mailbox.hpp"
#include "../../../backends/unroll.hpp"
#include "../../handover/look_for_all.hpp"
#include "in_order_rows.hpp"

namespace heddle::detail::sptrsv {

/// A thread a row on a GPU, in the order of the graph, by ticket; values are handed on through
/// words that are their own flags. A lane asks for Batch values at once.
///
/// Why it ends: teams take rows in the order in which they begin, so the lowest row that is not
/// solved belongs to a team that runs, and waits for nobody. No lane leaves the loop before its
/// warp, and none waits inside it: in every round each lane looks once at what it lacks, and posts
/// in the round in which it has all. So the lanes of a warp may need each other, and no lane keeps
/// another from posting.
///
/// Deterministic: a row is added up by one lane in the order of its entries.
template <class Operands, int Batch, int Vectors>
struct InOrderKernel {
  using Scratch = backends::NoScratch;
  using S = typename Operands::scalar_type;
  using O = typename Operands::ordinal_type;
  using V = typename Operands::vector_type;
  using Mailbox = backends::Mailbox<V, 1>;

  Operands operands;
  Mailbox solved;

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Team& team, Scratch&) const {
    const auto warp = team.subwarp();
    const auto& graph = operands.graph;
    const std::int64_t i = team.index() * Team::threads + team.thread();
    bool done = i >= graph.rows;
    const O row = done ? O(0) : graph.row(i);
    auto k = graph.row_ptr[row];
    const auto end = done ? k : graph.row_ptr[row + 1];
    V right[Vectors], sum[Vectors];
    HEDDLE_UNROLL(Vectors)
    for (int v = 0; v < Vectors; ++v) {
      right[v] = !done && v < operands.x.count ? operands.right_hand_side(row, v) : V(0);
      sum[v] = V(0);
    }
    V diagonal(0);
    O column[Batch];
    S value[Batch];
    V seen[Batch][Vectors];
    load(row, k, end, column, value, seen);
    while (warp.any(!done)) {
      if (done) continue;
      const auto place = [&](int i, int v) { return at(column[i], v); };
      if (!handover::look_for_all(solved, place, seen)) continue;
      add(row, k, end, column, value, seen, diagonal, sum);
      k += Batch;
      if (k < end) {
        load(row, k, end, column, value, seen);
        continue;
      }
      finish(row, right, sum, diagonal);
      done = true;
    }
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t at(O row, int vector) const {
    return vector * static_cast<std::int64_t>(operands.graph.rows) + row;
  }

  template <class Off>
  KOKKOS_FORCEINLINE_FUNCTION void load(O row, Off k, Off end, O (&column)[Batch],
                                        S (&value)[Batch], V (&seen)[Batch][Vectors]) const {
    HEDDLE_UNROLL(Batch)
    for (int i = 0; i < Batch; ++i) {
      const bool wanted = k + i < end;
      column[i] = backends::load_once(operands.graph.col_idx + k + i, wanted);
      value[i] = backends::load_once(operands.values + k + i, wanted);
    }
    HEDDLE_UNROLL(Batch)
    for (int i = 0; i < Batch; ++i) {
      const bool needed = k + i < end && operands.needs(row, column[i]);
      HEDDLE_UNROLL(Vectors)
      for (int v = 0; v < Vectors; ++v) {
        seen[i][v] = needed && v < operands.x.count ? Mailbox::not_posted() : V(0);
      }
    }
  }

  template <class Off>
  KOKKOS_FORCEINLINE_FUNCTION void add(O row, Off k, Off end, const O (&column)[Batch],
                                       const S (&value)[Batch], const V (&seen)[Batch][Vectors],
                                       V& diagonal, V (&sum)[Vectors]) const {
    HEDDLE_UNROLL(Batch)
    for (int i = 0; i < Batch; ++i) {
      if (k + i >= end) continue;
      const bool needed = operands.needs(row, column[i]);
      const bool spoils = operands.spoils(row, column[i]);
      if (column[i] == row) diagonal += V(value[i]);
      HEDDLE_UNROLL(Vectors)
      for (int v = 0; v < Vectors; ++v) {
        if (needed && v < operands.x.count) sum[v] += V(value[i]) * seen[i][v];
        if (spoils) sum[v] += Operands::not_a_number();
      }
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION void finish(O row, const V (&right)[Vectors], const V (&sum)[Vectors],
                                          const V& diagonal) const {
    HEDDLE_UNROLL(Vectors)
    for (int v = 0; v < Vectors; ++v) {
      if (v >= operands.x.count) continue;
      const V value = operands.quotient(right[v] - sum[v], diagonal);
      solved.post(at(row, v), 0, value);
      operands.x(row, v) = value;
    }
  }
};

}  // namespace heddle::detail::sptrsv
