// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <limits>
#include <string>

#include "../core/error.hpp"
#include "cluster_team.hpp"
#include "device.hpp"
#ifdef KOKKOS_ENABLE_CUDA
#include "cuda/cluster.hpp"
#endif
#ifdef HEDDLE_EMULATED
#include "emulated/cluster.hpp"
#endif

namespace heddle::backends {

/// Runs `kernel(cluster, scratch)` for `clusters` clusters of `teams` teams on `exec`, in any
/// order, and returns at once. `teams_per_cluster` is a power of two, and at most
/// Device::most_teams_per_cluster; up to portable_teams_per_cluster can run on every device that
/// has clusters.
///
/// Kernel is small enough to be passed by value and declares `Scratch`, the uninitialized memory
/// that a team shares: a trivial type, NoScratch, or DynamicScratch, of which each team gets
/// `scratch_bytes` (Device::scratch_bytes at most). `label` is a literal of the form
/// "heddle::op::phase". Nothing is launched when there are no clusters. Every thread calls the
/// kernel, and reaches every barrier of the cluster.
///
/// Teams of a cluster may wait for each other; those of different clusters may not.
///
/// Throws Error if the device has no such clusters, or refuses the launch.
template <class LaunchShape, ExecutionSpace Exec, class Kernel>
void launch_cluster(const Exec& exec, const char* label, int teams_per_cluster,
                    std::int64_t clusters, const Kernel& kernel, std::size_t scratch_bytes = 0) {
  const int most = max_teams_per_cluster(exec);
  const bool power_of_two = (teams_per_cluster & (teams_per_cluster - 1)) == 0;
  if (teams_per_cluster < 1 || teams_per_cluster > most || !power_of_two) {
    throw Error(std::string(label) + " asks for clusters of " + std::to_string(teams_per_cluster) +
                    " teams, and this device has " +
                    (most == 0 ? "none" : "those of at most " + std::to_string(most)),
                "ask for a power of two, no more than Device::most_teams_per_cluster");
  }
  if (clusters > std::numeric_limits<std::int32_t>::max() / teams_per_cluster) {
    throw Error(std::string(label) + " asks for " + std::to_string(clusters) + " clusters",
                "launch them in parts");
  }
  if constexpr (has_clusters<Exec>) {
    if (clusters > 0) {
      launch_clusters<LaunchShape>(exec, label, teams_per_cluster, clusters, kernel, scratch_bytes);
    }
  }
}

}  // namespace heddle::backends
