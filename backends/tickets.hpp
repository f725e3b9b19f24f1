// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <limits>
#include <string>

#include "../core/error.hpp"
#include "memory.hpp"

namespace heddle::backends {

/// Teams of a launch in order, at most: tickets have 32 bits.
inline constexpr std::int64_t max_teams_in_order = std::numeric_limits<std::int32_t>::max();

/// Throws Error, of `what` was to be launched, where that is too many teams.
inline void check_teams_in_order(std::int64_t teams, const std::string& what, const char* remedy) {
  if (teams <= max_teams_in_order) return;
  throw Error(what + " takes " + std::to_string(teams) + " teams, more than the " +
                  std::to_string(max_teams_in_order) + " that can wait for each other",
              remedy);
}

/// The counter from which teams take their indices, so that indices follow the order in which teams
/// begin. It lies in memory of the device, belongs to one plan, is cleared once, and serves one
/// launch at a time: whoever takes the last ticket turns it back to zero, with no help of the host,
/// so that launches may follow each other on a stream or in a graph that is replayed.
struct Tickets {
  std::uint32_t* next = nullptr;

  KOKKOS_FORCEINLINE_FUNCTION void clear() const { *next = 0; }
  /// A number below `teams` that no other team of the launch has; by one thread of the team.
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t take(std::uint32_t teams) const {
    return ThisMemory::next_ticket(next, teams);
  }
};

/// One item, before the first launch that takes them.
struct ClearTickets {
  Tickets tickets;
  KOKKOS_FUNCTION void operator()(std::int64_t) const { tickets.clear(); }
};

/// Of a launch whose teams do not wait for each other.
struct AnyOrder {};

/// Of one whose teams wait for lower ones, on a backend where teams begin in the order of their
/// index without tickets.
struct InOrder {};

}  // namespace heddle::backends
