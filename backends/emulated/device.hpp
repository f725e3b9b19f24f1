// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../core/device.hpp"
#include "../scratch.hpp"
#include "space.hpp"

namespace heddle::backends {

/// Bytes of scratch of a team: as on an H200, or on a compute unit of gfx90a.
template <ExecutionSpace Base, int Width>
std::size_t max_scratch_bytes(const Emulated<Base, Width>&) {
  constexpr std::size_t kilobytes = Width == 32 ? 227 : 64;
  return (kilobytes << 10) - scratch_alignment_bytes;
}

template <ExecutionSpace Base, int Width>
int max_teams_per_cluster(const Emulated<Base, Width>&) {
  return Width == 32 ? 8 : 0;
}

template <ExecutionSpace Base, int Width>
Device describe_device(const Emulated<Base, Width>& exec) {
  Device device;
  device.name = exec.name();
  device.multiprocessors = exec.multiprocessors;
  device.threads_per_multiprocessor = exec.threads_per_multiprocessor;
  device.cache_bytes = std::size_t{1} << 20;
  device.scratch_bytes = max_scratch_bytes(exec);
  device.most_teams_per_cluster = max_teams_per_cluster(exec);
  return device;
}

}  // namespace heddle::backends
