// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Small things that trials draw: factors, counts, one of a list, an execution space instance.
#pragma once

#include <algorithm>

#include "../../testing/backends.hpp"
#include "../../testing/random.hpp"

namespace heddle::test {

/// True once in `times` calls on average.
inline bool once_in(Random& random, std::int64_t times) { return random.below(times) == 0; }

template <class List>
const auto& one_of(Random& random, const List& list) {
  const auto size = static_cast<std::int64_t>(std::size(list));  // nvcc finds no ssize of an array
  return list[static_cast<std::size_t>(random.below(size))];
}

template <Scalar S>
S draw_factor(Random& random) {
  switch (random.below(5)) {
    case 0: return S(0);
    case 1: return S(1);
    case 2: return S(-1);
    default: return random.scalar<S>();
  }
}

/// A number of vectors: mostly small.
inline std::size_t draw_count(Random& random) {
  const std::int64_t largest[] = {1, 1, 4, 9, 40};
  return static_cast<std::size_t>(1 + random.below(one_of(random, largest)));
}

/// On a CPU an instance with 1 to all threads if the execution space has such instances, on a GPU a
/// stream.
template <ExecutionSpace Exec>
Exec draw_instance(Random& random) {
  using Space = KokkosSpace<Exec>;
  const Space all;
  if constexpr (!backends::runs_on_host<Space>) {
    return Exec(Kokkos::Experimental::partition_space(all, 1, 1)[0]);
  } else {
    const auto threads = static_cast<int>(1 + random.below(all.concurrency()));
    if constexpr (std::is_constructible_v<Space, int>) return Exec(Space(threads));
    return Exec(all);
  }
}

}  // namespace heddle::test
