// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../backends/algorithms/team_sums.hpp"
#include "../../backends/launch_simd.hpp"
#include "../../core/multivector.hpp"

/// The dot product conj(x) . y, or conj(y) . y, in the launch of a product of one vector: a team
/// reads back the rows of y that it has just written, which are still in the caches.
namespace heddle::detail::team_sums {

/// A team seen as the widest subwarps of the device, whatever its shape is.
template <class Team>
class WideTeam {
  using Exec = typename Team::execution_space;
  static constexpr int widest = backends::max_subwarp_width<Exec>;

 public:
  using execution_space = Exec;
  static constexpr int threads = Team::threads;
  static constexpr int subwarp_width = threads < widest ? threads : widest;
  static constexpr int subwarps = threads / subwarp_width;

  KOKKOS_FORCEINLINE_FUNCTION explicit WideTeam(const Team& team) : team_(team) {}
  KOKKOS_FORCEINLINE_FUNCTION backends::Subwarp<Exec, subwarp_width> subwarp() const { return {}; }
  KOKKOS_FORCEINLINE_FUNCTION int thread() const { return team_.thread(); }
  KOKKOS_FORCEINLINE_FUNCTION int subwarp_index() const { return thread() / subwarp_width; }
  KOKKOS_FORCEINLINE_FUNCTION void barrier() const { team_.barrier(); }

 private:
  const Team& team_;
};

/// Adds up the sums of all threads of the `teams` teams of a launch: the last team of a group adds
/// up the group, and the last of all the groups. The number of teams fixes the order.
template <class AnyTeam, Scalar Acc, int MostSubwarps>
KOKKOS_FORCEINLINE_FUNCTION void finish_dot(const AnyTeam& any,
                                            Scratch<Acc, 1, MostSubwarps>& scratch,
                                            const Dot<Acc>& dot, std::int64_t teams,
                                            Acc (&sum)[1]) {
  const WideTeam<AnyTeam> team(any);
  const std::int64_t group = any.index() / group_teams, first = group * group_teams;
  const auto groups = static_cast<int>(ceil_div<std::int64_t>(teams, group_teams));
  const auto here = static_cast<int>(teams - first < group_teams ? teams - first : group_teams);
  add_over_team(team, scratch, sum, 1);
  if (team.thread() == 0) dot.sums[any.index()] = sum[0];
  if (!is_last(team, scratch, dot.through + 1 + group, here)) return;
  add_over_teams(team, scratch, Partials<Acc>{dot.sums + first, nullptr, 1}, here, 0, 1, sum);
  if (groups > 1) {
    Acc* const of_groups = dot.sums + teams;
    if (team.thread() == 0) of_groups[group] = sum[0];
    if (!is_last(team, scratch, dot.through, groups)) return;
    add_over_teams(team, scratch, Partials<Acc>{of_groups, nullptr, 1}, groups, 0, 1, sum);
  }
  if (team.thread() == 0) *dot.result = sum[0];
}

/// finish_dot for a team of one thread.
template <class Team, Scalar Acc>
KOKKOS_FORCEINLINE_FUNCTION void finish_dot_of_thread(const Team& team, const Dot<Acc>& dot,
                                                      std::int64_t teams, Acc (&sum)[1]) {
  Scratch<Acc, 1, 1> scratch;
  finish_dot(team, scratch, dot, teams, sum);
}

/// The term of a row in the dot product.
template <Scalar V, Scalar Acc>
KOKKOS_FORCEINLINE_FUNCTION Acc dot_of_row(const Dot<Acc>& dot, const Multivector<const V>& x,
                                           const Multivector<V>& y, std::int64_t row) {
  const Acc right(y(row, 0));
  return conjugate(dot.with_itself ? right : Acc(x(row, 0))) * right;
}

/// The terms of rows [first, stop) on one thread, in four independent sums.
template <Scalar V, Scalar Acc>
KOKKOS_FORCEINLINE_FUNCTION Acc dot_of_rows(const Dot<Acc>& dot, const Multivector<const V>& x,
                                            const Multivector<V>& y, std::int64_t first,
                                            std::int64_t stop) {
  Acc sum[4] = {Acc(0), Acc(0), Acc(0), Acc(0)};
  std::int64_t row = first;
  for (; row + 4 <= stop; row += 4) {
    for (int i = 0; i < 4; ++i) sum[i] += dot_of_row(dot, x, y, row + i);
  }
  for (; row < stop; ++row) sum[0] += dot_of_row(dot, x, y, row);
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

/// A Kernel and the dot product of the rows that it stores. A team stores places
/// [first_place<Team>(team), first_place<Team>(team + 1)), up to the number of rows. The row of a
/// place is row_at(place) if the kernel has that function, else the place itself.
///
/// On a GPU a team of this kernel is one of the inner kernel's. On a CPU it is a thread, which runs
/// a contiguous share of the inner teams.
template <class Kernel, Scalar V, Scalar Acc>
struct DotKernel {
  struct Scratch {
    typename Kernel::Scratch kernel;
    team_sums::Scratch<Acc, 1, 16> sums;
  };

  Kernel kernel;
  Multivector<const V> x;
  Multivector<V> y;
  Dot<Acc> dot;
  std::int64_t inner_teams, teams;

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Team& team, Scratch& scratch) const {
    Acc sum[1] = {Acc(0)};
    if constexpr (backends::has_lanes<typename Team::execution_space>) {
      kernel(team, scratch.kernel);
      team.barrier();  // wait for y of all threads of the team
      const std::int64_t stop = first_row<Team>(team.index() + 1);
      for (std::int64_t p = first_row<Team>(team.index()) + team.thread(); p < stop;
           p += Team::threads) {
        sum[0] += dot_of_row(dot, x, y, row_at(p));
      }
    } else {
      constexpr std::int64_t block = 64;  // inner teams, whose rows of y stay in the L1 cache
      const std::int64_t end = inner_teams * (team.index() + 1) / teams;
      for (std::int64_t at = inner_teams * team.index() / teams; at < end;) {
        const std::int64_t until = at + block < end ? at + block : end;
        const std::int64_t first = first_row<Team>(at), stop = first_row<Team>(until);
        for (; at < until; ++at) kernel(Team(at), scratch.kernel);
        if constexpr (permutes) {
          for (std::int64_t p = first; p < stop; ++p) {
            sum[0] += dot_of_row(dot, x, y, row_at(p));
          }
        } else {
          sum[0] += dot_of_rows(dot, x, y, first, stop);
        }
      }
    }
    finish_dot(team, scratch.sums, dot, teams, sum);
  }

 private:
  static constexpr bool permutes = requires(const Kernel& k) { k.row_at(std::int64_t{0}); };

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t first_row(std::int64_t team) const {
    const std::int64_t place = kernel.template first_place<Team>(team);
    return place < y.rows ? place : y.rows;
  }
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t row_at(std::int64_t place) const {
    if constexpr (permutes) {
      return kernel.row_at(place);
    } else {
      return place;
    }
  }
};

/// Launches a kernel with its dot product; returns false, with nothing launched, if `dot` has no
/// room.
template <class LaunchShape, ExecutionSpace Exec, class Kernel, Scalar V, Scalar Acc>
bool launch_with_dot(const Exec& exec, const char* label, std::int64_t teams, const Kernel& kernel,
                     const Multivector<const V>& x, const Multivector<V>& y, const Dot<Acc>& dot,
                     backends::Simd simd = backends::Simd::none) {
  std::int64_t launched = teams;
  if constexpr (!backends::has_lanes<Exec>) {
    launched = std::min<std::int64_t>({teams, exec.concurrency(), dot.most_teams});
  }
  if (launched > dot.most_teams) return false;
  backends::launch_simd<LaunchShape>(
      exec, label, launched, DotKernel<Kernel, V, Acc>{kernel, x, y, dot, teams, launched}, simd);
  return true;
}

/// A kernel that does nothing, for a product that an earlier launch has computed.
struct NoProduct {
  using Scratch = backends::NoScratch;
  std::int64_t rows_per_team;

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Team&, Scratch&) const {}
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t first_place(std::int64_t team) const {
    return team * rows_per_team;
  }
};

/// Launches the dot product alone. It is zero for no rows.
template <ExecutionSpace Exec, Scalar V, Scalar Acc>
void launch_dot(const Exec& exec, const Multivector<const V>& x, const Multivector<V>& y,
                const Dot<Acc>& dot) {
  constexpr std::int64_t least_rows = 1024;
  constexpr int threads = backends::has_lanes<Exec> ? team_threads : 1;
  const std::int64_t most =
      std::min(dot.most_teams, std::max<std::int64_t>(1, exec.concurrency() / threads));
  const std::int64_t rows = std::max(least_rows, ceil_div(y.rows, most));
  using Shape = backends::Shape<backends::max_subwarp_width<Exec>, team_threads>;
  launch_with_dot<Shape>(exec, "heddle::spmv::dot",
                         std::max<std::int64_t>(1, ceil_div(y.rows, rows)), NoProduct{rows}, x, y,
                         dot, backends::best_simd());
}

}  // namespace heddle::detail::team_sums
