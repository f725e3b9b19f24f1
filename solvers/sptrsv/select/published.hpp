// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Published methods, for comparison: kinds of merging rows, and presets. Rules choose none of them
// but `parents`; measuring tries all.
#pragma once

#include <cstdint>
#include <limits>

#include "../../../core/scheme.hpp"

namespace heddle::detail::sptrsv {

/// How rows are merged into groups. Source of all kinds but `parents`, which is Heddle's: Z. Hu et
/// al., "AG-SpTRSV: an automatic framework to optimize sparse triangular solve on GPUs", TACO 2024.
struct Merging {
  enum class Kind {
    none,        ///< rows of one level
    fixed,       ///< a fixed number of consecutive places
    average,     ///< consecutive places while their mean row is at most the threshold
    short_rows,  ///< consecutive places whose rows have at most the threshold of entries; others
                 ///< are groups of one row
    parents      ///< a row joins the group that its latest parents are in
  };
  /// The names of the kinds in a scheme's `merge`.
  struct Named {
    const char* name;
    Kind kind;
  };
  static constexpr Named kinds[] = {{"none", Kind::none},
                                    {"fixed", Kind::fixed},
                                    {"avg", Kind::average},
                                    {"thresh", Kind::short_rows},
                                    {"parents", Kind::parents}};

  Kind kind = Kind::parents;
  int number = 4;  ///< rows, entries, or (parents) first rows of the groups that one row may unite
  /// Largest number of entries of a group of several rows.
  std::int64_t most_entries = std::numeric_limits<std::int64_t>::max();
};

/// The name of a published method, and the scheme that reproduces it.
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
/// are Heddle's; the published sync-free method works by columns, with atomic additions.
inline constexpr Preset presets[] = {{"sync-free", "sptrsv/in-order,sw_rnnz=0,warps=64"},
                                     {"capellini", "sptrsv/in-order,sw_rnnz=inf,warps=64"},
                                     {"yy", "sptrsv/in-order,sw_rnnz=8,warps=64"}};

/// The scheme that a preset abbreviates; any other scheme is returned unchanged.
inline Scheme expanded(const Scheme& scheme) {
  for (const Preset& preset : presets) {
    if (scheme == Scheme("sptrsv", {{preset.name}})) return Scheme::parse(preset.scheme);
  }
  return scheme;
}

}  // namespace heddle::detail::sptrsv
