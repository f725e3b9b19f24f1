// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <string>

#include "../../../core/device.hpp"
#include "../../../core/scheme_grammar.hpp"
#include "tuning.hpp"

namespace heddle::detail::sptrsv {

/// Whether a device runs the schemes whose rows wait for each other.
inline bool waits_on_lanes(const Device& device) {
  return device.has_lanes() && device.waits_make_progress;
}

/// The schemes of a triangular solve on a device.
///
///     blocks             rows merged into groups, whose dense blocks are inverted (GPU)
///       merge=none|fixed|avg|thresh|parents   how (Merging)
///       threshold=1|..|32  rows of fixed, entries of avg and thresh, first rows of parents
///       piece=4|8          entries that a lane takes at once
///       team=32|64|128     threads that share a group
///       warps=4|..|64      warps that a multiprocessor runs at once
///       alpha=0|2|4|8|inf  levels of so many times the working warps have launches of their own
///     self-scheduled     one launch; rows wait for those that they need (GPU)
///       lanes=1|..|32      lanes a row
///       warps=4|..|64      warps that a multiprocessor runs at once
///     level-set          a launch a level; on a GPU with lanes and warps too
///       thin=<n>           runs of levels of at most so many rows go to one thread (CPU)
///     sequential         one thread (CPU)
inline SchemeGrammar grammar(const Device& device) {
  if (waits_on_lanes(device)) {
    const SchemeKey warps("warps", {"4", "8", "16", "32", "64"}, scheme_auto);
    const SchemeKey lanes("lanes", {"1", "2", "4", "8", "16", "32"}, scheme_auto);
    const SchemeKey merge("merge", {"none", "fixed", "avg", "thresh", "parents"}, scheme_auto);
    const SchemeKey threshold("threshold", {"1", "2", "4", "8", "16", "32"}, scheme_auto);
    const SchemeKey piece("piece", {"4", "8"}, scheme_auto);
    const SchemeKey team("team", {"32", "64", "128"}, scheme_auto);
    const SchemeKey alpha("alpha", {"0", "2", "4", "8", "inf"}, scheme_auto);
    const std::vector<SchemeKey> rows{lanes, warps};
    return {"sptrsv",
            {{"blocks", {}, {merge, threshold, piece, team, warps, alpha}},
             {"self-scheduled", {}, rows},
             {"level-set", {}, rows}}};
  }
  if (device.backend != BackendKind::host) return {"sptrsv", {{"level-set"}}};
  const SchemeKey thin("thin", {"<n>"}, scheme_auto, {"1", "40"});
  return {"sptrsv", {{"sequential"}, {"level-set", {}, {thin}}}};
}

/// Rows up to which a level is not worth more threads than one.
inline std::int64_t thin_level(std::int64_t rows, std::int64_t entries) {
  const std::int64_t steps_per_row = row_steps + entries / std::max<std::int64_t>(1, rows);
  return std::max<std::int64_t>(1, thin_level_steps / steps_per_row);
}

}  // namespace heddle::detail::sptrsv
