// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <limits>
#include <string>

#include "../../core/scheme.hpp"
#include "../common/prediction.hpp"
#include "../inspect/recipe/walks.hpp"
#include "parameters.hpp"
#include "tile.hpp"

namespace heddle::detail::tiled {

/// What `tiles` tiles keep: tables, data rounded up to what a tile is aligned to, pieces, and
/// carry-outs of the tile rows that are cut.
inline double kept_bytes(const Scheme& scheme, double tiles, const RowFeatures& rows,
                         const Device& device, const Sizes& sizes) {
  const auto parameters = parameters_of<Parameters>(scheme, device);
  const auto n = static_cast<double>(rows.nonzeros);
  const double tile_rows = std::ceil(static_cast<double>(rows.rows) / tile_size);
  const auto piece_tiles =
      static_cast<double>(parameters.piece_tiles(static_cast<std::int64_t>(tiles), device));
  const double longest = std::min(tile_size * static_cast<double>(rows.longest_row),
                                  std::ceil(static_cast<double>(rows.columns) / tile_size));
  const double cut = longest > piece_tiles ? tiles / piece_tiles : 0;
  const double carries = cut + std::min(cut, tile_rows);
  const double table = sizes.ordinal_bytes + sizeof(Tile) + 2.0 * sizes.offset_bytes;
  const Rules rules;
  // As if all tiles had as many entries.
  double data = n * (sizes.scalar_bytes + 0.5) + tiles * tile_size;
  if (n <= rules.most_coo_entries * tiles) {
    data = n * (sizes.scalar_bytes + 1);
  } else if (n >= rules.least_dense_entries * tiles) {
    data = tiles * tile_size * tile_size * sizes.scalar_bytes;
  }
  data += tiles * Tile::alignment / 2;
  const double pieces = tile_rows + cut + 1;
  return tiles * table + data + tile_rows * sizes.offset_bytes +
         pieces * (sizeof(std::int64_t) + 2.0 * sizes.ordinal_bytes) +
         carries * tuning.most_vectors * tile_size * sizes.accumulator_bytes;
}

/// From the bytes, of rows alone: how entries lie together in tiles they do not say, so an entry
/// is taken to cost what it does in CSR, and a tile row a tile. A last resort: on an H200 it took
/// 4.3 times as long as the best of CSR on average, 1.7 at least (docs/design/formats.md), and on
/// CPUs 4.1 to 4.8 times.
inline Prediction predict(const Scheme& scheme, const Features& features, const Device& device,
                          const Sizes& sizes) {
  const RowFeatures& rows = features.rows();
  // A tile counts its entries in 32 bits; only where they repeat are there more than 256.
  constexpr std::int64_t most_entries = std::numeric_limits<std::uint32_t>::max();
  if (rows.longest_row > most_entries / tile_size) {
    return Prediction::refuse("a tile of rows of " + std::to_string(rows.longest_row) +
                              " entries might hold more than it can count");
  }
  const int passes = passes_over_matrix(sizes.vectors.count, tuning.most_vectors);
  const auto n = static_cast<double>(rows.nonzeros);
  const double tile_rows = std::ceil(static_cast<double>(rows.rows) / tile_size);
  const bool sorted = device.has_lanes() && rows.longest_row > recipe::most_walked_by_subwarp;
  Prediction prediction;
  prediction.borrows_values = false;
  prediction.kept_bytes =
      n * (sizes.scalar_bytes + sizes.ordinal_bytes) +
      tile_rows * (2.0 * sizeof(Tile) + 2 * sizes.ordinal_bytes + 4.0 * sizes.offset_bytes);
  prediction.moved_bytes = passes * prediction.kept_bytes + vector_bytes(rows, sizes);
  prediction.reason = "tiles of 16 x 16, of unknown number, each stored in its own way";
  prediction.last_resort = true;
  if (device.has_lanes()) {
    // A warp takes its tiles one after the other, each a load after that of its table.
    const double longest = static_cast<double>(rows.longest_row) / tile_size;
    prediction.price(
        GpuCost{.rounds = std::min<double>(tuning.gpu_piece_tiles, std::max(1.0, longest)),
                .round_seconds = 1.2e-6,
                .efficiency = 0.8,
                .slowdown = 2,
                .several = {{3.5, 3.2, 4.3, 4.8}, {3.3, 3.6, 3.8}},
                .setup = {483, 275, 210, 9}},
        rows, device, sizes);
  } else {
    // Four passes over the columns and two over the values, in steps that wait for each other.
    const double copy = 4 * csr_least_bytes(rows, sizes) + 2 * prediction.kept_bytes;
    prediction.price(CpuCost{.slowdown = 2.5, .setup_waits = 5, .setup_bytes = 3 * copy}, device);
  }
  prediction.lacks_pattern = !features.has_blocks();
  prediction.pattern_may_refuse = false;
  if (features.has_blocks()) {
    const auto tiles = static_cast<double>(features.blocks(tile_size, tile_size));
    prediction.kept_bytes = kept_bytes(scheme, tiles, rows, device, sizes);
  }
  prediction.kept_bytes += sorted ? n * sizes.offset_bytes : 0;
  return prediction;
}

}  // namespace heddle::detail::tiled
