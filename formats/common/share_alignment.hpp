// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace heddle::detail {

/// A share is read from a multiple of this many nonzeros on a GPU, so that a subwarp's loads fill
/// whole cache lines, and no line is fetched for two subwarps.
inline constexpr int share_alignment = 32;

}  // namespace heddle::detail
