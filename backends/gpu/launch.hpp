// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <type_traits>

#include "../profiled_kernel.hpp"
#include "../team.hpp"
#include "../tickets.hpp"
#include "recording.hpp"
#include "resident_bound.hpp"

/// Launches of CUDA and HIP: the source is the same, the compiler differs.
namespace heddle::backends {

/// A team's index is its place in the grid.
struct ByPlace {
  std::int64_t first;

  ByPlace(AnyOrder, std::int64_t /*teams*/, std::int64_t first) : first(first) {}
  ByPlace(InOrder, std::int64_t /*teams*/, std::int64_t first) : first(first) {}
  __device__ std::int64_t index() const { return first + blockIdx.x; }
};
struct ByTicket {
  Tickets tickets;
  std::uint32_t teams;

  ByTicket(Tickets tickets, std::int64_t teams, std::int64_t /*first*/)
      : tickets(tickets), teams(static_cast<std::uint32_t>(teams)) {}
  __device__ std::int64_t index() const {
    __shared__ std::uint32_t ticket;
    if (threadIdx.x == 0) ticket = static_cast<std::uint32_t>(tickets.take(teams));
    __syncthreads();
    return ticket;
  }
};
template <class Order>
using TeamIndex = std::conditional_t<std::is_same_v<Order, Tickets>, ByTicket, ByPlace>;

/// Bytes of scratch of a team's ticket, rounded up.
inline constexpr std::size_t ticket_bytes = scratch_alignment_bytes;

/// One team a place, without a loop over places: before a loop the compiler for sm_90 computes what
/// every place needs, and the first loads wait for it; the one for gfx90a keeps every argument of
/// the kernel in scalar registers all the time, and there are too few of them.
template <class Exec, class LaunchShape, class Kernel, class Order>
__global__ void __launch_bounds__(LaunchShape::team_threads, (resident_bound<Exec, LaunchShape>))
    run_teams(const Kernel kernel, const TeamIndex<Order> place, const unsigned scratch_bytes) {
  if constexpr (has_dynamic_scratch<Kernel>) {
    alignas(scratch_alignment_bytes) extern __shared__ unsigned char heddle_scratch[];
    DynamicScratch scratch(heddle_scratch, scratch_bytes);
    kernel(Team<Exec, LaunchShape>(place.index()), scratch);
  } else if constexpr (std::is_empty_v<typename Kernel::Scratch>) {
    typename Kernel::Scratch scratch;
    kernel(Team<Exec, LaunchShape>(place.index()), scratch);
  } else {
    __shared__ typename Kernel::Scratch scratch;
    kernel(Team<Exec, LaunchShape>(place.index()), scratch);
  }
}

/// Launches directly on the stream: a Kokkos team policy queries the kernel's attributes at every
/// launch, which costs more than a small SpMV takes.
template <class LaunchShape, class Exec, class Kernel, class Order>
void run_teams_in_parts(const Exec& exec, const char* label, std::int64_t teams,
                        const Kernel& kernel, Order order, std::size_t scratch_bytes) {
  // HIP counts a grid in threads, and accepts fewer than 2^32.
  constexpr std::int64_t longest = (std::int64_t{1} << 31) / LaunchShape::team_threads;
  for (std::int64_t first = 0; first < teams; first += longest) {
    const auto grid = static_cast<unsigned>(teams - first < longest ? teams - first : longest);
    run_kernel<Kernel, TeamIndex<Order>, unsigned>(
        exec, label, LaunchConfig{grid, LaunchShape::team_threads, scratch_bytes},
        run_teams<Exec, LaunchShape, Kernel, Order>, kernel, TeamIndex<Order>(order, teams, first),
        static_cast<unsigned>(scratch_bytes));
  }
}

}  // namespace heddle::backends
