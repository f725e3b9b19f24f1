// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <utility>

#include "../../../backends/atomics.hpp"
#include "../../../backends/launch.hpp"
#include "../../../core/arena.hpp"
#include "../../../core/loops.hpp"
#include "../../../core/matrix.hpp"
#include "../../wavefronts/level_kernels.hpp"
#include "../../wavefronts/place_order.hpp"
#include "../options.hpp"

namespace heddle::detail::sptrsv {

/// The graph of a triangle: row i needs the rows that its entries off the diagonal name.
template <Ordinal O, Offset Off>
struct Graph {
  const Off* row_ptr;
  const O* col_idx;
  O rows;
  Triangle triangle;

  /// The i-th row in an order in which every row comes after those that it needs.
  KOKKOS_FORCEINLINE_FUNCTION O row(std::int64_t i) const {
    return triangle == Triangle::lower ? static_cast<O>(i) : static_cast<O>(rows - 1 - i);
  }
};

/// How many entries the row at each place has in the triangle, beside `more`.
template <Ordinal O, Offset Off>
struct EntriesInTriangle {
  Graph<O, Off> graph;
  wavefronts::PlaceOrder<O> order;
  Off more;

  KOKKOS_FUNCTION Off operator()(std::int64_t place) const {
    const O i = order(place);
    Off entries = more;
    for (Off k = graph.row_ptr[i]; k < graph.row_ptr[i + 1]; ++k) {
      entries += in_triangle(graph.triangle, i, graph.col_idx[k]) ? 1 : 0;
    }
    return entries;
  }
};

/// The level of a row: 0 if it needs no other, else one above the highest that it needs. A thread a
/// row; -1 is the level of a row that is not done.
///
/// Rows are taken in the order of the graph, by ticket, so every wait is for an earlier team or for
/// a row of the same warp. No lane leaves the loop before its warp, and levels are posted inside
/// it, so that no lane keeps another from posting what it waits for.
template <class Graph>
struct LevelsKernel {
  using Scratch = backends::NoScratch;

  Graph graph;
  int* level;

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Team& team, Scratch&) const {
    const auto subwarp = team.subwarp();
    const std::int64_t i = team.index() * Team::threads + team.thread();
    bool done = i >= graph.rows;
    const auto row = graph.row(done ? 0 : i);
    auto k = done ? 0 : graph.row_ptr[row];
    const auto end = done ? 0 : graph.row_ptr[row + 1];
    int above = 0;
    while (subwarp.any(!done)) {
      if (done) continue;
      for (; k < end; ++k) {
        const auto needed = graph.col_idx[k];
        if (!in_triangle(graph.triangle, row, needed)) continue;
        const int below = backends::look(level + needed);
        if (below < 0) break;
        above = above > below ? above : below + 1;
      }
      if (k < end) continue;
      backends::post(level + row, above);
      done = true;
    }
  }
};

/// One round of raising every row above those that it needs; whether any rose.
template <class Graph>
struct RaiseKernel {
  Graph graph;
  int* level;

  KOKKOS_FUNCTION void operator()(std::int64_t i, int& rose) const {
    const auto row = graph.row(i);
    int above = 0;
    for (auto k = graph.row_ptr[row]; k < graph.row_ptr[row + 1]; ++k) {
      const auto needed = graph.col_idx[k];
      if (!in_triangle(graph.triangle, row, needed)) continue;
      const int below = backends::atomic_load(level + needed);
      above = above > below ? above : below + 1;
    }
    if (above == level[row]) return;
    backends::atomic_store(level + row, above);
    rose = 1;
  }
};

/// Before the first launch that takes them.
template <ExecutionSpace Exec>
void clear_tickets(const Exec& exec, const backends::Tickets& tickets) {
  Kokkos::parallel_for("heddle::sptrsv::no_tickets", range_policy(exec, 1),
                       backends::ClearTickets{tickets});
}

/// Fills `level`, one of each row, and returns how many levels there are. Waits for `exec`.
///
/// On a GPU one launch whose teams wait for each other; on a CPU a loop over the rows; where teams
/// may not wait a launch for each level. Source: J. Park et al., "Sparsifying synchronization for
/// high-performance shared-memory sparse triangular solver", ISC 2014, for levels in one sweep.
template <ExecutionSpace Exec, class Graph>
int find_levels(const Exec& exec, const Graph& graph, int* level) {
  if (graph.rows == 0) return 0;
  constexpr bool waits = backends::waits_make_progress<Exec>;
  if constexpr (backends::runs_on_host<Exec> && waits) {
    Kokkos::parallel_for("heddle::sptrsv::levels", range_policy(exec, 1), [=](std::int64_t) {
      int rose = 0;
      for (std::int64_t i = 0; i < graph.rows; ++i) {
        level[graph.row(i)] = -1;  // so that it rises
        RaiseKernel<Graph>{graph, level}(i, rose);
      }
    });
  } else {
    fill(exec, "heddle::sptrsv::no_levels", level, graph.rows, waits ? -1 : 0);
    if constexpr (waits) {
      constexpr int threads = 256;
      using Shape = backends::Shape<backends::max_subwarp_width<Exec>, threads>;
      Arena<typename Exec::memory_space> work(exec, "heddle::sptrsv::tickets",
                                              arena_bytes<std::uint32_t>(1));
      const backends::Tickets tickets{work.template take<std::uint32_t>(1).data()};
      clear_tickets(exec, tickets);
      backends::launch_by_ticket<Shape>(exec, "heddle::sptrsv::levels",
                                        ceil_div<std::int64_t>(graph.rows, threads),
                                        LevelsKernel<Graph>{graph, level}, tickets);
      exec.fence("heddle::sptrsv::levels");  // before the tickets are freed
    } else {
      for (int rose = 1; rose > 0;) {
        Kokkos::parallel_reduce("heddle::sptrsv::levels", range_policy(exec, graph.rows),
                                RaiseKernel<Graph>{graph, level}, Kokkos::Max<int>(rose));
      }
    }
  }
  int highest = 0;
  Kokkos::parallel_reduce("heddle::sptrsv::highest", range_policy(exec, graph.rows),
                          wavefronts::HighestLevel{level}, Kokkos::Max<int>(highest));
  return highest + 1;
}

}  // namespace heddle::detail::sptrsv
