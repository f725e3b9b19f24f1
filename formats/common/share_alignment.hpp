// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace heddle::detail {

/// On a GPU a share is read from a multiple of this number of nonzeros, so that a subwarp's loads
/// are coalesced into whole cache lines, and no line is fetched for two subwarps.
inline constexpr int share_alignment = 32;

}  // namespace heddle::detail
