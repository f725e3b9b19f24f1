// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

namespace heddle::recipe {

/// Most entries of a panel that a subwarp walks through. If a panel has more, all entries are
/// sorted, which costs more for each entry, but takes the same time for any pattern.
inline constexpr std::int64_t most_walked_by_subwarp = 4096;

}  // namespace heddle::recipe
