// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

#include "loops.hpp"

namespace heddle::detail {

template <class First, class Second>
struct TwoLoops {
  std::int64_t n;
  First first;
  Second second;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    if (i < n) {
      first(i);
    } else {
      second(i - n);
    }
  }
};

/// first(i) for each i < n, and second(i) for each i < m, in one launch.
template <ExecutionSpace Exec, class First, class Second>
void two_loops(const Exec& exec, const std::string& label, std::int64_t n, const First& first,
               std::int64_t m, const Second& second) {
  parallel_for(exec, label, n + m, TwoLoops<First, Second>{n, first, second});
}

}  // namespace heddle::detail
