// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../gpu/graph.hpp"
#include "launch.hpp"

namespace heddle::backends {

struct CudaGraphs {
  using Graph = std::remove_pointer_t<cudaGraph_t>;
  using Executable = std::remove_pointer_t<cudaGraphExec_t>;

  static cudaStream_t stream(const Kokkos::Cuda& exec) {
    make_current(exec, label);
    return exec.cuda_stream();
  }
  static bool is_capturing(cudaStream_t stream) {
    auto status = cudaStreamCaptureStatusNone;
    return !worked(cudaStreamIsCapturing(stream, &status)) || status != cudaStreamCaptureStatusNone;
  }
  static bool begin(cudaStream_t stream) {
    return worked(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  }
  static Graph* end(cudaStream_t stream) {
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
  // Where they run still, they are destroyed afterwards.
  static void destroy(Graph* graph) { worked(cudaGraphDestroy(graph)); }
  static void destroy(Executable* graph) { worked(cudaGraphExecDestroy(graph)); }

 private:
  static constexpr const char* label = "a graph of launches";

  /// What failed must not be taken for a failure of the next launch.
  static bool worked(cudaError_t status) {
    if (status == cudaSuccess) return true;
    static_cast<void>(cudaGetLastError());
    return false;
  }
};

}  // namespace heddle::backends
