// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "../../core/scheme.hpp"
#include "../common/lanes_or_simd.hpp"
#include "../common/prediction.hpp"
#include "../common/segments/tuning.hpp"
#include "../common/slots/tuning.hpp"
#include "../formats.hpp"

namespace heddle::detail::hyb {

/// Most slots of a row. All other sizes are those of ELL, and of the segmented sums of the rest;
/// none was tuned for HYB.
inline constexpr int most_width = 512;

/// Bytes that an apply moves.
struct Bytes {
  double slot;      ///< for a slot, with an entry or without
  double entry;     ///< for an entry in the rest
  double long_row;  ///< for the sum of a long row
};

/// The split of a matrix: slots of a row, and the rows and entries beyond them.
struct Widths {
  int width = 0;
  std::int64_t long_rows = 0;
  std::int64_t rest = 0;
};

/// The split with `width` slots for each row; longer[j] rows have more than j entries.
inline Widths split_at(int width, const std::vector<std::int64_t>& longer, std::int64_t nonzeros) {
  Widths widths{width, longer[static_cast<std::size_t>(width)], nonzeros};
  for (int j = 0; j < width; ++j) widths.rest -= longer[static_cast<std::size_t>(j)];
  return widths;
}

/// The split that moves the fewest bytes, the narrowest one of equals, with at most as many slots
/// as slots::tuning.most_padding allows.
inline Widths cheapest_split(const std::vector<std::int64_t>& longer, std::int64_t rows,
                             std::int64_t nonzeros, const Bytes& bytes) {
  const auto cost = [&](const Widths& widths) {
    return static_cast<double>(rows) * widths.width * bytes.slot +
           static_cast<double>(widths.rest) * bytes.entry +
           static_cast<double>(widths.long_rows) * bytes.long_row;
  };
  const double most_slots = slots::tuning.most_padding * static_cast<double>(nonzeros);
  Widths best = split_at(0, longer, nonzeros);
  Widths next = best;
  while (next.width < most_width && static_cast<double>(rows) * (next.width + 1) <= most_slots) {
    next.rest -= next.long_rows;
    ++next.width;
    next.long_rows = longer[static_cast<std::size_t>(next.width)];
    if (cost(next) < cost(best)) best = next;
  }
  return best;
}

/// The parameters of a scheme; for predict and inspect alike.
struct Parameters : LanesOrSimd {
  std::optional<int> width;  ///< slots of a row; if left out, the inspector finds the best

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

/// Bytes of a rest with so many entries and long rows: entries, tables, and the sums of long rows.
inline double rest_bytes(double entries, double long_rows, const RowFeatures& rows,
                         const Device& device, const Sizes& sizes) {
  const double local_row = device.has_lanes() ? 2 : sizes.ordinal_bytes;
  const double of_long_row = slots::tuning.most_vectors * sizes.accumulator_bytes +
                             sizes.ordinal_bytes + sizes.offset_bytes;
  const double words = static_cast<double>(rows.rows) / 32;
  return entries * (sizes.scalar_bytes + sizes.ordinal_bytes + local_row) +
         long_rows * of_long_row + words * (4 + sizes.ordinal_bytes);
}

/// Most bytes that the split keeps. The inspector's choice moves at most `moved` bytes: at least a
/// slot for each entry, and the bytes that remain bound its long rows.
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

/// Rounds of loads on a GPU for shares of all rows and nonzeros: more than for the shares of any
/// rest.
inline double rounds_of_all_shares(const RowFeatures& rows, const Device& device,
                                   const Sizes& sizes) {
  const segments::GpuTuning shares = segments::gpu_tuning_of(device);
  constexpr double start_rounds = 15, rounds_per_wave = 10;
  const double work = static_cast<double>(rows.rows + rows.nonzeros);
  const double resident = static_cast<double>(shares.teams_resident) * device.multiprocessors;
  const auto accumulator = static_cast<std::size_t>(sizes.accumulator_bytes);
  return start_rounds + rounds_per_wave * work / shares.most_work(accumulator) / resident;
}

/// Predicts from the bytes and the rounds of loads of the shares. The inspector finds a width that
/// moves at most the bytes of one part with all entries, which are predicted. On an H200 HYB took
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
  // Bytes of one pass over the matrix, and of the sums of long rows in all passes.
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
    // Below one, since the slowdown is that of one vector; beyond four row-major vectors as for
    // ELL. If most rows are empty, all entries are in the rest, and sums are posted one by one.
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

namespace heddle {

/// ELL for the first entries of every row, COO for the rest of long rows: for rows that are mostly
/// of similar length, with a few long ones. Copies the matrix.
struct HybFormat {
  static constexpr const char* name = "hyb";

  static SchemeGrammar grammar(const Device& device) {
    return grammar_from<detail::hyb::Parameters>(name, device);
  }

  static std::vector<Scheme> candidates(const Features&, const Device&) { return {Scheme(name)}; }

  static Prediction predict(const Scheme& scheme, const Features& features, const Device& device,
                            const Sizes& sizes) {
    return detail::hyb::predict(scheme, features.rows(), device, sizes);
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
HEDDLE_COMPILED_FORMAT(HybFormat)
