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
  const auto visits = zeros<int>(exec, teams);
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
    const auto places = zeros<std::int64_t>(exec, 4 * threads);
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
      const auto arrived = zeros<int>(exec, 1);
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
    const auto visits = zeros<int>(exec, threads);
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

using Shape = backends::Shape<1, 64>;

TEST_CASE("scratch is sized by what is taken from it") {
  CHECK(backends::scratch_bytes<char>(0) == 0);
  CHECK(backends::scratch_bytes<char>(1) == 16);
  CHECK(backends::scratch_bytes<char, double, int>(3, 2, 5) == 16 + 16 + 32);
}

// Each team fills its scratch with words of its own, and reads those of its other threads.
struct FillScratch {
  using Scratch = backends::DynamicScratch;
  int words;
  int* wrong;
  int* left;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team, Scratch& scratch) const {
    char* const odd = scratch.take<char>(3);
    int* const word = scratch.take<int>(words);
    double* const last = scratch.take<double>(1);
    bool right = reinterpret_cast<std::uintptr_t>(word) % backends::scratch_alignment_bytes == 0;
    for (int i = team.thread(); i < words; i += team.threads) word[i] = value(team, i);
    if (team.thread() == 0) odd[0] = odd[1] = odd[2] = 'x';
    if (team.thread() == team.threads - 1) *last = 0.5;
    team.barrier();
    for (int i = team.threads - 1 - team.thread(); i < words; i += team.threads) {
      right = right && word[i] == value(team, i);
    }
    if (!right || odd[2] != 'x' || *last != 0.5) Kokkos::atomic_inc(wrong);
    if (team.thread() == 0) left[team.index()] = static_cast<int>(scratch.bytes());
  }

  template <class Team>
  KOKKOS_FUNCTION static int value(const Team& team, int i) {
    return static_cast<int>(team.index()) * 1000003 + i;
  }
};

struct IgnoreScratch {
  using Scratch = backends::DynamicScratch;
  int* teams;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team, Scratch& scratch) const {
    if (team.thread() == 0 && scratch.bytes() == 0) Kokkos::atomic_inc(teams);
  }
};

TEST_CASE_TEMPLATE_DEFINE("a launch sizes scratch, in order too", Type, sizes) {
  using Exec = typename Type::Exec;
  const Exec exec;
  const std::size_t most = backends::describe(exec).scratch_bytes;
  const int teams = 300;
  const auto next = zeros<std::uint32_t>(exec, 1);
  for (const std::size_t wanted : {std::size_t{64}, std::size_t{4096}, std::size_t{30000},
                                   std::size_t{49152}, std::size_t{60000}, most, most / 2}) {
    if (wanted > most) continue;
    CAPTURE(wanted);
    const int words = static_cast<int>((wanted - 48) / sizeof(int)) / 4 * 4;
    const std::size_t bytes = backends::scratch_bytes<char, int, double>(3, words, 1);
    REQUIRE(bytes <= wanted);
    for (const bool by_ticket : {false, true}) {
      CAPTURE(by_ticket);
      const auto wrong = zeros<int>(exec, 1);
      const auto left = to_device(exec, std::vector<int>(teams, -1));
      const FillScratch kernel{words, wrong.data(), left.data()};
      if (by_ticket) {
        backends::launch_by_ticket<Shape>(exec, "heddle::test::fill_scratch_in_order", teams,
                                          kernel, backends::Tickets{next.data()}, wanted);
      } else {
        backends::launch<Shape>(exec, "heddle::test::fill_scratch", teams, kernel, wanted);
      }
      CHECK(to_host(exec, wrong)[0] == 0);
      const auto bytes_left = to_host(exec, left);
      CHECK(std::count(bytes_left.begin(), bytes_left.end(), static_cast<int>(wanted - bytes)) ==
            teams);
    }
    CHECK(backends::resident_teams<Shape, FillScratch>(exec, wanted) >= 1);
  }
}
TEST_CASE_TEMPLATE_APPLY(sizes, Everywhere);

TEST_CASE_TEMPLATE_DEFINE("too much scratch is refused, and nothing runs; none may be asked for",
                          Type, too_much) {
  using Exec = typename Type::Exec;
  const Exec exec;
  const std::size_t most = backends::describe(exec).scratch_bytes;
  const auto teams = zeros<int>(exec, 1);
  const IgnoreScratch kernel{teams.data()};
  std::string message;
  try {
    backends::launch<Shape>(exec, "heddle::test::too_much", 50, kernel, most + 1);
  } catch (const Error& error) {
    message = error.what();
  }
  CHECK(message.find("heddle::test::too_much asks for " + std::to_string(most + 1) + " bytes") !=
        std::string::npos);
  CHECK(to_host(exec, teams)[0] == 0);
  backends::launch<Shape>(exec, "heddle::test::no_scratch", 50, kernel, 0);
  CHECK(to_host(exec, teams)[0] == 50);
}
TEST_CASE_TEMPLATE_APPLY(too_much, Everywhere);

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
  const auto next = zeros<std::uint32_t>(exec, 1);
  const backends::Tickets tickets{next.data()};
  for (const int teams : {1, 2, 777, 70000}) {
    const auto visits = zeros<int>(exec, teams);
    const auto differ = zeros<int>(exec, 1);
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
  const auto visits = zeros<int>(exec, 777);
  const auto differ = zeros<int>(exec, 1);
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
    const auto next = zeros<std::uint32_t>(exec, 1);
    for (const bool by_ticket : {false, true}) {
      const auto sums = zeros<std::int64_t>(exec, teams);
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
    const auto next = zeros<std::uint32_t>(a, 2);
    const Watchdog watchdog("one of two launches that run at once");
    for (int round = 0; round < 20; ++round) {
      const auto sums_a = zeros<std::int64_t>(a, teams);
      const auto sums_b = zeros<std::int64_t>(b, teams);
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
