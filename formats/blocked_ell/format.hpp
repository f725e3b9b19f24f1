// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include "../../core/scheme.hpp"
#include "../common/lanes_or_simd.hpp"
#include "../common/prediction.hpp"
#include "../formats.hpp"

namespace heddle::detail::blocked_ell {

/// Sizes of the kernels of blocked ELL, read by its launches and by the cost model.
struct Tuning {
  /// Most slots for each nonzero; a matrix with more is refused.
  double most_padding = 3;
  /// Threads of a team on a GPU.
  int team_threads = 128;
  /// Slots that a lane of a GPU loads at once, for one vector and for several.
  int batch = 4;
  int multivector_batch = 4;
  /// Most lanes for a row on a GPU.
  int most_lanes = 8;
  /// Rows of a slice that a CPU thread computes together, and the fewest rows of a slice there.
  int cpu_rows = 16;
  /// Most slots of a row for one group of lanes; a wider slice is cut into pieces.
  int piece_width = 1024;
  /// Most rows of a window: on a GPU each row is compared once with all others of its window.
  int most_sigma = 16384;
};

inline constexpr Tuning tuning{};

/// A constant of its own, so that kernels may name it.
inline constexpr int piece_width = tuning.piece_width;

/// Most vectors of one launch: as many carry-outs has each row place of a cut slice.
inline constexpr int most_vectors = 8;

/// Default rows of a slice: a warp or wavefront, or the rows that a CPU thread computes together.
inline int slice_rows_for(const Device& device) {
  return device.has_lanes() ? device.lanes : tuning.cpu_rows;
}

/// Most slots that slices of `slice_rows` rows need, sorted or not.
inline double most_slots(const RowFeatures& rows, int slice_rows) {
  int counted = std::max(slice_rows, RowFeatures::slice_rows);
  while (counted > RowFeatures::slice_rows && rows.slots_of_groups(counted) == 0) counted /= 2;
  const std::int64_t known = rows.slots_of_groups(counted);
  const double slots = known > 0 ? static_cast<double>(known)
                                 : static_cast<double>(ceil_div(rows.rows, std::int64_t{counted})) *
                                       counted * static_cast<double>(rows.longest_row);
  return slots * std::max(1, slice_rows / counted);
}

/// The reason why blocked ELL does not suit a matrix with so many slots, or an empty text. A small
/// excess is allowed, for matrices of few rows.
inline std::string too_much_padding(double slots, const RowFeatures& rows) {
  constexpr double few = 4096;
  if (slots <= tuning.most_padding * static_cast<double>(rows.nonzeros) + few) return "";
  const double padding = slots / std::max(1.0, static_cast<double>(rows.nonzeros));
  return "slices as wide as their longest rows would need " +
         std::to_string(std::llround(padding)) + " slots for each nonzero, and " +
         std::to_string(std::llround(tuning.most_padding)) + " is the bound";
}

/// The parameters of a scheme, those that it leaves out resolved; for predict and inspect alike.
struct Parameters : LanesOrSimd {
  std::optional<int> slice_rows;
  std::optional<std::int64_t> sigma;  ///< window in which rows are sorted; 0: not sorted

  void list(SchemeFields& fields, const Device& device) {
    const int least = slice_rows_for(device);
    fields.add(slice_rows, {.key = "rows", .numbers = {least, 4 * least, true}});
    fields.add(sigma, {.key = "sigma",
                       .words = {"none"},
                       .numbers = {1, tuning.most_sigma},
                       .fallback = "none",
                       .examples = {"64", "1000"}});
    list_lanes(fields, device, 1, tuning.most_lanes);
    list_simd(fields, device);
  }
  static Parameters resolve(const Scheme& scheme, const RowFeatures& rows, const Device& device) {
    auto all = parameters_of<Parameters>(scheme, device);
    if (!all.slice_rows) all.slice_rows = slice_rows_for(device);
    if (!all.sigma) all.sigma = 0;
    if (!all.lanes) all.lanes = lanes_of_slots(rows, device, tuning.batch, tuning.most_lanes);
    return all;
  }

  /// Whether rows of several slices are sorted together.
  bool sorts() const { return *sigma > *slice_rows; }
};

/// Bytes of a Slice: first slot, first column, lowest column, width.
inline constexpr double slice_bytes = 32;

/// Mean bytes of a column index, with 16-bit distances in narrow slices. All slices are narrow by a
/// small bandwidth; else as many as of consecutive rows, or half if columns are unsorted. Without
/// the pattern all slices are assumed to be narrow.
inline double column_bytes(const Features& features, int slice_rows, const heddle::Sizes& sizes) {
  constexpr double narrow = sizeof(std::uint16_t);
  if (!features.has_pattern()) return narrow;
  const PatternFeatures& pattern = features.pattern();
  const std::int64_t widest =
      std::min(pattern.columns, pattern.lower_bandwidth + pattern.upper_bandwidth + slice_rows);
  if (widest <= PatternFeatures::narrow_span) return narrow;
  const double share = pattern.sorted ? pattern.narrow_slice_share() : 0.5;
  return share * narrow + (1 - share) * sizes.ordinal_bytes;
}

/// Share of the padding that remains if rows are sorted in windows of several slices: 0.16 to 0.33
/// on the matrices of docs/choose.md.
inline constexpr double padding_left = 0.3;

/// Predicts from the bytes, with a typical gain of sorting: the gain is known only once rows are
/// sorted. On a GPU as for ELL, but with the rounds of loads of one piece. Fitted on an H200:
/// docs/choose.md.
inline Prediction predict(const Scheme& scheme, const Features& features, const Device& device,
                          const heddle::Sizes& sizes) {
  const RowFeatures& rows = features.rows();
  if (rows.longest_row > std::numeric_limits<std::int32_t>::max()) {
    return Prediction::refuse("a row has " + std::to_string(rows.longest_row) + " entries");
  }
  const Parameters parameters = Parameters::resolve(scheme, rows, device);
  const int slice_rows = *parameters.slice_rows;
  const double unsorted_slots = most_slots(rows, slice_rows);
  const bool sorted = parameters.sorts();
  // The inspector counts the slots of sorted rows, before it allocates.
  const std::string refusal = sorted ? "" : too_much_padding(unsorted_slots, rows);
  if (!refusal.empty()) return Prediction::refuse(refusal);
  const auto n = static_cast<double>(rows.nonzeros);
  const double slots = sorted && *parameters.sigma >= 4 * slice_rows
                           ? n + padding_left * std::max(0.0, unsorted_slots - n)
                           : unsorted_slots;
  const auto slices = static_cast<double>(ceil_div(rows.rows, std::int64_t{slice_rows}));
  const double order =
      *parameters.sigma > 0 ? static_cast<double>(rows.rows) * sizes.ordinal_bytes : 0;
  Prediction prediction;
  prediction.lacks_pattern = !features.has_pattern();
  prediction.pattern_may_refuse = false;
  prediction.borrows_values = false;
  prediction.kept_bytes = slots * (sizes.scalar_bytes + column_bytes(features, slice_rows, sizes)) +
                          order + slices * slice_bytes;
  prediction.moved_bytes =
      passes_over_matrix(sizes.vectors.count, most_vectors) * prediction.kept_bytes +
      vector_bytes(rows, sizes);
  prediction.reason = "slices of " + std::to_string(slice_rows) + " rows, with " +
                      std::to_string(std::llround(100 * (slots / std::max(1.0, n) - 1))) +
                      (sorted ? " % of padding or so" : " % of padding at most");
  if (device.has_lanes()) {
    const bool cut = rows.longest_row > tuning.piece_width;
    const auto width = static_cast<double>(cut ? tuning.piece_width : rows.longest_row);
    constexpr GpuSetup as_it_is{140, 29, 136, 310}, in_windows{152, 30, 366, 308};
    prediction.price(
        GpuCost{.rounds = std::ceil(width / static_cast<double>(tuning.batch * *parameters.lanes)),
                .round_seconds = 1.2e-6,
                .efficiency = 0.92,
                .launches = cut ? 2 : 1,
                .several = {{1.4, 1.7, 2.9, 3.3}, {1.35, 1.6, 2.2}},
                .setup = sorted ? in_windows : as_it_is},
        rows, device, sizes);
  } else {
    // 1.2 is the lowest that ELL was measured at on a CPU, relative to csr/adaptive; here its
    // streams are one.
    prediction.price(CpuCost{.slowdown = 2, .setup_bytes = 12 * prediction.kept_bytes}, device);
  }
  return prediction;
}

}  // namespace heddle::detail::blocked_ell

namespace heddle {

/// Slices of consecutive rows, each as wide as its longest row (sliced ELL, SELL-C-sigma): like ELL
/// for rows that are of similar length only locally. Columns are 16-bit distances in slices whose
/// columns span a narrow range. Copies the matrix; refuses one that would be mostly padding.
struct BlockedEllFormat {
  static constexpr const char* name = "blocked-ell";

  static SchemeGrammar grammar(const Device& device) {
    return grammar_from<detail::blocked_ell::Parameters>(name, device);
  }

  static std::vector<Scheme> candidates(const Features& features, const Device& device) {
    const int rows = detail::blocked_ell::slice_rows_for(device);
    std::vector<Scheme> all{Scheme(name, {{"sigma", "none"}}), Scheme(name, {{"sigma", rows}})};
    const double slots = detail::blocked_ell::most_slots(features.rows(), rows);
    if (detail::blocked_ell::too_much_padding(slots, features.rows()).empty()) {
      all.push_back(Scheme(name, {{"sigma", 8 * rows}}));
    }
    return all;
  }

  static Prediction predict(const Scheme& scheme, const Features& features, const Device& device,
                            const Sizes& sizes) {
    return detail::blocked_ell::predict(scheme, features, device, sizes);
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
HEDDLE_COMPILED_FORMAT(BlockedEllFormat)
