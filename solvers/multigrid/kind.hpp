// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "options.hpp"

/// The choice between smoothed and plain aggregation.
namespace heddle::detail::multigrid {

/// The number of solves with one set-up up to which plain aggregation takes less time in all, for
/// several near-nullspace vectors. Of an elastic cube of 40^3 nodes on an H200
/// (perf_tests/results/NOTES-multigrid.md) a plain set-up took 34.8 ms, a smoothed one 106; a solve
/// 22 cycles of 0.34 ms, and 12 of 0.45, each with an iteration of conjugate gradients beside. So
/// by cycles alone it is 34 solves. With one vector a plain set-up takes 0.7 to 1.1 times a
/// smoothed one, and a solve two to three times the iterations: it gained 3 % in all at most.
inline constexpr int most_solves_by_plain_aggregation = 20;

/// The options with a kind that is not automatic. An unknown number of solves means smoothed
/// aggregation.
inline MultigridOptions with_kind(MultigridOptions options, int near_nullspace) {
  if (options.kind != MultigridKind::automatic) return options;
  const int solves = options.expected_solves;
  const bool several = near_nullspace > 1 || (near_nullspace == 0 && options.block_size > 1);
  const bool plain = several && solves > 0 && solves <= most_solves_by_plain_aggregation;
  options.kind = plain ? MultigridKind::plain_aggregation : MultigridKind::smoothed_aggregation;
  return options;
}

}  // namespace heddle::detail::multigrid
