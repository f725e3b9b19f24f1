// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <type_traits>

#include "../gpu/check_launch.hpp"
#include "../gpu/graph.hpp"

namespace heddle::backends {

/// Clears the runtime's error of a failure, which the next launch would report otherwise.
inline bool worked(hipError_t status) {
  if (status == hipSuccess) return true;
  static_cast<void>(hipGetLastError());
  return false;
}
inline void check_launch(const char* label, hipError_t status) {
  if (!worked(status)) check_launch(label, hipGetErrorString(status));
}

/// Makes the device of `exec` current: launches, kernel attributes and occupancy queries are for
/// the current device.
inline void make_current(const Kokkos::HIP& exec, const char* label) {
  int current = 0;
  check_launch(label, hipGetDevice(&current));
  if (current != exec.hip_device()) check_launch(label, hipSetDevice(exec.hip_device()));
}

/// The HIP functions that Recording and StreamGraph call.
struct HipGraphs {
  using Graph = std::remove_pointer_t<hipGraph_t>;
  using Executable = std::remove_pointer_t<hipGraphExec_t>;
  using Node = hipGraphNode_t;
  using Stream = hipStream_t;

  static Stream stream(const Kokkos::HIP& exec) {
    make_current(exec, label);
    return exec.hip_stream();
  }
  static bool is_capturing(Stream stream) {
    auto status = hipStreamCaptureStatusNone;
    return !worked(hipStreamIsCapturing(stream, &status)) || status != hipStreamCaptureStatusNone;
  }
  static Graph* create() {
    hipGraph_t graph = nullptr;
    check_launch(label, hipGraphCreate(&graph, 0));
    return graph;
  }
  static void add_kernel(const char* label, Node* node, Graph* graph, const Node* after,
                         std::size_t count, const void* kernel, const LaunchConfig& config,
                         void** arguments) {
    hipKernelNodeParams parameters{};
    parameters.func = const_cast<void*>(kernel);
    parameters.gridDim = dim3(config.teams);
    parameters.blockDim = dim3(config.threads);
    parameters.sharedMemBytes = static_cast<unsigned>(config.scratch_bytes);
    parameters.kernelParams = arguments;
    check_launch(label, hipGraphAddKernelNode(node, graph, after, count, &parameters));
    if (config.cooperative) {
      hipKernelNodeAttrValue value{};
      value.cooperative = 1;
      check_launch(label,
                   hipGraphKernelNodeSetAttribute(*node, hipLaunchAttributeCooperative, &value));
    }
  }
  static void add_graph(Node* node, Graph* graph, const Node* after, std::size_t count,
                        Graph* added) {
    check_launch(label, hipGraphAddChildGraphNode(node, graph, after, count, added));
  }
  /// Captures in the mode that allows calls of other threads, except waits for the device.
  static bool begin_capture(Stream stream) {
    return !is_capturing(stream) &&
           worked(hipStreamBeginCapture(stream, hipStreamCaptureModeThreadLocal));
  }
  static Graph* end_capture(Stream stream) {
    hipGraph_t graph = nullptr;
    return worked(hipStreamEndCapture(stream, &graph)) ? graph : nullptr;
  }
  static Executable* instantiate(Graph* graph) {
    hipGraphExec_t executable = nullptr;
    return worked(hipGraphInstantiateWithFlags(&executable, graph, 0)) ? executable : nullptr;
  }
  static std::size_t nodes(Graph* graph) {
    std::size_t count = 0;
    check_launch(label, hipGraphGetNodes(graph, nullptr, &count));
    return count;
  }
  static void launch(Executable* graph, const Kokkos::HIP& exec) {
    const auto on = stream(exec);
    check_launch(label, hipGraphLaunch(graph, on));
  }
  // A graph that still runs is destroyed afterwards.
  static void destroy(Graph* graph) { worked(hipGraphDestroy(graph)); }
  static void destroy(Executable* graph) { worked(hipGraphExecDestroy(graph)); }

 private:
  static constexpr const char* label = "a graph of launches";
};

}  // namespace heddle::backends
