// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cmath>
#include <heddle/core/device.hpp>
#include <heddle/core/features.hpp>
#include <heddle/core/scheme.hpp>
#include <heddle/formats/vectors.hpp>
#include <string>

namespace heddle {

/// A scheme, and why it was chosen.
struct Choice {
  Scheme scheme;
  std::string reason;
};

namespace detail {

/// What a CSR scheme costs on a GPU, in rounds of loads of a full device; for comparison only. The
/// form follows how the kernels run, its numbers are fitted to measurements: docs/choose.md.
struct CsrCosts {
  /// Nonzeros that a lane of csr/subwarp takes a round.
  static constexpr double batch = 4;
  /// The longer rows of a warp, which its other lanes wait for: so many deviations above the mean.
  static constexpr double longer_rows = 1.2;
  /// Adding up over twice as many lanes.
  static constexpr double doubling = 0.3;
  static constexpr double tile_work = 832;
  static constexpr double tile_threads = 128;

  /// More than in proportion, for a lane's next rounds lie in cache lines that others have pushed
  /// out.
  double round_exponent = 1.35;
  /// A round of the longest row, which others wait for, against one of the full device.
  double longest_row_round = 0.35;
  /// csr/adaptive: looking up a tile and handing over parts, and a full device of tiles.
  double adaptive_start = 1;
  double adaptive_wave = 15;

  static CsrCosts of(const RowFeatures& rows, const Device& device,
                     const ExpectedColumns& columns) {
    if (columns.several_apart()) {
      // Packing costs a launch, which the columns share, and repays it if x is read often.
      const bool packed = reads_repay_packing(rows.nonzeros, rows.columns);
      return {.round_exponent = 1.1,
              .longest_row_round = 0.45,
              .adaptive_start = 14.0 / columns.count,
              .adaptive_wave = packed ? 2.2 : 4.4};
    }
    // Side by side every scheme waits for x alike, and equal shares cost nothing.
    if (columns.count > 1) return {.adaptive_wave = 0};
    // Nor do they cost much where all schemes wait for memory.
    if (beyond_cache(rows, device)) return {.adaptive_wave = 1.55};
    return {};
  }

  static double threads_at_once(const Device& device, double share) {
    return share * device.multiprocessors * device.threads_per_multiprocessor;
  }

  /// Whether an apply reads and writes more than the last-level cache keeps from one to the next,
  /// counted as for double and 32-bit indices.
  static bool beyond_cache(const RowFeatures& rows, const Device& device) {
    const double bytes =
        12 * static_cast<double>(rows.nonzeros + rows.rows) + 8 * static_cast<double>(rows.columns);
    return bytes > 0.8 * static_cast<double>(device.cache_bytes);
  }

  double subwarp(const RowFeatures& rows, const Device& device, int lanes) const {
    const double waves = static_cast<double>(rows.rows) * lanes / threads_at_once(device, 0.75);
    const double row = rows.mean_row() + longer_rows * std::sqrt(rows.row_variance);
    const double full = row / (batch * lanes);
    // Lanes without a nonzero in the last round load nothing, but wait.
    const double rounds = std::max(1.0, (full + std::ceil(full)) / 2);
    const double longest = std::ceil(static_cast<double>(rows.longest_row) / (batch * lanes));
    return waves * (1 + doubling * std::log2(lanes)) * std::pow(rounds, round_exponent) +
           longest_row_round * longest;
  }

  /// How often the tiles of csr/adaptive fill the device.
  static double adaptive_waves(const RowFeatures& rows, const Device& device) {
    const double tiles = static_cast<double>(rows.rows + rows.nonzeros) / tile_work;
    return tiles * tile_threads / threads_at_once(device, 0.5);
  }

  double adaptive(const RowFeatures& rows, const Device& device) const {
    return adaptive_start + adaptive_wave * adaptive_waves(rows, device);
  }

  /// The cheapest number of lanes a row for csr/subwarp.
  int subwarp_lanes(const RowFeatures& rows, const Device& device) const {
    int best = 1;
    for (int lanes = 2; lanes <= device.lanes; lanes *= 2) {
      if (subwarp(rows, device, lanes) < subwarp(rows, device, best)) best = lanes;
    }
    return best;
  }
};

}  // namespace detail

/// The scheme for a matrix with these rows, on this device, that will be applied so many times to x
/// of such columns.
///
/// A pure function of its arguments: the same matrix gives the same scheme. The rules and the
/// measurements behind them: docs/choose.md. Every scheme of CSR is set up within a few applies, so
/// expected_applies decides only where one apply is all there is: then nothing is set up.
inline Choice choose(const RowFeatures& rows, const Device& device, std::int64_t expected_applies,
                     const ExpectedColumns& columns = {}) {
  const std::string shape = "rows of " + std::to_string(std::llround(rows.mean_row())) +
                            " nonzeros on average, the longest of " +
                            std::to_string(rows.longest_row);
  if (!device.has_lanes()) {
    if (expected_applies <= 1) return {Scheme("csr", {{"scalar"}}), "one apply repays no set-up"};
    return {Scheme("csr", {{"adaptive"}}), "threads get equal shares of rows plus nonzeros"};
  }
  const auto costs = detail::CsrCosts::of(rows, device, columns);
  const int lanes = costs.subwarp_lanes(rows, device);
  if (expected_applies > 1) {
    const bool many = costs.adaptive_waves(rows, device) >= 2.5;
    if (rows.nonzeros < rows.rows / 5 && many && !columns.several_apart()) {
      return {Scheme("csr", {{"merge"}}), "most rows are empty, and there are many of them"};
    }
    if (costs.adaptive(rows, device) < costs.subwarp(rows, device, lanes)) {
      return {Scheme("csr", {{"adaptive"}}), shape + ", cheaper in equal shares than row by row"};
    }
  }
  if (lanes == 1) return {Scheme("csr", {{"scalar"}}), shape + ", and enough to fill the device"};
  return {Scheme("csr", {{"subwarp", lanes}}), shape};
}

}  // namespace heddle
