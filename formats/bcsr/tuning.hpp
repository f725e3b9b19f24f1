// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

namespace heddle::detail::bcsr {

/// The sizes that BCSR runs at, read by its launches and by the cost model.
struct Tuning {
  /// Places for each nonzero at most; a matrix with more is refused.
  double most_fill_in = 3;
  int team_threads = 256;
  /// Lanes a block row of a GPU at least: as many as a block has rows at most.
  int fewest_lanes = 8;
  /// Columns of a block row that a lane of a GPU takes at once, with one vector and with several.
  int batch = 4;
  int multivector_batch = 2;
  /// Batches of columns that the lanes of a block row of a GPU take at most; a longer one is cut.
  int most_batches = 16;
  /// Blocks of a block row that a thread of a CPU takes in any case, and pieces for each thread
  /// that the longest may be cut into.
  int least_piece = 1024;
  int cpu_pieces = 4;
  /// Vectors that one pass over the blocks takes.
  int most_vectors = 8;
  /// What a block row costs a thread of a CPU beside its blocks, in blocks.
  int row_steps = 2;
  /// Sums that a thread of a CPU keeps of each row, for columns in turn: this number of products
  /// and sums are under way together.
  int cpu_chains = 2;
};

inline constexpr Tuning tuning{};

}  // namespace heddle::detail::bcsr
