// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Work of two plans on two execution space instances, which a device may overlap; then a sequence
// of applies that is captured as a Kokkos graph and launched many times. Kokkos captures on CUDA
// and HIP; on other devices the sequence is queued each time, with the same numbers.
#include <Kokkos_Graph.hpp>
#include <cmath>
#include <cstdio>
#include <heddle/spmv.hpp>
#include <type_traits>

#include "matrices.hpp"

using example::Array, example::Exec;

/// A node of what `queue` queues on `exec`; void if Kokkos cannot capture on this device.
template <class Node, class Queue>
auto capture(const Node& before, const Exec& exec, const Queue& queue) {
  if constexpr (requires { before.cuda_capture(exec, queue); }) {
    return before.cuda_capture(exec, queue);
  } else if constexpr (requires { before.hip_capture(exec, queue); }) {
    return before.hip_capture(exec, queue);
  }
}

/// Runs what `queue` queues on `exec`, `times` times.
template <class Queue>
void repeat(const Exec& exec, int times, const Queue& queue) {
  using Graph = Kokkos::Experimental::Graph<Exec>;
  using Captured = decltype(capture(std::declval<Graph>().root_node(), exec, queue));
  if constexpr (std::is_void_v<Captured>) {
    for (int i = 0; i < times; ++i) queue(exec);
  } else {
    Graph graph;
    [[maybe_unused]] const Captured node = capture(graph.root_node(), exec, queue);
    graph.instantiate();
    for (int i = 0; i < times; ++i) graph.submit(exec);
    exec.fence();  // the graph is destroyed here
  }
}

int main(int argc, char** argv) {
  Kokkos::ScopeGuard kokkos(argc, argv);
  const Exec exec;
  const int n = 100;
  const example::Matrix matrix = example::second_difference(exec, n);
  // An eigenvector, which a product with A / 4 scales by `factor`.
  const double angle = std::acos(-1.0) / (n + 1), factor = (1 + std::cos(angle)) / 2;
  const Array<double> x("example::x", n), y("example::y", n), z("example::z", n);
  Kokkos::parallel_for(
      "example::start", Kokkos::RangePolicy<Exec>(exec, 0, n),
      KOKKOS_LAMBDA(int i) { x(i) = (i % 2 ? -1 : 1) * Kokkos::sin(angle * (i + 1)); });
  exec.fence();

  // A plan serves one apply at a time, so each instance has its own.
  const auto streams = Kokkos::Experimental::partition_space(exec, 1, 1);
  heddle::SpmvPlan A(streams[0], matrix.csr()), B(streams[1], matrix.csr());
  A.apply(streams[0], 0.25, x, 0.0, y);
  B.apply(streams[1], 0.25, x, 0.0, z);
  streams[0].fence();
  streams[1].fence();
  const bool alike = example::largest_difference(exec, y, z) == 0;

  // An apply queues kernels and nothing else: no allocation, no copy, no wait.
  repeat(streams[0], 50, [&](const Exec& stream) {
    A.apply(stream, 0.25, x, 0.0, y);
    A.apply(stream, 0.25, y, 0.0, x);
  });
  streams[0].fence();
  const Array<double> expected("example::expected", n);
  const double left = std::pow(factor, 100);
  Kokkos::parallel_for(
      "example::expected", Kokkos::RangePolicy<Exec>(exec, 0, n), KOKKOS_LAMBDA(int i) {
        expected(i) = left * (i % 2 ? -1 : 1) * Kokkos::sin(angle * (i + 1));
      });
  const double error = example::largest_difference(exec, x, expected);
  std::printf("%s: after 100 products %.4f are left, with an error of %.1e\n",
              A.scheme().to_string().c_str(), left, error);
  return alike && error < 1e-12 ? 0 : 1;
}
