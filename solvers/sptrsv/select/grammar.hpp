// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <optional>
#include <string>

#include "../../../core/device.hpp"
#include "../../../core/scheme.hpp"
#include "../../../core/scheme_grammar.hpp"
#include "tuning.hpp"

namespace heddle::detail::sptrsv {

/// A published method by its name, and the scheme that does what it does.
struct Preset {
  const char* name;
  const char* scheme;
};

/// Sources: W. Liu et al., "A synchronization-free algorithm for parallel sparse triangular
/// solves", Euro-Par 2016 (a warp a row); J. Su et al., "CapelliniSpTRSV: a thread-level
/// synchronization-free sparse triangular solve on GPUs", ICPP 2020 (a thread a row); F. Zhang et
/// al., "YuenyeungSpTRSV: a thread-level and warp-level fusion synchronization-free sparse
/// triangular solve", IEEE TPDS 32(9), 2021 (the one or the other, by the mean row of each 32: a
/// warp from 10 entries with the diagonal in the authors' program; here from more than 8 without).
///
/// The schedules are theirs. Values as their own flags, and all waits of a lane in flight together,
/// are Heddle's; the first works by columns, and hands sums on by atomic additions.
inline constexpr Preset presets[] = {{"sync-free", "sptrsv/in-order,sw_rnnz=0,warps=64"},
                                     {"capellini", "sptrsv/in-order,sw_rnnz=inf,warps=64"},
                                     {"yy", "sptrsv/in-order,sw_rnnz=8,warps=64"}};

/// What a preset stands for; any other scheme is itself.
inline Scheme expanded(const Scheme& scheme) {
  for (const Preset& preset : presets) {
    if (scheme == Scheme("sptrsv", {{preset.name}})) return Scheme::parse(preset.scheme);
  }
  return scheme;
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
    const SchemeKey merge("merge", {"none", "fixed", "avg", "thresh", "parents"}, scheme_auto);
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
