// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cuda_runtime.h>

#include "../../core/error.hpp"
#include "../bench/common/problem.hpp"

namespace heddle::bench {

/// The work that a function enqueues on a stream, recorded once and launched as one graph.
class CudaGraph {
 public:
  CudaGraph() = default;
  CudaGraph(const CudaGraph&) = delete;
  ~CudaGraph() {
    if (graph_) cudaGraphExecDestroy(graph_);
  }

  bool recorded() const { return graph_ != nullptr; }
  template <class Enqueue>
  void record(const Exec& exec, const Enqueue& enqueue) {
    const cudaStream_t stream = exec.cuda_stream();
    check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "begin of a capture");
    cudaGraph_t graph = nullptr;
    try {
      enqueue();
    } catch (...) {
      cudaStreamEndCapture(stream, &graph);
      if (graph) cudaGraphDestroy(graph);
      throw;
    }
    check(cudaStreamEndCapture(stream, &graph), "end of a capture");
    const cudaError_t made = cudaGraphInstantiate(&graph_, graph, 0);
    cudaGraphDestroy(graph);
    check(made, "cudaGraphInstantiate");
  }
  void launch(const Exec& exec) const {
    check(cudaGraphLaunch(graph_, exec.cuda_stream()), "cudaGraphLaunch");
  }

 private:
  static void check(cudaError_t status, const char* what) {
    if (status == cudaSuccess) return;
    cudaGetLastError();
    throw Error(std::string(what) + ": " + cudaGetErrorString(status),
                "leave this baseline out for this problem");
  }

  cudaGraphExec_t graph_ = nullptr;
};

}  // namespace heddle::bench
