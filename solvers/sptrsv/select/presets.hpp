// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

#include "../../../core/scheme.hpp"

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

}  // namespace heddle::detail::sptrsv
