// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <optional>
#include <string>

#include "../../core/scheme.hpp"
#include "../common/lanes_or_simd.hpp"
#include "../common/prediction.hpp"
#include "../common/segments/tuning.hpp"
#include "width.hpp"

namespace heddle::detail::hyb {

/// The parameters of a scheme; for predict and inspect alike.
struct Parameters : LanesOrSimd {
  std::optional<int> width;  ///< slots a row; left out, the inspector finds the cheapest

  void list(SchemeFields& fields, const Device& device) {
    fields.add(width, {.key = "width", .numbers = {0, most_width}, .examples = {"0", "2", "7"}});
    list_simd(fields, device);
  }
};

inline Bytes bytes_of(const Sizes& sizes, const Device& device) {
  const double slot = sizes.scalar_bytes + sizes.ordinal_bytes;
  return {slot, slot + (device.has_lanes() ? 2 : sizes.ordinal_bytes),
          2.0 * sizes.accumulator_bytes * sizes.vectors.count};
}

/// What a rest keeps, given its entries and the rows that have any, and hands over.
inline double rest_bytes(double entries, double long_rows, const RowFeatures& rows,
                         const Device& device, const Sizes& sizes) {
  const double local_row = device.has_lanes() ? 2 : sizes.ordinal_bytes;
  const double of_long_row = slots::tuning.most_vectors * sizes.accumulator_bytes +
                             sizes.ordinal_bytes + sizes.offset_bytes;
  const double words = static_cast<double>(rows.rows) / 32;
  return entries * (sizes.scalar_bytes + sizes.ordinal_bytes + local_row) +
         long_rows * of_long_row + words * (4 + sizes.ordinal_bytes);
}

/// What the split keeps, at most. The inspector's own moves no more than `moved` bytes: a slot for
/// each entry at least, and what is left of them bounds its long rows.
inline double kept_bytes(const Parameters& parameters, double moved, const RowFeatures& rows,
                         const Device& device, const Sizes& sizes) {
  const Bytes bytes = bytes_of(sizes, device);
  const auto n = static_cast<double>(rows.nonzeros);
  const auto with_entries = static_cast<double>(rows.rows - rows.empty_rows);
  const auto of_rest = [&](double entries, double long_rows) {
    return rest_bytes(entries, long_rows, rows, device, sizes);
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

/// The rounds of loads that a GPU takes for shares of all rows and nonzeros: more than for those of
/// any rest.
inline double rounds_of_all_shares(const RowFeatures& rows, const Device& device,
                                   const Sizes& sizes) {
  const segments::GpuTuning shares = segments::gpu_tuning_of(device);
  constexpr double start_rounds = 15, rounds_per_wave = 10;
  const double work = static_cast<double>(rows.rows + rows.nonzeros);
  const double resident = static_cast<double>(shares.teams_resident) * device.multiprocessors;
  const auto accumulator = static_cast<std::size_t>(sizes.accumulator_bytes);
  return start_rounds + rounds_per_wave * work / shares.most_work(accumulator) / resident;
}

/// From the bytes and the rounds of loads of the shares. The width is found by the inspector, which
/// moves no more than all entries in one part would; that is what is predicted. On an H200 it took
/// 1.33 times as long as the best of CSR on average (docs/design/formats.md); on CPUs 3.5.
inline Prediction predict(const Scheme& scheme, const RowFeatures& rows, const Device& device,
                          const Sizes& sizes) {
  const auto n = static_cast<double>(rows.nonzeros);
  const Bytes bytes = bytes_of(sizes, device);
  const double most = slots::tuning.most_padding * n;
  const auto parameters = parameters_of<Parameters>(scheme, device);
  if (parameters.width && static_cast<double>(rows.rows) * *parameters.width > most) {
    return Prediction::refuse(
        std::to_string(*parameters.width) + " slots a row would be more than " +
        std::to_string(static_cast<int>(slots::tuning.most_padding)) + " for each nonzero");
  }
  // Of a pass over the matrix, and the sums of long rows, which all passes hand over.
  double read = n * bytes.entry;
  double handed_over = static_cast<double>(rows.rows - rows.empty_rows) * bytes.long_row;
  const double all_slots = static_cast<double>(rows.rows) * static_cast<double>(rows.longest_row);
  if (all_slots <= most && rows.longest_row <= most_width &&
      all_slots * bytes.slot < read + handed_over) {
    read = all_slots * bytes.slot;
    handed_over = 0;
  }
  Prediction prediction;
  prediction.borrows_values = false;
  prediction.moved_bytes =
      passes_over_matrix(sizes.vectors.count, slots::tuning.most_vectors) * read + handed_over +
      vector_bytes(rows, sizes);
  prediction.kept_bytes = kept_bytes(parameters, read + handed_over, rows, device, sizes);
  prediction.reason = "most rows in slots, what the longest of " +
                      std::to_string(rows.longest_row) + " have beyond in equal shares";
  if (device.has_lanes()) {
    // Less than one, since the slow-down is that of one vector; beyond four side by side as of ELL.
    // Where most rows are empty all lies in the rest, and sums are handed over one by one.
    constexpr SeveralVectors in_slots{{0.6, 0.7, 1.5, 2.0}, {0.6, 0.6, 0.6}};
    constexpr SeveralVectors in_rest{{1.4, 1.4, 1.4, 1.4}, {1.4, 1.4, 1.4}};
    prediction.price(GpuCost{.rounds = rounds_of_all_shares(rows, device, sizes),
                             .round_seconds = 0.5e-6,
                             .efficiency = 0.84,
                             .slowdown = 2,
                             .several = rows.nonzeros < rows.rows ? in_rest : in_slots,
                             .setup = {206, 34, 192}},
                     rows, device, sizes);
  } else {
    prediction.price(
        CpuCost{.slowdown = 4 / 0.84, .launches = 2, .setup_bytes = 10 * (read + handed_over)},
        device);
  }
  return prediction;
}

}  // namespace heddle::detail::hyb
