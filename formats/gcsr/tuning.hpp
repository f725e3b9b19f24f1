// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../backends/tags.hpp"

namespace heddle::detail::gcsr {

/// The sizes that GCSR runs at, read by its launches and by the cost model. Those of csr/subwarp;
/// none was tuned for itself.
struct Tuning {
  int team_threads = 256;
  int teams_resident = 6;
  /// Nonzeros that a lane of a GPU loads at once.
  int batch = 4;
  /// With several vectors of x: lanes side by side over them, and vectors that each serves.
  int vector_lanes = 4;
  int vectors_per_lane = 2;
  /// Rows of y that a thread of a GPU looks at for those without entries.
  int rows_per_thread = 8;
  /// Vectors of x that one pass of a CPU serves.
  int cpu_vectors = 8;
};

/// The numbers of a backend, by its tag.
template <class Tag>
inline constexpr Tuning tuning_for{};

/// For cost models.
inline Tuning tuning_of(const Device& device) {
  return backends::with_tag(device.backend, [](auto tag) { return tuning_for<decltype(tag)>; });
}

}  // namespace heddle::detail::gcsr
