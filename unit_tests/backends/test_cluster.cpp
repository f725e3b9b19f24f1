// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Clusters of teams: their places, barrier and scratch. Devices without clusters refuse them.
#include <doctest/doctest.h>

#include <string>

#include "../../backends/cluster.hpp"
#include "../support/watchdog.hpp"
#include "lanes.hpp"

namespace heddle::test {

using Everywhere = Every<std::tuple<double>, UsualIndices, AllBackends>;
using Shape = backends::Shape<32, 128>;

/// Every team writes its place in its cluster.
struct SayPlace {
  using Scratch = backends::NoScratch;
  int* cluster_of_team;
  int* rank_of_team;
  int* teams_of_team;

  template <class Cluster>
  KOKKOS_FUNCTION void operator()(const Cluster& cluster, Scratch&) const {
    const auto team = cluster.team();
    if (team.thread() != team.threads - 1) return;
    cluster_of_team[team.index()] = static_cast<int>(cluster.index());
    rank_of_team[team.index()] = cluster.rank();
    teams_of_team[team.index()] = cluster.teams();
  }
};

/// In every round each thread writes a number that the next thread, in another team, reads after
/// the barrier: through memory, and through the other team's scratch. A number of another round
/// makes the sum wrong.
struct PassOn {
  struct Scratch {
    int values[2][Shape::team_threads];
  };
  int rounds;
  int* memory;  ///< two numbers for each thread of the launch
  int* wrong;

  template <class Cluster>
  KOKKOS_FUNCTION void operator()(const Cluster& cluster, Scratch& scratch) const {
    const auto team = cluster.team();
    const int threads = team.threads, me = team.thread();
    const int all = cluster.teams() * threads, place = cluster.rank() * threads + me;
    const int next = (cluster.rank() + 1) % cluster.teams();
    const std::int64_t first = cluster.index() * all;
    cluster.barrier();
    for (int round = 0; round < rounds; ++round) {
      int* const written = memory + 2 * first + round % 2 * all;
      written[place] = round + 3 * place;
      // Plain stores and stores without memory order alternate.
      int* const there = cluster.remote(&scratch.values[round % 2][me], next);
      if (round % 3 == 0) {
        cluster.post(there, round - 5 * place);
      } else {
        *there = round - 5 * place;
      }
      // Lanes of a warp arrive at the barrier one after another, or all but one skip the loop.
      if (me % 32 == round % 32) {
        for (volatile int i = 0; i < 20; i = i + 1) {
        }
      }
      cluster.arrive();
      cluster.wait();
      const int other = (place + threads + 1) % all;
      const int before = (place + all - threads) % all;
      const bool right = written[other] == round + 3 * other &&
                         cluster.look(&scratch.values[round % 2][me]) == round - 5 * before;
      if (!right) Kokkos::atomic_inc(wrong);
    }
    cluster.barrier();
  }
};

/// PassOn in scratch that is sized at launch, after `skipped` bytes of it.
struct PassOnSized {
  using Scratch = backends::DynamicScratch;
  PassOn inner;
  std::size_t skipped;

  std::size_t bytes() const {
    return backends::scratch_bytes<char, PassOn::Scratch>(skipped, std::size_t{1});
  }
  template <class Cluster>
  KOKKOS_FUNCTION void operator()(const Cluster& cluster, Scratch& scratch) const {
    scratch.take<char>(skipped);
    inner(cluster, *scratch.take<PassOn::Scratch>(1));
  }
};

/// One thread of each team; each waits in its scratch for the team before it.
struct InTurns {
  struct Scratch {
    double value;
  };
  int steps;
  double* result;

  template <class Cluster>
  KOKKOS_FUNCTION void operator()(const Cluster& cluster, Scratch& scratch) const {
    const int rank = cluster.rank(), teams = cluster.teams();
    if (cluster.team().thread() == 0) scratch.value = rank == 0 ? 0 : -1;
    cluster.barrier();
    if (cluster.team().thread() == 0) {
      for (int step = rank; step < steps; step += teams) {
        while (cluster.look(&scratch.value) != step) {
        }
        if (step + 1 == steps) result[cluster.index()] = step + 1;
        cluster.post(cluster.remote(&scratch.value, (rank + 1) % teams), step + 1.0);
      }
    }
    cluster.barrier();
  }
};

TEST_CASE_TEMPLATE_DEFINE("a cluster", Type, clusters) {
  using Exec = typename Type::Exec;
  const Exec exec;
  const Watchdog watchdog("clusters");
  const int most = backends::describe(exec).most_teams_per_cluster;
  const auto nothing = zeros<int>(exec, 1);
  const SayPlace say{nothing.data(), nothing.data(), nothing.data()};
  const auto refused = [&](int teams, const char* why) {
    CAPTURE(teams);
    CHECK_THROWS_WITH_AS(
        backends::launch_cluster<Shape>(exec, "heddle::test::refused", teams, 1, say),
        doctest::Contains(why), Error);
  };
  if (most == 0) {
    refused(1, "this device has none");
    refused(8, "Device::most_teams_per_cluster");
    return;
  }
  CHECK(backends::has_clusters<Exec>);
  CHECK(most >= backends::portable_teams_per_cluster);
  refused(0, "clusters of 0 teams");
  refused(-8, "clusters of -8 teams");
  refused(3, "a power of two");
  refused(2 * most, "those of at most");
  CHECK_THROWS_WITH_AS(backends::launch_cluster<Shape>(exec, "heddle::test::too_many", 8,
                                                       std::int64_t{1} << 28, say),
                       doctest::Contains("268435456 clusters; launch them in parts"), Error);
  backends::launch_cluster<Shape>(exec, "heddle::test::nothing", 8, 0, say);
  // The last count is far larger than the number of resident clusters.
  for (const int count : {1, 5, emulated ? 10 : 600}) {
    for (int teams = 1; teams <= most; teams *= 2) {
      CAPTURE(count);
      CAPTURE(teams);
      const auto all = static_cast<std::size_t>(count * teams);
      const auto cluster = to_device(exec, std::vector<int>(all, -1));
      const auto rank = to_device(exec, std::vector<int>(all, -1));
      const auto size = to_device(exec, std::vector<int>(all, -1));
      backends::launch_cluster<Shape>(exec, "heddle::test::places", teams, count,
                                      SayPlace{cluster.data(), rank.data(), size.data()});
      const auto clusters_seen = to_host(exec, cluster), ranks = to_host(exec, rank),
                 sizes = to_host(exec, size);
      for (std::size_t t = 0; t < all; ++t) {
        REQUIRE(clusters_seen[t] == static_cast<int>(t) / teams);
        REQUIRE(ranks[t] == static_cast<int>(t) % teams);
        REQUIRE(sizes[t] == teams);
      }

      const auto memory = zeros<int>(exec, 2 * all * Shape::team_threads);
      const auto wrong = zeros<int>(exec, 1);
      backends::launch_cluster<Shape>(exec, "heddle::test::pass_on", teams, count,
                                      PassOn{100, memory.data(), wrong.data()});
      CHECK(to_host(exec, wrong)[0] == 0);
      for (const std::size_t skipped : {std::size_t{5}, std::size_t{100000}}) {  // over 48 KB
        const PassOnSized sized{{10, memory.data(), wrong.data()}, skipped};
        backends::launch_cluster<Shape>(exec, "heddle::test::pass_on_sized", teams, count, sized,
                                        sized.bytes());
        CHECK(to_host(exec, wrong)[0] == 0);
      }

      constexpr int steps = 500;
      const auto result = zeros<double>(exec, count);
      backends::launch_cluster<Shape>(exec, "heddle::test::in_turns", teams, count,
                                      InTurns{steps, result.data()});
      for (const double value : to_host(exec, result)) REQUIRE(value == steps);
    }
  }
}
TEST_CASE_TEMPLATE_APPLY(clusters, Everywhere);

}  // namespace heddle::test
