// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../common/prediction.hpp"
#include "../../common/segments/tuning.hpp"

namespace heddle::detail::hyb::rest {

/// The rounds of loads that a GPU takes for shares of all rows and nonzeros: more than for those of
/// any rest.
inline double seconds_of_all_shares(const RowFeatures& rows, const Device& device,
                                    const Sizes& sizes) {
  const segments::GpuTuning shares = segments::gpu_tuning_of(device);
  constexpr double round_seconds = 0.5e-6, start_rounds = 15, rounds_per_wave = 10;
  const double work = static_cast<double>(rows.rows + rows.nonzeros);
  const double resident = static_cast<double>(shares.teams_resident) * device.multiprocessors;
  const auto accumulator = static_cast<std::size_t>(sizes.accumulator_bytes);
  const double waves = work / shares.most_work(accumulator) / resident;
  const double rounds = start_rounds + rounds_per_wave * waves;
  return round_seconds * rounds * std::max(1.0, sizes.vectors.count / 4.0);
}

/// What a rest keeps, given its entries and the rows that have any, with sums handed over of up to
/// `vectors` vectors at a time.
inline double kept_bytes(double entries, double long_rows, const RowFeatures& rows, int vectors,
                         const Device& device, const Sizes& sizes) {
  const double local_row = device.has_lanes() ? 2 : sizes.ordinal_bytes;
  const double of_long_row =
      vectors * sizes.accumulator_bytes + sizes.ordinal_bytes + sizes.offset_bytes;
  const double words = static_cast<double>(rows.rows) / 32;
  return entries * (sizes.scalar_bytes + sizes.ordinal_bytes + local_row) +
         long_rows * of_long_row + words * (4 + sizes.ordinal_bytes);
}

/// Of a matrix with a rest: what each pass over it reads, and the sums of long rows that all passes
/// hand over.
struct MatrixBytes {
  double read;
  double handed_over;

  double all() const { return read + handed_over; }
};

/// What is predicted where a pass takes `most_vectors`: twice what the bytes of the matrix take, so
/// that it is not chosen where CSR is at hand. On an H200 hyb took 1.33 times as long as the best
/// of CSR on average (docs/design/formats.md); on CPUs 3.5.
inline Prediction prediction_of(const MatrixBytes& matrix, const RowFeatures& rows,
                                const Device& device, const Sizes& sizes, int most_vectors,
                                const GpuSetup& setup) {
  constexpr double penalty = 2;
  const double bytes_per_second = estimated_bytes_per_second(device);
  Prediction prediction;
  prediction.borrows_values = false;
  prediction.kept_bytes = matrix.all();
  prediction.moved_bytes = passes_over_matrix(sizes.vectors.count, most_vectors) * matrix.read +
                           matrix.handed_over + vector_bytes(rows, sizes);
  const double memory = prediction.moved_bytes / (0.84 * bytes_per_second);
  if (device.has_lanes()) {
    prediction.seconds =
        estimated_launch_seconds(device) +
        penalty * waiting_for_both(seconds_of_all_shares(rows, device, sizes), memory);
    prediction.setup_seconds = setup.seconds(rows, device);
  } else {
    prediction.seconds = 2 * estimated_launch_seconds(device) + 2 * penalty * memory;
    const double copy = 2 * matrix.all() / bytes_per_second;
    prediction.setup_seconds = cpu_setup_seconds + 5 * copy;
  }
  return prediction;
}

}  // namespace heddle::detail::hyb::rest
