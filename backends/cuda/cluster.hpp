// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "../cluster_team.hpp"
#include "launch.hpp"

namespace heddle::backends {

/// The functions of Cluster on sm_90. Compiled for older devices they abort the program. Launches
/// are refused before that, since such a device has no clusters (max_teams_per_cluster).
///
/// Barriers are not of the .aligned kind, since lanes of a warp may arrive one after the other.
struct CudaCluster {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  __device__ static int teams() {
    unsigned count;
    asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(count));
    return static_cast<int>(count);
  }
  __device__ static int rank() {
    unsigned place;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(place));
    return static_cast<int>(place);
  }
  __device__ static void arrive() { asm volatile("barrier.cluster.arrive.release;" ::: "memory"); }
  __device__ static void wait() { asm volatile("barrier.cluster.wait.acquire;" ::: "memory"); }

  template <class T>
  __device__ static T* remote(T* place, int rank) {
    std::uint64_t address;
    asm("mapa.u64 %0, %1, %2;" : "=l"(address) : "l"(place), "r"(rank));
    return reinterpret_cast<T*>(address);
  }
  template <class T>
  __device__ static void post(T* place, T value) {
    Word<T> word;
    memcpy(&word, &value, sizeof(T));
    if constexpr (sizeof(T) == 4) {
      asm volatile("st.relaxed.cluster.b32 [%0], %1;" ::"l"(place), "r"(word) : "memory");
    } else {
      asm volatile("st.relaxed.cluster.b64 [%0], %1;" ::"l"(place), "l"(word) : "memory");
    }
  }
  template <class T>
  __device__ static T look(const T* place) {
    Word<T> word;
    if constexpr (sizeof(T) == 4) {
      asm volatile("ld.relaxed.cluster.b32 %0, [%1];" : "=r"(word) : "l"(place) : "memory");
    } else {
      asm volatile("ld.relaxed.cluster.b64 %0, [%1];" : "=l"(word) : "l"(place) : "memory");
    }
    T value;
    memcpy(&value, &word, sizeof(T));
    return value;
  }
#elif defined(__CUDA_ARCH__)
  __device__ static int teams() { return ended(1); }
  __device__ static int rank() { return ended(0); }
  __device__ static void arrive() { __trap(); }
  __device__ static void wait() { __trap(); }
  template <class T>
  __device__ static T* remote(T* place, int) {
    return ended(place);
  }
  template <class T>
  __device__ static void post(T*, T) {
    __trap();
  }
  template <class T>
  __device__ static T look(const T* place) {
    return ended(*place);
  }
#endif

 private:
#ifdef __CUDA_ARCH__
  template <class T>
  using Word = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  template <class T>
  __device__ static T ended(T value) {
    __trap();
    return value;
  }
#endif
};

template <class LaunchShape, class Kernel>
__global__ void __launch_bounds__(LaunchShape::team_threads)
    run_clusters(const Kernel kernel, const unsigned scratch_bytes) {
  const Cluster<Kokkos::Cuda, LaunchShape> cluster(blockIdx.x);
  if constexpr (has_dynamic_scratch<Kernel>) {
    alignas(scratch_alignment_bytes) extern __shared__ unsigned char heddle_scratch[];
    DynamicScratch scratch(heddle_scratch, scratch_bytes);
    kernel(cluster, scratch);
  } else {
    __shared__ typename Kernel::Scratch scratch;
    kernel(cluster, scratch);
  }
}

/// Allows a kernel more than eight teams, and more than 48 KB of scratch, on the current device.
/// Once for each kernel and device is enough.
template <class LaunchShape, class Kernel>
void allow_large_clusters(const Kokkos::Cuda& exec, const char* label) {
  static std::array<std::atomic<bool>, 64> allowed{};
  const auto device = static_cast<std::size_t>(exec.cuda_device());
  if (device < allowed.size() && allowed[device].load(std::memory_order_relaxed)) return;
  check_launch(label, cudaFuncSetAttribute(run_clusters<LaunchShape, Kernel>,
                                           cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
  if constexpr (has_dynamic_scratch<Kernel>) {
    check_launch(label, cudaFuncSetAttribute(run_clusters<LaunchShape, Kernel>,
                                             cudaFuncAttributeMaxDynamicSharedMemorySize,
                                             static_cast<int>(max_scratch_bytes(exec))));
  }
  if (device < allowed.size()) allowed[device].store(true, std::memory_order_relaxed);
}

template <class LaunchShape, class Kernel>
void launch_clusters(const Kokkos::Cuda& exec, const char* label, int teams_per_cluster,
                     std::int64_t clusters, const Kernel& kernel, std::size_t scratch_bytes) {
  const ProfiledKernel profiled(exec, label);
  make_current(exec, label);
  constexpr std::size_t always_allowed = std::size_t{48} << 10;
  if (teams_per_cluster > portable_teams_per_cluster || scratch_bytes > always_allowed) {
    allow_large_clusters<LaunchShape, Kernel>(exec, label);
  }
  const auto cluster = static_cast<unsigned>(teams_per_cluster);
  run_kernel<Kernel, unsigned>(exec, label,
                               LaunchConfig{static_cast<unsigned>(clusters) * cluster,
                                            LaunchShape::team_threads, scratch_bytes, cluster},
                               run_clusters<LaunchShape, Kernel>, kernel,
                               static_cast<unsigned>(scratch_bytes));
}

}  // namespace heddle::backends
