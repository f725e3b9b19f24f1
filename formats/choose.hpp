// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <heddle/core/device.hpp>
#include <heddle/core/features.hpp>
#include <heddle/core/scheme.hpp>
#include <string>

namespace heddle {

/// A scheme, and why it was chosen.
struct Choice {
  Scheme scheme;
  std::string reason;
};

namespace detail {

/// Lanes a row on a GPU. Each lane takes four nonzeros at a time, and two such rounds a row are
/// best while the device is full; with too few rows to fill it, more lanes a row do.
inline int subwarp_lanes(const RowFeatures& rows, const Device& device) {
  const double nonzeros_a_lane = 7;
  const std::int64_t resident =
      std::int64_t{3} * device.multiprocessors * device.threads_per_multiprocessor / 4;
  int lanes = 1;
  while (lanes < device.lanes && rows.mean_row() > nonzeros_a_lane * 1.42 * lanes) lanes *= 2;
  while (lanes < device.lanes && lanes < rows.mean_row() && rows.rows * lanes * 2 <= resident) {
    lanes *= 2;
  }
  return lanes;
}

}  // namespace detail

/// The scheme for a matrix with these rows, on this device, that will be applied so many times.
///
/// A pure function of its arguments: the same matrix gives the same scheme. The rules and the
/// measurements behind them: docs/choose.md.
inline Choice choose(const RowFeatures& rows, const Device& device,
                     [[maybe_unused]] std::int64_t expected_applies) {
  const auto longest = static_cast<double>(rows.longest_row);
  if (!device.has_lanes()) {
    const double share =
        static_cast<double>(rows.rows + rows.nonzeros) / std::max(1, device.multiprocessors);
    if (longest > 0.1 * share) {
      return {Scheme("csr", {{"merge"}}), "one row is more than a tenth of a thread's share"};
    }
    return {Scheme("csr", {{"adaptive"}}), "threads get equal shares of rows plus nonzeros"};
  }
  const int lanes = detail::subwarp_lanes(rows, device);
  // Rounds of loads that the longest row takes, one after the other, while others wait.
  const double rounds = longest / (4.0 * lanes);
  const double mean_rounds = rows.mean_row() / (4.0 * lanes);
  if (rounds > 16 && rounds > 8 * mean_rounds) {
    return {Scheme("csr", {{"adaptive"}}),
            "the longest row (" + std::to_string(rows.longest_row) + ") would hold up the others"};
  }
  if (rows.empty_rows * 2 > rows.rows) {
    return {Scheme("csr", {{"adaptive"}}), "most rows are empty"};
  }
  if (lanes == 1) return {Scheme("csr", {{"scalar"}}), "short rows, and enough to fill the device"};
  return {Scheme("csr", {{"subwarp", lanes}}),
          "rows of " + std::to_string(static_cast<int>(rows.mean_row() + 0.5)) +
              " nonzeros on average, of similar length"};
}

}  // namespace heddle
