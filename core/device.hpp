// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <string>

namespace heddle {

/// How kernels reach a device.
enum class BackendKind { host, cuda, hip, portable };

/// The properties of a device that the choice of a scheme depends on. backends::describe fills it.
struct Device {
  std::string name;
  /// Versions of its driver and runtime, as the runtime returns them; empty for a CPU.
  std::string driver;
  BackendKind backend = BackendKind::host;
  /// Lanes that run in step: 32 on CUDA, 64 on HIP, 1 on CPUs.
  int lanes = 1;
  /// Streaming multiprocessors, compute units, or threads of a CPU on a processor of their own.
  int multiprocessors = 1;
  /// Threads that one multiprocessor holds at once.
  int threads_per_multiprocessor = 1;
  /// Speed of its memory for a copy, bytes read and written together. 0: unknown, and then
  /// estimated from the number of multiprocessors.
  double bytes_per_second = 0;
  /// Bytes of the last-level cache; 0 if unknown.
  std::size_t cache_bytes = 0;
  /// Scratch that one team can get at launch.
  std::size_t scratch_bytes = 0;
  /// Teams that can run together as a cluster (backends::launch_cluster); 0 if there are no
  /// clusters.
  int most_teams_per_cluster = 0;

  /// Whether teams may wait for earlier ones of their launch (backends::launch_in_order).
  bool waits_make_progress = true;

  bool has_lanes() const { return lanes > 1; }
};

}  // namespace heddle
