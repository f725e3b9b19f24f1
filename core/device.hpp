// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <string>

namespace heddle {

/// How kernels reach a device.
enum class BackendKind { host, cuda, hip, portable };

/// What a device is, as far as the choice of a scheme depends on it. backends::describe fills it.
struct Device {
  std::string name;
  /// Versions of what runs it, as its runtime gives them; empty of a CPU.
  std::string driver;
  BackendKind backend = BackendKind::host;
  /// Lanes that run in step: 32 on CUDA, 64 on HIP, 1 on CPUs.
  int lanes = 1;
  /// Streaming multiprocessors, compute units, or threads of a CPU that have a processor each.
  int multiprocessors = 1;
  /// Threads that one multiprocessor keeps resident.
  int threads_per_multiprocessor = 1;
  /// Of its memory, as a copy reaches it, bytes read and written together; 0 where it is not known,
  /// and then estimated from the number of multiprocessors.
  double bytes_per_second = 0;
  /// Last-level cache; 0 where it is not known.
  std::size_t cache_bytes = 0;
  /// Scratch that one team can be given at launch.
  std::size_t scratch_bytes = 0;
  /// Teams that can run together as a cluster (backends::launch_cluster); 0 where there are none.
  int most_teams_per_cluster = 0;

  /// Whether teams may wait for earlier ones of their launch (backends::launch_in_order).
  bool waits_make_progress = true;

  bool has_lanes() const { return lanes > 1; }
};

}  // namespace heddle
