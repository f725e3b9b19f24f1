// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>

#include "../../../backends/threads_at_once.hpp"
#include "entry_keys.hpp"
#include "walks.hpp"

namespace heddle::recipe {

/// The same on any backend. On a CPU a thread walks through many panels anyway, and a panel of four
/// times its share is worth a sort.
template <ExecutionSpace Exec>
std::int64_t most_walked(const Exec& exec, std::int64_t nonzeros) {
  if constexpr (backends::has_lanes<Exec>) {
    return most_walked_by_subwarp;
  } else {
    return std::max(most_walked_by_subwarp, 4 * (nonzeros / backends::threads_at_once(exec)));
  }
}

template <class AnyEntries>
struct LongestPanelKernel {
  AnyEntries entries;
  std::int64_t panel_rows;

  KOKKOS_FUNCTION void operator()(std::int64_t panel, std::int64_t& most) const {
    const std::int64_t first = panel * panel_rows;
    const std::int64_t stop = first + panel_rows < entries.rows ? first + panel_rows : entries.rows;
    if (first < stop) most = Kokkos::max(most, entries.end(stop - 1) - entries.begin(first));
  }
};

/// Entries of the panel that has most, taken or not. For panels of consecutive rows. Unless there
/// is one panel, one launch and one readback, which waits for `exec`.
template <ExecutionSpace Exec, class AnyEntries>
std::int64_t longest_panel(const Exec& exec, const AnyEntries& entries, const Extents& extents,
                           std::int64_t nonzeros) {
  std::int64_t longest = 0;
  if (extents.rows <= 1) return nonzeros;
  Kokkos::parallel_reduce("heddle::recipe::longest_panel", range_policy(exec, extents.rows),
                          LongestPanelKernel<AnyEntries>{entries, extents.inner_rows},
                          Kokkos::Max<std::int64_t>(longest));
  return std::max<std::int64_t>(longest, 0);
}

}  // namespace heddle::recipe
