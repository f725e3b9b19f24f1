// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <string>

#include "../../backends/device.hpp"
#include "../../backends/loops.hpp"
#include "../../backends/threads_at_once.hpp"
#include "../triangle/right_hand_sides.hpp"
#include "run/in_order_kernels.hpp"
#include "select/tuning.hpp"
#include "without_plan.hpp"

namespace heddle {

template <class V>
inline constexpr bool detail::is_defined<detail::sptrsv::WithoutPlanKernels<V>> = true;

namespace detail::sptrsv {

/// Of a workspace.
template <ExecutionSpace Exec, Scalar V>
using Word = std::conditional_t<backends::has_lanes<Exec>, heddle::RealOf<V>, std::int64_t>;

template <ExecutionSpace Exec, Scalar V>
std::int64_t words_of(std::int64_t rows, int vectors) {
  if constexpr (!backends::waits_make_progress<Exec>) {
    return 0;
  } else if constexpr (backends::has_lanes<Exec>) {
    return rows * vectors * backends::Mailbox<V, 1>::words_per_place;
  } else {
    return ceil_div(rows, Chunks::least_rows) * Chunks::stride;
  }
}

}  // namespace detail::sptrsv

template <ExecutionSpace Exec, Scalar Vector>
SptrsvWorkspace<Exec, Vector>::SptrsvWorkspace(const Exec& exec, std::int64_t rows, int vectors)
    : rows_(rows), vectors_(std::clamp(vectors, 1, detail::sptrsv::vectors_at_once)) {
  using Word = detail::sptrsv::Word<Exec, Vector>;
  const auto words =
      static_cast<std::size_t>(detail::sptrsv::words_of<Exec, Vector>(rows, vectors_));
  memory_ = Arena<typename Exec::memory_space>(exec, "heddle::sptrsv::workspace",
                                               arena_bytes<std::uint32_t, Word>(1, words));
  next_ticket_ = memory_.template take<std::uint32_t>(1).data();
  words_ = memory_.template take<Word>(words).data();
}

namespace detail::sptrsv {

template <class Mailbox>
struct ClearMailbox {
  Mailbox solved;
  backends::Tickets tickets;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    if (i == 0) tickets.clear();
    solved.clear(i);
  }
};

/// On a GPU: two launches for each pass.
template <ExecutionSpace Exec, class Operands>
void solve_by_lanes(const Exec& exec, Operands operands,
                    const SptrsvWorkspace<Exec, typename Operands::vector_type>& workspace) {
  using V = typename Operands::vector_type;
  using Mailbox = backends::Mailbox<V, 1>;
  using Shape = backends::Shape<backends::max_subwarp_width<Exec>, team_threads>;
  const backends::Residency residency{warps_without_plan};
  const std::int64_t rows = operands.graph.rows;
  const std::int64_t teams = ceil_div<std::int64_t>(rows, team_threads);
  const Mailbox solved{static_cast<Word<Exec, V>*>(workspace.words())};
  const backends::Tickets tickets{workspace.next_ticket()};
  const auto b = operands.b;
  const auto x = operands.x;
  for (int first = 0; first < x.count; first += workspace.vectors()) {
    const int vectors = std::min(workspace.vectors(), x.count - first);
    operands.b = b.slice(first, vectors);
    operands.x = x.slice(first, vectors);
    parallel_for(exec, "heddle::sptrsv::no_values", rows * vectors,
                 ClearMailbox<Mailbox>{solved, tickets});
    const char* const label = "heddle::sptrsv::solve_in_order";
    if (vectors == 1) {
      using Kernel = InOrderKernel<Operands, 8, 1>;
      backends::launch_by_ticket<Shape>(exec, label, teams, Kernel{operands, solved}, tickets, 0,
                                        residency);
    } else {
      using Kernel = InOrderKernel<Operands, 2, vectors_at_once>;
      backends::launch_by_ticket<Shape>(exec, label, teams, Kernel{operands, solved}, tickets, 0,
                                        residency);
    }
  }
}

/// A vector a thread: one launch.
template <ExecutionSpace Exec, class Operands>
void solve_by_vectors(const Exec& exec, const Operands& operands) {
  const char* const label = "heddle::sptrsv::solve_in_order";
  const OneThreadKernel<Operands> kernel{operands};
  if constexpr (backends::runs_on_host<Exec> && backends::waits_make_progress<Exec>) {
    backends::launch<backends::Shape<1>>(exec, label, operands.x.count, kernel);
  } else {
    parallel_for(exec, label, operands.x.count, kernel);
  }
}

/// On a CPU: two launches; one where there is no work, or no processor, for a second thread.
template <ExecutionSpace Exec, class Operands>
void solve_by_chunks(const Exec& exec, const Operands& operands, std::int64_t entries,
                     const SptrsvWorkspace<Exec, typename Operands::vector_type>& workspace) {
  using Shape = backends::Shape<1>;
  auto* const words = static_cast<std::int64_t*>(workspace.words());
  const auto chunks = Chunks::of(words, operands.graph.rows, entries);
  const backends::Tickets tickets{workspace.next_ticket()};
  const std::int64_t teams =
      std::min<std::int64_t>(backends::threads_at_once(exec), chunks.count());
  if (teams == 1) return solve_by_vectors(exec, operands);
  backends::launch<Shape>(exec, "heddle::sptrsv::no_chunks", 1, ClearChunks{chunks, tickets});
  using Kernel = ChunksKernel<Operands>;
  backends::launch<Shape>(exec, "heddle::sptrsv::solve_in_order", teams,
                          Kernel{operands, chunks, tickets, teams});
}

template <Scalar V, ExecutionSpace Exec, Scalar S, Ordinal O, Offset Off, MemorySpace Space>
void solve_without_plan(const Exec& exec, V alpha, const CsrMatrix<S, O, Off, Space>& T,
                        const Multivector<const V>& b, const Multivector<V>& x,
                        const SptrsvWorkspace<Exec, V>& workspace, const SptrsvOptions& options) {
  if (T.rows() != T.columns()) {
    throw Error("a triangular solve with a matrix of " + std::to_string(T.rows()) + " x " +
                    std::to_string(T.columns()),
                "give a square matrix");
  }
  triangle::check_right_hand_sides(T.rows(), b, x);
  if (workspace.moved_from()) {
    throw Error("sptrsv was given a workspace that was moved from",
                "give it the one that it was moved to");
  }
  if (workspace.rows() < T.rows()) {
    throw Error("the workspace is for " + std::to_string(workspace.rows()) + " rows, and T has " +
                    std::to_string(T.rows()),
                "make an SptrsvWorkspace for the rows of T");
  }
  if (x.count == 0 || x.rows == 0) return;
  if (alpha == V(0)) return triangle::clear(exec, x);
  const InOrderOperands<S, O, Off, V> operands{
      {T.row_ptr().data(), T.col_idx().data(), T.rows(), options.triangle},
      T.values().data(),
      options.diagonal == Diagonal::unit,
      options.ignore_outside,
      alpha,
      b,
      x};
  if constexpr (!backends::waits_make_progress<Exec>) {
    solve_by_vectors(exec, operands);
  } else if constexpr (backends::has_lanes<Exec>) {
    solve_by_lanes(exec, operands, workspace);
  } else {
    solve_by_chunks(exec, operands, static_cast<std::int64_t>(T.nonzeros()), workspace);
  }
}

}  // namespace detail::sptrsv

}  // namespace heddle
