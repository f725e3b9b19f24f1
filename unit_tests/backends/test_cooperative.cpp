// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Cooperative launches: numbers of the teams, their barrier, and refusals.
#include <doctest/doctest.h>

#include <limits>

#include "../../backends/cooperative.hpp"
#include "../support/watchdog.hpp"
#include "lanes.hpp"

namespace heddle::test {

namespace {

using Everywhere = Every<std::tuple<double>, UsualIndices, AllBackends>;
using Shape = backends::Shape<32, 128>;

/// In every round each thread writes a number that a thread of the next team reads after the
/// barrier. A number of another round makes the count wrong.
struct PassAround {
  using Scratch = backends::NoScratch;
  int rounds;
  int* memory;  ///< two numbers for each thread
  int* wrong;
  int* teams;

  template <class All>
  KOKKOS_FUNCTION void operator()(const All& all, Scratch&) const {
    const auto& team = all.team();
    const int threads = std::decay_t<decltype(team)>::threads, everybody = all.teams() * threads;
    const int me = static_cast<int>(team.index()) * threads + team.thread();
    if (me == 0) *teams = all.teams();
    for (int round = 0; round < rounds; ++round) {
      int* const written = memory + round % 2 * everybody;
      written[me] = round + 3 * me;
      all.barrier();
      const int other = (me + threads) % everybody;
      if (written[other] != round + 3 * other) Kokkos::atomic_inc(wrong);
    }
  }
};

}  // namespace

TEST_CASE_TEMPLATE_DEFINE("all teams wait for each other, and see what each wrote", Type, meet) {
  using Exec = typename Type::Exec;
  using Space = KokkosSpace<Exec>;
  const Exec exec;
  const int most = backends::most_cooperative_teams<Shape, PassAround>(exec);
  CHECK((most > 0) == backends::has_cooperative<Exec>);
  const int rounds = emulated ? 6 : 200;
  const int threads = backends::Team<Exec, Shape>::threads;
  const Kokkos::View<int*, Space> memory("heddle::test::memory",
                                         static_cast<std::size_t>(2 * most * threads));
  const Kokkos::View<int*, Space> words("heddle::test::words", 2),
      counts("heddle::test::counts", 2);
  const backends::MeetingWords meeting{words.data(), words.data() + 1};
  Watchdog watchdog("a barrier of all teams");
  // One set of barrier words serves several launches, also with other numbers of teams.
  for (const int teams : {most, 1, most / 2, 0, most}) {
    if (teams > most) continue;  // through Portable
    CAPTURE(teams);
    Kokkos::deep_copy(memory, -1);
    Kokkos::deep_copy(counts, 0);
    const PassAround kernel{rounds, memory.data(), counts.data(), counts.data() + 1};
    backends::launch_cooperative<Shape>(exec, "heddle::test::pass_around", teams, kernel, meeting);
    exec.fence("heddle::test::passed");
    const auto host = to_host(exec, counts);
    CHECK(host[0] == 0);
    CHECK(host[1] <= teams);  // a CPU may grant fewer
    CHECK((host[1] > 0) == (teams > 0));
  }
  // The barrier's counter may wrap around; a sanitizer sees the overflow.
  if (most > 0) {
    Kokkos::deep_copy(words, 0);
    Kokkos::deep_copy(Kokkos::subview(words, 1), std::numeric_limits<int>::max() - 1);
    Kokkos::deep_copy(counts, 0);
    const PassAround kernel{4, memory.data(), counts.data(), counts.data() + 1};
    backends::launch_cooperative<Shape>(exec, "heddle::test::pass_around", most, kernel, meeting);
    exec.fence("heddle::test::passed");
    CHECK(to_host(exec, counts)[0] == 0);
    CHECK(to_host(exec, words)[1] == std::numeric_limits<int>::min() + 2);
  }
  const PassAround kernel{rounds, memory.data(), counts.data(), counts.data() + 1};
  CHECK_THROWS_WITH_AS(backends::launch_cooperative<Shape>(exec, "heddle::test::pass_around",
                                                           most + 1, kernel, meeting),
                       doctest::Contains("teams at the same time, and this device runs"), Error);
}
TEST_CASE_TEMPLATE_APPLY(meet, Everywhere);

}  // namespace heddle::test
