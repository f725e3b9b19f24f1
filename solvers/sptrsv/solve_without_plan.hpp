// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <string>

#include "../../backends/device.hpp"
#include "../../backends/launch.hpp"
#include "../../backends/loops.hpp"
#include "../../backends/mailbox.hpp"
#include "../../backends/scratch.hpp"
#include "../../backends/threads_at_once.hpp"
#include "../../backends/unroll.hpp"
#include "../../core/multivector.hpp"
#include "../ordered/solved_values.hpp"
#include "../triangle/check_triangle.hpp"
#include "../triangle/ordered_triangle.hpp"
#include "select/tuning.hpp"
#include "without_plan.hpp"

namespace heddle::detail::sptrsv {

/// The operands of T x = alpha * b, for the rows of a triangle without inspection.
template <Scalar S, Ordinal O, Offset Off, Scalar V>
struct InOrderOperands {
  using scalar_type = S;
  using ordinal_type = O;
  using offset_type = Off;
  using vector_type = V;

  triangle::DependencyGraph<O, Off> graph;
  const S* values;
  bool unit;
  bool ignore_outside;
  V alpha;
  Multivector<const V> b;
  Multivector<V> x;

  KOKKOS_FORCEINLINE_FUNCTION bool needs(O row, O column) const {
    return triangle::in_triangle(graph.triangle, row, column);
  }
  /// Whether an entry makes its row NaN: it is outside of the triangle, which cannot be reported.
  KOKKOS_FORCEINLINE_FUNCTION bool spoils(O row, O column) const {
    return !ignore_outside && column != row && !needs(row, column);
  }
  KOKKOS_FORCEINLINE_FUNCTION V right_hand_side(O row, int vector) const {
    return alpha * b(row, vector);
  }
  KOKKOS_FORCEINLINE_FUNCTION V quotient(const V& difference, const V& diagonal) const {
    return unit ? difference : difference / diagonal;
  }

  KOKKOS_FORCEINLINE_FUNCTION static V not_a_number() {
    constexpr auto nan = Kokkos::Experimental::quiet_NaN_v<heddle::RealOf<V>>;
    if constexpr (is_complex<V>) {
      return V(nan, nan);
    } else {
      return nan;
    }
  }
};

/// Solves a row for one vector on one thread. The values that it needs are in x already, or are
/// after wait(place).
template <Triangle triangle, class Operands, class Wait>
KOKKOS_FORCEINLINE_FUNCTION void solve_row(const Operands& operands,
                                           typename Operands::ordinal_type row, int vector,
                                           const Wait& wait) {
  using V = typename Operands::vector_type;
  const auto& graph = operands.graph;
  V diagonal(0);
  V sum(0);
  const auto end = graph.row_ptr[row + 1];
  for (auto k = graph.row_ptr[row]; k < end; ++k) {
    const auto column = graph.col_idx[k];
    if (triangle::in_triangle(triangle, row, column)) {
      wait(triangle == Triangle::lower ? column : graph.rows - 1 - column);
      sum += V(operands.values[k]) * operands.x(column, vector);
    } else if (column == row) {
      diagonal += V(operands.values[k]);
    } else if (!operands.ignore_outside) {
      sum += Operands::not_a_number();
    }
  }
  operands.x(row, vector) =
      operands.quotient(operands.right_hand_side(row, vector) - sum, diagonal);
}

/// Solves rows [first, stop) of the order, for one vector.
template <class Operands, class Wait>
KOKKOS_FORCEINLINE_FUNCTION void solve_rows(const Operands& operands, std::int64_t first,
                                            std::int64_t stop, int vector, const Wait& wait) {
  using O = typename Operands::ordinal_type;
  if (operands.graph.triangle == Triangle::lower) {
    for (std::int64_t p = first; p < stop; ++p) {
      solve_row<Triangle::lower>(operands, static_cast<O>(p), vector, wait);
    }
  } else {
    for (std::int64_t p = first; p < stop; ++p) {
      solve_row<Triangle::upper>(operands, operands.graph.row(p), vector, wait);
    }
  }
}

/// Solves all rows of a vector by one thread; an item or a team for each vector.
template <class Operands>
struct OneThreadKernel {
  using Scratch = backends::NoScratch;

  Operands operands;

  KOKKOS_FUNCTION void operator()(int vector) const {
    solve_rows(operands, 0, operands.graph.rows, vector, [](std::int64_t) {});
  }
  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team, Scratch&) const {
    (*this)(static_cast<int>(team.index()));
  }
};

/// Progress of CPU threads in the chunks of rows that they take, one after the other.
struct Chunks {
  /// Words from one counter to the next: a cache line, to avoid false sharing.
  static constexpr std::int64_t stride = 64 / sizeof(std::int64_t);
  static constexpr std::int64_t least_rows = 16;
  static constexpr std::int64_t most_rows = 1024;
  /// Rows and entries of a chunk: a guess, large against the cost of a wait between threads.
  static constexpr std::int64_t steps = 8192;

  std::int64_t* solved = nullptr;  ///< solved rows of each chunk, one word of every `stride`
  std::int64_t rows = 0;           ///< rows of the matrix
  int shift = 0;                   ///< a chunk has 2^shift rows

  /// Chunks of a matrix, given its numbers of rows and entries.
  static Chunks of(std::int64_t* solved, std::int64_t rows, std::int64_t entries) {
    Chunks chunks{solved, rows, 4};
    const std::int64_t steps_per_row = 1 + entries / std::max<std::int64_t>(1, rows);
    while ((2 * steps_per_row << chunks.shift) <= steps && (2 << chunks.shift) <= most_rows) {
      ++chunks.shift;
    }
    return chunks;
  }
  KOKKOS_FUNCTION std::int64_t count() const { return ceil_div(rows, std::int64_t{1} << shift); }
  KOKKOS_FUNCTION std::int64_t first(std::int64_t chunk) const { return chunk << shift; }
  KOKKOS_FUNCTION std::int64_t size(std::int64_t chunk) const {
    return Kokkos::min(rows, first(chunk + 1)) - first(chunk);
  }
  KOKKOS_FUNCTION std::int64_t* of(std::int64_t chunk) const { return solved + chunk * stride; }
  KOKKOS_FUNCTION void await(std::int64_t place) const {
    const std::int64_t chunk = place >> shift, rows_before = place - first(chunk);
    backends::await(of(chunk), [=](std::int64_t solved) { return solved > rows_before; });
  }
};

/// Clears chunks and tickets, by one team, before the first ticket is taken.
struct ClearChunks {
  using Scratch = backends::NoScratch;

  Chunks chunks;
  backends::Tickets tickets;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team&, Scratch&) const {
    tickets.clear();
    for (std::int64_t chunk = 0; chunk < chunks.count(); ++chunk) *chunks.of(chunk) = 0;
  }
};

/// Solves rows in chunks, which CPU threads take by ticket. A thread solves the rows of a chunk in
/// order, and waits for rows of earlier chunks. x is read by plain loads once its row is published.
///
/// Why it ends: a thread waits only for chunks of lower tickets, which other threads have taken and
/// solve. The lowest chunk that is not solved waits for none. That holds for any number of granted
/// threads; a single one takes all chunks in order and never waits.
template <class Operands>
struct ChunksKernel {
  using Scratch = backends::NoScratch;

  Operands operands;
  Chunks chunks;
  backends::Tickets tickets;
  std::int64_t teams;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team&, Scratch&) const {
    const std::int64_t count = chunks.count();
    // Every team takes one ticket beyond the last chunk, and ends.
    const auto all = static_cast<std::uint32_t>(count + teams);
    std::int64_t known = 0;  // first chunk that this thread has not seen solved
    for (auto chunk = tickets.take(all); chunk < count; chunk = tickets.take(all)) {
      while (known < chunk && backends::acquire(chunks.of(known)) == chunks.size(known)) ++known;
      solve(chunk, chunks.first(known));
    }
  }

 private:
  /// Solves a chunk. This thread has seen the first `known` rows solved.
  KOKKOS_FUNCTION void solve(std::int64_t chunk, std::int64_t known) const {
    const Operands local = operands;  // a copy, which no store to x can change
    const std::int64_t first = chunks.first(chunk), stop = first + chunks.size(chunk);
    const auto wait = [=, this](std::int64_t place) {
      if (place >= known && place < first) chunks.await(place);
    };
    for (std::int64_t next = first; next < stop;) {
      const std::int64_t end = Kokkos::min(next + Chunks::least_rows, stop);
      for (int v = 0; v < local.x.count; ++v) solve_rows(local, next, end, v, wait);
      backends::publish(chunks.of(chunk), end - first);
      next = end;
    }
  }
};

/// Solves rows on a GPU, one thread for each, in the order of the graph, by ticket. Values are
/// passed on in words that are their own flags. A lane requests Batch values at once.
///
/// Why it ends: teams take rows in the order in which they begin, so the lowest row that is not
/// solved belongs to a team that runs, and waits for none. No lane leaves the loop before its warp,
/// and none waits inside it: in every round each lane looks once for the values it lacks, and posts
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
      if (!ordered::look_for_all(solved, place, seen)) continue;
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

namespace heddle {

template <class V>
inline constexpr bool detail::is_defined<detail::sptrsv::WithoutPlanKernels<V>> = true;

namespace detail::sptrsv {

/// The type of a workspace's words.
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
  detail::sptrsv::Word<Exec, Vector>* words = nullptr;
  memory_ = Arena<typename Exec::memory_space>(
      exec, "heddle::sptrsv::workspace", arena_array(next_ticket_, 1),
      arena_array(words, detail::sptrsv::words_of<Exec, Vector>(rows, vectors_)));
  words_ = words;
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

/// Solves on a GPU, with two launches for each pass.
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

/// Solves with one thread for each vector: one launch.
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

/// Solves on a CPU, with two launches; one if there is no work, or no processor, for a second
/// thread.
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
    throw Error("the matrix of a triangular solve is " + std::to_string(T.rows()) + " x " +
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
