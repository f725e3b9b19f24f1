// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>

#include "../../backends/lanes.hpp"
#include "../../formats/common/team_sums/places.hpp"

namespace heddle::detail::vectors {

/// How passes over vectors are laid out.
struct Tuning {
  int threads;                   ///< of a team
  int packs;                     ///< that a lane has under way together
  std::int64_t least_rows;       ///< of a team; fewer are not worth another one
  std::int64_t block_rows;       ///< of each vector in turn: side by side, they stay cached
  std::int64_t inner_rows;       ///< that V' W takes of all columns: they stay in the first cache
  std::int64_t product_entries;  ///< that V C takes of all columns: they stay in the second
};

template <ExecutionSpace Exec>
inline constexpr Tuning tuning_of =
    backends::has_lanes<Exec> ? Tuning{team_sums::team_threads, 4, 1024, 1024, 1024, 1 << 15}
                              : Tuning{1, 4, 4096, 1024, 256, 1 << 15};

/// Rows that V' W and V C of so many columns in all take at once on a CPU: few enough for its
/// second cache, where they are read again, and many enough for its prefetcher.
template <ExecutionSpace Exec>
KOKKOS_FORCEINLINE_FUNCTION constexpr std::int64_t product_rows(int columns) {
  constexpr std::int64_t least = 128;
  const std::int64_t rows = tuning_of<Exec>.product_entries / (columns > 0 ? columns : 1) / 64 * 64;
  return rows > least ? rows : least;
}

/// Teams that a pass over `rows` rows is cut into.
template <ExecutionSpace Exec>
int teams_for(const Exec& exec, std::int64_t rows) {
  constexpr Tuning tuning = tuning_of<Exec>;
  const std::int64_t most = std::max<std::int64_t>(1, exec.concurrency() / tuning.threads);
  return static_cast<int>(std::clamp<std::int64_t>(ceil_div(rows, tuning.least_rows), 1, most));
}

}  // namespace heddle::detail::vectors
