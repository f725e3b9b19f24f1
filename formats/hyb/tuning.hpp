// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

namespace heddle::detail::hyb {

/// The sizes that HYB runs at, beside those of the segmented sums that add up its rest; read by its
/// launches and by the cost model. Those of ELL; none was tuned for itself.
struct Tuning {
  /// Slots for each nonzero at most.
  double most_padding = 3;
  /// Slots a row at most.
  int most_width = 512;
  /// Slots that a lane of a GPU loads at once, with one vector and with several.
  int batch = 8;
  int multivector_batch = 4;
  /// Vectors of x that one pass serves.
  int vectors = 8;
  /// Packs of rows that a thread of a CPU takes together.
  int cpu_packs = 4;
  /// Rows are padded to a multiple of this, so that every slot begins a cache line.
  std::int64_t row_alignment = 32;
};

inline constexpr Tuning tuning{};

}  // namespace heddle::detail::hyb
