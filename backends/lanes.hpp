// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../core/types.hpp"
#include "host/lanes.hpp"
#include "kokkos/portable.hpp"
#include "tags.hpp"
#ifdef KOKKOS_ENABLE_CUDA
#include "cuda/lanes.hpp"
#include "gpu/threads.hpp"
#endif
#ifdef KOKKOS_ENABLE_HIP
#include "gpu/threads.hpp"
#include "hip/lanes.hpp"
#endif
#ifdef HEDDLE_EMULATED
#include "emulated/lanes.hpp"
#endif

namespace heddle::backends {

/// Clusters of a backend that has none.
struct NoClusters {};
#ifdef KOKKOS_ENABLE_CUDA
struct CudaCluster;
#endif
#ifdef HEDDLE_EMULATED
struct EmulatedCluster;
#endif

template <class T, class L, class P = HostLanes, class C = NoClusters>
struct BackendOf {
  using Tag = T;
  using Lanes = L;          ///< the functions of Subwarp and Team, as Heddle launches
  using PortableLanes = P;  ///< the functions as a team policy lays out threads
  using Clusters = C;       ///< the functions of Cluster
};

/// The backend of an execution space. An unknown space may be anything, so it is portable.
template <ExecutionSpace Exec>
struct Backend : BackendOf<Portable, HostLanes> {};
template <ExecutionSpace Exec>
struct Backend<heddle::Portable<Exec>>
    : BackendOf<Portable, typename Backend<Exec>::PortableLanes> {};
#ifdef KOKKOS_ENABLE_SERIAL
template <>
struct Backend<Kokkos::Serial> : BackendOf<Host, HostLanes> {};
#endif
#ifdef KOKKOS_ENABLE_OPENMP
template <>
struct Backend<Kokkos::OpenMP> : BackendOf<Host, HostLanes> {};
#endif
#ifdef KOKKOS_ENABLE_THREADS
template <>
struct Backend<Kokkos::Threads> : BackendOf<Host, HostLanes> {};
#endif
#ifdef KOKKOS_ENABLE_CUDA
template <>
struct Backend<Kokkos::Cuda>
    : BackendOf<Cuda, CudaLanes<ThreadsInARow>, CudaLanes<ThreadsOfTeamPolicy>, CudaCluster> {};
#endif
#ifdef KOKKOS_ENABLE_HIP
template <>
struct Backend<Kokkos::HIP>
    : BackendOf<Hip, HipLanes<ThreadsInARow>, HipLanes<ThreadsOfTeamPolicy>> {};
#endif
#ifdef HEDDLE_EMULATED
template <ExecutionSpace Base>
struct Backend<Emulated<Base, 32>>
    : BackendOf<Cuda, EmulatedLanes<32>, HostLanes, EmulatedCluster> {};
template <ExecutionSpace Base>
struct Backend<Emulated<Base, 64>> : BackendOf<Hip, EmulatedLanes<64>> {};
#endif

template <ExecutionSpace Exec>
using Tag = typename Backend<Exec>::Tag;

template <class Exec, class T>
concept BackendIs = ExecutionSpace<Exec> && std::same_as<Tag<Exec>, T>;

/// The widest subwarp of a backend: 32 on CUDA, 64 on HIP, 1 elsewhere.
template <ExecutionSpace Exec>
inline constexpr int max_subwarp_width = Backend<Exec>::Lanes::max_width;

/// Whether a backend runs many lanes in step (a GPU), or one lane a thread.
template <ExecutionSpace Exec>
inline constexpr bool has_lanes = max_subwarp_width<Exec> > 1;

/// Whether kernels are threads of the host's own processor, one lane each: they may call any
/// function of the host, and there are few threads, each of which reads fastest from consecutive
/// addresses. On other devices threads are many, and neighbouring threads should read neighbouring
/// addresses (coalesced). Lanes are checked too, since an emulated device has the host's memory.
template <ExecutionSpace Exec>
inline constexpr bool runs_on_host =
    !has_lanes<Exec> && std::same_as<typename KokkosSpace<Exec>::memory_space, Kokkos::HostSpace>;

/// Whether kernels for lanes are functions of the host, as on an emulated device.
template <ExecutionSpace Exec>
inline constexpr bool emulates_lanes = false;
#ifdef HEDDLE_EMULATED
template <ExecutionSpace Base, int Width>
inline constexpr bool emulates_lanes<Emulated<Base, Width>> = true;
#endif

/// Whether kernels for clusters of teams are compiled (Cluster). Device::most_teams_per_cluster
/// says whether a device runs them.
template <ExecutionSpace Exec>
inline constexpr bool has_clusters = !std::same_as<typename Backend<Exec>::Clusters, NoClusters>;

/// Whether teams may wait for earlier ones of their launch (see launch_in_order). If not, a scheme
/// whose teams wait uses a second launch instead, or is not offered.
template <ExecutionSpace Exec>
inline constexpr bool waits_make_progress = Tag<Exec>::waits_make_progress;

}  // namespace heddle::backends

/// Goes before a function template of host and device that the host alone calls with functions of
/// the host: otherwise nvcc warns of a call on the device that never happens.
#ifdef __NVCC__
#define HEDDLE_NO_EXECUTION_CHECK _Pragma("nv_exec_check_disable")
#else
#define HEDDLE_NO_EXECUTION_CHECK
#endif
