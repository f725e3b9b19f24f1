// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <string>

#include "../../core/scheme.hpp"
#include "../common/rest/prediction.hpp"
#include "tuning.hpp"
#include "width.hpp"

namespace heddle::detail::hyb {

inline Bytes bytes_of(const Sizes& sizes, const Device& device) {
  const double slot = sizes.scalar_bytes + sizes.ordinal_bytes;
  return {slot, slot + (device.has_lanes() ? 2 : sizes.ordinal_bytes),
          2.0 * sizes.accumulator_bytes * sizes.vectors.count};
}

/// From the bytes and the rounds of loads of the shares. The width is found by the inspector, which
/// moves no more than all entries in one part would; that is what is predicted.
inline Prediction predict(const Scheme& scheme, const RowFeatures& rows, const Device& device,
                          const Sizes& sizes) {
  const auto n = static_cast<double>(rows.nonzeros);
  const Bytes bytes = bytes_of(sizes, device);
  const double all_slots = static_cast<double>(rows.rows) * static_cast<double>(rows.longest_row);
  const double most = tuning.most_padding * n;
  if (scheme.has("width")) {
    const double slots =
        static_cast<double>(rows.rows) * static_cast<double>(scheme.integer("width"));
    if (slots > most) {
      return Prediction::refuse(scheme.value("width") + " slots a row would be more than " +
                                std::to_string(static_cast<int>(tuning.most_padding)) +
                                " for each nonzero");
    }
  }
  const double long_rows = static_cast<double>(rows.rows - rows.empty_rows);
  double matrix = n * bytes.entry + long_rows * bytes.long_row;
  if (all_slots <= most && rows.longest_row <= tuning.most_width) {
    matrix = std::min(matrix, all_slots * bytes.slot);
  }
  Prediction prediction = rest::prediction_of(matrix, rows, device, sizes);
  prediction.reason = "most rows in slots, what the longest of " +
                      std::to_string(rows.longest_row) + " have beyond in equal shares";
  return prediction;
}

}  // namespace heddle::detail::hyb
