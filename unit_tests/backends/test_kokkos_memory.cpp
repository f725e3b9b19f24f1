// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The memory words for devices that Heddle does not know, run on devices that it knows.
#include <algorithm>

#include "../../backends/launch.hpp"
#include "../support/watchdog.hpp"
#include "lanes.hpp"

namespace heddle::test {

using Everywhere = Every<std::tuple<int, std::int64_t, float, double>, UsualIndices>;
using Words = backends::KokkosMemory;
using Shape = backends::Shape<1, 64>;

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
  const auto zeros = [&](auto zero) { return to_device(exec, std::vector<decltype(zero)>(teams)); };
  const auto next = zeros(std::uint32_t{0}), order = zeros(std::uint32_t{0});
  for (int round = 0; round < 4; ++round) {
    const auto flags = zeros(T(0)), posted = zeros(T(0));
    const auto words = zeros(std::int64_t{0}), total = zeros(std::int64_t{0});
    const auto arrived = zeros(0), tickets = zeros(0);
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
TEST_CASE_TEMPLATE_APPLY(chain, Everywhere);

}  // namespace heddle::test
