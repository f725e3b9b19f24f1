// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>

#include "../gpu/resident_bound.hpp"
#include "../memory.hpp"
#include "../team.hpp"
#include "../tickets.hpp"
#include "device.hpp"

/// Launches by Kokkos' team policy alone.
namespace heddle::backends {

/// A team whose barrier is Kokkos'.
template <class Exec, class LaunchShape, class Member>
class PortableTeam : public Team<Exec, LaunchShape> {
 public:
  KOKKOS_FORCEINLINE_FUNCTION PortableTeam(std::int64_t index, const Member& member)
      : Team<Exec, LaunchShape>(index), member_(member) {}

  KOKKOS_FORCEINLINE_FUNCTION void barrier() const { member_.team_barrier(); }
  KOKKOS_FORCEINLINE_FUNCTION void barrier_to_publish() const {
    fence();
    member_.team_barrier();
  }

 private:
  const Member& member_;
};

/// The functor that a team policy runs. With hardware lanes (CUDA and HIP) the vector lanes of a
/// thread are a subwarp; otherwise a team is one thread.
template <class Exec, class LaunchShape, class Kernel, class Order>
struct PortableTeams {
  using Scratch = typename Kernel::Scratch;
  using Bounds = std::conditional_t<
      has_lanes<Exec>,
      Kokkos::LaunchBounds<LaunchShape::team_threads, resident_bound<Exec, LaunchShape>>,
      Kokkos::LaunchBounds<>>;
  using Policy = Kokkos::TeamPolicy<KokkosSpace<Exec>, Bounds>;
  using Member = typename Policy::member_type;
  static constexpr bool no_scratch = std::is_empty_v<Scratch>;

  Kernel kernel;
  Order order;
  std::int64_t first;
  std::uint32_t teams;
  std::size_t scratch_bytes;

  KOKKOS_FUNCTION void operator()(const Member& member) const {
    const PortableTeam<Exec, LaunchShape, Member> team(index(member), member);
    if constexpr (no_scratch) {
      Scratch scratch;
      kernel(team, scratch);
    } else {
      void* const memory =
          member.team_scratch(0).get_shmem_aligned(scratch_bytes, scratch_alignment_bytes);
      if constexpr (has_dynamic_scratch<Kernel>) {
        DynamicScratch scratch(memory, scratch_bytes);
        kernel(team, scratch);
      } else {
        kernel(team, *static_cast<Scratch*>(memory));
      }
    }
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t index(const Member& member) const {
    if constexpr (std::is_same_v<Order, Tickets>) {
      std::int64_t ticket = 0;
      Kokkos::single(
          Kokkos::PerTeam(member), [&](std::int64_t& taken) { taken = order.take(teams); }, ticket);
      return ticket;
    } else {
      return first + member.league_rank();
    }
  }
};

template <class LaunchShape, BackendIs<Portable> Exec, class Kernel, class Order>
void launch_teams(const Exec& exec, const char* label, std::int64_t teams, const Kernel& kernel,
                  Order order, std::size_t scratch_bytes) {
  using Functor = PortableTeams<Exec, LaunchShape, Kernel, Order>;
  using Team = backends::Team<Exec, LaunchShape>;
  static_assert(Functor::no_scratch ||
                alignof(typename Kernel::Scratch) <= scratch_alignment_bytes);
  if constexpr (!has_dynamic_scratch<Kernel>) scratch_bytes = sizeof(typename Kernel::Scratch);
  const std::size_t asked =
      Functor::no_scratch || scratch_bytes == 0 ? 0 : scratch_bytes + scratch_alignment_bytes;
  // A league is counted in an int, and HIP counts a grid in threads.
  constexpr std::int64_t longest = (std::int64_t{1} << 30) / Team::threads;
  for (std::int64_t first = 0; first < teams; first += longest) {
    typename Functor::Policy policy(kokkos_space(exec),
                                    static_cast<int>(std::min(teams - first, longest)),
                                    Team::subwarps, Team::subwarp_width);
    policy.set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(asked)));
    Kokkos::parallel_for(
        label, policy,
        Functor{kernel, order, first, static_cast<std::uint32_t>(teams), scratch_bytes});
  }
}

/// 1: no two teams are guaranteed to run at the same time.
template <class LaunchShape, class Kernel, BackendIs<Portable> Exec>
int resident_teams(const Exec&, std::size_t /*scratch_bytes*/ = 0) {
  return 1;
}

}  // namespace heddle::backends
