// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

namespace heddle::detail::tiled {

/// The rules by which each tile's layout is chosen, in the order in which they are asked. They are
/// those of the paper named in tile_shape.hpp; no others were timed here.
struct Rules {
  /// Entries of a tile that is a list of them, at most.
  int most_coo_entries = 12;
  /// Entries of a dense tile at least: 75 % of its places.
  int least_dense_entries = 192;
  /// Variation of row lengths (standard deviation over mean, in percent) of a tile in ELL at most,
  /// in HYB at least.
  int most_ell_percent = 20;
  int least_hyb_percent = 100;
  /// Entries beyond the slots of a tile in HYB at most, and its slots for each entry.
  int most_hyb_rest = 4;
  int most_hyb_padding = 2;
};

/// The sizes that tiled runs at.
struct Tuning {
  /// Tiles of a piece at most, where a scheme does not say: on a CPU; and on a GPU, a warp's, which
  /// takes them one after the other, about a microsecond each on an H200: fewer where so many warps
  /// a multiprocessor would else not all have some.
  int cpu_piece_tiles = 4096;
  int gpu_piece_tiles = 64;
  int least_piece_tiles = 4;
  int warps_per_multiprocessor = 32;
  int team_threads = 128;
  /// Steps of a tile that a lane of a GPU loads at once.
  int batch = 4;
  /// Vectors that one pass over the tiles takes.
  int most_vectors = 8;
  /// What a tile and a piece cost a thread of a CPU beside their data, in bytes of it.
  int tile_steps = 64;
  int piece_steps = 128;
};

inline constexpr Tuning tuning{};

/// Of their own, so that kernels may name them.
inline constexpr int most_vectors = tuning.most_vectors;
inline constexpr int tile_steps = tuning.tile_steps;
inline constexpr int piece_steps = tuning.piece_steps;

}  // namespace heddle::detail::tiled
