// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

#include "../../formats/common/team_sums/workspace.hpp"

namespace heddle::detail::vectors {

/// Vectors that a launch takes, as a constant of kernels.
inline constexpr int vectors_at_once = 8;

/// Passes without a word of their own.
struct PassOfAll {
  KOKKOS_FORCEINLINE_FUNCTION static bool active(int) { return true; }
};
struct PassWithoutSums : PassOfAll {
  static constexpr int sums = 0;
  template <class Acc>
  KOKKOS_FORCEINLINE_FUNCTION static void finish(int, const Acc*) {}
};

/// Runs a pass over `vectors` vectors of `rows` rows, at most vectors_at_once. unit_stride: entries
/// of every vector that the pass touches follow each other. Partials of a pass with sums come from
/// a workspace of the same `exec`. With sums, no rows are a launch too: their sums are zero.
///
/// Every entry is read, updated, written and added to sums as Pass says; the
/// last team to end adds up the sums of all and gives them to the pass, on the device. Pass has
///
/// - `accumulator_type`, and `sums`: how many numbers it adds up of each vector;
/// - `bool active(vector)`: whether there is anything to do for it;
/// - `Constants<Pack> constants<Pack>(vector)`: what entries have in common;
/// - `Values<Pack> read(entries, constants)`, then `write(entries, constants, values, sums)`, in
///   two, so that a GPU has the reads of several entries under way;
/// - `finish(vector, totals)`: by one thread, once for each vector, active or not; nothing without
///   sums.
///
/// Deterministic: the order of the sums is fixed by the rows, the teams and the device.
template <ExecutionSpace Exec, class Pass>
void stream(const Exec& exec, const char* label, std::int64_t rows, int vectors, bool unit_stride,
            const Pass& pass,
            const team_sums::Partials<typename Pass::accumulator_type>& partials = {});

}  // namespace heddle::detail::vectors
