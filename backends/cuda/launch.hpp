// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <atomic>

#include "../gpu/launch.hpp"
#include "device.hpp"
#include "graph.hpp"

namespace heddle::backends {

/// Runs the kernel on the instance's stream, or adds it to the graph that this thread records
/// there.
template <class... Parameters>
void run_kernel(const Kokkos::Cuda& exec, const char* label, const LaunchConfig& config,
                void (*kernel)(Parameters...), Parameters... arguments) {
  const cudaStream_t stream = exec.cuda_stream();
  if (auto* const recording = Recording<CudaGraphs>::of(stream)) {
    void* pointers[] = {&arguments...};
    return recording->add_kernel(label, reinterpret_cast<const void*>(kernel), config, pointers);
  }
  cudaLaunchAttribute attribute{};
  cudaLaunchConfig_t launch{};
  launch.gridDim = dim3(config.teams);
  launch.blockDim = dim3(config.threads);
  launch.dynamicSmemBytes = config.scratch_bytes;
  launch.stream = stream;
  launch.attrs = &attribute;
  if (config.cooperative) {
    attribute.id = cudaLaunchAttributeCooperative;
    attribute.val.cooperative = 1;
    launch.numAttrs = 1;
  } else if (config.teams_per_cluster > 1) {
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim = {config.teams_per_cluster, 1, 1};
    launch.numAttrs = 1;
  }
  check_launch(label, cudaLaunchKernelEx(&launch, kernel, arguments...));
}

/// Allows a kernel more than 48 KB of scratch on the current device. Once for each kernel and
/// device is enough.
template <class LaunchShape, class Kernel, class Order>
void allow_scratch(const Kokkos::Cuda& exec, const char* label, std::size_t bytes) {
  constexpr std::size_t always_allowed = (std::size_t{48} << 10) - ticket_bytes;
  if constexpr (!has_dynamic_scratch<Kernel>) {
    static_assert(sizeof(typename Kernel::Scratch) <= always_allowed,
                  "scratch of a fixed size beyond 48 KB is taken as DynamicScratch");
  }
  if (bytes <= always_allowed) return;
  static std::array<std::atomic<bool>, 64> allowed{};
  const auto device = static_cast<std::size_t>(exec.cuda_device());
  if (device < allowed.size() && allowed[device].load(std::memory_order_relaxed)) return;
  constexpr std::size_t of_kernel =
      has_dynamic_scratch<Kernel> || std::is_empty_v<typename Kernel::Scratch>
          ? 0
          : sizeof(typename Kernel::Scratch);
  check_launch(label, cudaFuncSetAttribute(run_teams<Kokkos::Cuda, LaunchShape, Kernel, Order>,
                                           cudaFuncAttributeMaxDynamicSharedMemorySize,
                                           static_cast<int>(max_scratch_bytes(exec) - of_kernel)));
  if (device < allowed.size()) allowed[device].store(true, std::memory_order_relaxed);
}

template <class LaunchShape, class Kernel, class Order>
void launch_teams(const Kokkos::Cuda& exec, const char* label, std::int64_t teams,
                  const Kernel& kernel, Order order, std::size_t scratch_bytes) {
  const ProfiledKernel profiled(exec, label);
  make_current(exec, label);
  allow_scratch<LaunchShape, Kernel, Order>(exec, label, scratch_bytes);
  run_teams_in_parts<LaunchShape>(exec, label, teams, kernel, order, scratch_bytes);
}

/// Occupancy: teams of this kernel that the device holds at once.
template <class LaunchShape, class Kernel>
int resident_teams(const Kokkos::Cuda& exec, std::size_t scratch_bytes = 0) {
  const char* const what = "a kernel's count of resident teams";
  make_current(exec, what);
  if constexpr (has_dynamic_scratch<Kernel>) {
    allow_scratch<LaunchShape, Kernel, AnyOrder>(exec, what, scratch_bytes);
  }
  int per_multiprocessor = 0;
  check_launch(what,
               cudaOccupancyMaxActiveBlocksPerMultiprocessor(
                   &per_multiprocessor, run_teams<Kokkos::Cuda, LaunchShape, Kernel, AnyOrder>,
                   LaunchShape::team_threads, scratch_bytes));
  int multiprocessors = 0;
  check_launch(what, cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount,
                                            exec.cuda_device()));
  return per_multiprocessor * multiprocessors;
}

}  // namespace heddle::backends
