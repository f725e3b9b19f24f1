// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>

#include "../../../backends/tags.hpp"
#include "../share_alignment.hpp"

namespace heddle::detail::segments {

/// The sizes that segmented sums run at on a GPU, a team a share, read by the launches and by the
/// cost models. Those of csr/merge, which has the same shares; none was tuned for itself.
struct GpuTuning {
  int threads = 128;
  int teams_resident = 8;
  /// With several vectors.
  int multivector_teams_resident = 3;
  /// What a row costs, in nonzeros: its store.
  int row_steps = 1;

  /// Nonzeros that a thread takes of a share.
  constexpr int items(std::size_t accumulator_bytes) const { return accumulator_bytes > 8 ? 4 : 8; }
  constexpr int capacity(std::size_t accumulator_bytes) const {
    return threads * items(accumulator_bytes);
  }
  /// Rows plus nonzeros of a share at most: products and sums lie in scratch together.
  constexpr int most_work(std::size_t accumulator_bytes) const {
    return capacity(accumulator_bytes) - share_alignment;
  }
  constexpr int least_work(std::size_t accumulator_bytes) const {
    return capacity(accumulator_bytes) / 4;
  }
};

/// The same for a CPU, where every thread takes one share.
struct CpuTuning {
  /// Vectors of x that one pass serves.
  int vectors = 8;
  /// What a row costs, in nonzeros: a branch misprediction.
  int row_steps = 8;
  /// No share is smaller.
  int least_work = 512;
};

/// The numbers of a backend, by its tag.
template <class Tag>
inline constexpr GpuTuning gpu_tuning{};
template <class Tag>
inline constexpr CpuTuning cpu_tuning{};

/// For cost models.
inline GpuTuning gpu_tuning_of(const Device& device) {
  return backends::with_tag(device.backend, [](auto tag) { return gpu_tuning<decltype(tag)>; });
}

}  // namespace heddle::detail::segments
