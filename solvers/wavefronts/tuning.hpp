// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

#include "../order/tuning.hpp"

/// Numbers of CPUs, in steps: one for each item that an iteration reads, and some for itself.
namespace heddle::detail::wavefronts {

/// Steps of a level that are worth a thread.
inline constexpr std::int64_t default_grain = 750;
/// What an iteration, and an item that it reads, cost more where the iteration does not follow the
/// one before it, since cache lines are not read on. Fitted to 10 triangles that one thread of an
/// EPYC solved in both orders: docs/wavefronts.md.
inline constexpr double torn_iteration = 3, torn_item = 0.3;
/// Iterations up to which that costs nothing: their items stay in the cache of a core.
inline constexpr std::int64_t cached_iterations = 65536;
/// By how much a step is slower where several threads share memory, and what the waits of a stage
/// cost: set so that the triangles of docs/wavefronts.md that two threads slow down stay on one.
inline constexpr double shared_step = 1.15;
inline constexpr std::int64_t wait_steps = 800;
/// What a launch of all threads costs: a guess.
inline constexpr std::int64_t launch_steps = 5000;
/// What each thread adds to it that has no processor: 7 to 15 us with gcc's OpenMP, 16 threads on
/// two processors.
inline constexpr std::int64_t idle_thread_steps = 10000;
/// The least that all threads together must be predicted to gain.
inline constexpr double least_gain = 1.1;

}  // namespace heddle::detail::wavefronts
