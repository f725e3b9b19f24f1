// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../common/prediction.hpp"
#include "../common/segments/tuning.hpp"
#include "../formats.hpp"

namespace heddle::detail::coo {

/// Predicts from the bytes, and from how often the shares fill a GPU. Its times exceed those of
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
  const double work = static_cast<double>(rows.rows + rows.nonzeros);
  prediction.kept_bytes = n * local_row_bytes;
  if (device.has_lanes()) {
    const segments::GpuTuning tuning = segments::gpu_tuning_of(device);
    constexpr double start_rounds = 15, rounds_per_wave = 20;
    const auto bytes = static_cast<std::size_t>(sizes.accumulator_bytes);
    const double shares = work / tuning.most_work(bytes);
    const double resident = static_cast<double>(tuning.teams_resident) * device.multiprocessors;
    const double kept_shares = std::clamp(resident, shares, work / tuning.least_work(bytes));
    prediction.kept_bytes += kept_shares * (16 + 32 * sizes.accumulator_bytes);
    constexpr SeveralVectors several{{1.05, 1.1, 1.2, 1.2}, {1.7, 1.8, 1.9}};
    // If most rows are empty, column-major vectors are most of the bytes moved.
    constexpr SeveralVectors mostly_empty{several.side_by_side, {2.0, 2.6, 4.6}};
    prediction.price(GpuCost{.rounds = start_rounds + rounds_per_wave * shares / resident,
                             .round_seconds = 0.5e-6,
                             .efficiency = 0.7,
                             .several = rows.nonzeros < rows.rows ? mostly_empty : several,
                             .setup = {79, 12, 125}},
                     rows, device, sizes);
  } else {
    prediction.price(CpuCost{.slowdown = 2,
                             .setup_bytes = work * sizes.offset_bytes + 4 * prediction.kept_bytes},
                     device);
  }
  return prediction;
}

}  // namespace heddle::detail::coo

namespace heddle {

/// Coordinates: the row of every nonzero besides its column and value, which are borrowed from the
/// user. Shares of work are equal for any lengths of rows, and no row pointer is read. Holds any
/// matrix.
struct CooFormat {
  static constexpr const char* name = "coo";

  static SchemeGrammar grammar(const Device&) { return {name, {}}; }

  static std::vector<Scheme> candidates(const Features&, const Device&) { return {Scheme(name)}; }

  static Prediction predict(const Scheme&, const Features& features, const Device& device,
                            const Sizes& sizes) {
    return detail::coo::predict(features.rows(), device, sizes);
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
HEDDLE_COMPILED_FORMAT(CooFormat)
