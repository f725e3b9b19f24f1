// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../backends/lanes.hpp"

namespace heddle::detail::vectors {

/// How passes over vectors are laid out.
struct Tuning {
  int threads;              ///< of a team
  int packs;                ///< that a lane has under way together
  std::int64_t least_rows;  ///< of a team; fewer are not worth another one
  std::int64_t
      block_rows;  ///< taken of every vector in turn, so that rows side by side stay cached
  int vectors;     ///< of a launch
  std::int64_t product_rows;  ///< that V' W and V C take of all columns, so that they stay cached
};

template <ExecutionSpace Exec>
inline constexpr Tuning tuning_of = backends::has_lanes<Exec> ? Tuning{256, 4, 1024, 1024, 8, 1024}
                                                              : Tuning{1, 4, 4096, 1024, 8, 256};

/// Vectors that a launch takes, as a constant of kernels.
inline constexpr int vectors_at_once = 8;

}  // namespace heddle::detail::vectors
