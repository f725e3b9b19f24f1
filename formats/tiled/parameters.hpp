// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "../../core/device.hpp"
#include "../../core/integers.hpp"
#include "../../core/scheme_fields.hpp"
#include "tile.hpp"
#include "tuning.hpp"

namespace heddle::detail::tiled {

/// The parameters of a scheme tiled/16.
struct Parameters {
  std::optional<std::int64_t> piece;  ///< tiles of a piece, where that is pinned

  void list(SchemeFields& fields, const Device&) {
    fields.add(piece, {.key = "piece", .numbers = {2, 1000000}, .examples = {"2", "5"}});
    fields.kernel("16");
  }

  /// Tiles of a piece at most, given how many the matrix has: as few as keep all warps of a GPU
  /// busy.
  std::int64_t piece_tiles(std::int64_t tiles, const Device& device) const {
    if (piece) return *piece;
    if (!device.has_lanes()) return tuning.cpu_piece_tiles;
    const std::int64_t warps = device.multiprocessors * tuning.warps_per_multiprocessor;
    return std::clamp<std::int64_t>(ceil_div(tiles, warps), tuning.least_piece_tiles,
                                    tuning.gpu_piece_tiles);
  }
};

}  // namespace heddle::detail::tiled
