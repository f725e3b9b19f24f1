// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Waits, orders and posts of an emulated device, and its errors if no team can continue.
#include "../../backends/mailbox.hpp"
#include "kernels.hpp"

namespace heddle::test {

using Shape = backends::Shape<8, 64>;

constexpr auto is_set = [](int value) { return value != 0; };

TEST_CASE("a wait that never ends: who waits for what") {
  int flag = 0;
  const Kernel awaits{[&](const auto& team) {
    if (team.thread() == 9) backends::await(&flag, is_set);
    team.barrier();
  }};
  const auto said =
      error_of_launch([&] { backends::launch<Shape>(Exec(), "heddle::test::awaits", 1, awaits); });
  CHECK(names(said, {"heddle::test::awaits: no lane can go on", "team 0",
                     "lanes 1 wait in await at 0x", "lanes 0,2-7 wait at barrier"}));
  const Kernel looks{[&](const auto& team) {
    while (!team.subwarp().any(backends::look(&flag) != 0)) {
    }
  }};
  CHECK(names(
      error_of_launch([&] { backends::launch<Shape>(Exec(), "heddle::test::looks", 3, looks); }),
      {"no lane can go on", "wait in a loop of look at 0x"}));
}

/// Each team waits for the team whose index is larger by `step`.
auto chain(int* done, int teams, int step) {
  return Kernel{[=](const auto& team) {
    const std::int64_t before = team.index() + step;
    if (team.thread() != 0) return;
    if (before >= 0 && before < teams) backends::collect(done + before, is_set);
    backends::post(done + team.index(), 1);
  }};
}

TEST_CASE("teams that wait for lower ones need an order") {
  constexpr int teams = 1000;
  std::vector<int> done(teams);
  std::uint32_t next = 0;
  const backends::Tickets tickets{&next};
  backends::launch_in_order<Shape>(Exec(), "heddle::test::in_order", teams,
                                   chain(done.data(), teams, -1), tickets);
  CHECK(std::count(done.begin(), done.end(), 1) == teams);
  CHECK(next == 0);
  done.assign(teams, 0);
  CHECK(names(error_of_launch([&] {
                backends::launch<Shape>(Exec(), "heddle::test::any_order", teams,
                                        chain(done.data(), teams, -1));
              }),
              {"no lane can go on", "wait in collect", "teams have found no place yet"}));
  next = 0;
  done.assign(teams, 0);
  CHECK(names(error_of_launch([&] {
                backends::launch_in_order<Shape>(Exec(), "heddle::test::upwards", teams,
                                                 chain(done.data(), teams, 1), tickets);
              }),
              {"no lane can go on"}));
}

TEST_CASE("places are few in some launches that go by an order") {
  // Two teams that wait for each other: chance decides whether they are resident together.
  int together = 0, apart = 0;
  for (int launch = 0; launch < 60; ++launch) {
    int flags[2] = {0, 0};
    std::uint32_t next = 0;
    const Kernel kernel{[&](const auto& team) {
      if (team.thread() != 0) return;
      backends::publish(flags + team.index(), 1);
      backends::await(flags + 1 - team.index(), is_set);
    }};
    const auto said = error_of_launch([&] {
      backends::launch_in_order<Shape>(Exec(), "heddle::test::pair", 2, kernel,
                                       backends::Tickets{&next});
    });
    ++(said.empty() ? together : apart);
  }
  CHECK(together > 0);
  CHECK(apart > 0);
}

TEST_CASE("a wait for a lane of the own warp") {
  int found = 0;
  for (int launch = 0; launch < 20; ++launch) {
    int flag = 0;
    const Kernel kernel{[&](const auto& team) {
      if (team.thread() == 3) backends::post(&flag, 1);
      if (team.thread() == 5) backends::collect(&flag, is_set);
    }};
    const auto said =
        error_of_launch([&] { backends::launch<Shape>(Exec(), "heddle::test::own", 1, kernel); });
    if (said.empty()) continue;
    ++found;
    CHECK(names(said, {"lane 5 of subwarp 0", "waits in collect for a lane of its own warp",
                       "lane 3 of subwarp 0"}));
  }
  CHECK(found > 0);
  int flag = 0;  // waits for a lane of another warp
  const Kernel other{[&](const auto& team) {
    if (team.thread() == 3) backends::post(&flag, 1);
    if (team.thread() == 67) backends::collect(&flag, is_set);
  }};
  CHECK(error_of_launch([&] {
          backends::launch<backends::Shape<8, 128>>(Exec(), "heddle::test::other", 1, other);
        }) == "");
}

/// One team writes a value and then its flag, published or posted; the other reads the value.
template <bool Published>
int seen_behind_flag(std::uint64_t launches) {
  int missed = 0;
  for (std::uint64_t launch = 0; launch < launches; ++launch) {
    int value = 0, flag = 0, seen = 0;
    const Kernel kernel{[&](const auto& team) {
      if (team.thread() != 0) return;
      if (team.index() == 0) {
        backends::post(&value, 7);
        if (Published) {
          backends::publish(&flag, 1);
        } else {
          backends::post(&flag, 1);
        }
      } else {
        backends::await(&flag, is_set);
        seen = backends::look(&value);
      }
    }};
    backends::launch<Shape>(Exec(), "heddle::test::flag", 2, kernel);
    missed += seen != 7;
  }
  return missed;
}

TEST_CASE("posts come late and out of order, unless they are released") {
  CHECK(seen_behind_flag<false>(200) > 0);
  CHECK(seen_behind_flag<true>(200) == 0);
}

#if HEDDLE_EMULATED == 32
TEST_CASE("what is posted before a cluster's barrier is seen after it") {
  constexpr int teams = 4, threads = Shape::team_threads;
  int missed = 0;
  for (int launch = 0; launch < 20; ++launch) {
    std::vector<int> posted(teams * threads);
    const ClusterKernel kernel{[&](const auto& cluster, auto&) {
      const int thread = cluster.team().thread();
      backends::post(&posted[static_cast<std::size_t>(cluster.rank() * threads + thread)], 1);
      cluster.barrier();
      const int other = (cluster.rank() + 1) % teams;
      missed += backends::look(&posted[static_cast<std::size_t>(other * threads + thread)]) != 1;
      cluster.barrier();
    }};
    backends::launch_cluster<Shape>(Exec(), "heddle::test::cluster", teams, 1, kernel);
  }
  CHECK(missed == 0);
}
#endif

TEST_CASE("a lane sees its own posts at once, by words and plainly") {
  int values[64] = {};
  int wrong = 0;
  const Kernel kernel{[&](const auto& team) {
    int& mine = values[team.thread()];
    for (int i = 1; i < 20; ++i) {
      backends::post(&mine, i);
      wrong += mine != i || backends::look(&mine) != i;
    }
  }};
  backends::launch<Shape>(Exec(), "heddle::test::own_posts", 1, kernel);
  CHECK(wrong == 0);
}

TEST_CASE("a mailbox over many teams") {
  constexpr int teams = 300;
  std::vector<double> words(teams);
  const backends::Mailbox<double, 1> mail{words.data()};
  for (int place = 0; place < teams; ++place) mail.clear(place);
  std::uint32_t next = 0;
  double last = 0;
  const Kernel kernel{[&](const auto& team) {
    if (team.thread() != 0) return;
    const double sum = 1 + (team.index() > 0 ? mail.collect(team.index() - 1, 0) : 0);
    if (team.index() + 1 == teams) {
      last = sum;
    } else {
      mail.post(team.index(), 0, sum);
    }
  }};
  backends::launch_in_order<Shape>(Exec(), "heddle::test::mail", teams, kernel,
                                   backends::Tickets{&next});
  CHECK(last == teams);
  for (const double word : words) CHECK(!mail.posted(word));  // all of it was collected
}

}  // namespace heddle::test
