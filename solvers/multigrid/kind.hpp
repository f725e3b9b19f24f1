// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "options.hpp"

/// The choice between smoothed and plain aggregation.
namespace heddle::detail::multigrid {

/// Milliseconds of a set-up and of a solve by CG to 1e-8.
struct KindTimes {
  double set_up, solve;

  double of(int solves) const { return set_up + solves * solve; }
};

/// Poisson's equation with 1000^2 points on an H100 (perf_tests/results/NOTES-multigrid.md), the
/// system of that table where plain aggregation loses most. Smoothed: measured. Plain: not
/// measured; the set-up is that of AmgX's aggregation, and the solve has 2.3 times the products of
/// a smoothed one, as counted there under "Plain aggregation". To be fitted on measured times.
inline constexpr KindTimes smoothed_times{29, 4.5}, plain_times{10.9, 4.5 * 2.3};

/// The options with a kind that is not automatic. One set-up and the expected solves count; an
/// unknown number of solves means smoothed aggregation, and so do several near-nullspace vectors,
/// for which nothing was counted.
inline MultigridOptions with_kind(MultigridOptions options, int near_nullspace) {
  if (options.kind != MultigridKind::automatic) return options;
  const int solves = options.expected_solves;
  const bool one_vector = near_nullspace <= 1 && options.block_size == 1;
  const bool plain = one_vector && solves > 0 && plain_times.of(solves) < smoothed_times.of(solves);
  options.kind = plain ? MultigridKind::plain_aggregation : MultigridKind::smoothed_aggregation;
  return options;
}

}  // namespace heddle::detail::multigrid
