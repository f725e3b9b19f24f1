// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cmath>
#include <cstdint>
#include <string>

#include "../../core/scheme.hpp"
#include "../common/lanes_or_simd.hpp"
#include "../common/prediction.hpp"
#include "../formats.hpp"

namespace heddle::detail::bcsr {

/// Sizes of the kernels of BCSR, read by its launches and by the cost model.
struct Tuning {
  /// Most places for each nonzero; a matrix with more is refused.
  double most_fill_in = 3;
  int team_threads = 256;
  /// Fewest lanes for a block row on a GPU: the most rows of a block.
  int fewest_lanes = 8;
  /// Columns of a block row that a lane of a GPU loads at once, for one vector and for several.
  int batch = 4;
  int multivector_batch = 2;
  /// Most batches of columns for each lane of a block row on a GPU; a longer block row is cut.
  int most_batches = 16;
  /// Blocks up to which a block row is never cut on a CPU, and the number of pieces for each thread
  /// into which the longest may be cut.
  int least_piece = 1024;
  int cpu_pieces = 4;
  /// Most vectors of one pass over the blocks.
  int most_vectors = 8;
  /// Cost of a block row for a thread of a CPU, besides its blocks, in blocks.
  int row_steps = 2;
  /// Sums of each row that a thread of a CPU keeps, for columns in turn: so many multiply-adds are
  /// in flight at once.
  int cpu_chains = 2;
};

inline constexpr Tuning tuning{};

/// Numbers of rows and columns of a block.
struct BlockShape {
  int rows = 1;
  int columns = 1;

  int places() const { return rows * columns; }
};

/// The parameters of a scheme bcsr/RxC; for predict and inspect alike.
struct Parameters : LanesOrSimd {
  void list(SchemeFields& fields, const Device& device) {
    list_lanes(fields, device, tuning.fewest_lanes, device.lanes);
    list_simd(fields, device);
    fields.kernel("<1..8>x<1..8>", {"2x2", "3x3", "4x4", "6x6", "8x8", "1x4", "5x3"});
  }
  static BlockShape shape_of(const Scheme& scheme) {
    const std::string& key = scheme.kernel();
    return {key[0] - '0', key[2] - '0'};
  }
};

/// The reason why BCSR does not suit a matrix with `blocks` blocks, or an empty text.
inline std::string too_much_fill_in(double blocks, const BlockShape& shape, double nonzeros) {
  const double places = blocks * shape.places();
  if (places <= tuning.most_fill_in * nonzeros) return "";
  const double fill_in = places / std::max(1.0, nonzeros);
  return "blocks of " + std::to_string(shape.rows) + " x " + std::to_string(shape.columns) +
         " would need " + std::to_string(std::llround(fill_in)) + " places for each nonzero, and " +
         std::to_string(std::llround(tuning.most_fill_in)) + " is the bound";
}

/// Lanes for a block row on a GPU: enough to load its columns in one batch each.
inline int lanes_for(const BlockShape& shape, double columns_of_block_row, const Device& device) {
  int lanes = tuning.fewest_lanes;
  while (2 * lanes <= device.lanes && lanes / shape.rows * tuning.batch < columns_of_block_row) {
    lanes *= 2;
  }
  return lanes;
}

/// Predicts from the bytes: every place, a column index for each block, the block rows, x and y
/// once; on a GPU also from the rounds of loads of a block row, above all of the longest. Without
/// the pattern all blocks are assumed to be full.
inline Prediction predict(const Scheme& scheme, const Features& features, const Device& device,
                          const Sizes& sizes) {
  const RowFeatures& rows = features.rows();
  const auto parameters = parameters_of<Parameters>(scheme, device);
  const BlockShape shape = Parameters::shape_of(scheme);
  const auto n = static_cast<double>(rows.nonzeros);
  const double blocks = features.has_blocks()
                            ? static_cast<double>(features.blocks(shape.rows, shape.columns))
                            : std::ceil(n / shape.places());
  const std::string refusal = too_much_fill_in(blocks, shape, n);
  if (!refusal.empty()) return Prediction::refuse(refusal);

  const double block_rows = std::ceil(static_cast<double>(rows.rows) / shape.rows);
  const int passes = passes_over_matrix(sizes.vectors.count, tuning.most_vectors);
  Prediction prediction;
  prediction.lacks_pattern = !features.has_blocks();
  prediction.borrows_values = false;
  prediction.kept_bytes = blocks * (shape.places() * sizes.scalar_bytes + sizes.ordinal_bytes) +
                          (block_rows + 1) * sizes.offset_bytes;
  prediction.moved_bytes = passes * prediction.kept_bytes + vector_bytes(rows, sizes);
  prediction.reason =
      std::to_string(std::llround(blocks)) + " blocks with " +
      std::to_string(std::llround(100 * (blocks * shape.places() / std::max(1.0, n) - 1))) +
      " % of fill-in";
  if (device.has_lanes()) {
    const double columns = blocks * shape.columns / std::max(1.0, block_rows);
    const int lanes = parameters.lanes ? *parameters.lanes : lanes_for(shape, columns, device);
    const double at_once = lanes / shape.rows * tuning.batch;
    const double longest = std::max(columns, static_cast<double>(rows.longest_row));
    prediction.price(GpuCost{.rounds = std::ceil(longest / at_once),
                             .round_seconds = 1.2e-6,  // as for ELL
                             .efficiency = 0.85,
                             .slowdown = 1.4,
                             .several = {{3.4, 3.4, 3.3, 4.6}, {3.3, 3.0, 3.3}},
                             .setup = {255, 125, 707, 1330}},
                     rows, device, sizes);
  } else {
    // Not measured. Counting and filling read the pattern; filling writes every place twice and
    // reads it once.
    const double fill = 3 * prediction.kept_bytes + 3 * csr_least_bytes(rows, sizes);
    prediction.price(CpuCost{.slowdown = 2, .setup_waits = 4, .setup_bytes = 3 * fill}, device);
  }
  return prediction;
}

}  // namespace heddle::detail::bcsr

namespace heddle {

/// Small dense blocks with one column index each, for several unknowns at each point. Copies the
/// matrix; refuses one whose blocks would be mostly zeros.
struct BcsrFormat {
  static constexpr const char* name = "bcsr";
  static constexpr bool merges_repeats = true;

  static SchemeGrammar grammar(const Device& device) {
    return grammar_from<detail::bcsr::Parameters>(name, device);
  }

  static std::vector<Scheme> candidates(const Features&, const Device&) {
    std::vector<Scheme> squares;
    for (const char* size : {"2x2", "3x3", "4x4", "6x6", "8x8"}) {
      squares.push_back(Scheme(name, {{size}}));
    }
    return squares;
  }

  static Prediction predict(const Scheme& scheme, const Features& features, const Device& device,
                            const Sizes& sizes) {
    return detail::bcsr::predict(scheme, features, device, sizes);
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
HEDDLE_COMPILED_FORMAT(BcsrFormat)
