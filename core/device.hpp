// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <string>

namespace heddle {

/// The way in which kernels reach a device.
enum class BackendKind { host, cuda, hip, portable };

/// The properties of a device that the choice of a scheme depends on. backends::describe fills it.
struct Device {
  std::string name;
  /// Versions of the device's driver and runtime, as the runtime reports them; empty for a CPU.
  std::string driver;
  BackendKind backend = BackendKind::host;
  /// Lanes that run in step: 32 on CUDA, 64 on HIP, 1 on CPUs.
  int lanes = 1;
  /// Streaming multiprocessors, compute units, or threads of a CPU on processors of their own.
  int multiprocessors = 1;
  /// Threads that one multiprocessor holds at once.
  int threads_per_multiprocessor = 1;
  /// Memory bandwidth of a copy in bytes per second, reads and writes together. 0 if unknown: it is
  /// then estimated from the number of multiprocessors.
  double bytes_per_second = 0;
  /// Bytes of the last-level cache; 0 if unknown.
  std::size_t cache_bytes = 0;
  /// Bytes of scratch that one team can have at launch.
  std::size_t scratch_bytes = 0;
  /// Number of teams that can run together as a cluster (backends::launch_cluster); 0 without
  /// clusters.
  int most_teams_per_cluster = 0;

  /// Whether a team may wait for earlier teams of its launch (backends::launch_in_order).
  bool waits_make_progress = true;

  bool has_lanes() const { return lanes > 1; }
};

}  // namespace heddle
