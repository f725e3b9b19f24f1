// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <vector>

#include "../common/slots/tuning.hpp"

namespace heddle::detail::hyb {

/// Slots a row at most; all other sizes are those of ELL, and of the segmented sums that add up the
/// rest. None was tuned for itself.
inline constexpr int most_width = 512;

/// What an apply moves, in bytes.
struct Bytes {
  double slot;      ///< for a slot, with an entry or without
  double entry;     ///< for an entry beyond the slots
  double long_row;  ///< for a row that has any, to hand its sum over
};

/// How a matrix is split: slots a row, and what lies beyond them.
struct Widths {
  int width = 0;
  std::int64_t long_rows = 0;
  std::int64_t rest = 0;
};

/// With `width` slots a row; longer[j] rows have more than j entries.
inline Widths split_at(int width, const std::vector<std::int64_t>& longer, std::int64_t nonzeros) {
  Widths widths{width, longer[static_cast<std::size_t>(width)], nonzeros};
  for (int j = 0; j < width; ++j) widths.rest -= longer[static_cast<std::size_t>(j)];
  return widths;
}

/// The split that moves the fewest bytes, the narrowest of those; of no more slots than
/// slots::tuning.most_padding allows.
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

}  // namespace heddle::detail::hyb
