// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

/// Numbers of CPUs, in steps: one for each item that an iteration reads, and some for itself.
namespace heddle::detail::wavefronts {

/// Of an iteration beside what it reads.
inline constexpr std::int64_t steps_per_iteration = 4;
/// Steps of a level that are worth a thread.
inline constexpr std::int64_t default_grain = 750;
/// Iterations that a thread looks at in one go when it searches for levels.
inline constexpr std::int64_t search_chunk = 1024;
/// What a launch of all threads costs.
inline constexpr std::int64_t launch_steps = 5000;
/// What the waits of a stage cost.
inline constexpr std::int64_t wait_steps = 300;
/// By how much a step of one of several threads is slower, since they share memory.
inline constexpr double shared_step = 1.3;
/// The least that all threads together must be predicted to gain.
inline constexpr double least_gain = 1.1;

}  // namespace heddle::detail::wavefronts
