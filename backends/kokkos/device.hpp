// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../core/device.hpp"
#include "../host/device.hpp"
#include "../lanes.hpp"
#include "../scratch.hpp"
#include "../threads_at_once.hpp"
#ifdef KOKKOS_ENABLE_CUDA
#include "../cuda/device.hpp"
#endif
#ifdef KOKKOS_ENABLE_HIP
#include "../hip/device.hpp"
#endif
#ifdef HEDDLE_EMULATED
#include "../emulated/device.hpp"
#endif

namespace heddle::backends {

/// Default of devices without clusters.
template <ExecutionSpace Exec>
int max_teams_per_cluster(const Exec&) {
  return 0;
}

/// Bytes of scratch that a team policy gives a team, less those for alignment.
template <BackendIs<Portable> Exec>
std::size_t max_scratch_bytes(const Exec&) {
  const int most = Kokkos::TeamPolicy<KokkosSpace<Exec>>::scratch_size_max(0);
  return static_cast<std::size_t>(most) - scratch_alignment_bytes;
}

/// A device that Heddle does not know, and that reports little.
template <BackendIs<Portable> Exec>
Device describe_device(const Exec& exec) {
  Device device;
  device.name = Exec::name();
  device.multiprocessors = threads_at_once(exec);
  device.scratch_bytes = max_scratch_bytes(exec);
  return device;
}

/// Exec's own device, except the limits of a team policy.
template <ExecutionSpace Exec>
Device describe_device(const heddle::Portable<Exec>& exec) {
  Device device = describe_device(kokkos_space(exec));
  device.scratch_bytes = max_scratch_bytes(exec);
  device.most_teams_per_cluster = max_teams_per_cluster(exec);
  return device;
}

}  // namespace heddle::backends
