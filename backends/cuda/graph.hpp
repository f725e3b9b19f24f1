// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <type_traits>

#include "../gpu/check_launch.hpp"
#include "../gpu/graph.hpp"

namespace heddle::backends {

/// Clears the runtime's error of a failure, which the next launch would report otherwise.
inline bool worked(cudaError_t status) {
  if (status == cudaSuccess) return true;
  static_cast<void>(cudaGetLastError());
  return false;
}
inline void check_launch(const char* label, cudaError_t status) {
  if (!worked(status)) check_launch(label, cudaGetErrorString(status));
}

/// Makes the device of `exec` current: launches, kernel attributes and occupancy queries are for
/// the current device.
inline void make_current(const Kokkos::Cuda& exec, const char* label) {
  int current = 0;
  check_launch(label, cudaGetDevice(&current));
  if (current != exec.cuda_device()) check_launch(label, cudaSetDevice(exec.cuda_device()));
}

/// The CUDA functions that Recording and StreamGraph call.
struct CudaGraphs {
  using Graph = std::remove_pointer_t<cudaGraph_t>;
  using Executable = std::remove_pointer_t<cudaGraphExec_t>;
  using Node = cudaGraphNode_t;
  using Stream = cudaStream_t;

  static Stream stream(const Kokkos::Cuda& exec) {
    make_current(exec, label);
    return exec.cuda_stream();
  }
  static bool is_capturing(Stream stream) {
    auto status = cudaStreamCaptureStatusNone;
    return !worked(cudaStreamIsCapturing(stream, &status)) || status != cudaStreamCaptureStatusNone;
  }
  static Graph* create() {
    cudaGraph_t graph = nullptr;
    check_launch(label, cudaGraphCreate(&graph, 0));
    return graph;
  }
  static void add_kernel(const char* label, Node* node, Graph* graph, const Node* after,
                         std::size_t count, const void* kernel, const LaunchConfig& config,
                         void** arguments) {
    cudaKernelNodeParams parameters{};
    parameters.func = const_cast<void*>(kernel);
    parameters.gridDim = dim3(config.teams);
    parameters.blockDim = dim3(config.threads);
    parameters.sharedMemBytes = static_cast<unsigned>(config.scratch_bytes);
    parameters.kernelParams = arguments;
    check_launch(label, cudaGraphAddKernelNode(node, graph, after, count, &parameters));
    if (config.teams_per_cluster > 1) {
      cudaKernelNodeAttrValue value{};
      value.clusterDim = {config.teams_per_cluster, 1, 1};
      check_launch(label, cudaGraphKernelNodeSetAttribute(
                              *node, cudaLaunchAttributeClusterDimension, &value));
    }
    if (config.cooperative) {
      cudaKernelNodeAttrValue value{};
      value.cooperative = 1;
      check_launch(label,
                   cudaGraphKernelNodeSetAttribute(*node, cudaLaunchAttributeCooperative, &value));
    }
  }
  static void add_graph(Node* node, Graph* graph, const Node* after, std::size_t count,
                        Graph* added) {
    check_launch(label, cudaGraphAddChildGraphNode(node, graph, after, count, added));
  }
  /// Captures in the mode that allows calls of other threads, except waits for the device.
  static bool begin_capture(Stream stream) {
    return !is_capturing(stream) &&
           worked(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  }
  static Graph* end_capture(Stream stream) {
    cudaGraph_t graph = nullptr;
    return worked(cudaStreamEndCapture(stream, &graph)) ? graph : nullptr;
  }
  static Executable* instantiate(Graph* graph) {
    cudaGraphExec_t executable = nullptr;
    return worked(cudaGraphInstantiateWithFlags(&executable, graph, 0)) ? executable : nullptr;
  }
  static std::size_t nodes(Graph* graph) {
    std::size_t count = 0;
    check_launch(label, cudaGraphGetNodes(graph, nullptr, &count));
    return count;
  }
  static void launch(Executable* graph, const Kokkos::Cuda& exec) {
    const auto on = stream(exec);
    check_launch(label, cudaGraphLaunch(graph, on));
  }
  // A graph that still runs is destroyed afterwards.
  static void destroy(Graph* graph) { worked(cudaGraphDestroy(graph)); }
  static void destroy(Executable* graph) { worked(cudaGraphExecDestroy(graph)); }

 private:
  static constexpr const char* label = "a graph of launches";
};

}  // namespace heddle::backends
