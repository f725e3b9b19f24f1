// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>

#include "../../backends/launch.hpp"
#include "../support/watchdog.hpp"
#include "lanes.hpp"

namespace heddle::test {

using Everywhere = Every<std::tuple<double>, UsualIndices, AllBackends>;
using Shape = backends::Shape<1, 64>;

// Every team adds one at its index. All threads of a team must see the same index.
struct CountIndices {
  struct Scratch {
    std::int64_t index;
  };
  int* visits;
  int* differ;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team, Scratch& scratch) const {
    if (team.thread() == team.threads - 1) {
      scratch.index = team.index();
      Kokkos::atomic_inc(visits + team.index());
    }
    team.barrier();
    if (scratch.index != team.index()) Kokkos::atomic_inc(differ);
  }
};

TEST_CASE_TEMPLATE_DEFINE("every index is handed out once, launch after launch", Type, indices) {
  using Exec = typename Type::Exec;
  const Exec exec;
  const auto next = to_device(exec, std::vector<std::uint32_t>(1));
  const backends::Tickets tickets{next.data()};
  for (const int teams : {1, 2, 777, 70000}) {
    const auto visits = to_device(exec, std::vector<int>(teams));
    const auto differ = to_device(exec, std::vector<int>(1));
    const CountIndices kernel{visits.data(), differ.data()};
    for (int launch = 0; launch < 3; ++launch) {
      backends::launch_by_ticket<Shape>(exec, "heddle::test::by_ticket", teams, kernel, tickets);
      backends::launch_in_order<Shape>(exec, "heddle::test::in_order", teams, kernel, tickets);
    }
    const auto counts = to_host(exec, visits);
    CHECK(std::count(counts.begin(), counts.end(), 6) == teams);
    CHECK(to_host(exec, differ)[0] == 0);
    CHECK(to_host(exec, next)[0] == 0);
  }
  const auto visits = to_device(exec, std::vector<int>(777));
  const auto differ = to_device(exec, std::vector<int>(1));
  backends::launch_by_ticket<Shape>(exec, "heddle::test::few_resident", 777,
                                    CountIndices{visits.data(), differ.data()}, tickets, 0,
                                    backends::Residency{4});
  const auto counts = to_host(exec, visits);
  CHECK(std::count(counts.begin(), counts.end(), 1) == 777);
  backends::launch_in_order<Shape>(exec, "heddle::test::none", 0, CountIndices{}, tickets);
  CHECK(to_host(exec, next)[0] == 0);
}
TEST_CASE_TEMPLATE_APPLY(indices, Everywhere);

TEST_CASE_TEMPLATE_DEFINE("a launch may say how many warps are resident", Type, residency) {
  using Exec = typename Type::Exec;
  const Exec exec;
  CHECK(backends::scratch_of<Shape>(exec, {}) == 0);
  if constexpr (backends::has_lanes<Exec>) {
    using Narrow = backends::Shape<1, backends::max_subwarp_width<Exec>>;
    const auto share = [&](int warps) {
      return backends::scratch_of<Narrow>(exec, backends::Residency{warps});
    };
    const std::size_t all = backends::max_scratch_bytes(exec);
    for (const std::size_t warps : {1, 4, 16}) {
      CHECK(share(static_cast<int>(warps)) * warps <= all);
      CHECK(share(static_cast<int>(warps)) * (warps + 1) > all);
    }
  } else {
    CHECK(backends::scratch_of<Shape>(exec, backends::Residency{1}) == 0);
  }
}
TEST_CASE_TEMPLATE_APPLY(residency, Everywhere);

// Each team waits for all four before it.
struct WaitForFour {
  using Scratch = backends::NoScratch;
  std::int64_t* sums;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team, Scratch&) const {
    if (team.thread() != 0) return;
    const std::int64_t first = team.index() < 4 ? 0 : team.index() - 4;
    std::int64_t sum = 1;
    for (std::int64_t before = first; before < team.index(); ++before) {
      sum += backends::collect(sums + before, [](std::int64_t seen) { return seen != 0; }) % 1000;
    }
    backends::post(sums + team.index(), sum);
  }
};

std::vector<std::int64_t> sums_of_four(int teams) {
  std::vector<std::int64_t> sums(teams);
  for (int team = 0; team < teams; ++team) {
    sums[team] = 1;
    for (int before = std::max(0, team - 4); before < team; ++before) {
      sums[team] += sums[before] % 1000;
    }
  }
  return sums;
}

TEST_CASE_TEMPLATE_DEFINE("a wait for earlier teams ends, however many there are", Type, waits) {
  using Exec = typename Type::Exec;
  if constexpr (backends::waits_make_progress<Exec>) {
    const Exec exec;
    const int teams = 50000;
    const auto expected = sums_of_four(teams);
    const auto next = to_device(exec, std::vector<std::uint32_t>(1));
    for (const bool by_ticket : {false, true}) {
      const auto sums = to_device(exec, std::vector<std::int64_t>(teams));
      const Watchdog watchdog("a team that waits for the four before it");
      const WaitForFour kernel{sums.data()};
      const backends::Tickets tickets{next.data()};
      if (by_ticket) {
        backends::launch_by_ticket<Shape>(exec, "heddle::test::wait", teams, kernel, tickets);
      } else {
        backends::launch_in_order<Shape>(exec, "heddle::test::wait", teams, kernel, tickets);
      }
      CHECK(to_host(exec, sums) == expected);
    }
  }
}
TEST_CASE_TEMPLATE_APPLY(waits, Everywhere);

TEST_CASE_TEMPLATE_DEFINE("launches on two instances do not share tickets", Type, instances) {
  using Exec = typename Type::Exec;
  if constexpr (backends::waits_make_progress<Exec>) {
    const auto parts = Kokkos::Experimental::partition_space(Exec(), 1, 1);
    const Exec a = parts[0], b = parts[1];
    const int teams = 3000;
    const auto expected = sums_of_four(teams);
    const auto next = to_device(a, std::vector<std::uint32_t>(2));
    const Watchdog watchdog("one of two launches that run at once");
    for (int round = 0; round < 20; ++round) {
      const auto sums_a = to_device(a, std::vector<std::int64_t>(teams));
      const auto sums_b = to_device(b, std::vector<std::int64_t>(teams));
      backends::launch_by_ticket<Shape>(a, "heddle::test::wait_a", teams,
                                        WaitForFour{sums_a.data()}, backends::Tickets{next.data()});
      backends::launch_by_ticket<Shape>(b, "heddle::test::wait_b", teams,
                                        WaitForFour{sums_b.data()},
                                        backends::Tickets{next.data() + 1});
      CHECK(to_host(a, sums_a) == expected);
      CHECK(to_host(b, sums_b) == expected);
    }
  }
}
TEST_CASE_TEMPLATE_APPLY(instances, Everywhere);

// A parallel region inside another gets one thread, whatever number it requests.
template <class Exec>
struct LaunchInside {
  using Scratch = backends::NoScratch;
  std::int64_t* sums;
  int teams;

  template <class Team>
  void operator()(const Team& team, Scratch&) const {
    backends::launch_in_order<Shape>(Exec(), "heddle::test::inside", teams,
                                     WaitForFour{sums + team.index() * teams}, {});
  }
};

TEST_CASE_TEMPLATE_DEFINE("waits end where fewer threads are granted than asked for", Type, few) {
  using Exec = typename Type::Exec;
  const Exec exec;
  const int teams = 300;
  const auto expected = sums_of_four(teams);
  std::vector<std::int64_t> sums(2 * teams);
  const Watchdog watchdog("a launch inside another one");
  backends::launch<Shape>(exec, "heddle::test::outside", 2, LaunchInside<Exec>{sums.data(), teams});
  CHECK(std::equal(expected.begin(), expected.end(), sums.begin()));
  CHECK(std::equal(expected.begin(), expected.end(), sums.begin() + teams));
}
TEST_CASE_TEMPLATE_APPLY(few, Every<std::tuple<double>, UsualIndices, NestingBackends>);

TEST_CASE("more teams than have tickets are refused, and no fewer") {
  const auto check = [](std::int64_t teams) {
    backends::check_teams_in_order(teams, "a triangle of 9 rows", "merge rows");
  };
  CHECK_NOTHROW(check(0));
  CHECK_NOTHROW(check((std::int64_t{1} << 31) - 1));
  CHECK_THROWS_WITH_AS(check(std::int64_t{1} << 31),
                       "heddle: a triangle of 9 rows needs 2147483648 teams, more than the "
                       "2147483647 that can wait for each other; merge rows",
                       Error);
}

}  // namespace heddle::test
