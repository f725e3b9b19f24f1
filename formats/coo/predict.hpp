// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../common/prediction.hpp"
#include "../common/segments/tuning.hpp"

namespace heddle::detail::coo {

/// From the bytes, and from how often the shares fill a GPU. Its numbers stand above those of
/// csr/adaptive, which has the same shares: on an H200 COO took 1.20 times as long on average, and
/// less on one of 44 matrices (docs/design/formats.md), and on CPUs twice as long.
inline Prediction predict(const RowFeatures& rows, const Device& device, const Sizes& sizes) {
  const auto n = static_cast<double>(rows.nonzeros);
  const double local_row_bytes = device.has_lanes() ? 2 : sizes.ordinal_bytes;
  Prediction prediction;
  const int most = device.has_lanes() ? most_vectors_per_launch(true)
                                      : segments::cpu_tuning<backends::Host>.vectors;
  const double entry = sizes.scalar_bytes + sizes.ordinal_bytes + local_row_bytes;
  prediction.moved_bytes =
      passes_over_matrix(sizes.vectors.count, most) * n * entry + vector_bytes(rows, sizes);
  prediction.reason = "equal shares of nonzeros, whatever the rows are like";
  const double bytes_per_second = estimated_bytes_per_second(device);
  const double work = static_cast<double>(rows.rows + rows.nonzeros);
  if (device.has_lanes()) {
    const segments::GpuTuning tuning = segments::gpu_tuning_of(device);
    constexpr double round_seconds = 0.5e-6, start_rounds = 15, rounds_per_wave = 20;
    const auto bytes = static_cast<std::size_t>(sizes.accumulator_bytes);
    const double shares = work / tuning.most_work(bytes);
    const double waves =
        shares / (static_cast<double>(tuning.teams_resident) * device.multiprocessors);
    const double rounds = start_rounds + rounds_per_wave * waves;
    const double kept_shares =
        std::clamp(static_cast<double>(tuning.teams_resident) * device.multiprocessors, shares,
                   work / tuning.least_work(bytes));
    prediction.kept_bytes = n * local_row_bytes + kept_shares * (16 + 32 * sizes.accumulator_bytes);
    constexpr SeveralVectors several{{1.05, 1.1, 1.2, 1.2}, {1.7, 1.8, 1.9}};
    // Of rows that are mostly empty the vectors, which lie apart, are most of what is moved.
    constexpr SeveralVectors mostly_empty{several.side_by_side, {2.0, 2.6, 4.6}};
    prediction.seconds =
        (rows.nonzeros < rows.rows ? mostly_empty : several).factor(sizes.vectors) *
        (estimated_launch_seconds(device) +
         waiting_for_both(round_seconds * rounds * std::max(1.0, sizes.vectors.count / 4.0),
                          prediction.moved_bytes / (0.7 * bytes_per_second)));
    prediction.setup_seconds = GpuSetup{79, 12, 125}.seconds(rows, device);
  } else {
    prediction.kept_bytes = n * local_row_bytes;
    prediction.seconds =
        estimated_launch_seconds(device) + 2 * prediction.moved_bytes / bytes_per_second;
    prediction.setup_seconds =
        cpu_setup_seconds +
        (work * sizes.offset_bytes + 4 * prediction.kept_bytes) / bytes_per_second;
  }
  return prediction;
}

}  // namespace heddle::detail::coo
