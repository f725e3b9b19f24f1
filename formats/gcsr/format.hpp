// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cmath>
#include <string>

#include "../../backends/tags.hpp"
#include "../../core/scheme.hpp"
#include "../common/lanes_or_simd.hpp"
#include "../common/prediction.hpp"
#include "../formats.hpp"

namespace heddle::detail::gcsr {

/// Sizes of the kernels of GCSR, read by its launches and by the cost model. They are those of
/// csr/subwarp; none was tuned for GCSR.
struct Tuning {
  int team_threads = 256;
  int teams_resident = 6;
  /// Nonzeros that a lane of a GPU loads at once.
  int batch = 4;
  /// For several vectors of x: neighbouring lanes for the vectors, and vectors of each such lane.
  int vector_lanes = 4;
  int vectors_per_lane = 2;
  /// Rows of y that a thread of a GPU checks for rows without entries.
  int rows_per_thread = 8;
  /// Most vectors of x in one pass on a CPU.
  int cpu_vectors = 8;
};

/// The sizes for a backend, by its tag.
template <class Tag>
inline constexpr Tuning tuning_for{};

/// The sizes for a device, for cost models.
inline Tuning tuning_of(const Device& device) {
  return backends::with_tag(device.backend, [](auto tag) { return tuning_for<decltype(tag)>; });
}

inline double mean_row_with_entries(const RowFeatures& rows) {
  return share(static_cast<double>(rows.nonzeros), rows.rows - rows.empty_rows);
}

/// Rounds of loads with subwarps of `lanes` lanes: those of rows of mean length as often as these
/// fill the GPU, and those of the longest row, which one subwarp computes alone.
inline double rounds_of(const RowFeatures& rows, const Device& device, int lanes) {
  const Tuning tuning = tuning_of(device);
  constexpr double start_rounds = 15;
  const double resident = static_cast<double>(tuning.teams_resident) * tuning.team_threads *
                          std::max(1, device.multiprocessors);
  const double each = static_cast<double>(tuning.batch * lanes);
  const auto with_entries = static_cast<double>(rows.rows - rows.empty_rows);
  const double waves = std::ceil(with_entries * lanes / resident);
  return start_rounds + waves * std::ceil(mean_row_with_entries(rows) / each) +
         static_cast<double>(rows.longest_row) / each;
}

/// Lanes for a row on a GPU: enough to load a row of mean length in one batch, or more if the other
/// rows would wait for a far longer one.
inline int lanes_for(const RowFeatures& rows, const Device& device) {
  constexpr double worth_it = 0.9;
  const Tuning tuning = tuning_of(device);
  int lanes = 1;
  while (lanes < device.lanes && lanes * tuning.batch < mean_row_with_entries(rows)) lanes *= 2;
  for (int more = 2 * lanes; more <= device.lanes; more *= 2) {
    if (rounds_of(rows, device, more) < worth_it * rounds_of(rows, device, lanes)) lanes = more;
  }
  return lanes;
}

/// The parameters of a scheme, those that it leaves out resolved; for predict and inspect alike.
struct Parameters : LanesOrSimd {
  void list(SchemeFields& fields, const Device& device) {
    list_lanes(fields, device, 1, device.lanes);
  }
  static Parameters resolve(const Scheme& scheme, const RowFeatures& rows, const Device& device) {
    auto all = parameters_of<Parameters>(scheme, device);
    if (!all.lanes) all.lanes = device.has_lanes() ? lanes_for(rows, device) : 1;
    return all;
  }
};

/// Predicts from the bytes, and from the rounds of loads of subwarps. Fitted on matrices with
/// mostly empty rows (docs/choose.md). On others it took 1.56 times as long as the best of CSR on
/// average on an H200 (docs/design/formats.md).
inline Prediction predict(const Scheme& scheme, const RowFeatures& rows, const Device& device,
                          const Sizes& sizes) {
  const bool mostly_empty = 2 * rows.empty_rows > rows.rows;
  const auto n = static_cast<double>(rows.rows - rows.empty_rows);
  Prediction prediction;
  prediction.kept_bytes = n * (sizes.ordinal_bytes + sizes.offset_bytes) + sizes.offset_bytes +
                          static_cast<double>(rows.rows) / 8;
  const int most =
      device.has_lanes() ? std::max(1, sizes.vectors.count) : tuning_of(device).cpu_vectors;
  const double entry = sizes.scalar_bytes + sizes.ordinal_bytes;
  prediction.moved_bytes =
      passes_over_matrix(sizes.vectors.count, most) *
          (static_cast<double>(rows.nonzeros) * entry + prediction.kept_bytes) +
      vector_bytes(rows, sizes);
  prediction.reason = std::to_string(rows.empty_rows) + " of " + std::to_string(rows.rows) +
                      " rows are empty, and cost a bit and a store";
  if (device.has_lanes()) {
    const Parameters parameters = Parameters::resolve(scheme, rows, device);
    prediction.price(GpuCost{.rounds = rounds_of(rows, device, *parameters.lanes),
                             .round_seconds = 0.5e-6,
                             .efficiency = 0.84,
                             .slowdown = mostly_empty ? 1.0 : 1.5,
                             .several = {{3.2, 2.9, 2.9, 2.9}, {3.1, 2.5, 3.2}},
                             .setup = {69, 5, 191}},
                     rows, device, sizes);
  } else {
    // It moves fewer bytes, and yet on 16 threads it took twice as long as csr/adaptive, which
    // handles runs of empty rows together, on matrices with mostly empty rows.
    const double looks = static_cast<double>(rows.rows) * sizes.offset_bytes * 3;
    prediction.price(CpuCost{.slowdown = 3, .setup_bytes = looks + prediction.kept_bytes}, device);
  }
  return prediction;
}

}  // namespace heddle::detail::gcsr

namespace heddle {

/// CSR of the nonempty rows, for matrices whose rows are mostly empty: an empty row costs one bit
/// and a store to y. Columns and values are borrowed. Holds any matrix.
struct GcsrFormat {
  static constexpr const char* name = "gcsr";

  static SchemeGrammar grammar(const Device& device) {
    return grammar_from<detail::gcsr::Parameters>(name, device);
  }

  static std::vector<Scheme> candidates(const Features&, const Device&) { return {Scheme(name)}; }

  static Prediction predict(const Scheme& scheme, const Features& features, const Device& device,
                            const Sizes& sizes) {
    return detail::gcsr::predict(scheme, features.rows(), device, sizes);
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
HEDDLE_COMPILED_FORMAT(GcsrFormat)
