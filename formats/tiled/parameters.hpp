// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "../../core/device.hpp"
#include "../../core/integers.hpp"
#include "../../core/scheme_grammar.hpp"
#include "tile.hpp"
#include "tuning.hpp"

namespace heddle::detail::tiled {

/// The parameters of a scheme tiled/16, those that it leaves out resolved.
struct Parameters {
  static std::vector<SchemeKey> keys() {
    return {SchemeKey("piece", {"<2..1000000>"}, scheme_auto, {"2", "5"})};
  }

  Parameters(const Scheme& given, const Device& device) {
    if (given.has("piece")) given_piece_ = given.integer("piece");
    warps_ = device.has_lanes() ? device.multiprocessors * tuning.warps_per_multiprocessor : 0;
  }

  /// Tiles of a piece at most, given how many the matrix has: as few as keep all warps of a GPU
  /// busy.
  std::int64_t piece_tiles(std::int64_t tiles) const {
    if (given_piece_ > 0) return given_piece_;
    if (warps_ == 0) return tuning.cpu_piece_tiles;
    return std::clamp<std::int64_t>(ceil_div(tiles, warps_), tuning.least_piece_tiles,
                                    tuning.gpu_piece_tiles);
  }

  Scheme scheme(std::int64_t tiles) const {
    return Scheme("tiled", {SchemeTerm("16"), {"piece", std::to_string(piece_tiles(tiles))}});
  }

 private:
  std::int64_t given_piece_ = 0;
  int warps_ = 0;
};

}  // namespace heddle::detail::tiled
