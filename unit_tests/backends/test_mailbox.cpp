// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <bit>
#include <cmath>
#include <limits>

#include "../../backends/clock.hpp"
#include "../../backends/mailbox.hpp"
#include "../support/watchdog.hpp"
#include "lanes.hpp"

namespace heddle::test {

using EveryScalar = Every<Scalars, UsualIndices, AllBackends>;
using Shape = backends::Shape<1, 64>;
constexpr int columns = 3;

template <class S>
struct ClearPlaces {
  using Scratch = backends::NoScratch;
  backends::Mailbox<S, columns> mailbox;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team, Scratch&) const {
    if (team.thread() == 0) mailbox.clear(team.index());
  }
};

// Each team posts its numbers, and collects those of the team before it.
template <class S>
struct HandOver {
  using Scratch = backends::NoScratch;
  backends::Mailbox<S, columns> mailbox;
  const S* values;
  S* collected;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team, Scratch&) const {
    if (team.thread() != 0) return;
    const std::int64_t place = team.index();
    for (int c = 0; c < columns; ++c) mailbox.post(place, c, values[place * columns + c]);
    for (int c = 0; c < columns && place > 0; ++c) {
      collected[place * columns + c] = mailbox.collect(place - 1, c);
    }
  }
};

/// Whether a and b are the same number, or both NaN.
template <class Real>
bool same(Real a, Real b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  return a == b && std::signbit(a) == std::signbit(b);
}
template <class Real>
bool same(const Kokkos::complex<Real>& a, const Kokkos::complex<Real>& b) {
  return same(a.real(), b.real()) && same(a.imag(), b.imag());
}

template <class Real>
Real some_real(int i) {
  using Limits = std::numeric_limits<Real>;
  using Bits = std::conditional_t<sizeof(Real) == 4, std::uint32_t, std::uint64_t>;
  switch (i % 8) {
    case 0: return Limits::quiet_NaN();
    case 1: return Limits::infinity();
    case 2: return -Real(0);
    case 3: return Limits::denorm_min();
    // The bits that mean "empty": they must arrive as another NaN.
    case 4:
      return std::bit_cast<Real>(
          static_cast<Bits>(sizeof(Real) == 4 ? 0x7fc0c5a1u : 0x7ff8c5a1c5a1c5a1u));
    default: return static_cast<Real>(i);
  }
}

TEST_CASE_TEMPLATE_DEFINE("what is posted is collected, again and again", Type, hand_over) {
  using Exec = typename Type::Exec;
  using S = typename Type::Scalar;
  using Mailbox = backends::Mailbox<S, columns>;
  const Exec exec;
  if (!backends::waits_make_progress<Exec>) return;
  const int teams = 500;
  std::vector<S> values(teams * columns);
  for (int i = 0; i < teams * columns; ++i) {
    if constexpr (is_complex<S>) {
      values[i] = S(some_real<RealOf<S>>(i), some_real<RealOf<S>>(3 * i + 1));
    } else {
      values[i] = some_real<S>(i);
    }
  }
  const auto there = to_device(exec, values);
  const auto words =
      to_device(exec, std::vector<typename Mailbox::Word>(teams * Mailbox::words_per_place));
  const Mailbox mailbox{words.data()};
  const auto next = zeros<std::uint32_t>(exec, 1);
  const backends::Tickets tickets{next.data()};
  backends::launch<Shape>(exec, "heddle::test::clear", teams, ClearPlaces<S>{mailbox});
  for (int round = 0; round < 3; ++round) {
    const auto collected = zeros<S>(exec, teams * columns);
    const Watchdog watchdog("a team that collects from the team before");
    backends::launch_in_order<Shape>(exec, "heddle::test::hand_over", teams,
                                     HandOver<S>{mailbox, there.data(), collected.data()}, tickets);
    const auto found = to_host(exec, collected);
    int right = columns;
    while (right < teams * columns && same(found[right], values[right - columns])) ++right;
    CHECK(right == teams * columns);
  }
}
TEST_CASE_TEMPLATE_APPLY(hand_over, EveryScalar);

// One thread posts in all places, and adds up every second place.
struct AddUp {
  using Scratch = backends::NoScratch;
  backends::Mailbox<double, columns> mailbox;
  int places;
  double* sum;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team, Scratch&) const {
    if (team.thread() != 0) return;
    for (int place = 0; place < places; ++place) mailbox.clear(place);
    for (int place = 0; place < places; ++place) mailbox.post(place, 1, place + 0.5);
    *sum = mailbox.collect_all(3, places, 2, 1);
  }
};

TEST_CASE_TEMPLATE_DEFINE("collect_all adds up every n-th", Type, collect_all) {
  using Exec = typename Type::Exec;
  const Exec exec;
  const int places = 20;
  const auto words = zeros<double>(exec, places * columns);
  const auto sum = zeros<double>(exec, 1);
  const Watchdog watchdog("a thread that collects what it posted itself");
  backends::launch<Shape>(exec, "heddle::test::add_up", 1,
                          AddUp{{words.data()}, places, sum.data()});
  CHECK(to_host(exec, sum)[0] == 3.5 + 5.5 + 7.5 + 9.5 + 11.5 + 13.5 + 15.5 + 17.5 + 19.5);
}
TEST_CASE_TEMPLATE_APPLY(collect_all, Every<std::tuple<double>, UsualIndices, AllBackends>);

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

/// The clock that the threads of a device share.
TEST_CASE_TEMPLATE_DEFINE("no later read of the clock, by any thread, is earlier", Type, clocks) {
  using Exec = typename Type::Exec;
  const Exec exec;
  CHECK(backends::tick_nanoseconds(exec) > 0);
  CHECK(backends::tick_nanoseconds(exec) < 1e6);
  constexpr std::size_t turns = 10000;
  const auto read = to_device(exec, std::vector<std::int64_t>(turns, -1));
  const auto words = zeros<double>(exec, turns);
  const backends::Mailbox<double, 1> mail{words.data()};
  Kokkos::parallel_for(
      "heddle::test::clear", Kokkos::RangePolicy<KokkosSpace<Exec>>(kokkos_space(exec), 0, turns),
      KOKKOS_LAMBDA(std::int64_t i) { mail.clear(i); });
  const auto next = zeros<std::uint32_t>(exec, 1);
  backends::launch_by_ticket<backends::Shape<1, 64>>(exec, "heddle::test::read_in_turns", turns,
                                                     ReadInTurns{mail, read.data()},
                                                     backends::Tickets{next.data()});
  const auto stamps = to_host(exec, read);
  for (std::size_t i = 1; i < turns; ++i) REQUIRE(stamps[i - 1] <= stamps[i]);
  CHECK(stamps.front() < stamps.back());
}
TEST_CASE_TEMPLATE_APPLY(clocks, Every<std::tuple<double>, UsualIndices>);

}  // namespace heddle::test
