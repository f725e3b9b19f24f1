// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What Kokkos has no words for: streams of different priority, and graphs that are captured from a
// stream and launched again.
#pragma once

#include <optional>
#include <stdexcept>
#include <utility>

#include "plan_types.hpp"

namespace heddle::test {

namespace detail {
inline void demand(bool holds, const char* what) {
  if (!holds) throw std::runtime_error(what);
}

/// Two instances of one of Kokkos' own spaces.
template <class Space>
class TwoStreams {
 public:
  explicit TwoStreams(const Space& space) : instances_(two_instances(space)) {}
  const Space& operator[](std::size_t i) const { return instances_[i]; }

 private:
  std::vector<Space> instances_;
};
}  // namespace detail

/// Whether CapturedWork<Exec> is there.
template <ExecutionSpace Exec>
inline constexpr bool can_capture = false;
template <ExecutionSpace Exec>
class CapturedWork;

#ifdef KOKKOS_ENABLE_CUDA
template <>
class detail::TwoStreams<Kokkos::Cuda> {
 public:
  explicit TwoStreams(const Kokkos::Cuda&) {
    int least = 0, greatest = 0;
    demand(cudaDeviceGetStreamPriorityRange(&least, &greatest) == cudaSuccess, "priorities");
    for (const int i : {0, 1}) {
      demand(cudaStreamCreateWithPriority(&streams_[i], cudaStreamNonBlocking,
                                          i == 0 ? least : greatest) == cudaSuccess,
             "a stream");
      instances_[i].emplace(streams_[i]);
    }
  }
  ~TwoStreams() {
    for (const int i : {0, 1}) {
      instances_[i]->fence("heddle::test::stream");
      instances_[i].reset();
      cudaStreamDestroy(streams_[i]);
    }
  }
  TwoStreams(const TwoStreams&) = delete;
  const Kokkos::Cuda& operator[](std::size_t i) const { return *instances_[i]; }

 private:
  cudaStream_t streams_[2];
  std::optional<Kokkos::Cuda> instances_[2];
};

template <>
inline constexpr bool can_capture<Kokkos::Cuda> = true;

/// What `queue` puts on the stream of an instance, to be launched any number of times.
template <>
class CapturedWork<Kokkos::Cuda> {
 public:
  template <class Queue>
  CapturedWork(const Kokkos::Cuda& exec, const Queue& queue) {
    cudaGraph_t graph = nullptr;
    detail::demand(
        cudaStreamBeginCapture(exec.cuda_stream(), cudaStreamCaptureModeThreadLocal) == cudaSuccess,
        "a capture begins");
    queue();
    detail::demand(cudaStreamEndCapture(exec.cuda_stream(), &graph) == cudaSuccess && graph,
                   "a capture ends");
    detail::demand(cudaGraphInstantiateWithFlags(&graph_, graph, 0) == cudaSuccess, "a graph");
    cudaGraphDestroy(graph);
  }
  ~CapturedWork() { cudaGraphExecDestroy(graph_); }
  CapturedWork(const CapturedWork&) = delete;

  void launch(const Kokkos::Cuda& exec) const {
    detail::demand(cudaGraphLaunch(graph_, exec.cuda_stream()) == cudaSuccess, "a graph's launch");
  }

 private:
  cudaGraphExec_t graph_ = nullptr;
};
#endif

#ifdef KOKKOS_ENABLE_HIP
template <>
class detail::TwoStreams<Kokkos::HIP> {
 public:
  explicit TwoStreams(const Kokkos::HIP&) {
    int least = 0, greatest = 0;
    demand(hipDeviceGetStreamPriorityRange(&least, &greatest) == hipSuccess, "priorities");
    for (const int i : {0, 1}) {
      demand(hipStreamCreateWithPriority(&streams_[i], hipStreamNonBlocking,
                                         i == 0 ? least : greatest) == hipSuccess,
             "a stream");
      instances_[i].emplace(streams_[i]);
    }
  }
  ~TwoStreams() {
    for (const int i : {0, 1}) {
      instances_[i]->fence("heddle::test::stream");
      instances_[i].reset();
      (void)hipStreamDestroy(streams_[i]);
    }
  }
  TwoStreams(const TwoStreams&) = delete;
  const Kokkos::HIP& operator[](std::size_t i) const { return *instances_[i]; }

 private:
  hipStream_t streams_[2];
  std::optional<Kokkos::HIP> instances_[2];
};

template <>
inline constexpr bool can_capture<Kokkos::HIP> = true;

template <>
class CapturedWork<Kokkos::HIP> {
 public:
  template <class Queue>
  CapturedWork(const Kokkos::HIP& exec, const Queue& queue) {
    hipGraph_t graph = nullptr;
    detail::demand(
        hipStreamBeginCapture(exec.hip_stream(), hipStreamCaptureModeThreadLocal) == hipSuccess,
        "a capture begins");
    queue();
    detail::demand(hipStreamEndCapture(exec.hip_stream(), &graph) == hipSuccess && graph,
                   "a capture ends");
    detail::demand(hipGraphInstantiate(&graph_, graph, nullptr, nullptr, 0) == hipSuccess,
                   "a graph");
    (void)hipGraphDestroy(graph);
  }
  ~CapturedWork() { (void)hipGraphExecDestroy(graph_); }
  CapturedWork(const CapturedWork&) = delete;

  void launch(const Kokkos::HIP& exec) const {
    detail::demand(hipGraphLaunch(graph_, exec.hip_stream()) == hipSuccess, "a graph's launch");
  }

 private:
  hipGraphExec_t graph_ = nullptr;
};
#endif

/// Two instances whose work may overlap, the second of higher priority where there are such.
template <ExecutionSpace Exec>
class UnequalInstances {
 public:
  explicit UnequalInstances(const Exec& exec) : streams_(kokkos_space(exec)) {}
  Exec low() const { return Exec(streams_[0]); }
  Exec high() const { return Exec(streams_[1]); }

 private:
  detail::TwoStreams<KokkosSpace<Exec>> streams_;
};

}  // namespace heddle::test
