// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "team.hpp"

namespace heddle::backends {

/// Most teams of a cluster that every device with clusters can run; more need an attribute, and may
/// be refused.
inline constexpr int portable_teams_per_cluster = 8;

/// The functions of Cluster in host code compiled by a GPU's compiler, where no cluster runs.
struct OneTeamCluster {
  KOKKOS_FORCEINLINE_FUNCTION static int teams() { return 1; }
  KOKKOS_FORCEINLINE_FUNCTION static int rank() { return 0; }
  KOKKOS_FORCEINLINE_FUNCTION static void arrive() {}
  KOKKOS_FORCEINLINE_FUNCTION static void wait() {}
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION static T* remote(T* place, int /*rank*/) {
    return place;
  }
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION static void post(T* place, T value) {
    *place = value;
  }
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION static T look(const T* place) {
    return *place;
  }
};

/// Teams that run together on neighbouring multiprocessors, reach each other's scratch, and can
/// wait for each other in any order, since the hardware starts them together. Argument of a kernel
/// of launch_cluster.
template <ExecutionSpace Exec, class LaunchShape>
class Cluster {
  using Words = typename Backend<Exec>::Clusters;
  using HostWords = std::conditional_t<emulates_lanes<Exec>, Words, OneTeamCluster>;

 public:
  using execution_space = Exec;
  using team_type = Team<Exec, LaunchShape>;

  /// The cluster of the team at `place` of the launch.
  KOKKOS_FORCEINLINE_FUNCTION explicit Cluster(std::int64_t place) : place_(place) {}

  /// The calling thread's team; its index is its place among all teams of the launch.
  KOKKOS_FORCEINLINE_FUNCTION team_type team() const { return team_type(place_); }
  /// This cluster's place in the launch, from 0.
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t index() const { return place_ / teams(); }
  KOKKOS_FORCEINLINE_FUNCTION int teams() const {
    KOKKOS_IF_ON_DEVICE((return Words::teams();))
    KOKKOS_IF_ON_HOST((return HostWords::teams();))
  }
  /// This team's place in the cluster, from 0 to teams() - 1.
  KOKKOS_FORCEINLINE_FUNCTION int rank() const {
    KOKKOS_IF_ON_DEVICE((return Words::rank();))
    KOKKOS_IF_ON_HOST((return HostWords::rank();))
  }

  /// All threads of the cluster wait for each other. Each sees what the others wrote before, to
  /// memory and to scratch of any of its teams.
  KOKKOS_FORCEINLINE_FUNCTION void barrier() const {
    arrive();
    wait();
  }
  /// The two halves of a barrier: nobody waits for what a thread does between them. Every thread
  /// calls both, alternately.
  KOKKOS_FORCEINLINE_FUNCTION void arrive() const {
    KOKKOS_IF_ON_DEVICE((Words::arrive();))
    KOKKOS_IF_ON_HOST((HostWords::arrive();))
  }
  KOKKOS_FORCEINLINE_FUNCTION void wait() const {
    KOKKOS_IF_ON_DEVICE((Words::wait();))
    KOKKOS_IF_ON_HOST((HostWords::wait();))
  }

  /// Address in the scratch of team `rank` that corresponds to `place` in this team's. Use it after
  /// one barrier, when that team has begun, and before another, since its scratch ends with it.
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION T* remote(T* place, int rank) const {
    KOKKOS_IF_ON_DEVICE((return Words::remote(place, rank);))
    KOKKOS_IF_ON_HOST((return HostWords::remote(place, rank);))
  }
  /// Stores a value of 4 or 8 bytes in scratch, this team's or a remote one's, for other threads of
  /// the cluster to read. Orders no other accesses.
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION void post(T* place, T value) const {
    KOKKOS_IF_ON_DEVICE((Words::post(place, value);))
    KOKKOS_IF_ON_HOST((HostWords::post(place, value);))
  }
  /// The value last posted at `place`, as far as this thread can see. Orders nothing.
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION T look(const T* place) const {
    KOKKOS_IF_ON_DEVICE((return Words::look(place);))
    KOKKOS_IF_ON_HOST((return HostWords::look(place);))
  }

 private:
  std::int64_t place_;
};

}  // namespace heddle::backends
