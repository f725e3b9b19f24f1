// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../gpu/launch.hpp"
#include "device.hpp"
#include "graph.hpp"

namespace heddle::backends {

/// Runs the kernel on the instance's stream, or adds it to the graph that this thread records
/// there.
template <class... Parameters>
void run_kernel(const Kokkos::HIP& exec, const char* label, const LaunchConfig& config,
                void (*kernel)(Parameters...), Parameters... arguments) {
  const hipStream_t stream = exec.hip_stream();
  const void* const function = reinterpret_cast<const void*>(kernel);
  void* pointers[] = {&arguments...};
  if (auto* const recording = Recording<HipGraphs>::of(stream)) {
    return recording->add_kernel(label, function, config, pointers);
  }
  const dim3 teams(config.teams), threads(config.threads);
  const auto scratch = static_cast<unsigned>(config.scratch_bytes);
  check_launch(label,
               config.cooperative
                   ? hipLaunchCooperativeKernel(function, teams, threads, pointers, scratch, stream)
                   : hipLaunchKernel(function, teams, threads, pointers, scratch, stream));
}

template <class LaunchShape, class Kernel, class Order>
void launch_teams(const Kokkos::HIP& exec, const char* label, std::int64_t teams,
                  const Kernel& kernel, Order order, std::size_t scratch_bytes) {
  const ProfiledKernel profiled(exec, label);
  make_current(exec, label);
  run_teams_in_parts<LaunchShape>(exec, label, teams, kernel, order, scratch_bytes);
}

/// Occupancy: teams of this kernel that the device holds at once.
template <class LaunchShape, class Kernel>
int resident_teams(const Kokkos::HIP& exec, std::size_t scratch_bytes = 0) {
  const char* const what = "a kernel's count of resident teams";
  make_current(exec, what);
  int per_multiprocessor = 0;
  check_launch(what, hipOccupancyMaxActiveBlocksPerMultiprocessor(
                         &per_multiprocessor, run_teams<Kokkos::HIP, LaunchShape, Kernel, AnyOrder>,
                         LaunchShape::team_threads, scratch_bytes));
  int multiprocessors = 0;
  check_launch(what, hipDeviceGetAttribute(&multiprocessors, hipDeviceAttributeMultiprocessorCount,
                                           exec.hip_device()));
  return per_multiprocessor * multiprocessors;
}

}  // namespace heddle::backends
