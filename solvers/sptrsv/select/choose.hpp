// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "grammar.hpp"

namespace heddle::detail::sptrsv {

/// A scheme for a triangle of so many rows and entries off the diagonal, where none is pinned: by
/// what is known before its levels are. A CPU may turn from level-set to sequential once they are.
inline Scheme choose(std::int64_t rows, std::int64_t entries, std::int64_t expected_applies,
                     const Device& device) {
  if (waits_on_lanes(device)) {
    return Scheme("sptrsv",
                  {{expected_applies < least_applies_of_blocks ? "self-scheduled" : "blocks"}});
  }
  if (device.backend != BackendKind::host) return Scheme("sptrsv", {{"level-set"}});
  const bool looks = device.multiprocessors > 1 && rows * row_steps + entries > least_work;
  return Scheme("sptrsv", {{looks ? "level-set" : "sequential"}});
}

/// Whether the threads of a CPU gain on one, by the rows and entries of a level.
inline bool worth_threads(std::int64_t rows_and_entries, int levels) {
  return rows_and_entries >= least_level * std::max(1, levels);
}

}  // namespace heddle::detail::sptrsv
