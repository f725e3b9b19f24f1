// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../cluster_team.hpp"
#include "launch.hpp"

namespace heddle::backends {

/// The functions of Cluster. All threads of a cluster reach every barrier of it.
struct EmulatedCluster {
  static int teams() { return me().team->cluster->teams; }
  static int rank() {
    const emulated::TeamState* const team = me().team;
    return static_cast<int>(team - team->cluster->first);
  }
  static void arrive() {
    const emulated::races::Unwatched unwatched;
    emulated::Lane& lane = me();
    emulated::ClusterState& cluster = *lane.team->cluster;
    emulated::Scheduler& scheduler = *lane.team->scheduler;
    if (lane.arrived_in_cluster) {
      scheduler.fail(scheduler.who(lane) + " arrives at its cluster's barrier twice");
    }
    if (cluster.alive < cluster.threads) {
      scheduler.fail(scheduler.who(lane) +
                     " arrives at its cluster's barrier, and a thread of the cluster has left");
    }
    EmulatedMemory::release(lane);
    emulated::races::release(&cluster);
    lane.arrived_in_cluster = true;
    lane.cluster_barriers = cluster.barriers;
    if (++cluster.arrived == cluster.threads) {
      cluster.arrived = 0;
      ++cluster.barriers;
      for (int t = 0; t < cluster.teams; ++t) {
        for (emulated::Lane& one : cluster.first[t].lanes) {
          if (one.state == emulated::LaneState::cluster) scheduler.wake(one);
        }
      }
      scheduler.changed(nullptr, nullptr, 0);
    }
    scheduler.perhaps_give_way(lane);
  }
  static void wait() {
    const emulated::races::Unwatched unwatched;
    emulated::Lane& lane = me();
    emulated::ClusterState& cluster = *lane.team->cluster;
    emulated::Scheduler& scheduler = *lane.team->scheduler;
    if (!lane.arrived_in_cluster) {
      scheduler.fail(scheduler.who(lane) + " waits for its cluster, and has not arrived");
    }
    lane.arrived_in_cluster = false;
    if (cluster.barriers == lane.cluster_barriers) {
      scheduler.wait(lane, emulated::LaneState::cluster, emulated::Word::cluster_wait);
    }
    emulated::races::acquire(&cluster);
  }

  template <class T>
  static T* remote(T* place, int rank) {
    emulated::TeamState& team = *me().team;
    const auto offset = reinterpret_cast<const std::byte*>(place) - team.scratch;
    if (rank < 0 || rank >= teams() || offset < 0 ||
        static_cast<std::size_t>(offset) + sizeof(T) > team.scratch_bytes) {
      team.scheduler->fail(team.scheduler->who(me()) + " asks for a place of team " +
                           std::to_string(rank) + " of its cluster that is not in its scratch");
    }
    emulated::TeamState& other = team.cluster->first[rank];
    if (other.alive < other.threads()) {
      team.scheduler->fail(team.scheduler->who(me()) + " asks for scratch of team " +
                           std::to_string(rank) + " of its cluster, which is about to leave");
    }
    return reinterpret_cast<T*>(other.scratch + offset);
  }
  template <class T>
  static void post(T* place, T value) {
    const EmulatedMemory::Atomic turn(place);
    const emulated::races::Unwatched unwatched;
    emulated::races::store(place, value);
  }
  template <class T>
  static T look(const T* place) {
    return EmulatedMemory::look(place);
  }

 private:
  static emulated::Lane& me() { return *emulated::current_lane; }
};

template <class LaunchShape, ExecutionSpace Base, int Width, class Kernel>
void run_clusters(const Emulated<Base, Width>& exec, const char* label, int teams_per_cluster,
                  std::int64_t clusters, const Kernel& kernel, std::size_t scratch_bytes) {
  using Exec = Emulated<Base, Width>;
  const ProfiledKernel profiled(exec, label);
  emulated::Launch launch = emulated::describe_launch<Exec, LaunchShape, Kernel>(
      label, clusters, teams_per_cluster,
      std::max(scratch_bytes, sizeof(typename Kernel::Scratch)));
  launch.kernel = &kernel;
  launch.run = [](const void* what, emulated::Lane& lane) {
    const auto& kernel = *static_cast<const Kernel*>(what);
    const emulated::TeamState& team = *lane.team;
    const Cluster<Exec, LaunchShape> cluster(team.index);
    if constexpr (has_dynamic_scratch<Kernel>) {
      DynamicScratch scratch(team.scratch, team.scratch_bytes);
      kernel(cluster, scratch);
    } else {
      kernel(cluster, *reinterpret_cast<typename Kernel::Scratch*>(team.scratch));
    }
  };
  emulated::Scheduler::here().run(launch);
}

template <class LaunchShape, ExecutionSpace Base, int Width, class Kernel>
void launch_clusters(const Emulated<Base, Width>& exec, const char* label, int teams_per_cluster,
                     std::int64_t clusters, const Kernel& kernel, std::size_t scratch_bytes) {
  emulated::queue(exec, [=](const Emulated<Base, Width>& instance) {
    run_clusters<LaunchShape>(instance, label, teams_per_cluster, clusters, kernel, scratch_bytes);
  });
}

}  // namespace heddle::backends
