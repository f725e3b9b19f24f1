// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../backends/memory.hpp"
#include "../../core/types.hpp"

namespace heddle::detail::handover {

/// Whose turn it is of two sets that solves use in turns, and which teams of the running solve have
/// ended. The last of them passes the turn on: on the device, so that a captured solve may be
/// replayed.
struct Turn {
  struct State {
    std::uint32_t solves = 0;  ///< whose parity is the set of the solve
    std::int32_t ended = 0;    ///< teams of the running solve that have
  };

  State* state;

  /// The set of this solve. The same for all of its teams until the last has ended.
  KOKKOS_FORCEINLINE_FUNCTION int set() const {
    return static_cast<int>(backends::look(&state->solves) & 1u);
  }
  /// By one thread of each of `teams` teams, after all that it does: whether it is the last, which
  /// then passes the turn on.
  KOKKOS_FORCEINLINE_FUNCTION bool ends(std::int64_t teams) const {
    if (backends::arrive(&state->ended) + 1 < teams) return false;
    backends::fence();
    return true;
  }
  KOKKOS_FORCEINLINE_FUNCTION void pass() const {
    backends::post(&state->ended, std::int32_t{0});
    backends::post(&state->solves, backends::look(&state->solves) + 1);
  }
};

}  // namespace heddle::detail::handover
