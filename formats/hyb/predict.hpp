// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <string>

#include "../../core/scheme.hpp"
#include "../common/prediction.hpp"
#include "../common/segments/tuning.hpp"
#include "tuning.hpp"
#include "width.hpp"

namespace heddle::detail::hyb {

inline Bytes bytes_of(const Sizes& sizes, const Device& device) {
  const double slot = sizes.scalar_bytes + sizes.ordinal_bytes;
  return {slot, slot + (device.has_lanes() ? 2 : sizes.ordinal_bytes),
          2.0 * sizes.accumulator_bytes * sizes.vectors.count};
}

/// From the bytes and the rounds of loads of the shares. The width is found by the inspector, which
/// moves no more than all entries in one part would; that is what is predicted. Nobody has measured
/// HYB: it is taken to be twice as slow as that, so that it is not chosen where CSR is at hand.
inline Prediction predict(const Scheme& scheme, const RowFeatures& rows, const Device& device,
                          const Sizes& sizes) {
  constexpr double not_measured = 2;
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
  const double vectors = sizes.vectors.count;
  const double bytes_per_second = estimated_bytes_per_second(device);
  Prediction prediction;
  prediction.borrows_values = false;
  prediction.kept_bytes = matrix;
  prediction.moved_bytes =
      matrix + vectors * sizes.vector_bytes * static_cast<double>(rows.rows + rows.columns);
  prediction.reason = "most rows in slots, what the longest of " +
                      std::to_string(rows.longest_row) + " have beyond in equal shares";
  const double memory = prediction.moved_bytes / (0.84 * bytes_per_second);
  const double copy = 2 * matrix / bytes_per_second;
  if (device.has_lanes()) {
    const segments::GpuTuning shares = segments::gpu_tuning_of(device);
    constexpr double round_seconds = 0.5e-6, start_rounds = 15, rounds_per_wave = 10;
    const double work = static_cast<double>(rows.rows + rows.nonzeros);
    const double resident = static_cast<double>(shares.teams_resident) * device.multiprocessors;
    const auto accumulator = static_cast<std::size_t>(sizes.accumulator_bytes);
    const double waves = work / shares.most_work(accumulator) / resident;
    const double rounds = start_rounds + rounds_per_wave * waves;
    prediction.seconds =
        estimated_launch_seconds(device) +
        not_measured *
            waiting_for_both(round_seconds * rounds * std::max(1.0, vectors / 4), memory);
    prediction.setup_seconds = 2 * estimated_setup_seconds(device) + 60e-6 + copy;
  } else {
    prediction.seconds = 2 * estimated_launch_seconds(device) + 2 * not_measured * memory;
    prediction.setup_seconds = estimated_setup_seconds(device) + 5 * copy;
  }
  return prediction;
}

}  // namespace heddle::detail::hyb
