// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cmath>
#include <limits>
#include <string>

#include "../common/lanes_or_simd.hpp"
#include "../common/prediction.hpp"
#include "tuning.hpp"

namespace heddle::detail::dia {

/// The parameters of a scheme dia.
struct Parameters : LanesOrSimd {
  void list(SchemeFields& fields, const Device& device) { list_simd(fields, device); }
};

/// Why DIA would not hold that number of diagonals of this matrix, or nothing.
inline std::string too_much_fill_in(std::int64_t diagonals, const RowFeatures& rows) {
  const double places = static_cast<double>(rows.rows) * static_cast<double>(diagonals);
  if (diagonals <= std::numeric_limits<int>::max() &&
      places <= tuning.most_fill_in * static_cast<double>(rows.nonzeros)) {
    return "";
  }
  const double fill_in = places / std::max(1.0, static_cast<double>(rows.nonzeros));
  return std::to_string(diagonals) + " diagonals or more would need " +
         std::to_string(std::llround(fill_in)) + " places for each nonzero, and " +
         std::to_string(std::llround(tuning.most_fill_in)) + " is the bound";
}

/// From the bytes: every place of every diagonal, x and y once; and on a GPU from the rounds of
/// loads that a row takes where there are too few rows to hide them.
inline Prediction prediction_of(std::int64_t diagonals, const RowFeatures& rows,
                                const Device& device, const Sizes& sizes) {
  const std::string refusal = too_much_fill_in(diagonals, rows);
  if (!refusal.empty()) return Prediction::refuse(refusal);
  const double places = static_cast<double>(rows.rows) * static_cast<double>(diagonals);
  const int passes = passes_over_matrix(sizes.vectors.count, tuning.most_vectors);
  Prediction prediction;
  prediction.borrows_values = false;
  prediction.kept_bytes = places * sizes.scalar_bytes;
  prediction.moved_bytes = passes * places * sizes.scalar_bytes + vector_bytes(rows, sizes);
  prediction.reason = std::to_string(diagonals) + " diagonals with " +
                      std::to_string(std::llround(
                          100 * (places / std::max(1.0, static_cast<double>(rows.nonzeros)) - 1))) +
                      " % of fill-in";
  if (device.has_lanes()) {
    prediction.price(GpuCost{.rounds = std::ceil(static_cast<double>(diagonals) / tuning.batch),
                             .round_seconds = 0.9e-6,
                             .efficiency = 0.97,
                             .several = {{1.6, 1.7, 3.5, 7.4}, {1.7, 2.4, 2.6}},
                             .setup = {170, 108, 0}},
                     rows, device, sizes);
  } else {
    // A thread walks through as many streams as there are diagonals. Marking and filling read the
    // pattern; filling writes every place twice and reads it once.
    const double slowdown = 1 + static_cast<double>(diagonals) / tuning.cpu_streams;
    const double fill = 3 * prediction.kept_bytes + 2 * csr_least_bytes(rows, sizes);
    prediction.price(CpuCost{.slowdown = slowdown, .setup_waits = 3, .setup_bytes = 4 * fill},
                     device);
  }
  return prediction;
}

/// Without the pattern of as few diagonals as there may be: a row's entries lie on as many, but for
/// repeated ones.
inline Prediction predict(const Features& features, const Device& device, const Sizes& sizes) {
  const RowFeatures& rows = features.rows();
  Prediction best = prediction_of(rows.longest_row, rows, device, sizes);
  best.lacks_pattern = true;
  if (!best.possible() || !features.has_pattern()) return best;
  return prediction_of(features.pattern().diagonals, rows, device, sizes);
}

}  // namespace heddle::detail::dia
