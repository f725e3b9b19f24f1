// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The clock that the threads of a device share: no later read, by any thread, is earlier.
#include <doctest/doctest.h>

#include "../../backends/clock.hpp"
#include "../../backends/mailbox.hpp"
#include "lanes.hpp"

namespace heddle::test {

using Everywhere = Every<std::tuple<double>, UsualIndices>;

/// Each team waits for the team before it.
struct ReadInTurns {
  using Scratch = backends::NoScratch;
  backends::Mailbox<double, 1> mail;
  std::int64_t* read;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team, Scratch&) const {
    if (team.thread() != 0) return;
    const std::int64_t turn = team.index();
    if (turn > 0) mail.collect(turn - 1, 0);
    read[turn] = backends::clock_ticks();
    mail.post(turn, 0, 1);
  }
};

TEST_CASE_TEMPLATE_DEFINE("a clock", Type, clocks) {
  using Exec = typename Type::Exec;
  const Exec exec;
  CHECK(backends::tick_nanoseconds(exec) > 0);
  CHECK(backends::tick_nanoseconds(exec) < 1e6);
  constexpr std::size_t turns = 10000;
  const auto read = to_device(exec, std::vector<std::int64_t>(turns, -1));
  const auto words = to_device(exec, std::vector<double>(turns));
  const backends::Mailbox<double, 1> mail{words.data()};
  Kokkos::parallel_for(
      "heddle::test::clear", Kokkos::RangePolicy<KokkosSpace<Exec>>(kokkos_space(exec), 0, turns),
      KOKKOS_LAMBDA(std::int64_t i) { mail.clear(i); });
  const auto next = to_device(exec, std::vector<std::uint32_t>(1));
  backends::launch_by_ticket<backends::Shape<1, 64>>(exec, "heddle::test::read_in_turns", turns,
                                                     ReadInTurns{mail, read.data()},
                                                     backends::Tickets{next.data()});
  const auto stamps = to_host(exec, read);
  for (std::size_t i = 1; i < turns; ++i) REQUIRE(stamps[i - 1] <= stamps[i]);
  CHECK(stamps.front() < stamps.back());
}
TEST_CASE_TEMPLATE_APPLY(clocks, Everywhere);

}  // namespace heddle::test
