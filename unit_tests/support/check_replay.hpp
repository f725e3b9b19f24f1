// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../testing/vectors_check.hpp"
#include "streams.hpp"

namespace heddle::test {

/// Compares y = queue(x) by launches and by a graph bit by bit. When the graph was recorded x had
/// other values. x and y are contiguous; y is filled before.
template <ExecutionSpace Exec, class X, class Y, class Queue>
void check_replay(const Exec& exec, const X& x, const Y& y, std::uint64_t seed,
                  const Queue& queue) {
  using Space = typename Exec::memory_space;
  queue();  // kernels are loaded before the capture
  exec.fence("heddle::test::loaded");
  const CapturedWork<Exec> graph(exec, queue);
  const Kokkos::View<double*, Space, Kokkos::MemoryTraits<Kokkos::Unmanaged>> entries(x.data(),
                                                                                      x.span());
  Kokkos::deep_copy(entries, random_vector<double>(x.span(), seed));
  Kokkos::deep_copy(y, -1.0);
  queue();
  exec.fence("heddle::test::launched");
  const auto expected = bits_of(y);
  for (int replay = 0; replay < 2; ++replay) {
    Kokkos::deep_copy(y, -1.0);
    graph.launch(exec);
    exec.fence("heddle::test::replayed");
    CHECK((bits_of(y) == expected));
  }
}

}  // namespace heddle::test
