// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

#include "../../backends/atomics.hpp"

namespace heddle::detail::order {

struct HighestLevel {
  const int* level;

  KOKKOS_FUNCTION void operator()(std::int64_t i, int& most) const {
    most = most > level[i] ? most : level[i];
  }
};

struct CountIterations {
  const int* level;
  std::int64_t* counts;  ///< of each level

  KOKKOS_FUNCTION void operator()(std::int64_t i) const { backends::atomic_inc(counts + level[i]); }
};

/// Where each level begins: in `begin`, and in place of the counts.
struct ScanCounts {
  std::int64_t* begin;
  std::int64_t* counts;

  KOKKOS_FUNCTION void operator()(std::int64_t l, std::int64_t& sum, bool last) const {
    const std::int64_t size = counts[l];
    if (last) {
      begin[l] = sum;
      counts[l] = sum;
    }
    sum += size;
  }
};

}  // namespace heddle::detail::order
