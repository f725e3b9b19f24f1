// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>

#include "../../backends/memory.hpp"
#include "../support/watchdog.hpp"
#include "lanes.hpp"

namespace heddle::test {

using Everywhere = Every<std::tuple<double>, UsualIndices, AllBackends>;
using EveryWord = Every<std::tuple<int, std::int64_t, float, double>, UsualIndices, AllBackends>;

using Shape = backends::Shape<1, 128>;

// Each thread waits for the thread of its number in the team before, reads its words, and writes
// words for the next team: a chain of `payload` plain words that one published word guards.
template <class T>
struct Relay {
  using Scratch = backends::NoScratch;
  static constexpr int payload = 5;
  T* flags;
  std::int64_t* words;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team, Scratch&) const {
    const std::int64_t place = team.index() * team.threads + team.thread();
    std::int64_t* const mine = words + place * payload;
    if (team.index() > 0) {
      const std::int64_t before = place - team.threads;
      const T turn = static_cast<T>(team.index());
      const T seen = backends::await(flags + before, [=](T flag) { return flag == turn; });
      for (int i = 0; i < payload; ++i) {
        mine[i] = words[before * payload + i] + static_cast<std::int64_t>(seen) * (i + 1);
      }
    } else {
      for (int i = 0; i < payload; ++i) mine[i] = i;
    }
    backends::publish(flags + place, static_cast<T>(team.index() + 1));
  }
};

TEST_CASE_TEMPLATE_DEFINE("what was written before publish is seen after await", Type, relay) {
  using Exec = typename Type::Exec;
  using T = typename Type::Scalar;
  const Exec exec;
  const int teams = std::min(backends::resident_teams<Shape, Relay<T>>(exec), 200);
  const int threads = backends::Team<Exec, Shape>::threads;
  for (int repetition = 0; repetition < 20; ++repetition) {
    const auto flags = zeros<T>(exec, teams * threads);
    const auto words = zeros<std::int64_t>(exec, teams * threads * Relay<T>::payload);
    {
      const Watchdog watchdog("the relay");
      backends::launch<Shape>(exec, "heddle::test::relay", teams,
                              Relay<T>{flags.data(), words.data()});
      exec.fence("heddle::test::relay");
    }
    const auto results = to_host(exec, words);
    int right = 0;
    for (; right < int(results.size()); ++right) {
      const int i = right % Relay<T>::payload;
      const std::int64_t team = right / Relay<T>::payload / threads;
      if (results[right] != i + team * (team + 1) / 2 * (i + 1)) break;
    }
    CHECK(right == int(results.size()));
  }
}
TEST_CASE_TEMPLATE_APPLY(relay, EveryWord);

// The first team counts up; the others wait for a number, and may see only later ones.
template <class T>
struct CountUp {
  using Scratch = backends::NoScratch;
  static constexpr int last = 40;
  T* counter;
  T* seen;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team, Scratch&) const {
    if (team.thread() != 0) return;
    if (team.index() == 0) {
      for (int i = 1; i <= last; ++i) backends::publish(counter, static_cast<T>(i));
    } else {
      const T enough = static_cast<T>(team.index() % last + 1);
      seen[team.index()] = backends::await(counter, [=](T value) { return value >= enough; });
    }
  }
};

TEST_CASE_TEMPLATE_DEFINE("await returns the value that it waited for", Type, await_value) {
  using Exec = typename Type::Exec;
  using T = typename Type::Scalar;
  const Exec exec;
  const int teams = std::min(backends::resident_teams<Shape, CountUp<T>>(exec), 200);
  const auto counter = zeros<T>(exec, 1);
  const auto seen = zeros<T>(exec, teams);
  const Watchdog watchdog("a team that awaits a count");
  backends::launch<Shape>(exec, "heddle::test::count_up", teams,
                          CountUp<T>{counter.data(), seen.data()});
  const auto values = to_host(exec, seen);
  for (int team = 1; team < teams; ++team) {
    CHECK(values[team] >= T(team % CountUp<T>::last + 1));
    CHECK(values[team] <= T(CountUp<T>::last));
  }
  CHECK(to_host(exec, counter)[0] == T(CountUp<T>::last));
}
TEST_CASE_TEMPLATE_APPLY(await_value, EveryWord);

struct SelfAcquire {
  using Scratch = backends::NoScratch;
  double* values;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team, Scratch&) const {
    double* const mine = values + 2 * (team.index() * team.threads + team.thread());
    backends::publish(mine, static_cast<double>(team.index()) + 0.5);
    mine[1] = backends::acquire(mine);
  }
};

TEST_CASE_TEMPLATE_DEFINE("acquire reads what was published", Type, acquire) {
  using Exec = typename Type::Exec;
  const Exec exec;
  constexpr int threads = backends::Team<Exec, Shape>::threads;
  const auto values = zeros<double>(exec, 2 * 300 * threads);
  backends::launch<Shape>(exec, "heddle::test::acquire", 300, SelfAcquire{values.data()});
  const auto results = to_host(exec, values);
  bool right = true;
  for (int i = 0; i < 300 * threads; ++i) right = right && results[2 * i + 1] == i / threads + 0.5;
  CHECK(right);
}
TEST_CASE_TEMPLATE_APPLY(acquire, Everywhere);

// A running sum through many more teams than are resident: posted values alone carry it.
template <class T>
struct RunningSum {
  using Scratch = backends::NoScratch;
  T* sums;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team, Scratch&) const {
    const std::int64_t place = team.index() * team.threads + team.thread();
    T sum(1);
    if (team.index() > 0) {
      sum += backends::collect(sums + place - team.threads, [](T value) { return value != T(0); });
    }
    backends::post(sums + place, sum);
  }
};

TEST_CASE_TEMPLATE_DEFINE("teams may collect what lower teams post", Type, running_sum) {
  using Exec = typename Type::Exec;
  using T = typename Type::Scalar;
  const Exec exec;
  if (!backends::waits_make_progress<Exec>) return;
  const int teams = 10000;
  constexpr int threads = backends::Team<Exec, Shape>::threads;
  const auto sums = zeros<T>(exec, teams * threads);
  const Watchdog watchdog("a team that collects from the team before");
  const Kokkos::View<std::uint32_t, KokkosSpace<Exec>> next("heddle::test::next");
  backends::launch_in_order<Shape>(exec, "heddle::test::running_sum", teams,
                                   RunningSum<T>{sums.data()}, backends::Tickets{next.data()});
  const auto results = to_host(exec, sums);
  int right = 0;
  while (right < teams * threads && results[right] == T(right / threads + 1)) ++right;
  CHECK(right == teams * threads);
}
TEST_CASE_TEMPLATE_APPLY(running_sum, EveryWord);

// The last thread to arrive adds up the words of all.
struct LastAddsUp {
  using Scratch = backends::NoScratch;
  int* counter;
  int* places;
  std::int64_t* parts;
  std::int64_t* total;
  int threads_in_all;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team, Scratch&) const {
    const std::int64_t place = team.index() * team.threads + team.thread();
    parts[place] = 3 * place + 1;
    const int before = backends::arrive(counter);
    places[place] = before;
    if (before == threads_in_all - 1) {
      backends::fence();
      std::int64_t sum = 0;
      for (int i = 0; i < threads_in_all; ++i) sum += parts[i];
      *total = sum;
    }
  }
};

TEST_CASE_TEMPLATE_DEFINE("the last to arrive sees what all wrote", Type, arrive) {
  using Exec = typename Type::Exec;
  const Exec exec;
  const int teams = 700;
  const int threads = teams * backends::Team<Exec, Shape>::threads;
  for (int repetition = 0; repetition < 5; ++repetition) {
    const auto counter = zeros<int>(exec, 1);
    const auto places = zeros<int>(exec, threads);
    const auto parts = zeros<std::int64_t>(exec, threads);
    const auto total = zeros<std::int64_t>(exec, 1);
    backends::launch<Shape>(
        exec, "heddle::test::arrive", teams,
        LastAddsUp{counter.data(), places.data(), parts.data(), total.data(), threads});
    const std::int64_t n = threads;
    CHECK(to_host(exec, total)[0] == 3 * (n * (n - 1) / 2) + n);
    auto order = to_host(exec, places);  // everybody has a place, all different
    std::sort(order.begin(), order.end());
    bool right = true;
    for (int i = 0; i < threads; ++i) right = right && order[i] == i;
    CHECK(right);
  }
}
TEST_CASE_TEMPLATE_APPLY(arrive, Everywhere);

// Two teams write, fence, and read the other's word: at least one must see it. Without the fence
// both may read first, on any of these machines.
struct StoreThenLoad {
  using Scratch = backends::NoScratch;
  static constexpr int rounds = 1000;
  int* flags;    // a pair a round, `stride` words between flags: different cache lines
  int* seen;     // a pair a round
  int* meeting;  // the round that each has reached
  static constexpr int stride = 64;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team, Scratch&) const {
    if (team.thread() != 0) return;
    const int me = static_cast<int>(team.index());
    for (int round = 0; round < rounds; ++round) {
      backends::publish(meeting + me * stride, round + 1);
      backends::await(meeting + (1 - me) * stride, [=](int reached) { return reached > round; });
      backends::publish(flags + (2 * round + me) * stride, 1);
      backends::fence();
      seen[2 * round + me] = backends::acquire(flags + (2 * round + 1 - me) * stride);
    }
  }
};

TEST_CASE_TEMPLATE_DEFINE("fence orders a store before a later load", Type, fence) {
  using Exec = typename Type::Exec;
  const Exec exec;
  if (backends::resident_teams<Shape, StoreThenLoad>(exec) < 2) return;
  constexpr int rounds = StoreThenLoad::rounds, stride = StoreThenLoad::stride;
  const auto flags = zeros<int>(exec, 2 * rounds * stride);
  const auto seen = zeros<int>(exec, 2 * rounds);
  const auto meeting = zeros<int>(exec, 2 * stride);
  const Watchdog watchdog("one of two teams that meet");
  backends::launch<Shape>(exec, "heddle::test::fence", 2,
                          StoreThenLoad{flags.data(), seen.data(), meeting.data()});
  const auto results = to_host(exec, seen);
  int neither = 0;
  for (int round = 0; round < rounds; ++round) {
    neither += results[2 * round] == 0 && results[2 * round + 1] == 0;
  }
  CHECK(neither == 0);
}
TEST_CASE_TEMPLATE_APPLY(fence, Everywhere);

// Lanes below zero request nothing, and have no place to read.
template <class T, bool Once>
struct Load {
  const T* values;
  KOKKOS_FUNCTION T operator()(auto, int i) const {
    const T* const place = i < 0 ? nullptr : values + i;
    return Once ? backends::load_once(place, i >= 0) : backends::load(place, i >= 0);
  }
};

TEST_CASE_TEMPLATE_DEFINE("a load reads what is wanted, and else is zero", Type, load_once) {
  using Exec = typename Type::Exec;
  using T = typename Type::Scalar;
  const Exec exec;
  auto values = whole_numbers<T>(lanes_tested);
  const auto there = to_device(exec, values);
  std::vector<int> places(lanes_tested);
  for (int i = 0; i < lanes_tested; ++i) places[i] = lanes_tested - 1 - i;
  for (int i = 0; i < lanes_tested; i += 3) {
    values[places[i]] = T(0);
    places[i] = -1;
  }
  const auto loaded = in_every_lane<1>(exec, places, Load<T, false>{there.data()});
  CHECK(std::equal(loaded.begin(), loaded.end(), values.rbegin()));
  const auto loaded_once = in_every_lane<1>(exec, places, Load<T, true>{there.data()});
  CHECK(std::equal(loaded_once.begin(), loaded_once.end(), values.rbegin()));
}
TEST_CASE_TEMPLATE_APPLY(load_once, EveryWord);
TEST_CASE_TEMPLATE_APPLY(
    load_once, Every<std::tuple<Kokkos::complex<float>, Kokkos::complex<double>, std::size_t>,
                     UsualIndices, AllBackends>);

/// The memory words for devices that Heddle does not know, run on devices that it knows. An
/// emulated device does not see their waits.
using Words = backends::KokkosMemory;
using KnownDevices =
    std::conditional_t<emulated, std::tuple<>,
                       Every<std::tuple<int, std::int64_t, float, double>, UsualIndices>>;

// A chain through all teams: plain words that a flag publishes, and a posted value. The last team
// to arrive adds up the words of all.
template <class T>
struct Chain {
  using Scratch = backends::NoScratch;
  T* flags;
  T* posted;
  std::int64_t* words;
  int* arrived;
  std::int64_t* total;
  std::uint32_t* next;
  int* tickets;
  int teams;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team, Scratch&) const {
    if (team.thread() != 0) return;
    const std::int64_t me = team.index();
    std::int64_t sum = 1;
    if (me > 0) {
      while (Words::acquire(flags + me - 1) != T(1)) Words::pause();
      sum += words[me - 1];
      while (Words::peek(posted + me - 1) == T(0)) Words::pause();
    }
    words[me] = sum;
    Words::publish(flags + me, T(1));
    Words::post(posted + me, static_cast<T>(2));
    Kokkos::atomic_inc(tickets + Words::next_ticket(next, static_cast<std::uint32_t>(teams)));
    if (Words::arrive(arrived) == teams - 1) {
      Words::fence();
      for (int i = 0; i < teams; ++i) *total += words[i] + static_cast<int>(posted[i]);
    }
  }
};

TEST_CASE_TEMPLATE_DEFINE("Kokkos' atomics carry the words of memory", Type, chain) {
  using Exec = typename Type::Exec;
  using T = typename Type::Scalar;
  const Exec exec;
  const int teams = 1500;
  const auto next = zeros<std::uint32_t>(exec, 1), order = zeros<std::uint32_t>(exec, 1);
  for (int round = 0; round < 4; ++round) {
    const auto flags = zeros<T>(exec, teams), posted = zeros<T>(exec, teams);
    const auto words = zeros<std::int64_t>(exec, teams), total = zeros<std::int64_t>(exec, 1);
    const auto arrived = zeros<int>(exec, 1), tickets = zeros<int>(exec, teams);
    const Watchdog watchdog("a chain through all teams");
    backends::launch_by_ticket<Shape>(
        exec, "heddle::test::chain", teams,
        Chain<T>{flags.data(), posted.data(), words.data(), arrived.data(), total.data(),
                 next.data(), tickets.data(), teams},
        backends::Tickets{order.data()});
    const std::int64_t n = teams;
    CHECK(to_host(exec, total)[0] == n * (n + 1) / 2 + 2 * n);
    const auto taken = to_host(exec, tickets);
    CHECK(std::count(taken.begin(), taken.end(), 1) == teams);
    CHECK(to_host(exec, next)[0] == 0);
  }
}
TEST_CASE_TEMPLATE_APPLY(chain, KnownDevices);

}  // namespace heddle::test
