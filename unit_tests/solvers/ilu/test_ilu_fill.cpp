// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The fill of each level, and the level with all fill.
#include "../../../testing/vectors_check.hpp"
#include "../../support/incomplete.hpp"
#include "../../support/shared_formats.hpp"

namespace heddle::test {

namespace {

using Exec = DefaultDevice;
using Default = Types<DefaultDevice, double, Indices<std::int32_t, std::int32_t>>;
using Owned = OwnedMatrix<Default>;

/// A symmetric matrix with an entry for each edge.
HostRows<double> graph(std::int64_t n, const std::vector<std::pair<int, int>>& edges) {
  HostRows<double> rows(static_cast<std::size_t>(n));
  for (std::int64_t i = 0; i < n; ++i) rows[static_cast<std::size_t>(i)].emplace_back(i, 8.0);
  for (const auto& [i, j] : edges) {
    rows[static_cast<std::size_t>(i)].emplace_back(j, -1.0);
    rows[static_cast<std::size_t>(j)].emplace_back(i, -1.0);
  }
  return ascending(rows);
}

void check_both(const HostRows<double>& rows, int level, int level_of_reference) {
  CAPTURE(level);
  const Exec exec;
  const Owned a(rows);
  IluOptions options;
  options.fill_level = level_of_reference;
  const auto lu = reference_lu(rows, options), cholesky = reference_cholesky(rows, options);
  options.fill_level = level;
  const IluPlan<Exec, Owned::Matrix> of_lu(exec, a.matrix(), options);
  CHECK(difference(of_lu.factors(exec), lu) < tolerance<double>());
  const IcPlan<Exec, Owned::Matrix> of_cholesky(exec, a.matrix(), options);
  CHECK(difference(of_cholesky.factors(exec), cholesky) < tolerance<double>());
}

}  // namespace

TEST_CASE("levels end where there can be no more fill") {
  const auto five = graph(5, {{0, 1}, {0, 2}, {1, 3}, {2, 4}});
  const auto grid = random_rows<double>(emulated ? 20 : 60, 1, true, 3);
  for (const int level : {1000000, std::numeric_limits<int>::max()}) {
    check_both(five, level, 5);
    check_both(grid, level, 60);
    check_both(graph(3, {}), level, 0);
  }
}

TEST_CASE("a level without fill may be followed by one with") {
  // 3 - 0 - 2 - 1 - 4: fill of level 1 in (2, 3) and (2, 4), none of level 2, and (3, 4) of
  // level 3.
  const auto rows = graph(5, {{3, 0}, {0, 2}, {2, 1}, {1, 4}});
  for (const int level : {1, 2, 3, 4}) check_both(rows, level, level);
}

TEST_CASE("fill beside rows and columns of all") {
  const std::int64_t n = emulated ? 70 : 400;
  for (const std::int64_t hub : {std::int64_t{0}, n / 2, n - 1}) {
    CAPTURE(hub);
    auto rows = random_rows<double>(n, 2, true, 5);
    for (std::int64_t j = 0; j < n; ++j) {
      if (j == hub) continue;
      rows[static_cast<std::size_t>(hub)].emplace_back(j, 1.0 / 1024);
      rows[static_cast<std::size_t>(j)].emplace_back(hub, 1.0 / 1024);
    }
    for (const int level : {1, 2}) check_both(rows, level, level);
  }
}

}  // namespace heddle::test
