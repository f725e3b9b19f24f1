// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

#include "kokkos/device.hpp"  // includes those of all backends
#include "lanes.hpp"
#include "loops.hpp"

namespace heddle::backends {

/// The device of an execution space instance, cheap enough to query for every plan. Throws Error
/// for one that Heddle's kernels do not support: AMD's with wavefronts of 32 lanes.
template <ExecutionSpace Exec>
Device describe(const Exec& exec) {
  Device device = describe_device(exec);
  device.backend = Tag<Exec>::kind;
  device.waits_make_progress = waits_make_progress<Exec>;
  device.lanes = max_subwarp_width<Exec>;
  return device;
}

/// Copy bandwidth of this device: bytes read plus bytes written a second, in 1e9, of the best of
/// `repetitions` copies between two buffers of `bytes` each. Allocates both and waits for `exec`.
template <ExecutionSpace Exec>
double measured_copy_gbytes_per_second(const Exec& exec, std::size_t bytes = std::size_t{1} << 28,
                                       int repetitions = 10) {
  using Buffer = Kokkos::View<double*, typename Exec::memory_space>;
  const std::size_t count = bytes / sizeof(double);
  Buffer from(Kokkos::view_alloc(kokkos_space(exec), "heddle::device::copy_from"), count);
  Buffer to(Kokkos::view_alloc(kokkos_space(exec), "heddle::device::copy_to"), count);
  double best_seconds = 0;
  for (int repetition = 0; repetition <= repetitions; ++repetition) {
    exec.fence("heddle::device::copy_start");
    Kokkos::Timer timer;
    heddle::detail::copy(exec, "heddle::device::copy", to.data(), static_cast<std::int64_t>(count),
                         from.data());
    exec.fence("heddle::device::copy_end");
    const double seconds = timer.seconds();
    const bool warm = repetition > 0;
    if (warm && (best_seconds == 0 || seconds < best_seconds)) best_seconds = seconds;
  }
  return 2e-9 * static_cast<double>(count * sizeof(double)) / best_seconds;
}

}  // namespace heddle::backends
