// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

namespace heddle::recipe {

/// Entries of a panel that a subwarp takes in turn, at most: where a panel has more, all entries
/// are sorted instead, which costs each of them more and lasts no longer however they lie.
inline constexpr std::int64_t most_walked_by_subwarp = 4096;

}  // namespace heddle::recipe
