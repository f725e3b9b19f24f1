// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace heddle::backends {

/// How many entries of a type lie in a cache line of a CPU, at least one.
template <class T>
inline constexpr int entries_per_line = sizeof(T) < 64 ? 64 / static_cast<int>(sizeof(T)) : 1;

}  // namespace heddle::backends
