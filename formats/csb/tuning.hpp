// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../core/device.hpp"

namespace heddle::detail::csb {

/// The sizes that CSB runs at, read by its launches and by the cost model. None was tuned.
struct Tuning {
  /// Rows and columns of a block: 4096 sums of double are 32 KB of scratch.
  int beta = 4096;
  /// Threads of a team on a GPU.
  int team_threads = 256;
  /// Vectors of x that one pass serves, where the plan expects several and scratch holds their
  /// sums.
  int most_vectors = 4;
  /// Pieces for each multiprocessor of a GPU and each thread of a CPU, if all are alike.
  int gpu_pieces = 4;
  int cpu_pieces = 8;
  /// Bytes of the table in which the inspector marks blocks, at most, unless the matrix has more.
  double most_table_bytes = 64e6;

  int pieces(const Device& device) const {
    return device.multiprocessors * (device.has_lanes() ? gpu_pieces : cpu_pieces);
  }
};

inline constexpr Tuning tuning{};

}  // namespace heddle::detail::csb
