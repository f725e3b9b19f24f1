// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

#include "../order/tuning.hpp"

namespace heddle::detail::wavefronts {

/// Steps of a level that are worth a thread: one for each item that an iteration reads, and some
/// for itself.
inline constexpr std::int64_t default_grain = 750;

// What a loop costs, in items read: some 0.45 ns each on the CPUs of docs/wavefronts.md, where all
// but the launch was fitted to half of the triangles, and judged on the others.

/// An iteration beside its items.
inline constexpr double iteration_cost = 8;
/// What an item costs more in an iteration that does not follow the one before it, so that no cache
/// line is read on.
inline constexpr double torn_item = 0.2;
/// The same of loops of more steps, some 40 MB of a triangle, whose items come from memory or from
/// the farthest cache; and what an iteration costs more there.
inline constexpr double cached_steps = 4.5e6, far_item = 0.8, far_iteration = 2;
/// What the waits of a stage cost.
inline constexpr double wait_cost = 800;
/// What a launch of all threads costs: a guess.
inline constexpr double launch_cost = 5000;
/// What each thread adds to it that has no processor: 7 to 15 us with gcc's OpenMP, 16 threads on
/// two processors.
inline constexpr double idle_thread_cost = 20000;

}  // namespace heddle::detail::wavefronts
