// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cmath>
#include <limits>
#include <string>

#include "../../core/scheme.hpp"
#include "../common/lanes_or_simd.hpp"
#include "../common/prediction.hpp"
#include "../common/slots/tuning.hpp"
#include "../formats.hpp"

namespace heddle::detail::ell {

/// The reason why ELL does not suit rows of these lengths, or an empty text.
inline std::string too_much_padding(const RowFeatures& rows) {
  const double slots = static_cast<double>(rows.rows) * static_cast<double>(rows.longest_row);
  if (rows.longest_row > std::numeric_limits<int>::max()) {
    return "a row has " + std::to_string(rows.longest_row) + " entries";
  }
  if (slots <= slots::tuning.most_padding * static_cast<double>(rows.nonzeros)) return "";
  const double padding = slots / std::max(1.0, static_cast<double>(rows.nonzeros));
  return "rows as long as the longest, " + std::to_string(rows.longest_row) +
         " entries, would need " + std::to_string(std::llround(padding)) +
         " slots for each nonzero, and " +
         std::to_string(std::llround(slots::tuning.most_padding)) + " is the bound";
}

/// The parameters of a scheme, those that it leaves out resolved; for predict and inspect alike.
struct Parameters : LanesOrSimd {
  void list(SchemeFields& fields, const Device& device) {
    list_lanes(fields, device, 1, slots::tuning.most_lanes);
    list_simd(fields, device);
  }
  static Parameters resolve(const Scheme& scheme, const RowFeatures& rows, const Device& device) {
    using slots::tuning;
    auto all = parameters_of<Parameters>(scheme, device);
    if (!all.lanes) all.lanes = lanes_of_slots(rows, device, tuning.batch, tuning.most_lanes);
    return all;
  }
};

/// Predicts from the bytes: every slot, x and y once; and from the rounds of loads of a row, if
/// there are too few rows to hide them. Fitted on an H200:
/// perf_tests/results/NOTES-spmv.md.
inline Prediction predict(const Scheme& scheme, const RowFeatures& rows, const Device& device,
                          const Sizes& sizes) {
  const std::string refusal = too_much_padding(rows);
  if (!refusal.empty()) return Prediction::refuse(refusal);
  const auto n = static_cast<double>(rows.nonzeros);
  const double slots = static_cast<double>(rows.rows) * static_cast<double>(rows.longest_row);
  Prediction prediction;
  prediction.borrows_values = false;
  prediction.kept_bytes = slots * (sizes.scalar_bytes + sizes.ordinal_bytes);
  prediction.moved_bytes =
      passes_over_matrix(sizes.vectors.count, slots::tuning.most_vectors) * prediction.kept_bytes +
      vector_bytes(rows, sizes);
  prediction.reason =
      "rows of like length, " + std::to_string(rows.longest_row) + " at most, with " +
      std::to_string(std::llround(100 * (slots / std::max(1.0, n) - 1))) + " % of padding";
  if (device.has_lanes()) {
    const int lanes = *Parameters::resolve(scheme, rows, device).lanes;
    prediction.price(GpuCost{.rounds = std::ceil(static_cast<double>(rows.longest_row) /
                                                 static_cast<double>(slots::tuning.batch * lanes)),
                             .round_seconds = 1.2e-6,
                             .efficiency = 0.92,
                             .several = {{1.3, 1.55, 2.9, 4.4}, {1.2, 1.4, 1.8}},
                             .setup = {77, 42, 96}},
                     rows, device, sizes);
  } else {
    // A CPU reads as many streams as a row has slots: on two threads of an EPYC that took 1.2 to 6
    // times as long as csr/adaptive.
    prediction.price(CpuCost{.slowdown = 3, .setup_bytes = 8 * prediction.kept_bytes}, device);
  }
  return prediction;
}

}  // namespace heddle::detail::ell

namespace heddle {

/// Every row has as many slots as the longest row has entries, and slots of neighbouring rows are
/// contiguous (ELLPACK): fast for rows of similar length. Copies the matrix; refuses one that would
/// be mostly padding.
struct EllFormat {
  static constexpr const char* name = "ell";

  static SchemeGrammar grammar(const Device& device) {
    return grammar_from<detail::ell::Parameters>(name, device);
  }

  static std::vector<Scheme> candidates(const Features&, const Device&) { return {Scheme(name)}; }

  static Prediction predict(const Scheme& scheme, const Features& features, const Device& device,
                            const Sizes& sizes) {
    return detail::ell::predict(scheme, features.rows(), device, sizes);
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
HEDDLE_COMPILED_FORMAT(EllFormat)
