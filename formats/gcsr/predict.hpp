// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../core/scheme.hpp"
#include "../common/prediction.hpp"
#include "tuning.hpp"

namespace heddle::detail::gcsr {

inline double mean_row_with_entries(const RowFeatures& rows) {
  return share(static_cast<double>(rows.nonzeros), rows.rows - rows.empty_rows);
}

/// Lanes a row on a GPU: as many as have a batch of nonzeros of a row of mean length.
inline int lanes_for(const RowFeatures& rows, const Device& device) {
  const Tuning tuning = tuning_of(device);
  int lanes = 1;
  while (lanes < device.lanes && lanes * tuning.batch < mean_row_with_entries(rows)) lanes *= 2;
  return lanes;
}

/// From the bytes, and from the rounds of loads that subwarps take. Nobody has measured GCSR: it is
/// taken to be twice as slow as that, so that it is not chosen where CSR is at hand.
inline Prediction predict(const Scheme& scheme, const RowFeatures& rows, const Device& device,
                          const Sizes& sizes) {
  constexpr double not_measured = 2;
  const auto n = static_cast<double>(rows.rows - rows.empty_rows);
  const double bytes_per_second = estimated_bytes_per_second(device);
  Prediction prediction;
  prediction.kept_bytes = n * (sizes.ordinal_bytes + sizes.offset_bytes) + sizes.offset_bytes +
                          static_cast<double>(rows.rows) / 8;
  prediction.moved_bytes = csr_least_bytes(rows, sizes) -
                           static_cast<double>(rows.rows + 1) * sizes.offset_bytes +
                           prediction.kept_bytes;
  prediction.reason = std::to_string(rows.empty_rows) + " of " + std::to_string(rows.rows) +
                      " rows are empty, and cost a bit and a store";
  prediction.setup_seconds =
      estimated_setup_seconds(device) +
      (static_cast<double>(rows.rows) * sizes.offset_bytes * 3 + prediction.kept_bytes) /
          bytes_per_second;
  if (device.has_lanes()) {
    const Tuning tuning = tuning_of(device);
    constexpr double round_seconds = 0.5e-6, start_rounds = 15;
    const auto lanes = scheme.has("lanes") ? scheme.integer("lanes") : lanes_for(rows, device);
    const double resident =
        static_cast<double>(tuning.teams_resident) * tuning.team_threads * device.multiprocessors;
    const double each = static_cast<double>(tuning.batch * lanes);
    const double waves = std::ceil(n * static_cast<double>(lanes) / resident);
    const double rounds = start_rounds + waves * std::ceil(mean_row_with_entries(rows) / each) +
                          static_cast<double>(rows.longest_row) / each;
    prediction.seconds =
        estimated_launch_seconds(device) +
        not_measured *
            waiting_for_both(round_seconds * rounds * std::max(1.0, sizes.vectors.count / 4.0),
                             prediction.moved_bytes / (0.84 * bytes_per_second));
    prediction.setup_seconds += 40e-6;
  } else {
    prediction.seconds =
        estimated_launch_seconds(device) + not_measured * prediction.moved_bytes / bytes_per_second;
  }
  return prediction;
}

}  // namespace heddle::detail::gcsr
