// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../gpu/graph.hpp"
#include "launch.hpp"

namespace heddle::backends {

struct HipGraphs {
  using Graph = std::remove_pointer_t<hipGraph_t>;
  using Executable = std::remove_pointer_t<hipGraphExec_t>;

  static hipStream_t stream(const Kokkos::HIP& exec) {
    make_current(exec, label);
    return exec.hip_stream();
  }
  static bool is_capturing(hipStream_t stream) {
    auto status = hipStreamCaptureStatusNone;
    return !worked(hipStreamIsCapturing(stream, &status)) || status != hipStreamCaptureStatusNone;
  }
  static bool begin(hipStream_t stream) {
    return worked(hipStreamBeginCapture(stream, hipStreamCaptureModeThreadLocal));
  }
  static Graph* end(hipStream_t stream) {
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
  // Where they run still, they are destroyed afterwards.
  static void destroy(Graph* graph) { worked(hipGraphDestroy(graph)); }
  static void destroy(Executable* graph) { worked(hipGraphExecDestroy(graph)); }

 private:
  static constexpr const char* label = "a graph of launches";

  /// What failed must not be taken for a failure of the next launch.
  static bool worked(hipError_t status) {
    if (status == hipSuccess) return true;
    static_cast<void>(hipGetLastError());
    return false;
  }
};

}  // namespace heddle::backends
