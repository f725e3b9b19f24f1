// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Words of atomics.hpp: every lane of many teams updates one place, in device memory and in
// scratch. The results must be those of one thread.
#include <limits>
#include <set>

#include "../../backends/atomics.hpp"
#include "lanes.hpp"

namespace heddle::test {

namespace {

using Everywhere = Every<std::tuple<int, std::int64_t, unsigned>, UsualIndices, AllBackends>;
using Shape = backends::Shape<1, 128>;
constexpr int teams = emulated ? 3 : 500;

/// Each place is updated by all lanes, with the word of its name.
enum Place { stored, added, incremented, lowest, highest, bits, fetched_add, fetched_inc, places };

template <class T>
KOKKOS_FUNCTION T lanes_number(std::int64_t place) {
  return static_cast<T>((place * 37 + 11) % 1009);
}

template <class T>
struct AllLanes {
  struct Scratch {
    T count, highest;
  };
  T* of;           ///< one number for each Place
  T* tickets;      ///< what atomic_fetch_inc returned to each lane
  T* sums_before;  ///< what atomic_fetch_add of 2 returned
  int* owners;     ///< which lane of each pair was first, by atomic_compare_exchange
  int* won;        ///< for each lane: 1 if it was the first
  T* loaded;       ///< for each lane, a place that it alone writes
  T* bits_before;  ///< for each lane, what atomic_fetch_or returned
  T* highest_before;
  T* of_teams;  ///< two numbers a team, from scratch

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team, Scratch& scratch) const {
    const std::int64_t lane = team.index() * team.threads + team.thread();
    const T mine = lanes_number<T>(lane);
    if (team.thread() == 0) {
      backends::atomic_store(&scratch.count, T(0));
      backends::atomic_store(&scratch.highest, T(0));
    }
    team.barrier();
    backends::atomic_store(of + stored, T(7));
    backends::atomic_add(of + added, mine);
    backends::atomic_inc(of + incremented);
    backends::atomic_min(of + lowest, mine);
    backends::atomic_max(of + highest, mine);
    backends::atomic_or(of + bits, static_cast<T>(T(1) << (lane % 30)));
    tickets[lane] = backends::atomic_fetch_inc(of + fetched_inc);
    sums_before[lane] = backends::atomic_fetch_add(of + fetched_add, T(2));
    won[lane] =
        backends::atomic_compare_exchange(owners + lane / 2, -1, static_cast<int>(lane % 2)) == -1;
    backends::atomic_store(loaded + lane, mine);
    backends::atomic_add(loaded + lane, T(1));
    loaded[lane] = backends::atomic_load(loaded + lane);
    // The second call finds the result of the first.
    backends::atomic_fetch_or(bits_before + lane, T(5));
    bits_before[lane] = static_cast<T>(backends::atomic_fetch_or(bits_before + lane, T(2)) +
                                       8 * backends::atomic_load(bits_before + lane));
    backends::atomic_fetch_max(highest_before + lane, mine);
    highest_before[lane] = backends::atomic_fetch_max(highest_before + lane, T(3));
    backends::atomic_inc(&scratch.count);
    backends::atomic_max(&scratch.highest, mine);
    team.barrier();
    if (team.thread() != 0) return;
    of_teams[2 * team.index()] = scratch.count;
    of_teams[2 * team.index() + 1] = scratch.highest;
  }
};

}  // namespace

TEST_CASE_TEMPLATE_DEFINE("atomics of all lanes lose nothing", Type, all_lanes) {
  using Exec = typename Type::Exec;
  using T = typename Type::Scalar;
  const Exec exec;
  const int threads = backends::Team<Exec, Shape>::threads, lanes = teams * threads;
  const auto begin = std::vector<T>{0, 0, 0, std::numeric_limits<T>::max(), 0, 0, 0, 0};
  static_assert(places == 8);
  const auto of = to_device(exec, begin);
  const auto tickets = zeros<T>(exec, lanes), sums = zeros<T>(exec, lanes),
             loaded = zeros<T>(exec, lanes), bits_before = zeros<T>(exec, lanes),
             highest_before = zeros<T>(exec, lanes), of_teams = zeros<T>(exec, 2 * teams);
  const auto owners =
      to_device(exec, std::vector<int>(static_cast<std::size_t>(lanes / 2 + 1), -1));
  const auto won = to_device(exec, std::vector<int>(static_cast<std::size_t>(lanes), -1));
  backends::launch<Shape>(
      exec, "heddle::test::atomics", teams,
      AllLanes<T>{of.data(), tickets.data(), sums.data(), owners.data(), won.data(), loaded.data(),
                  bits_before.data(), highest_before.data(), of_teams.data()});
  exec.fence("heddle::test::atomics");

  T sum = 0, least = std::numeric_limits<T>::max(), most = 0, all_bits = 0;
  for (int lane = 0; lane < lanes; ++lane) {
    const T mine = lanes_number<T>(lane);
    sum += mine;
    least = std::min(least, mine);
    most = std::max(most, mine);
    all_bits = static_cast<T>(all_bits | (T(1) << (lane % 30)));
  }
  const std::vector<T> expected{T(7), sum,      static_cast<T>(lanes),     least,
                                most, all_bits, static_cast<T>(2 * lanes), static_cast<T>(lanes)};
  CHECK(to_host(exec, of) == expected);

  const auto each_once = [&](const std::vector<T>& values, T step) {
    std::set<T> seen(values.begin(), values.end());
    bool in_steps = static_cast<int>(seen.size()) == lanes;
    for (const T value : seen)
      in_steps &= value % step == 0 && value < static_cast<T>(step * lanes);
    return in_steps;
  };
  CHECK(each_once(to_host(exec, tickets), T(1)));
  CHECK(each_once(to_host(exec, sums), T(2)));

  const auto of_owners = to_host(exec, owners), of_won = to_host(exec, won);
  const auto of_loaded = to_host(exec, loaded), of_bits = to_host(exec, bits_before);
  const auto of_highest = to_host(exec, highest_before);
  for (int lane = 0; lane < lanes; ++lane) {
    const auto at = static_cast<std::size_t>(lane);
    const T mine = lanes_number<T>(lane);
    CHECK(of_won[at] == (of_owners[at / 2] == lane % 2 ? 1 : 0));  // exactly one lane of each pair
    CHECK(of_loaded[at] == mine + 1);
    CHECK(of_bits[at] == T(5 + 8 * 7));
    CHECK(of_highest[at] == mine);
  }
  const auto from_scratch = to_host(exec, of_teams);
  for (int team = 0; team < teams; ++team) {
    T most_of_team = 0;
    for (int i = 0; i < threads; ++i) {
      most_of_team = std::max(most_of_team, lanes_number<T>(std::int64_t{team} * threads + i));
    }
    CHECK(from_scratch[static_cast<std::size_t>(2 * team)] == static_cast<T>(threads));
    CHECK(from_scratch[static_cast<std::size_t>(2 * team + 1)] == most_of_team);
  }
}
TEST_CASE_TEMPLATE_APPLY(all_lanes, Everywhere);

/// Each lane adds a number; their sum is exact in any order.
template <class T>
struct AddUp {
  using Scratch = backends::NoScratch;
  T* sum;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team, Scratch&) const {
    backends::atomic_add(
        sum, whole_number<T>(static_cast<int>(team.index()) * team.threads + team.thread()));
  }
};

TEST_CASE_TEMPLATE_DEFINE("atomic sums of any scalar", Type, sums) {
  using Exec = typename Type::Exec;
  using T = typename Type::Scalar;
  const Exec exec;
  const auto sum = to_device(exec, std::vector<T>{T(0)});
  backends::launch<Shape>(exec, "heddle::test::add_up", teams, AddUp<T>{sum.data()});
  exec.fence("heddle::test::add_up");
  T expected(0);
  for (const T value : whole_numbers<T>(teams * backends::Team<Exec, Shape>::threads)) {
    expected += value;
  }
  CHECK(to_host(exec, sum)[0] == expected);
}
using EveryScalar = Every<Scalars, UsualIndices, AllBackends>;
TEST_CASE_TEMPLATE_APPLY(sums, EveryScalar);

}  // namespace heddle::test
