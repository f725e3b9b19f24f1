// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>

#include "../../../backends/tags.hpp"
#include "../share_alignment.hpp"

namespace heddle::detail::segments {

/// Tuning parameters of segmented sums on a GPU, a team a share, read by launches and cost models.
/// The values are those of csr/merge, which has the same shares; none was tuned separately.
struct GpuTuning {
  int threads = 128;
  int teams_resident = 8;
  /// Teams resident with several vectors.
  int multivector_teams_resident = 3;
  /// Cost of a row in nonzeros: its store.
  int row_steps = 1;

  /// Nonzeros of a share for each thread.
  constexpr int items(std::size_t accumulator_bytes) const { return accumulator_bytes > 8 ? 4 : 8; }
  constexpr int capacity(std::size_t accumulator_bytes) const {
    return threads * items(accumulator_bytes);
  }
  /// Most rows plus nonzeros of a share: products and sums are in scratch together.
  constexpr int most_work(std::size_t accumulator_bytes) const {
    return capacity(accumulator_bytes) - share_alignment;
  }
  constexpr int least_work(std::size_t accumulator_bytes) const {
    return capacity(accumulator_bytes) / 4;
  }
};

/// Tuning parameters of segmented sums on a CPU, where every thread has one share.
struct CpuTuning {
  /// Vectors of x that one pass serves.
  int vectors = 8;
  /// Cost of a row in nonzeros: a branch misprediction.
  int row_steps = 8;
  /// Fewest steps of a share.
  int least_work = 512;
};

/// Tuning parameters of a backend, by its tag.
template <class Tag>
inline constexpr GpuTuning gpu_tuning{};
template <class Tag>
inline constexpr CpuTuning cpu_tuning{};

/// Tuning parameters of a device, for cost models.
inline GpuTuning gpu_tuning_of(const Device& device) {
  return backends::with_tag(device.backend, [](auto tag) { return gpu_tuning<decltype(tag)>; });
}

}  // namespace heddle::detail::segments
