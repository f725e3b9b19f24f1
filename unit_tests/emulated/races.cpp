// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reports of the thread sanitizer on an emulated device, and false alarms: dev/test races.
#include "../../backends/atomics.hpp"
#include "../backends/lanes.hpp"

static int reports = 0;
extern "C" void __tsan_on_report(void*) { ++reports; }

namespace heddle::test {

using Exec = DefaultDevice;
using Shape = backends::Shape<8, 64>;

template <class F>
struct Kernel {
  struct Scratch {
    int values[64];
  };
  F body;
  template <class Team>
  void operator()(const Team& team, Scratch& scratch) const {
    body(team, scratch);
  }
};
template <class F>
Kernel(F) -> Kernel<F>;

/// Number of the sanitizer's reports on a kernel, in some launches.
template <class F>
int reports_of(const F& body, int teams = 2) {
  const int before = reports;
  for (int launch = 0; launch < 20; ++launch) {
    backends::launch<Shape>(Exec(), "heddle::test::race", teams, Kernel<F>{body});
  }
  return reports - before;
}

constexpr auto is_set = [](int value) { return value != 0; };

/// One team writes a plain value and sets a flag; another reads the value once it sees the flag.
template <class Set, class Wait>
int behind_flag(const Set& set, const Wait& wait) {
  constexpr std::size_t launches = 200;
  std::vector<int> values(launches), flags(launches);
  const int before = reports;
  for (std::size_t i = 0; i < launches; ++i) {
    int &value = values[i], &flag = flags[i];
    int seen = 0;
    const auto body = [&](const auto& team, auto&) {
      if (team.thread() != 0) return;
      if (team.index() == 0) {
        value = 7;
        set(&flag);
      } else {
        wait(&flag);
        seen = value;
      }
    };
    backends::launch<Shape>(Exec(), "heddle::test::flag", 2, Kernel<decltype(body)>{body});
  }
  return reports - before;
}

TEST_CASE("races: plain data behind a flag that orders nothing") {
  CHECK(behind_flag([](int* flag) { backends::post(flag, 1); },
                    [](int* flag) { backends::collect(flag, is_set); }) > 0);
  CHECK(behind_flag([](int* flag) { backends::post(flag, 1); },
                    [](int* flag) { backends::await(flag, is_set); }) > 0);
  CHECK(behind_flag([](int* flag) { backends::publish(flag, 1); },
                    [](int* flag) { backends::collect(flag, is_set); }) > 0);
}

TEST_CASE("races: none behind a flag that is published and awaited") {
  CHECK(behind_flag([](int* flag) { backends::publish(flag, 1); },
                    [](int* flag) { backends::await(flag, is_set); }) == 0);
}

TEST_CASE("races: what another team posts, read plainly") {
  int place = 0, seen = 0;
  CHECK(reports_of([&](const auto& team, auto&) {
          if (team.thread() != 0) return;
          if (team.index() == 0) {
            backends::post(&place, 1);
          } else {
            seen = place;
          }
        }) > 0);
  CHECK(reports_of([&](const auto& team, auto&) {
          if (team.thread() == 0 && team.index() == 0) backends::post(&place, 1);
          if (team.thread() == 0 && team.index() == 1) seen = backends::look(&place);
        }) == 0);
}

// Each lane runs to its end, one after another, since no word is called.
TEST_CASE("races: of lanes that have ended before others begin") {
  int value = 0, seen = 0;
  CHECK(reports_of([&](const auto& team, auto&) {
          if (team.thread() != 0) return;
          if (team.index() == 0) {
            value = 7;
          } else {
            seen = value;
          }
        }) > 0);
  CHECK(reports_of([](const auto& team, auto& scratch) {
          if (team.thread() == 5) scratch.values[0] = 7;
          if (team.thread() == 9 && scratch.values[0] == 3) std::abort();
        }) > 0);
  // Teams in one place share scratch, one after another.
  CHECK(reports_of([](const auto& team, auto& scratch) { scratch.values[team.thread()] = 1; },
                   100) == 0);
}

TEST_CASE("races: scratch of other lanes") {
  const auto write_and_read = [](const auto& between) {
    return [=](const auto& team, auto& scratch) {
      scratch.values[team.thread()] = team.thread();
      between(team);
      const int other = team.thread() ^ 1;
      if (scratch.values[other] != other) std::abort();
    };
  };
  CHECK(reports_of(write_and_read([](const auto& team) { team.barrier(); })) == 0);
  CHECK(reports_of(write_and_read([](const auto& team) { team.subwarp().sync(); })) == 0);
  // The lanes meet, but a shuffle orders no memory.
  CHECK(reports_of(write_and_read([](const auto& team) { team.subwarp().sum(1.0); })) > 0);
}

TEST_CASE("races: the last to arrive reads what the others wrote") {
  int counter = 0;
  std::vector<int> values(64);
  const auto last_reads = [&](bool fenced) {
    return [&, fenced](const auto& team, auto&) {
      if (team.thread() != 0) return;
      values[static_cast<std::size_t>(team.index())] = 1;
      if (backends::arrive(&counter) % 16 != 15) return;
      if (fenced) backends::fence();
      for (std::size_t i = 0; i < 16; ++i) values[i] = 0;
    };
  };
  CHECK(reports_of(last_reads(true), 16) == 0);
  CHECK(reports_of(last_reads(false), 16) > 0);
}

TEST_CASE("races: additions by atomics are none") {
  double sum = 0;
  CHECK(reports_of([&](const auto&, auto&) { backends::atomic_add(&sum, 1.0); }) == 0);
  CHECK(sum == 20 * 2 * 64);
}

}  // namespace heddle::test
