// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "../../core/device.hpp"
#include "../../core/integers.hpp"
#include "../../core/scheme.hpp"
#include "../../core/scheme_grammar.hpp"
#include "../common/prediction.hpp"
#include "../formats.hpp"
#include "../inspect/recipe/walks.hpp"
#include "tile.hpp"

namespace heddle::detail::tiled {

/// The parameters of a scheme tiled/16.
struct Parameters {
  std::optional<std::int64_t> piece;  ///< tiles of a piece, if pinned

  void list(SchemeFields& fields, const Device&) {
    fields.add(piece, {.key = "piece", .numbers = {2, 1000000}, .examples = {"2", "5"}});
    fields.kernel("16");
  }

  /// Most tiles of a piece in a matrix of `tiles` tiles: as few as keep all warps of a GPU busy.
  std::int64_t piece_tiles(std::int64_t tiles, const Device& device) const {
    if (piece) return *piece;
    if (!device.has_lanes()) return tuning.cpu_piece_tiles;
    const std::int64_t warps = device.multiprocessors * tuning.warps_per_multiprocessor;
    return std::clamp<std::int64_t>(ceil_div(tiles, warps), tuning.least_piece_tiles,
                                    tuning.gpu_piece_tiles);
  }
};

/// Bytes that `tiles` tiles keep: tables, data padded to the alignment of a tile, pieces, and
/// carry-outs of the cut tile rows.
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
  // All tiles are assumed to have equally many entries.
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

/// Predicts from the bytes, by the lengths of rows: these do not show the number of tiles, so an
/// entry is assumed to cost what it does in CSR, and a tile row one tile. A last resort: on an H200
/// it took 4.3 times as long as the best of CSR on average, 1.7 at least (docs/design/formats.md),
/// and on CPUs 4.1 to 4.8 times.
inline Prediction predict(const Scheme& scheme, const Features& features, const Device& device,
                          const Sizes& sizes) {
  const RowFeatures& rows = features.rows();
  // A tile counts its entries in 32 bits; it has more than 256 only if entries repeat.
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
    // A warp computes its tiles one after the other, each with a load after that of its table.
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

namespace heddle {

/// Tiles of 16 x 16, each in one of several layouts, with 4-bit column indices: for matrices with
/// dense parts. Copies the matrix.
struct TiledFormat {
  static constexpr const char* name = "tiled";

  static SchemeGrammar grammar(const Device& device) {
    return grammar_from<detail::tiled::Parameters>(name, device);
  }

  static std::vector<Scheme> candidates(const Features&, const Device&) {
    return {Scheme(name, {{"16"}})};
  }

  static Prediction predict(const Scheme& scheme, const Features& features, const Device& device,
                            const Sizes& sizes) {
    return detail::tiled::predict(scheme, features, device, sizes);
  }

  static bool applies(Op op, const Scheme&) { return !transposes(op); }

  template <Scalar V, Scalar Acc, ExecutionSpace Exec, class Matrix>
  static std::unique_ptr<SpmvExecutor<Exec, Matrix, V, Acc>> inspect(
      const Inspection<Exec, Matrix>& in, const Scheme& scheme);
};

}  // namespace heddle

#ifdef HEDDLE_DEFINITIONS
#include "inspect.hpp"
#endif
HEDDLE_COMPILED_FORMAT(TiledFormat)
