// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

namespace heddle::detail::sptrsv {

/// What a row costs beside its entries, in entries.
inline constexpr std::int64_t row_steps = 4;
/// Rows and entries of a triangle on a CPU from which its levels are looked for.
inline constexpr std::int64_t least_work = 50000;
/// Threads of a team on a GPU.
inline constexpr int team_threads = 128;
/// Right-hand sides that a GPU solves in one pass.
inline constexpr int vectors_at_once = 4;

}  // namespace heddle::detail::sptrsv
