// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <string>

#include "../../backends/device.hpp"
#include "../../backends/gpu/check_launch.hpp"
#include "../../backends/launch.hpp"
#include "../../backends/memory.hpp"
#include "../support/watchdog.hpp"
#include "lanes.hpp"

namespace heddle::test {

using Everywhere = Every<std::tuple<double>, UsualIndices, AllBackends>;

template <class Exec>
using Widest = backends::Shape<backends::max_subwarp_width<Exec>, 128>;

struct CountVisits {
  using Scratch = backends::NoScratch;
  int* visits;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team, Scratch&) const {
    Kokkos::atomic_inc(visits + team.index() * team.threads + team.thread());
  }
};

template <class Shape, class Exec>
void check_visits(const Exec& exec, std::int64_t teams) {
  CAPTURE(teams);
  const std::int64_t threads = teams * backends::Team<Exec, Shape>::threads;
  const Kokkos::View<int*, KokkosSpace<Exec>> visits("heddle::test::visits", threads);
  backends::launch<Shape>(exec, "heddle::test::count_visits", teams, CountVisits{visits.data()});
  const auto counts = to_host(exec, visits);
  CHECK(std::count(counts.begin(), counts.end(), 1) == threads);
}

TEST_CASE_TEMPLATE_DEFINE("every thread of every team runs once", Type, visits) {
  using Exec = typename Type::Exec;
  const Exec exec;
  for (const int teams : {0, 1, 2, 3, 1000, emulated ? 1025 : 65537}) {
    check_visits<backends::Shape<1>>(exec, teams);
    check_visits<Widest<Exec>>(exec, teams);
  }
  check_visits<backends::Shape<1, 64, 8>>(exec, 100);
  check_visits<backends::Shape<1, 1024>>(exec, 100);
}
TEST_CASE_TEMPLATE_APPLY(visits, Everywhere);

// A space that Heddle does not know may be a GPU: it must not be treated as a CPU.
struct Unknown : Kokkos::DefaultExecutionSpace {};
static_assert(ExecutionSpace<Unknown>);
static_assert(std::same_as<backends::Tag<Unknown>, backends::Portable>);
static_assert(!backends::waits_make_progress<Unknown>);

TEST_CASE("a space that nobody knows is launched on through Kokkos") {
  const Unknown exec;
  CHECK(backends::describe(exec).backend == BackendKind::portable);
  for (const int teams : {0, 1, 1000}) {
    check_visits<backends::Shape<1>>(exec, teams);
    check_visits<backends::Shape<8, 128>>(exec, teams);
  }
}

// One number a team, so that more teams than a grid holds fit in memory.
struct CountTeams {
  struct Scratch {
    int value;
  };
  int* visits;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team, Scratch& scratch) const {
    if (team.thread() == team.threads - 1) scratch.value = static_cast<int>(team.index() % 1000);
    team.barrier();
    if (team.thread() == 0) visits[team.index()] += 1 + scratch.value;
  }
};

TEST_CASE_TEMPLATE_DEFINE("a launch may be longer than a grid", Type, long_launch) {
  using Exec = typename Type::Exec;
  const Exec exec;
  const std::int64_t teams = emulated ? 12345 : (std::int64_t{1} << 24) + 12345;
  const Kokkos::View<int*, KokkosSpace<Exec>> visits("heddle::test::visits", teams);
  backends::launch<backends::Shape<1, 128>>(exec, "heddle::test::count_teams", teams,
                                            CountTeams{visits.data()});
  const auto counts = to_host(exec, visits);
  std::int64_t right = 0;
  for (; right < teams; ++right) {
    if (counts[right] != 1 + right % 1000) break;
  }
  CHECK(right == teams);
}
TEST_CASE_TEMPLATE_APPLY(long_launch, Everywhere);

// Each thread writes its index, thread, subwarp and lane.
struct Whereabouts {
  using Scratch = backends::NoScratch;
  std::int64_t* places;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team, Scratch&) const {
    std::int64_t* const mine = places + 4 * (team.index() * team.threads + team.thread());
    mine[0] = team.index();
    mine[1] = team.thread();
    mine[2] = team.subwarp_index();
    mine[3] = team.subwarp().lane();
  }
};

TEST_CASE_TEMPLATE_DEFINE("threads know their place", Type, whereabouts) {
  using Exec = typename Type::Exec;
  const Exec exec;
  for_each_width<Exec>([&](auto width) {
    constexpr int W = decltype(width)::value;
    using Shape = backends::Shape<W, 256>;
    using Team = backends::Team<Exec, Shape>;
    CAPTURE(W);
    CHECK(Team::subwarp_width == W);
    CHECK(Team::threads == (backends::has_lanes<Exec> ? 256 : 1));
    CHECK(Team::subwarps * W == Team::threads);
    const int threads = 9 * Team::threads;
    const Kokkos::View<std::int64_t*, KokkosSpace<Exec>> places("heddle::test::places",
                                                                4 * threads);
    backends::launch<Shape>(exec, "heddle::test::whereabouts", 9, Whereabouts{places.data()});
    const auto found = to_host(exec, places);
    int right = 0;
    for (; right < threads; ++right) {
      const int thread = right % Team::threads;
      const std::int64_t* const one = found.data() + 4 * right;
      if (one[0] != right / Team::threads || one[1] != thread || one[2] != thread / W ||
          one[3] != thread % W) {
        break;
      }
    }
    CHECK(right == threads);
  });
}
TEST_CASE_TEMPLATE_APPLY(whereabouts, Everywhere);

// The threads of a team reverse their numbers through scratch, several times.
struct Reverse {
  struct Scratch {
    double value[256];
  };
  double* values;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team, Scratch& scratch) const {
    double& mine = values[team.index() * team.threads + team.thread()];
    double value = mine;
    for (int turn = 0; turn < 5; ++turn) {
      scratch.value[team.thread()] = value;
      team.barrier();
      value = scratch.value[team.threads - 1 - team.thread()] + 1;
      team.barrier();
    }
    mine = value;
  }
};

TEST_CASE_TEMPLATE_DEFINE("a team shares scratch, and nobody else does", Type, scratch) {
  using Exec = typename Type::Exec;
  using Shape = backends::Shape<1, 256>;
  const Exec exec;
  const int teams = 2000;
  constexpr int threads = backends::Team<Exec, Shape>::threads;
  std::vector<double> values(teams * threads);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i);
  const auto there = to_device(exec, values);
  backends::launch<Shape>(exec, "heddle::test::reverse", teams, Reverse{there.data()});
  const auto results = to_host(exec, there);
  bool right = true;
  for (int i = 0; i < teams * threads; ++i) {
    const int mirrored = i / threads * threads + threads - 1 - i % threads;
    right = right && results[i] == values[mirrored] + 5;
  }
  CHECK(right);
}
TEST_CASE_TEMPLATE_APPLY(scratch, Everywhere);

// No team ends before all have begun.
struct MeetAll {
  struct Scratch {
    double ballast[512];  // makes scratch limit the number of resident teams
  };
  int* arrived;
  int teams;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team, Scratch& scratch) const {
    scratch.ballast[team.thread()] = 1;
    team.barrier();
    if (team.thread() != 0) return;
    const int before = backends::arrive(arrived);
    if (before < 0 || scratch.ballast[team.threads - 1] != 1) return;
    const int all = teams;
    backends::await(arrived, [=](int count) { return count >= all; });
  }
};

TEST_CASE_TEMPLATE_DEFINE("resident teams can all wait for each other", Type, resident) {
  using Exec = typename Type::Exec;
  const Exec exec;
  const auto meet = [&](auto shape) {
    using Shape = decltype(shape);
    const int teams = backends::resident_teams<Shape, MeetAll>(exec);
    CAPTURE(teams);
    REQUIRE(teams >= 1);
    for (int repetition = 0; repetition < 10; ++repetition) {
      const Kokkos::View<int*, KokkosSpace<Exec>> arrived("heddle::test::arrived", 1);
      const Watchdog watchdog("a team among those that should be resident together");
      backends::launch<Shape>(exec, "heddle::test::meet", teams, MeetAll{arrived.data(), teams});
      CHECK(to_host(exec, arrived)[0] == teams);
    }
  };
  meet(backends::Shape<1, 64>());
  meet(backends::Shape<1, 256>());
  meet(backends::Shape<1, 512, 2>());
}
TEST_CASE_TEMPLATE_APPLY(resident, Everywhere);

// A launch as Kokkos Tools see it.
struct Seen {
  std::string label;
  std::uint32_t device = 0;
  int begun = 0, ended = 0;
  std::uint64_t open = 0;
};
Seen seen;

TEST_CASE_TEMPLATE_DEFINE("tools see the label and the instance of a launch", Type, tools) {
  namespace Tools = Kokkos::Tools::Experimental;
  using Exec = typename Type::Exec;
  const auto instances = Kokkos::Experimental::partition_space(KokkosSpace<Exec>(), 1, 1);
  for (const auto& instance : instances) {
    const Exec exec(instance);
    const int threads = 5 * backends::Team<Exec, backends::Shape<1>>::threads;
    const Kokkos::View<int*, KokkosSpace<Exec>> visits("heddle::test::visits", threads);
    const auto before = Tools::get_callbacks();
    seen = {};
    Tools::set_begin_parallel_for_callback(
        [](const char* label, const std::uint32_t device, std::uint64_t* kernel) {
          seen.label = label;
          seen.device = device;
          *kernel = seen.open = 77;
          ++seen.begun;
        });
    Tools::set_end_parallel_for_callback(
        [](const std::uint64_t kernel) { seen.ended += kernel == seen.open; });
    backends::launch<backends::Shape<1>>(exec, "heddle::test::seen", 5, CountVisits{visits.data()});
    backends::launch<backends::Shape<1>>(exec, "heddle::test::none", 0, CountVisits{visits.data()});
    Tools::set_callbacks(before);
    CHECK(seen.label == "heddle::test::seen");
    CHECK(seen.device == Tools::device_id(kokkos_space(exec)));
    CHECK(seen.begun == 1);
    CHECK(seen.ended == 1);
    exec.fence("heddle::test::seen");
    const auto counts = to_host(exec, visits);
    CHECK(std::count(counts.begin(), counts.end(), 1) == threads);
  }
}
TEST_CASE_TEMPLATE_APPLY(tools, Everywhere);

// The test needs no GPU: a GPU's runtime reports one string or none.
TEST_CASE("a launch that a GPU's runtime refuses is an Error with its words") {
  CHECK_NOTHROW(backends::check_launch("heddle::test::fine", nullptr));
  CHECK_THROWS_WITH_AS(backends::check_launch("heddle::test::refused", "invalid argument"),
                       doctest::Contains("the device refused to launch heddle::test::refused: "
                                         "invalid argument"),
                       Error);
}

}  // namespace heddle::test
