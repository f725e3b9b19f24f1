// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include "../common/lanes_or_simd.hpp"
#include "../common/prediction.hpp"
#include "../formats.hpp"

namespace heddle::detail::dia {

/// Sizes of the kernels of DIA, read by its launches and by the cost model.
struct Tuning {
  /// Most places for each nonzero; a matrix with more is refused.
  double most_fill_in = 3;
  int team_threads = 256;
  /// Diagonals that a lane of a GPU loads at once.
  int batch = 4;
  /// Most vectors of one pass over the diagonals.
  int most_vectors = 8;
  /// Packs of rows that a thread of a CPU computes together: two cache lines of every diagonal.
  int cpu_packs = 4;
  /// Distance in rows at which a CPU prefetches every diagonal.
  int cpu_rows_ahead = 128;
  /// Number of diagonals that doubles the time for a byte on a CPU, which reads each as a stream.
  double cpu_streams = 60;
  /// Rows are padded to a multiple of this, so that every diagonal begins a cache line.
  std::int64_t row_alignment = 32;
};

inline constexpr Tuning tuning{};

/// The parameters of a scheme dia.
struct Parameters : LanesOrSimd {
  void list(SchemeFields& fields, const Device& device) { list_simd(fields, device); }
};

/// The reason why DIA does not suit a matrix with so many diagonals, or an empty text.
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

/// Predicts from the bytes: every place of every diagonal, x and y once; on a GPU also from the
/// rounds of loads of a row, if there are too few rows to hide them.
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
    // A thread reads as many streams as there are diagonals. Marking and filling read the pattern;
    // filling writes every place twice and reads it once.
    const double slowdown = 1 + static_cast<double>(diagonals) / tuning.cpu_streams;
    const double fill = 3 * prediction.kept_bytes + 2 * csr_least_bytes(rows, sizes);
    prediction.price(CpuCost{.slowdown = slowdown, .setup_waits = 3, .setup_bytes = 4 * fill},
                     device);
  }
  return prediction;
}

/// Without the pattern the fewest possible diagonals are assumed: as many as the longest row has
/// entries, unless some repeat.
inline Prediction predict(const Features& features, const Device& device, const Sizes& sizes) {
  const RowFeatures& rows = features.rows();
  Prediction best = prediction_of(rows.longest_row, rows, device, sizes);
  best.lacks_pattern = true;
  if (!best.possible() || !features.has_pattern()) return best;
  return prediction_of(features.pattern().diagonals, rows, device, sizes);
}

}  // namespace heddle::detail::dia

namespace heddle {

/// Whole diagonals, stored one by one without column indices: the fastest format for matrices of
/// regular grids. Copies the matrix; refuses one whose diagonals would be mostly zeros.
struct DiaFormat {
  static constexpr const char* name = "dia";
  static constexpr bool merges_repeats = true;

  static SchemeGrammar grammar(const Device& device) {
    return grammar_from<detail::dia::Parameters>(name, device);
  }

  static std::vector<Scheme> candidates(const Features&, const Device&) { return {Scheme(name)}; }

  static Prediction predict(const Scheme&, const Features& features, const Device& device,
                            const Sizes& sizes) {
    return detail::dia::predict(features, device, sizes);
  }

  static bool applies(Op, const Scheme&) { return true; }

  template <Scalar V, Scalar Acc, ExecutionSpace Exec, class Matrix>
  static std::unique_ptr<SpmvExecutor<Exec, Matrix, V, Acc>> inspect(
      const Inspection<Exec, Matrix>& in, const Scheme& scheme);
};

}  // namespace heddle

#ifdef HEDDLE_DEFINITIONS
#include "inspect.hpp"
#endif
HEDDLE_COMPILED_FORMAT(DiaFormat)
