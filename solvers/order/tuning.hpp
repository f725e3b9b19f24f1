// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

/// Numbers of CPUs, in steps: one for each item that an iteration reads, and some for itself.
namespace heddle::detail::order {

/// Of an iteration beside what it reads.
inline constexpr std::int64_t steps_per_iteration = 4;
/// Iterations that a thread looks at in one go when it searches for levels.
inline constexpr std::int64_t search_chunk = 1024;

}  // namespace heddle::detail::order
