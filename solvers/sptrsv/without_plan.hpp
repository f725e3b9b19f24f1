// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../backends/device.hpp"
#include "../../backends/threads_at_once.hpp"
#include "../../core/arena.hpp"
#include "../../core/loops.hpp"
#include "../../core/matrix.hpp"
#include "../../core/move_only.hpp"
#include "../triangle/right_hand_sides.hpp"
#include "options.hpp"
#include "prepare/chunks_kernel.hpp"
#include "prepare/in_order_kernel.hpp"
#include "select/tuning.hpp"

namespace heddle {

/// Memory that solves without a plan hand values on through: on a GPU a word of Vector for every
/// row and right-hand side (complex<double>: two), on a CPU half a word a row. It holds nothing
/// between solves, so one may serve any triangle of as many rows or fewer, with or without the same
/// options; but one solve at a time: solves on two streams that may overlap need one each. Moves,
/// does not copy.
///
/// It is made once and kept, since Kokkos waits for the device where memory is released, and for
/// the stream where it is allocated.
template <ExecutionSpace Exec, Scalar Vector>
class SptrsvWorkspace {
 public:
  /// For triangles of up to `rows` rows. `vectors` right-hand sides, at most 4, are solved in one
  /// pass over the triangle; b may hold more. Allocates, in the order of `exec`.
  explicit SptrsvWorkspace(const Exec& exec, std::int64_t rows, int vectors = 1)
      : rows_(rows), vectors_(std::clamp(vectors, 1, detail::sptrsv::vectors_at_once)) {
    const auto words = static_cast<std::size_t>(words_of(rows, vectors_));
    memory_ =
        Arena<Space>(exec, "heddle::sptrsv::workspace", arena_bytes<std::uint32_t, Word>(1, words));
    tickets_.next = memory_.template take<std::uint32_t>(1).data();
    words_ = memory_.template take<Word>(words).data();
  }

  std::int64_t rows() const { return rows_; }
  int vectors() const { return vectors_; }
  std::size_t bytes() const { return memory_.bytes(); }

  /// Then it serves no solve, until another is assigned to it.
  bool moved_from() const { return moves_.moved_from(); }

  /// For the library: the words, and the counter that teams take their order from.
  using Word = std::conditional_t<backends::has_lanes<Exec>, RealOf<Vector>, std::int64_t>;
  Word* words() const { return words_; }
  const backends::Tickets& tickets() const { return tickets_; }

 private:
  using Space = typename Exec::memory_space;

  static std::int64_t words_of(std::int64_t rows, int vectors) {
    if constexpr (!backends::waits_make_progress<Exec>) {
      return 0;
    } else if constexpr (backends::has_lanes<Exec>) {
      return rows * vectors * backends::Mailbox<Vector, 1>::words_per_place;
    } else {
      using detail::sptrsv::Chunks;
      return ceil_div(rows, Chunks::least_rows) * Chunks::stride;
    }
  }

  detail::MoveOnly moves_;
  std::int64_t rows_;
  int vectors_;
  Arena<Space> memory_;
  Word* words_ = nullptr;
  backends::Tickets tickets_;
};

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
  const Mailbox solved{workspace.words()};
  const auto tickets = workspace.tickets();
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
  const auto chunks = Chunks::of(workspace.words(), operands.graph.rows, entries);
  const auto tickets = workspace.tickets();
  const std::int64_t teams =
      std::min<std::int64_t>(backends::threads_at_once(exec), chunks.count());
  if (teams == 1) return solve_by_vectors(exec, operands);
  backends::launch<Shape>(exec, "heddle::sptrsv::no_chunks", 1, ClearChunks{chunks, tickets});
  using Kernel = ChunksKernel<Operands>;
  backends::launch<Shape>(exec, "heddle::sptrsv::solve_in_order", teams,
                          Kernel{operands, chunks, tickets, teams});
}

}  // namespace detail::sptrsv

/// Solves T x = alpha * b at once, for the triangle of T that `options` name, without inspection:
/// queued on `exec`, no allocation, no copy, no wait. For triangles solved with once or twice;
/// others want an SptrsvPlan. May be captured in a CUDA or HIP graph.
///
/// T is square; its columns may be in any order, and repeated entries add up. b and x have one row
/// a row of T, are of rank 1, or of rank 2 with as many vectors as each other, in any layout, and
/// hold the workspace's Vector; x is b itself, or does not overlap it. x is rounded to Vector
/// before other rows read it, and sums are kept in Vector. alpha == 0 sets x to zero and reads
/// neither T nor b.
///
/// Of `options` it reads triangle, diagonal and ignore_outside; the others are for plans.
///
/// Throws Error for another op than Op::none and for a pinned scheme, for which SptrsvPlan is, if
/// shapes do not fit, if b and x overlap in part, or if the workspace is for fewer rows, or was
/// moved from.
///
/// Not checked, since that would wait for the device: row pointer and columns, which must be right
/// (a column out of range reads outside of memory, or waits for ever); the diagonal: where it is
/// read and missing or zero, x is infinite or NaN in its row and in those that need it; entries
/// outside of the triangle, which make their row NaN if they are not ignored.
///
/// Bitwise reproducible: every row is added up by one thread, in the order of its entries. On CUDA
/// and HIP rows are lanes that wait for each other, in two launches for each
/// SptrsvWorkspace::vectors() columns; on a CPU threads take chunks of rows in order, and wait for
/// each other; through Portable<Exec>, where nobody may wait, a vector is one thread's.
/// Source: W. Liu et al., "A synchronization-free algorithm for parallel sparse triangular solves",
/// Euro-Par 2016.
template <ExecutionSpace Exec, Scalar S, Ordinal O, Offset Off, MemorySpace Space, VectorView B,
          WritableVectorView X>
void sptrsv(const Exec& exec, Op op, typename X::value_type alpha,
            const CsrMatrix<S, O, Off, Space>& T, const B& b, const X& x,
            const SptrsvWorkspace<Exec, typename X::value_type>& workspace,
            const SptrsvOptions& options = {}) {
  using V = typename X::value_type;
  static_assert(std::same_as<typename B::non_const_value_type, V>, "b and x hold the same type");
  static_assert(Kokkos::SpaceAccessibility<KokkosSpace<Exec>, Space>::accessible,
                "the matrix lies in a memory space that the execution space cannot reach");
  static_assert(
      Kokkos::SpaceAccessibility<KokkosSpace<Exec>, typename B::memory_space>::accessible &&
          Kokkos::SpaceAccessibility<KokkosSpace<Exec>, typename X::memory_space>::accessible,
      "b or x lies in a memory space that the execution space cannot reach");
  if (op != Op::none) {
    throw Error(std::string("a triangular solve without a plan, for op ") + name(op),
                "make an SptrsvPlan, which solves for every op");
  }
  if (options.scheme) {
    throw Error("a triangular solve without a plan, for the scheme " + options.scheme->to_string(),
                "make an SptrsvPlan, which runs the scheme that is pinned");
  }
  if (T.rows() != T.columns()) {
    throw Error("a triangular solve with a matrix of " + std::to_string(T.rows()) + " x " +
                    std::to_string(T.columns()),
                "give a square matrix");
  }
  const auto b_vectors = multivector_of<const V>(b);
  const auto x_vectors = multivector_of<V>(x);
  detail::triangle::check_right_hand_sides(T.rows(), b_vectors, x_vectors);
  if (workspace.moved_from()) {
    throw Error("sptrsv was given a workspace that was moved from",
                "give it the one that it was moved to");
  }
  if (workspace.rows() < T.rows()) {
    throw Error("the workspace is for " + std::to_string(workspace.rows()) + " rows, and T has " +
                    std::to_string(T.rows()),
                "make an SptrsvWorkspace for the rows of T");
  }
  if (x_vectors.count == 0 || x_vectors.rows == 0) return;
  if (alpha == V(0)) return detail::triangle::clear(exec, x_vectors);
  const detail::sptrsv::InOrderOperands<S, O, Off, V> operands{
      {T.row_ptr().data(), T.col_idx().data(), T.rows(), options.triangle},
      T.values().data(),
      options.diagonal == Diagonal::unit,
      options.ignore_outside,
      alpha,
      b_vectors,
      x_vectors};
  if constexpr (!backends::waits_make_progress<Exec>) {
    detail::sptrsv::solve_by_vectors(exec, operands);
  } else if constexpr (backends::has_lanes<Exec>) {
    detail::sptrsv::solve_by_lanes(exec, operands, workspace);
  } else {
    detail::sptrsv::solve_by_chunks(exec, operands, static_cast<std::int64_t>(T.nonzeros()),
                                    workspace);
  }
}

/// The same with Op::none.
template <ExecutionSpace Exec, Scalar S, Ordinal O, Offset Off, MemorySpace Space, VectorView B,
          WritableVectorView X>
void sptrsv(const Exec& exec, typename X::value_type alpha, const CsrMatrix<S, O, Off, Space>& T,
            const B& b, const X& x, const SptrsvWorkspace<Exec, typename X::value_type>& workspace,
            const SptrsvOptions& options = {}) {
  sptrsv(exec, Op::none, alpha, T, b, x, workspace, options);
}

}  // namespace heddle
