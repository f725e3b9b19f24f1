// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../../backends/launch.hpp"
#include "in_order_rows.hpp"

namespace heddle::detail::sptrsv {

/// Where the threads of a CPU are with the chunks of rows that they take, one after the other.
struct Chunks {
  /// A line of cache a counter, so that threads do not take it from each other.
  static constexpr std::int64_t stride = 64 / sizeof(std::int64_t);
  static constexpr std::int64_t least_rows = 16;
  static constexpr std::int64_t most_rows = 1024;
  /// Rows and entries of a chunk: a guess; large beside the handing over of one to another thread.
  static constexpr std::int64_t steps = 8192;

  std::int64_t* solved = nullptr;  ///< rows of each chunk, stride words a chunk
  std::int64_t rows = 0;           ///< of the matrix
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

/// By one team, before the first ticket is taken.
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

/// Rows in chunks, which the threads of a CPU take by ticket, each solving the rows of a chunk in
/// order and waiting for those of earlier chunks. x is read plainly once its row is published.
///
/// Why it ends: a thread waits only for chunks of lower tickets, which other threads have taken and
/// solve. The chunk that is lowest among those not solved waits for nobody. That holds however few
/// of the threads are granted; one alone takes all chunks in order and never waits.
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
    std::int64_t known = 0;  // chunks from the first on that this thread has seen solved
    for (auto chunk = tickets.take(all); chunk < count; chunk = tickets.take(all)) {
      while (known < chunk && backends::acquire(chunks.of(known)) == chunks.size(known)) ++known;
      solve(chunk, chunks.first(known));
    }
  }

 private:
  /// `known` rows are solved, as this thread can see.
  KOKKOS_FUNCTION void solve(std::int64_t chunk, std::int64_t known) const {
    const Operands local = operands;  // which the compiler knows that nobody else changes
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

}  // namespace heddle::detail::sptrsv
