// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <string>

#include "../../core/types.hpp"

namespace heddle::detail {

template <class Rule>
struct LowestWhere {
  Rule rule;
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t& lowest) const {
    if (i < lowest && rule(i)) lowest = i;
  }
};

/// The lowest 0 <= i < n for which the predicate rule(i) holds, or n if there is none. One launch
/// and one readback, which waits for `exec`.
template <ExecutionSpace Exec, class Rule>
std::int64_t lowest_where(const Exec& exec, const std::string& label, std::int64_t n,
                          const Rule& rule) {
  std::int64_t lowest = n;
  Kokkos::parallel_reduce(label, range_policy(exec, n), LowestWhere<Rule>{rule},
                          Kokkos::Min<std::int64_t>(lowest));
  return std::min(lowest, n);  // the identity of a minimum is larger
}

}  // namespace heddle::detail
