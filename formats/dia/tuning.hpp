// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

namespace heddle::detail::dia {

/// The sizes that DIA runs at, read by its launches and by the cost model.
struct Tuning {
  /// Places for each nonzero at most; a matrix with more is refused.
  double most_fill_in = 3;
  int team_threads = 256;
  /// Diagonals that a lane of a GPU loads at once.
  int batch = 4;
  /// Vectors that one pass over the diagonals takes.
  int most_vectors = 8;
  /// Packs of rows that a thread of a CPU takes together: two cache lines of every diagonal.
  int cpu_packs = 4;
  /// How many rows ahead of those that it adds up a CPU asks for, of every diagonal.
  int cpu_rows_ahead = 128;
  /// Diagonals beside one that double what a byte takes on a CPU, which reads each as a stream.
  double cpu_streams = 60;
  /// Rows are padded to a multiple of this, so that every diagonal begins a cache line.
  std::int64_t row_alignment = 32;
};

inline constexpr Tuning tuning{};

}  // namespace heddle::detail::dia
