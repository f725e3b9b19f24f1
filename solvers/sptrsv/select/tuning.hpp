// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "../../../backends/tags.hpp"
#include "../../../core/device.hpp"
#include "../../../core/scheme.hpp"
#include "../../../core/scheme_grammar.hpp"
#include "published.hpp"

namespace heddle::detail::sptrsv {

/// Cost of a row besides its entries, in entries.
inline constexpr std::int64_t row_steps = 4;
/// Smallest work of a triangle, row_steps * rows + entries, whose levels are computed on a CPU.
inline constexpr std::int64_t least_work = 50000;
/// Smallest predicted speed-up over one thread with which a CPU uses several: predictions are off
/// by up to a fifth, and one thread leaves processors to others.
inline constexpr double least_gain = 1.2;
/// Smallest number of solves for which rows are merged on a GPU: the fewer levels, the less a solve
/// gains. Fitted to 39 triangles on an H200: docs/design/sptrsv.md.
inline std::int64_t least_applies_of_blocks(std::int64_t levels) {
  return 25 + std::min<std::int64_t>(700, 16000 / std::max<std::int64_t>(1, levels));
}
/// Mean rows of a level from which inverses do not pay on a GPU; nor does merging, if rows have
/// fewer than longest_row_left_alone entries off the diagonal.
inline constexpr std::int64_t widest_level_of_blocks = 1000;
inline constexpr std::int64_t longest_row_left_alone = 5;
/// Mean entries of a level from which merging does not pay for longer rows either.
inline constexpr double fullest_level_of_blocks = 10000;
/// Entries of the longest row from which merging pays in spite of wide levels: such a row takes a
/// lane or a warp too long, and the pieces of a group share it. docs/design/sptrsv.md.
inline constexpr std::int64_t long_row_entries = 2048;
/// Number of levels up to which rows that are not merged are solved in the user's order.
inline constexpr std::int64_t few_levels = 8;
/// Default sw_rnnz of in-order: a guess.
inline constexpr std::int64_t in_order_sw_rnnz = 8;
/// TriangleFeatures::dep_dist below which rows are solved in the user's order as well, if none has
/// more than in_order_sw_rnnz entries off the diagonal. docs/design/sptrsv.md.
inline constexpr double in_order_max_dep_dist = 0.005;
/// Number of threads of a team on a GPU whose warps solve one task each.
inline constexpr int team_threads = 128;
/// Warps that a multiprocessor of a GPU runs at once in a solve without a plan: a guess, the number
/// that plans use for wide levels, which suit one lane for each row.
inline constexpr int warps_without_plan = 8;
/// Number of right-hand sides that a GPU's kernel holds in registers.
inline constexpr int vectors_at_once = 4;
/// Largest number of right-hand sides of one pass.
inline constexpr int most_vectors = 64;

/// Columns of a group's block that the check of residuals unrolls at once. NVIDIA's registers hold
/// all; AMD's compiler keeps a condition for each in scalar registers, which are fewer.
template <class Tag>
inline constexpr int columns_checked_at_once = 4;
template <>
inline constexpr int columns_checked_at_once<backends::Cuda> = 32;

/// Values of parameters that a scheme leaves out.
using Parameters = std::vector<std::pair<const char*, std::string>>;

/// Default parameters of sptrsv/self-scheduled and sptrsv/level-set on a GPU, by the mean rows of a
/// level and entries off the diagonal of a row. If levels are wide, one lane for each row keeps the
/// device busy; if they are narrow, more lanes shorten a row. Fitted to 22 triangles on an H200:
/// docs/design/sptrsv.md.
inline Parameters rows_shape(std::int64_t rows, std::int64_t entries, int levels) {
  const double row =
      static_cast<double>(entries) / static_cast<double>(std::max<std::int64_t>(1, rows));
  const double level = static_cast<double>(rows) / std::max(1, levels);
  const auto shape = [](int lanes, int warps) -> Parameters {
    return {{"lanes", std::to_string(lanes)}, {"warps", std::to_string(warps)}};
  };
  if (level >= 2500) return shape(1, row < 4 ? 8 : 4);
  if (level >= 700) return shape(4, 8);
  if (row >= 7) return shape(32, level < 100 ? 8 : 16);
  return shape(4, level < 500 ? 4 : 8);
}

/// Default parameters of sptrsv/in-order: guesses. Many warps, since independent rows may be far
/// from each other in the user's order.
inline Parameters in_order_shape() {
  return {{"sw_rnnz", std::to_string(in_order_sw_rnnz)}, {"warps", "64"}};
}

/// Default parameters of sptrsv/blocks, by the same means as rows_shape. The longer the rows and
/// the narrower the levels, the more threads share a group; if there are many groups, small teams
/// avoid the barriers of large ones. If levels are wide, the bytes of inverses cost more than the
/// steps that they save. Fitted to 34 triangles on an H200: docs/design/sptrsv.md.
inline Parameters blocks_shape(std::int64_t rows, std::int64_t entries, int levels) {
  const double row =
      static_cast<double>(entries) / static_cast<double>(std::max<std::int64_t>(1, rows));
  const double level = static_cast<double>(rows) / std::max(1, levels);
  const bool narrow = level < 120, wide = level >= 700;
  const char* team = "32";
  if (row >= 5) team = "64";
  if (narrow || (row >= 8 && !wide)) team = "128";
  return {{"merge", "parents"},
          {"threshold", row < 8 ? "4" : "2"},
          {"inner", level < widest_level_of_blocks ? "inverse" : "substitute"},
          {"piece", wide && row < 4 ? "4" : "8"},
          {"team", team},
          {"warps", narrow ? "8" : "16"},
          {"alpha", "inf"}};
}

/// A scheme, completed by the parameters that it leaves out.
inline Scheme resolved(const Scheme& scheme, const Parameters& otherwise) {
  std::vector<SchemeTerm> terms{scheme.terms().front()};
  for (const auto& [key, value] : otherwise) {
    terms.emplace_back(key, scheme.has(key) ? scheme.value(key) : value);
  }
  return Scheme(scheme.format(), std::move(terms));
}

/// A scheme of a GPU, completed by the parameters that it leaves out, for a triangle with these
/// numbers of rows, entries off the diagonal and levels, which in-order does not use.
inline Scheme concrete(const Scheme& scheme, std::int64_t rows, std::int64_t entries, int levels) {
  if (scheme.has("in-order")) return resolved(scheme, in_order_shape());
  if (scheme.has("blocks")) return resolved(scheme, blocks_shape(rows, entries, levels));
  return resolved(scheme, rows_shape(rows, entries, levels));
}

/// Whether a device runs the schemes whose rows wait for each other.
inline bool waits_on_lanes(const Device& device) {
  return device.has_lanes() && device.waits_make_progress;
}

/// The schemes of a triangular solve on a device.
///
///     blocks             rows merged into groups that wait for each other (GPU)
///       merge=none|fixed|avg|thresh|parents   how (Merging)
///       threshold=1|..|32  rows of fixed, entries of avg and thresh, first rows of parents
///       inner=substitute|inverse   how a group's rows are solved: one after the other, or at once
///       piece=4|8          entries that a lane takes at once
///       team=32|64|128     threads that share a group
///       warps=4|..|64      warps that a multiprocessor runs at once
///       alpha=0|2|4|8|inf  levels of over alpha times the working warps have launches of their own
///     self-scheduled     one launch; rows wait for those that they need (GPU)
///       lanes=1|4|32       lanes a row
///       warps=4|..|64      warps that a multiprocessor runs at once
///     in-order           one launch, in the order of the rows; no levels are computed (GPU)
///       sw_rnnz=0|1|..|64|inf  mean entries up to which the rows of a warp have a lane each, and
///                        beyond which they have a warp each
///       warps=4|..|64      warps that a multiprocessor runs at once
///     sync-free, capellini, yy   published methods: presets of in-order (expanded)
///     level-set          one launch for each level, on a GPU with lanes and warps too; on a CPU
///                        one launch, with a barrier after each level
///     point-to-point     one launch; threads wait for those that they need (CPU)
///       grain=<n>          rows * 4 + entries of a level that are worth a thread (CPU)
///       chain=<n>          rows * 4 + entries of rows that follow each other, each of which needs
///                          the one before, and that are scheduled as one; left out: none (CPU)
///     sequential         one thread (CPU)
///     supernodes         rows that follow each other and share their columns are solved together
///       schedule=sequential|level-set|point-to-point   of supernodes, as those of rows above
///       grain=<n>, chain=<n>   as for rows, of supernodes
inline SchemeGrammar grammar(const Device& device) {
  if (waits_on_lanes(device)) {
    const SchemeKey warps("warps", {"4", "8", "16", "32", "64"}, scheme_auto);
    const SchemeKey lanes("lanes", {"1", "4", "32"}, scheme_auto);
    std::vector<std::string> kinds;
    for (const Merging::Named& kind : Merging::kinds) kinds.emplace_back(kind.name);
    const SchemeKey merge("merge", kinds, scheme_auto);
    const SchemeKey threshold("threshold", {"1", "2", "4", "8", "16", "32"}, scheme_auto);
    const SchemeKey inner("inner", {"substitute", "inverse"}, scheme_auto);
    const SchemeKey piece("piece", {"4", "8"}, scheme_auto);
    const SchemeKey team("team", {"32", "64", "128"}, scheme_auto);
    const SchemeKey alpha("alpha", {"0", "2", "4", "8", "inf"}, scheme_auto);
    const SchemeKey sw_rnnz("sw_rnnz", {"0", "1", "2", "4", "8", "16", "32", "64", "inf"},
                            scheme_auto);
    const std::vector<SchemeKey> rows{lanes, warps};
    SchemeGrammar legal("sptrsv",
                        {{"blocks", {}, {merge, threshold, inner, piece, team, warps, alpha}},
                         {"self-scheduled", {}, rows},
                         {"in-order", {}, {sw_rnnz, warps}},
                         {"level-set", {}, rows}});
    for (const Preset& preset : presets) legal.kernels.emplace_back(preset.name);
    return legal;
  }
  if (device.backend != BackendKind::host) return {"sptrsv", {{"level-set"}}};
  const SchemeKey grain("grain", {"<n>"}, scheme_auto, {"1", "200"});
  const SchemeKey chain("chain", {"<n>"}, scheme_auto, {"40"});
  const SchemeKey schedule("schedule", {"sequential", "level-set", "point-to-point"}, scheme_auto);
  return {"sptrsv",
          {{"sequential"},
           {"level-set", {}, {grain, chain}},
           {"point-to-point", {}, {grain, chain}},
           {"supernodes", {}, {schedule, grain, chain}}}};
}

/// Converts a scheme to one of wavefronts, which run the schemes of CPUs and of devices whose teams
/// may not wait.
inline Scheme as_wavefronts(const Scheme& scheme, const Device& device) {
  std::vector<SchemeTerm> terms = scheme.terms();
  const bool host = device.backend == BackendKind::host;
  if (terms.front().key == "level-set") terms.front().key = host ? "barrier" : "launches";
  return Scheme("wavefronts", std::move(terms));
}
inline Scheme as_sptrsv(const Scheme& scheme) {
  std::vector<SchemeTerm> terms = scheme.terms();
  const std::string& kernel = terms.front().key;
  if (kernel == "barrier" || kernel == "launches") terms.front().key = "level-set";
  return Scheme("sptrsv", std::move(terms));
}

/// The wavefronts scheme of a loop over supernodes; nothing if the scheme leaves the choice to the
/// wavefronts.
inline std::optional<Scheme> wavefronts_of_supernodes(const Scheme& scheme) {
  if (!scheme.has("schedule") && !scheme.has("grain") && !scheme.has("chain")) return {};
  std::string kernel = scheme.has("schedule") ? scheme.value("schedule") : "point-to-point";
  if (kernel == "level-set") kernel = "barrier";
  std::vector<SchemeTerm> terms{{kernel}};
  for (const char* key : {"grain", "chain"}) {
    if (scheme.has(key) && kernel != "sequential") terms.emplace_back(key, scheme.value(key));
  }
  return Scheme("wavefronts", std::move(terms));
}
inline Scheme as_supernodes(const Scheme& scheme) {
  std::vector<SchemeTerm> terms = scheme.terms();
  const std::string kernel = as_sptrsv(scheme).terms().front().key;
  terms.front() = SchemeTerm("schedule", kernel);
  terms.insert(terms.begin(), SchemeTerm("supernodes"));
  return Scheme("sptrsv", std::move(terms));
}

}  // namespace heddle::detail::sptrsv
