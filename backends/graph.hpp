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

/// Of a backend that cannot record launches.
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

/// Launches that were recorded once and run again as one, of CUDA and HIP, and of a device that is
/// emulated. Moves, does not copy.
///
/// - `exists`: whether the backend has graphs at all; the other words do nothing where not;
/// - `record(exec, body)`: records what body() queues on `exec` in place of running it, by launches
///   and by loops (detail::parallel_for), and says whether that was possible: not on a stream that
///   is being captured already or cannot be, and not if body() waits, allocates or throws. Then
///   nothing has run. On an emulated device what body() may not do is an Error that names it;
/// - `launch(exec)`: runs what was recorded, with the arguments of that time, kernels by value;
/// - `launches()`: how many were recorded, 0 without any;
/// - `clear()`: forgets them.
template <ExecutionSpace Exec>
using Graph = typename GraphOf<Exec>::type;

}  // namespace heddle::backends
