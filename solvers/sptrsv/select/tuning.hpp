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

/// What a row costs beside its entries, in entries.
inline constexpr std::int64_t row_steps = 4;
/// Rows and entries of a triangle on a CPU from which its levels are looked for.
inline constexpr std::int64_t least_work = 50000;
/// By how much threads of a CPU must be predicted to be ahead of one: predictions are a fifth off
/// either way, and one thread leaves a processor to others.
inline constexpr double least_gain = 1.2;
/// Solves from which rows are merged on a GPU: the fewer levels, the less a solve gains by it.
/// Fitted to 39 triangles on an H200: docs/design/sptrsv.md.
inline std::int64_t least_applies_of_blocks(std::int64_t levels) {
  return 25 + std::min<std::int64_t>(700, 16000 / std::max<std::int64_t>(1, levels));
}
/// Rows a level from which inverses do not pay on a GPU; nor merging, where rows have fewer entries
/// off the diagonal than the second number.
inline constexpr std::int64_t widest_level_of_blocks = 1000;
inline constexpr std::int64_t longest_row_left_alone = 5;
/// Entries of a level, in the mean, from which that is so of longer rows too.
inline constexpr double fullest_level_of_blocks = 10000;
/// Entries of the longest row from which that is never so: a lane, or a warp, takes too long for
/// it, and a group's pieces share it. docs/design/sptrsv.md.
inline constexpr std::int64_t long_row_entries = 2048;
/// Levels up to which rows are solved in the user's order then.
inline constexpr std::int64_t few_levels = 8;
/// sw_rnnz of in-order where it is left out: a guess.
inline constexpr std::int64_t in_order_sw_rnnz = 8;
/// TriangleFeatures::dep_dist below which rows are solved in the user's order as well, if none has
/// more entries off the diagonal than that. docs/design/sptrsv.md.
inline constexpr double in_order_max_dep_dist = 0.005;
/// Threads of a team on a GPU whose warps take a task each.
inline constexpr int team_threads = 128;
/// Warps that a multiprocessor of a GPU runs at once in a solve without a plan: a guess; the
/// plan's number for wide levels, which are those that a lane a row suits.
inline constexpr int warps_without_plan = 8;
/// Right-hand sides that a GPU's kernel holds in registers.
inline constexpr int vectors_at_once = 4;
/// Right-hand sides of one pass.
inline constexpr int most_vectors = 64;

/// Columns of a group's inverted block whose residuals are taken at once. NVIDIA's registers hold
/// all; AMD's compiler keeps a condition for each in scalar registers, which are fewer.
template <class Tag>
inline constexpr int columns_checked_at_once = 4;
template <>
inline constexpr int columns_checked_at_once<backends::Cuda> = 32;

/// Values of parameters that a scheme leaves out.
using Parameters = std::vector<std::pair<const char*, std::string>>;

/// How sptrsv/self-scheduled and sptrsv/level-set run on a GPU, by how many rows there are to a
/// level, and how many entries off the diagonal to a row: where levels are wide, a lane a row keeps
/// the device busy, and where they are narrow, more lanes make a row shorter. Fitted to 22
/// triangles on an H200: docs/design/sptrsv.md.
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

/// How sptrsv/in-order runs: guesses. Many warps, since rows that do not need each other may be far
/// apart in the user's order.
inline Parameters in_order_shape() {
  return {{"sw_rnnz", std::to_string(in_order_sw_rnnz)}, {"warps", "64"}};
}

/// How sptrsv/blocks runs, by the same figures: the longer the rows and the narrower the levels,
/// the more threads share a group, and where there are many groups, none waits for a large team's
/// barrier; where levels are wide, the bytes of inverses cost more than the steps that they save.
/// Fitted to 34 triangles on an H200: docs/design/sptrsv.md.
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

/// A scheme with the parameters that it leaves out.
inline Scheme resolved(const Scheme& scheme, const Parameters& otherwise) {
  std::vector<SchemeTerm> terms{scheme.terms().front()};
  for (const auto& [key, value] : otherwise) {
    terms.emplace_back(key, scheme.has(key) ? scheme.value(key) : value);
  }
  return Scheme(scheme.format(), std::move(terms));
}

/// A scheme of a GPU with the parameters that it leaves out, for a triangle of so many rows,
/// entries off the diagonal and levels; of in-order these may be unknown.
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
///     in-order           one launch, in the order of the rows; no levels are looked for (GPU)
///       sw_rnnz=0|1|..|64|inf  mean entries up to which the rows of a warp have a lane each, and
///                        beyond which they have a warp each
///       warps=4|..|64      warps that a multiprocessor runs at once
///     sync-free, capellini, yy   published methods: presets of in-order (expanded)
///     level-set          a launch a level; on a GPU with lanes and warps too; on a CPU one launch,
///                        with a barrier after each level
///     point-to-point     one launch; threads wait for those that they need (CPU)
///       grain=<n>          rows * 4 + entries of a level that are worth a thread (CPU)
///     sequential         one thread (CPU)
///     supernodes         rows that follow each other and share their columns are solved together
///       schedule=sequential|level-set|point-to-point   of supernodes, as those of rows above
///       grain=<n>          as above, of supernodes
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
  const SchemeKey schedule("schedule", {"sequential", "level-set", "point-to-point"}, scheme_auto);
  return {"sptrsv",
          {{"sequential"},
           {"level-set", {}, {grain}},
           {"point-to-point", {}, {grain}},
           {"supernodes", {}, {schedule, grain}}}};
}

/// The schemes of CPUs, and of devices whose teams may not wait, are those of a loop's wavefronts.
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

/// Those of a loop over supernodes; none where the scheme leaves the choice to the wavefronts.
inline std::optional<Scheme> wavefronts_of_supernodes(const Scheme& scheme) {
  if (!scheme.has("schedule") && !scheme.has("grain")) return {};
  std::string kernel = scheme.has("schedule") ? scheme.value("schedule") : "point-to-point";
  if (kernel == "level-set") kernel = "barrier";
  std::vector<SchemeTerm> terms{{kernel}};
  if (scheme.has("grain") && kernel != "sequential") {
    terms.emplace_back("grain", scheme.value("grain"));
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
