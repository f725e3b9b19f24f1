// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <optional>
#include <string>

#include "../../core/scheme.hpp"
#include "rest/prediction.hpp"
#include "tuning.hpp"
#include "width.hpp"

namespace heddle::detail::hyb {

/// The parameters of a scheme; for predict and inspect alike.
struct Parameters {
  std::optional<int> width;  ///< slots a row; left out, the inspector finds the cheapest

  static Parameters resolve(const Scheme& scheme) {
    if (!scheme.has("width")) return {};
    return {static_cast<int>(scheme.integer("width"))};
  }
};

inline Bytes bytes_of(const Sizes& sizes, const Device& device) {
  const double slot = sizes.scalar_bytes + sizes.ordinal_bytes;
  return {slot, slot + (device.has_lanes() ? 2 : sizes.ordinal_bytes),
          2.0 * sizes.accumulator_bytes * sizes.vectors.count};
}

/// What the split keeps, at most. The inspector's own moves no more than `moved` bytes: a slot for
/// each entry at least, and what is left of them bounds its long rows.
inline double kept_bytes(const Parameters& parameters, double moved, const RowFeatures& rows,
                         const Device& device, const Sizes& sizes) {
  const Bytes bytes = bytes_of(sizes, device);
  const auto n = static_cast<double>(rows.nonzeros);
  const auto with_entries = static_cast<double>(rows.rows - rows.empty_rows);
  const auto of_rest = [&](double entries, double long_rows) {
    return rest::kept_bytes(entries, long_rows, rows, tuning.vectors, device, sizes);
  };
  if (parameters.width) {
    const std::int64_t width = *parameters.width;
    const double slots = static_cast<double>(rows.rows) * static_cast<double>(width);
    if (rows.longest_row <= width) return slots * bytes.slot + of_rest(0, 0);
    const double in_slots =
        static_cast<double>(rows.rows) * static_cast<double>(std::min(width, rows.shortest_row));
    const double rest =
        std::min(n - in_slots, with_entries * static_cast<double>(rows.longest_row - width));
    return slots * bytes.slot + of_rest(rest, std::min(with_entries, rest));
  }
  const double long_rows = std::min(with_entries, std::max(0.0, moved - n * bytes.slot) /
                                                      (bytes.entry - bytes.slot + bytes.long_row));
  return moved + std::max(0.0, of_rest(0, long_rows) - long_rows * bytes.long_row);
}

/// From the bytes and the rounds of loads of the shares. The width is found by the inspector, which
/// moves no more than all entries in one part would; that is what is predicted.
inline Prediction predict(const Scheme& scheme, const RowFeatures& rows, const Device& device,
                          const Sizes& sizes) {
  const auto n = static_cast<double>(rows.nonzeros);
  const Bytes bytes = bytes_of(sizes, device);
  const double all_slots = static_cast<double>(rows.rows) * static_cast<double>(rows.longest_row);
  const double most = tuning.most_padding * n;
  const Parameters parameters = Parameters::resolve(scheme);
  if (parameters.width) {
    const double slots = static_cast<double>(rows.rows) * *parameters.width;
    if (slots > most) {
      return Prediction::refuse(
          std::to_string(*parameters.width) + " slots a row would be more than " +
          std::to_string(static_cast<int>(tuning.most_padding)) + " for each nonzero");
    }
  }
  const double long_rows = static_cast<double>(rows.rows - rows.empty_rows);
  rest::MatrixBytes matrix{n * bytes.entry, long_rows * bytes.long_row};
  if (all_slots <= most && rows.longest_row <= tuning.most_width &&
      all_slots * bytes.slot < matrix.all()) {
    matrix = {all_slots * bytes.slot, 0};
  }
  Prediction prediction =
      rest::prediction_of(matrix, rows, device, sizes, tuning.vectors, GpuSetup{206, 34, 192});
  prediction.kept_bytes = kept_bytes(parameters, matrix.all(), rows, device, sizes);
  // Less than one, since the penalty is that of one vector; beyond four side by side as of ELL.
  // Where most rows are empty all lies in the rest, and sums are handed over one by one.
  constexpr SeveralVectors several{{0.6, 0.7, 1.5, 2.0}, {0.6, 0.6, 0.6}};
  constexpr SeveralVectors of_rest{{1.4, 1.4, 1.4, 1.4}, {1.4, 1.4, 1.4}};
  const bool mostly_empty = rows.nonzeros < rows.rows;
  if (device.has_lanes()) {
    prediction.seconds *= (mostly_empty ? of_rest : several).factor(sizes.vectors);
  }
  prediction.reason = "most rows in slots, what the longest of " +
                      std::to_string(rows.longest_row) + " have beyond in equal shares";
  return prediction;
}

}  // namespace heddle::detail::hyb
