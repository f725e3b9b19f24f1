// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "../../core/scheme.hpp"
#include "../common/prediction.hpp"
#include "../inspect/recipe/walks.hpp"
#include "sweeps.hpp"

namespace heddle::detail::csb {

/// The parameters of a scheme csb, those that it leaves out resolved.
struct Parameters {
  int beta = tuning.beta;
  bool morton = false;
  std::optional<Sweeps> sweeps = {};

  explicit Parameters(const Scheme& scheme) {
    if (scheme.has("beta")) beta = static_cast<int>(scheme.integer("beta"));
    morton = scheme.has("order") && scheme.value("order") == "morton";
    if (scheme.has("sweep")) {
      const auto found = std::find(sweep_names.begin(), sweep_names.end(), scheme.value("sweep"));
      sweeps = static_cast<Sweeps>(found - sweep_names.begin());
    }
  }
  /// With `taken`, where one triangle is stored.
  Scheme scheme(std::optional<Sweeps> taken) const {
    std::vector<SchemeTerm> terms{{"beta", std::to_string(beta)}};
    terms.emplace_back("order", morton ? "morton" : "rows");
    if (taken) {
      terms.emplace_back("sweep", std::string(sweep_names[static_cast<std::size_t>(*taken)]));
    }
    return Scheme("csb", std::move(terms));
  }
};

/// What the mirror image of a triangle adds, in bytes. Rows do not tell how entries lie: all are
/// taken to be beside the diagonal, spread over all the blocks there.
inline double mirrored_bytes(const Parameters& parameters, const RowFeatures& rows,
                             const Sizes& sizes) {
  const auto n = static_cast<double>(rows.nonzeros), side = static_cast<double>(rows.rows);
  const int served = sizes.vectors.count;
  const SweepCosts costs(sizes, served, side, parameters.beta);
  if (parameters.sweeps == Sweeps::atomics) return 2 * n * costs.vectors;
  const double panels = std::ceil(side / parameters.beta);
  const double blocks = std::min(n, panels * (panels - 1) / 2);
  const double width = std::min(n, blocks * parameters.beta);
  const BlockSums all{std::llround(blocks), rows.nonzeros, std::llround(width)};
  const double two = costs.of(all, {}), one = costs.of({}, all);
  if (parameters.sweeps == Sweeps::two) return two;
  return parameters.sweeps == Sweeps::one ? one : std::min(one, two);
}

/// Pieces, and the partial sums of panels that are cut or do not fit in scratch. Of block columns
/// rows do not tell which are heavy: they are taken to be alike.
inline double bytes_of_pieces(const Parameters& parameters, const RowFeatures& rows,
                              const Device& device, const Sizes& sizes) {
  const auto n = static_cast<double>(rows.nonzeros);
  const double beta = parameters.beta, sums = beta * sizes.accumulator_bytes;
  const auto scratch = static_cast<double>(device.scratch_bytes);
  const bool through_memory = sums > scratch;
  const bool several =
      sizes.vectors.count > 1 && (through_memory || sums * tuning.most_vectors <= scratch);
  const auto longer_side = static_cast<double>(std::max(rows.rows, rows.columns));
  const double target = std::max(
      {1.0, std::min(beta, longer_side), std::floor(n / std::max(1, tuning.pieces(device)))});
  const double panels = std::ceil(longer_side / beta);
  const double in_row_panel = std::min(n, beta * static_cast<double>(rows.longest_row));
  const double in_column_panel =
      n / std::ceil(std::max(1.0, static_cast<double>(rows.columns)) / beta);
  const bool cut = std::max(in_row_panel, in_column_panel) >= 2 * target;
  const double pieces = panels + n / target;
  const double partials = (through_memory ? panels : 0) + (cut ? n / target : 0);
  const double piece = sizes.ordinal_bytes + 3.0 * sizes.offset_bytes + sizeof(std::int64_t);
  return 2 * (pieces * piece + panels * 2 * sizeof(std::int64_t)) +
         partials * sums * (several ? tuning.most_vectors : 1);
}

/// From the bytes: a value and two local indices for each nonzero, x and y once; where one triangle
/// is stored, what its mirror image adds; and five times that, so that it is not chosen where
/// another format is possible. On an H200 it took 4.6 times as long as the best of CSR on average,
/// 2.2 at least (docs/design/formats.md), and a triangle 8 to 32 times as long as CSR of the whole
/// (docs/csb.md).
inline Prediction predict(const Scheme& scheme, const RowFeatures& rows, const Device& device,
                          const Sizes& sizes) {
  constexpr double penalty = 5;
  const Parameters parameters(scheme);
  const auto n = static_cast<double>(rows.nonzeros);
  const double block_rows = std::ceil(static_cast<double>(rows.rows) / parameters.beta);
  const double block_columns = std::ceil(static_cast<double>(rows.columns) / parameters.beta);
  const double entry = sizes.scalar_bytes + 2.0 * sizeof(std::uint16_t);
  const double table = block_rows * block_columns / 8;
  if (table > std::max(tuning.most_table_bytes, n * entry)) {
    return Prediction::refuse(std::to_string(std::llround(block_rows)) + " x " +
                              std::to_string(std::llround(block_columns)) +
                              " blocks would need a table larger than the matrix");
  }
  const bool triangle = sizes.symmetry != Symmetry::none;
  if (parameters.sweeps && !triangle) {
    return Prediction::refuse("sweep is for a matrix of which one triangle is stored");
  }
  const double vectors = sizes.vectors.count;
  const double blocks = std::min(n, block_rows * block_columns);
  constexpr double most_blocks = 4294967295.0;  // their numbers, sorted with codes, have 32 bits
  if (parameters.morton && blocks > most_blocks) {
    return Prediction::refuse("there might be more blocks than Morton's order counts");
  }
  const double of_blocks = blocks * (4.0 * sizes.offset_bytes + 2.0 * sizes.ordinal_bytes);
  const bool sorted =
      parameters.morton || (device.has_lanes() && n / block_rows > recipe::most_walked_by_subwarp);
  const double source = sorted ? sizes.offset_bytes : 0;
  const double bytes_per_second = estimated_bytes_per_second(device);
  Prediction prediction;
  prediction.borrows_values = false;
  prediction.kept_bytes =
      n * (entry + source) + of_blocks + bytes_of_pieces(parameters, rows, device, sizes);
  prediction.moved_bytes =
      n * entry + of_blocks +
      vectors * sizes.vector_bytes * static_cast<double>(rows.rows + rows.columns) +
      (triangle ? mirrored_bytes(parameters, rows, sizes) : 0);
  prediction.reason = "blocks of " + std::to_string(parameters.beta) + " rows and columns, " +
                      (triangle ? "the only format of which one triangle is enough"
                                : "for A and its transpose alike");
  constexpr SeveralVectors several{{3.3, 3.0, 4.7, 7.7}, {3.1, 4.6, 8.5}};
  prediction.seconds = (device.has_lanes() ? several.factor(sizes.vectors) : 1) *
                       ((triangle ? 4 : 2) * estimated_launch_seconds(device) +
                        penalty * prediction.moved_bytes / bytes_per_second);
  prediction.setup_seconds =
      device.has_lanes()
          ? GpuSetup{698, 168, 213, 5}.seconds(rows, device)
          : 12 * cpu_setup_seconds + 20 * csr_least_bytes(rows, sizes) / bytes_per_second;
  return prediction;
}

}  // namespace heddle::detail::csb
