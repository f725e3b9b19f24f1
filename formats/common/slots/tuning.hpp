// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

namespace heddle::detail::slots {

/// Tuning parameters of ELL and the main part of HYB, read by launches and by cost models.
struct Tuning {
  /// Most slots for each nonzero; a matrix with more is refused.
  double most_padding = 3;
  int team_threads = 256;
  /// Slots that a lane of a GPU loads at once, with one vector and with several.
  int batch = 8;
  int multivector_batch = 4;
  /// Vectors of x that one pass over the matrix serves.
  int most_vectors = 8;
  /// Most lanes for each row, on a GPU.
  int most_lanes = 8;
  /// Packs of rows that a thread of a CPU handles together: two cache lines of every array at once.
  int cpu_packs = 4;
  /// Distance in rows at which a CPU prefetches each slot of ELL.
  int cpu_rows_ahead = 128;
  /// Rows are padded to a multiple of this, so that every slot begins a cache line.
  std::int64_t row_alignment = 32;
};

inline constexpr Tuning tuning{};

}  // namespace heddle::detail::slots
