// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <limits>
#include <string>

#include "../core/error.hpp"
#include "memory.hpp"

namespace heddle::backends {

/// Most teams of a launch in order: tickets have 32 bits.
inline constexpr std::int64_t max_teams_in_order = std::numeric_limits<std::int32_t>::max();

/// Throws Error about `what` if it needs too many teams.
inline void check_teams_in_order(std::int64_t teams, const std::string& what, const char* remedy) {
  if (teams <= max_teams_in_order) return;
  throw Error(what + " needs " + std::to_string(teams) + " teams, more than the " +
                  std::to_string(max_teams_in_order) + " that can wait for each other",
              remedy);
}

/// The counter from which teams take their indices, so that indices follow the order in which teams
/// begin. It is in device memory, belongs to one plan, is cleared once, and serves one launch at a
/// time: the team that takes the last ticket resets it to zero, without the host, so that launches
/// may follow each other on a stream or in a graph that is replayed.
struct Tickets {
  std::uint32_t* next = nullptr;

  KOKKOS_FORCEINLINE_FUNCTION void clear() const { *next = 0; }
  /// A number below `teams` that no other team of the launch has. One thread of the team calls it.
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t take(std::uint32_t teams) const {
    return ThisMemory::next_ticket(next, teams);
  }
};

/// Clears the tickets, as a loop of one item, before the first launch that uses them.
struct ClearTickets {
  Tickets tickets;
  KOKKOS_FUNCTION void operator()(std::int64_t) const { tickets.clear(); }
};

/// Order of a launch whose teams do not wait for each other.
struct AnyOrder {};

/// Order of a launch whose teams wait for lower ones, on a backend where teams begin in the order
/// of their index without tickets.
struct InOrder {};

}  // namespace heddle::backends
