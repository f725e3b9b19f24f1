// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Features that Kokkos lacks: streams of different priority, and graphs that are captured from a
// stream and launched again.
#pragma once

#include <optional>
#include <stdexcept>
#include <utility>

#include "../../backends/graph.hpp"
#include "../../testing/plan_types.hpp"

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
#endif

/// Whether CapturedWork<Exec> exists.
template <ExecutionSpace Exec>
inline constexpr bool can_capture = backends::Graph<Exec>::exists;

/// The launches of `queue` on an instance, to be launched any number of times.
template <ExecutionSpace Exec>
class CapturedWork {
 public:
  template <class Queue>
  CapturedWork(const Exec& exec, const Queue& queue) {
    detail::demand(graph_.record(exec, queue), "a graph");
  }
  void launch(const Exec& exec) const { graph_.launch(exec); }

 private:
  backends::Graph<Exec> graph_;
};

/// Two instances whose work may overlap; the second has higher priority if there are any.
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
