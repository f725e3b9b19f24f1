// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "lanes.hpp"
#ifdef KOKKOS_ENABLE_CUDA
#include "cuda/graph.hpp"
#endif
#ifdef KOKKOS_ENABLE_HIP
#include "hip/graph.hpp"
#endif
#ifdef HEDDLE_EMULATED
#include "emulated/graph.hpp"
#endif

namespace heddle::backends {

/// Graph of a backend that cannot record launches.
struct NoGraph {
  static constexpr bool exists = false;

  template <class Exec, class Body>
  static bool record(const Exec&, const Body&) {
    return false;
  }
  template <class Exec>
  static void launch(const Exec&) {}
  static constexpr std::size_t launches() { return 0; }
  static void clear() {}
};

template <ExecutionSpace Exec>
struct GraphOf {
  using type = NoGraph;
};
#ifdef KOKKOS_ENABLE_CUDA
template <>
struct GraphOf<Kokkos::Cuda> {
  using type = StreamGraph<CudaGraphs>;
};
#endif
#ifdef KOKKOS_ENABLE_HIP
template <>
struct GraphOf<Kokkos::HIP> {
  using type = StreamGraph<HipGraphs>;
};
#endif
#ifdef HEDDLE_EMULATED
template <ExecutionSpace Base, int Width>
struct GraphOf<Emulated<Base, Width>> {
  using type = EmulatedGraph<Emulated<Base, Width>>;
};
#endif

/// Launches that were recorded once and run again as one, on CUDA, HIP, and an emulated device.
/// Movable, not copyable.
///
/// - `exists`: whether the backend has graphs; if not, the other functions do nothing;
/// - `record(exec, body)`: records the launches and loops (detail::parallel_for) that body() queues
///   on `exec` instead of running them, and returns whether that was possible: not while the
///   calling thread records another graph, not on a stream that is being captured, and not if
///   body() throws. Then nothing has run. No stream is captured, so that other threads may allocate
///   and wait meanwhile. What body() does by other means happens at once and is not recorded,
///   except within record_captured; on an emulated device it is an Error that names it;
/// - `launch(exec)`: runs what was recorded, with the arguments of that time, kernels by value;
/// - `launches()`: number of recorded launches, 0 if there are none;
/// - `clear()`: discards them.
template <ExecutionSpace Exec>
using Graph = typename GraphOf<Exec>::type;

/// Calls body(), which queues on `exec` by means of its own (other than launch and
/// detail::parallel_for). While the calling thread records a graph there, the stream is captured
/// for it: one capture at a time in the program. Meanwhile no thread may wait for the device, as
/// allocating and freeing do. If a capture fails, record() returns that recording was not possible.
template <ExecutionSpace Exec, class Body>
void record_captured([[maybe_unused]] const Exec& exec, const Body& body) {
#ifdef KOKKOS_ENABLE_CUDA
  if constexpr (std::is_same_v<Exec, Kokkos::Cuda>) {
    return record_captured_on<CudaGraphs>(exec, body);
  }
#endif
#ifdef KOKKOS_ENABLE_HIP
  if constexpr (std::is_same_v<Exec, Kokkos::HIP>) {
    return record_captured_on<HipGraphs>(exec, body);
  }
#endif
  body();
}

}  // namespace heddle::backends
