// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Levels cut into launches, thin ones together; and the schemes of devices with clusters.
#include <doctest/doctest.h>

#include "../../solvers/order/level_runs.hpp"
#include "../support/sptrsv_check.hpp"
#include "../support/watchdog.hpp"

namespace heddle::test {

namespace {

using heddle::detail::order::broken_run;
using heddle::detail::order::LevelRun;
using heddle::detail::order::runs_of_levels;
using heddle::detail::sptrsv::grammar;

std::vector<std::int64_t> begins(const std::vector<std::int64_t>& rows) {
  std::vector<std::int64_t> begin{0};
  for (const std::int64_t count : rows) begin.push_back(begin.back() + count);
  return begin;
}

std::vector<std::pair<int, int>> pairs(const std::vector<LevelRun>& runs) {
  std::vector<std::pair<int, int>> result;
  for (const LevelRun& run : runs) result.emplace_back(run.first, run.stop);
  return result;
}

/// Rows of levels of these sizes. A row needs one of the level before, and others of any level
/// before; some need many.
Pattern leveled(const std::vector<std::int64_t>& sizes) {
  const auto begin = begins(sizes);
  std::size_t level = 0;
  return lower_pattern("thin and wide levels", begin.back(), [&](std::int64_t i) {
    while (begin[level + 1] <= i) ++level;
    std::vector<std::int64_t> row;
    if (level == 0) return row;
    row.push_back(begin[level - 1] + i % sizes[level - 1]);
    const std::int64_t others = i % 11 == 0 ? 150 : i % 4;
    for (std::int64_t k = 1; k <= others; ++k) row.push_back((i * 7919 + k * 31) % begin[level]);
    return row;
  });
}

}  // namespace

TEST_CASE("sptrsv: thin levels that follow each other share a launch, and no others do") {
  using Runs = std::vector<std::pair<int, int>>;
  const auto begin = begins({1, 8, 9, 3, 100, 9, 8, 8, 1});
  CHECK(pairs(runs_of_levels(begin, 8)) == Runs{{0, 2}, {2, 3}, {3, 4}, {4, 5}, {5, 6}, {6, 9}});
  CHECK(pairs(runs_of_levels(begin, 1000)) == Runs{{0, 9}});
  CHECK(runs_of_levels(begin, 0).size() == 9);
  CHECK(runs_of_levels({0}, 8).empty());
  CHECK(runs_of_levels({}, 8).empty());
  for (const std::int64_t most : {0, 1, 3, 8, 9, 100}) {
    CHECK(broken_run(begin, runs_of_levels(begin, most), most) == "");
  }
  CHECK(broken_run({0}, {}, 8) == "");
}

TEST_CASE("sptrsv: launches that break the order of levels are found") {
  const auto begin = begins({4, 4, 40, 4});
  const auto broken = [&](const std::vector<LevelRun>& runs) { return broken_run(begin, runs, 8); };
  CHECK(broken({{0, 2}, {2, 3}, {3, 4}}) == "");
  CHECK(broken({{0, 3}, {3, 4}}) == "level 2 is too wide for a launch with others");
  CHECK(broken({{0, 2}, {3, 4}}) == "level 2 is not solved in turn");
  CHECK(broken({{2, 3}, {0, 2}, {3, 4}}) == "level 0 is not solved in turn");
  CHECK(broken({{0, 2}, {2, 3}}) == "level 3 is not solved");
  CHECK(broken({{0, 2}, {1, 3}, {3, 4}}) == "level 2 is not solved in turn");
  CHECK(broken({{0, 0}, {0, 2}, {2, 3}, {3, 4}}) == "a launch of no levels");
}

TEST_CASE("sptrsv: clusters are a parameter where a device has them") {
  Device device;
  device.backend = BackendKind::cuda;
  device.lanes = 32;
  const auto parse = [&](const char* text) {
    const SchemeGrammar legal = grammar(device);
    return parse_scheme(text, std::span(&legal, 1)).to_string();
  };
  CHECK_THROWS_AS(parse("sptrsv/level-set,cluster=8"), Error);
  device.most_teams_per_cluster = 8;
  CHECK(parse("sptrsv/level-set,cluster=8") == "sptrsv/level-set,cluster=8");
  CHECK(parse("sptrsv/level-set,cluster=0") == "sptrsv/level-set,cluster=0");
  CHECK(parse("sptrsv/level-set") == "sptrsv/level-set");
  CHECK_THROWS_AS(parse("sptrsv/level-set,cluster=16"), Error);
  CHECK_THROWS_AS(parse("sptrsv/self-scheduled,cluster=8"), Error);
  device.most_teams_per_cluster = 16;
  CHECK(parse("sptrsv/level-set,cluster=16") == "sptrsv/level-set,cluster=16");
  CHECK_THROWS_AS(parse("sptrsv/level-set,cluster=4"), Error);
}

TEST_CASE("sptrsv: a cluster solves thin levels before, between and behind wide ones") {
  using Type = OneTriangleType;
  const Type::Exec exec;
  const int most = backends::describe(exec).most_teams_per_cluster;
  const auto A = triangle_on_device<Type>(
      exec, leveled({3, 40, 1, 5000, 7, 7, 300, 9000, 2, 9000, 100, 1, 4096, 512, 128, 1, 1}));
  Watchdog watchdog("thin levels");
  for (const int teams : {0, 8, 16}) {
    if (most == 0 || teams > most) continue;
    for (const int lanes : {1, 2, 4, 8, 16, 32}) {
      const std::string scheme =
          "sptrsv/level-set,lanes=" + std::to_string(lanes) + ",cluster=" + std::to_string(teams);
      CAPTURE(scheme);
      auto plan = plan_of<Type>(exec, A, Scheme::parse(scheme));
      CHECK(plan.scheme().integer("cluster") == teams);
      CHECK(plan.levels() == 17);
      // Fewer vectors after more, and the other way round: nothing may be left of the last solve.
      std::uint64_t seed = 1;
      for (const int vectors : {1, 4, 3, 9, 1, 1, 2}) {
        CAPTURE(vectors);
        CHECK(solve_randomly<Type>(exec, plan, A, Triangle::lower, vectors, seed++) <= 1);
      }
      watchdog.progress();
    }
  }
}

}  // namespace heddle::test
