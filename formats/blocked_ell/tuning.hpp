// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

namespace heddle::detail::blocked_ell {

/// The sizes that blocked ELL runs at, read by its launches and by the cost model.
struct Tuning {
  /// Slots for each nonzero at most; a matrix with more is refused.
  double most_padding = 3;
  /// Threads of a team of a GPU.
  int team_threads = 128;
  /// Slots that a lane of a GPU loads at once, with one vector and with several.
  int batch = 4;
  int multivector_batch = 4;
  /// Lanes a row of a GPU at most.
  int most_lanes = 8;
  /// Rows of a slice that a thread of a CPU takes together, and the least rows of a slice there.
  int cpu_rows = 16;
  /// Slots of a row that one group of lanes takes at most; a wider slice is cut into pieces.
  int piece_width = 1024;
  /// Rows of a window at most: on a GPU each looks at all others of its window once.
  int most_sigma = 16384;
};

inline constexpr Tuning tuning{};

/// Of its own, so that kernels may name it.
inline constexpr int piece_width = tuning.piece_width;

/// Vectors of one launch at most, and so the carry-outs of each row place of a cut slice.
inline constexpr int most_vectors = 8;

}  // namespace heddle::detail::blocked_ell
