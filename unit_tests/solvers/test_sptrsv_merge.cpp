// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows merged into groups, on the host: what every merging keeps, and what each is for.
#include <doctest/doctest.h>

#include "../../solvers/order/group_proof.hpp"
#include "../../solvers/sptrsv/transform/merge.hpp"
#include "../../solvers/sptrsv/transform/pieces.hpp"
#include "../support/triangles.hpp"

namespace heddle::test {

namespace {

using heddle::detail::order::broken_dependence;
using heddle::detail::order::Launch;
using heddle::detail::order::launches_of;
using heddle::detail::order::PlaceGraph;
using heddle::detail::order::RowGroups;
using heddle::detail::sptrsv::bands_of;
using heddle::detail::sptrsv::Merging;
using heddle::detail::sptrsv::most_rows;
using Kind = Merging::Kind;

/// A triangle whose rows are put in the order of their levels.
struct Leveled {
  std::vector<std::int64_t> row_ptr{0};
  std::vector<std::int64_t> needed;
  std::vector<std::int64_t> level_begin{0};

  explicit Leveled(const Pattern& pattern) {
    const std::size_t n = pattern.rows.size();
    std::vector<std::size_t> level(n, 0), order(n);
    std::vector<std::int64_t> place(n);
    const auto parents = [&](std::size_t i) {
      std::vector<std::size_t> result;
      for (const std::int64_t j : pattern.rows[i]) {
        if (j < static_cast<std::int64_t>(i)) result.push_back(static_cast<std::size_t>(j));
      }
      return result;
    };
    for (std::size_t i = 0; i < n; ++i) {
      order[i] = i;
      for (const std::size_t j : parents(i)) level[i] = std::max(level[i], level[j] + 1);
    }
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return level[a] < level[b]; });
    for (std::size_t p = 0; p < n; ++p) {
      const std::size_t i = order[p];
      place[i] = static_cast<std::int64_t>(p);
      if (p > 0 && level[i] != level[order[p - 1]]) level_begin.push_back(place[i]);
      for (const std::size_t j : parents(i)) needed.push_back(place[j]);
      row_ptr.push_back(static_cast<std::int64_t>(needed.size()));
    }
    if (n > 0) level_begin.push_back(static_cast<std::int64_t>(n));
  }

  PlaceGraph<std::int64_t, std::int64_t> graph() const {
    return {static_cast<std::int64_t>(row_ptr.size()) - 1, row_ptr.data(), needed.data()};
  }
};

RowGroups merge(const PlaceGraph<std::int64_t, std::int64_t>& graph,
                const std::vector<std::int64_t>& level_begin, const Merging& merging) {
  return heddle::detail::sptrsv::merge(graph, level_begin, merging,
                                       [](int tasks, const auto& task) {
                                         for (int t = tasks - 1; t >= 0; --t)
                                           task(t);  // in any order
                                       });
}

std::vector<Merging> all_mergings() {
  std::vector<Merging> all;
  for (const Kind kind :
       {Kind::none, Kind::fixed, Kind::average, Kind::short_rows, Kind::parents}) {
    for (const int number : {1, 2, 4, 8, 16, 32}) {
      all.push_back({kind, number, 10000});
      all.push_back({kind, number, 40});
    }
  }
  return all;
}

/// What of the groups themselves is wrong, or nothing.
std::string problem(const Leveled& triangle, const RowGroups& groups, const Merging& merging) {
  const auto graph = triangle.graph();
  for (std::size_t g = 0; g + 1 < groups.begin.size(); ++g) {
    std::int64_t entries = 0;
    for (auto p = groups.begin[g]; p < groups.begin[g + 1]; ++p) {
      entries += graph.entries(groups.order[static_cast<std::size_t>(p)]);
    }
    const bool one_row = groups.begin[g + 1] - groups.begin[g] == 1;
    if (!one_row && entries > merging.most_entries) return "a group has too many entries";
  }
  for (std::size_t l = 0; l + 1 < groups.level_begin.size(); ++l) {
    if (groups.level_begin[l] == groups.level_begin[l + 1]) return "a level is empty";
  }
  return "";
}

Leveled leveled(const std::string& name) { return Leveled(triangle_named(name)); }

}  // namespace

TEST_CASE("sptrsv: groups wait for what they need, in every schedule of every triangle") {
  for (const Pattern& pattern : triangle_patterns()) {
    CAPTURE(pattern.name);
    const Leveled triangle(pattern);
    for (const Merging& merging : all_mergings()) {
      CAPTURE(static_cast<int>(merging.kind));
      CAPTURE(merging.number);
      CAPTURE(merging.most_entries);
      const RowGroups groups = merge(triangle.graph(), triangle.level_begin, merging);
      CHECK(problem(triangle, groups, merging) == "");
      for (const std::int64_t least : {1, 2, 5, 20, 1000000}) {
        const auto launches = launches_of(groups.level_begin, least);
        CHECK(broken_dependence(triangle.graph(), groups, launches, {most_rows}) == "");
      }
    }
  }
}

TEST_CASE("sptrsv: groups have no more pieces than sums fit into scratch") {
  using heddle::detail::sptrsv::most_pieces_of;
  for (const Pattern& pattern : triangle_patterns()) {
    CAPTURE(pattern.name);
    const Leveled triangle(pattern);
    for (const int subwarps : {1, 2, 4}) {
      for (const int piece : {4, 8}) {
        const int most = most_pieces_of(subwarps);
        const Merging merging{Kind::parents, 4, std::int64_t{most - most_rows} * piece};
        const RowGroups groups = merge(triangle.graph(), triangle.level_begin, merging);
        const auto launches = launches_of(groups.level_begin, 1000000);
        CHECK(broken_dependence(triangle.graph(), groups, launches, {most_rows, piece, most}) ==
              "");
      }
    }
  }
  // Two rows of one group that need five of another, in pieces of four.
  const Leveled two(lower_pattern("two", 7, [](std::int64_t i) {
    return i < 5 ? std::vector<std::int64_t>{} : std::vector<std::int64_t>{0, 1, 2, 3, 4};
  }));
  const RowGroups groups{{0, 1, 2, 3, 4, 5, 6}, {0, 5, 7}, {0, 1, 2}};
  const std::vector<Launch> once{{0, 2, false}};
  CHECK(broken_dependence(two.graph(), groups, once, {most_rows, 4, 4}) == "");
  CHECK(broken_dependence(two.graph(), groups, once, {most_rows, 4, 3}) == "a group of 4 pieces");
  CHECK(broken_dependence(two.graph(), groups, once, {4}) == "a group of 5 rows");
}

TEST_CASE("sptrsv: a schedule that breaks a dependence is noticed") {
  const Leveled chain(lower_band("chain", 3, {1}));
  const auto broken = [&](const RowGroups& groups, const std::vector<Launch>& launches) {
    return broken_dependence(chain.graph(), groups, launches, {most_rows}) != "";
  };
  const RowGroups two{{0, 1, 2}, {0, 2, 3}, {0, 1, 2}};
  CHECK(!broken(two, {{0, 2, false}}));
  CHECK(!broken(two, {{0, 1, true}, {1, 2, true}}));
  CHECK(broken(two, {{0, 2, true}}));   // no wait in it
  CHECK(broken(two, {{0, 1, false}}));  // a group is missing
  CHECK(broken(two, {{1, 2, false}, {0, 1, false}}));
  CHECK(broken({{0, 1, 2}, {0, 3}, {0, 1}}, {}));
  CHECK(broken({{0, 1, 1}, {0, 3}, {0, 1}}, {{0, 1, true}}));
  CHECK(broken({{1, 0, 2}, {0, 3}, {0, 1}}, {{0, 1, true}}));  // out of order in its group
  // The first and the last in one group, which would wait for itself by way of the other.
  CHECK(broken({{0, 2, 1}, {0, 2, 3}, {0, 1, 2}}, {{0, 2, false}}));
  CHECK(broken({{1, 0, 2}, {0, 1, 3}, {0, 1, 2}}, {{0, 2, false}}));
}

TEST_CASE("sptrsv: merging by parents makes fewer levels") {
  const auto levels = [](const Leveled& triangle, const Merging& merging) {
    return merge(triangle.graph(), triangle.level_begin, merging).levels();
  };
  const Leveled grid = leveled("grid"), chain = leveled("bidiagonal");
  CHECK(levels(grid, {Kind::none, 1}) == 99);
  CHECK(levels(grid, {Kind::parents, 4}) <= 33);
  CHECK(levels(chain, {Kind::parents, 1}) == (700 + most_rows - 1) / most_rows);
  CHECK(levels(chain, {Kind::fixed, 8}) == (700 + 7) / 8);
  CHECK(levels(leveled("diagonal"), {Kind::parents, 4}) == 1);
}

TEST_CASE("sptrsv: a large triangle is merged in bands, each for itself") {
  const Leveled band(lower_band("band", 400000, {1000, 2500}));
  const std::vector<std::size_t> first_level = bands_of(band.level_begin);
  CHECK(first_level.size() == 5);
  const RowGroups groups = merge(band.graph(), band.level_begin, {Kind::parents, 4});
  CHECK(broken_dependence(band.graph(), groups, launches_of(groups.level_begin, 1000000),
                          {most_rows}) == "");
  CHECK(broken_dependence(band.graph(), groups, launches_of(groups.level_begin, 1), {most_rows}) ==
        "");
  // Groups of one band follow all of the band before.
  for (std::size_t b = 1; b + 1 < first_level.size(); ++b) {
    const std::int64_t edge = band.level_begin[first_level[b]];
    CHECK(std::find(groups.begin.begin(), groups.begin.end(), edge) != groups.begin.end());
    for (std::int64_t p = 0; p < edge; ++p) {
      if (groups.order[static_cast<std::size_t>(p)] >= edge) FAIL("a row is in another band");
    }
  }
}

TEST_CASE("sptrsv: kinds of merging in places that follow each other") {
  const Leveled rows = leveled("long rows");
  const auto graph = rows.graph();
  const auto mean = [&](const RowGroups& groups, std::size_t g) {
    std::int64_t entries = 0;
    for (auto p = groups.begin[g]; p < groups.begin[g + 1]; ++p) {
      entries += graph.entries(groups.order[static_cast<std::size_t>(p)]);
    }
    return static_cast<double>(entries) /
           static_cast<double>(groups.begin[g + 1] - groups.begin[g]);
  };
  const RowGroups average = merge(graph, rows.level_begin, {Kind::average, 4});
  const RowGroups thresh = merge(graph, rows.level_begin, {Kind::short_rows, 4});
  const RowGroups fixed = merge(graph, rows.level_begin, {Kind::fixed, 4});
  for (std::size_t g = 0; g + 1 < average.begin.size(); ++g) {
    if (average.begin[g + 1] - average.begin[g] > 1) CHECK(mean(average, g) <= 4);
  }
  for (std::size_t g = 0; g + 1 < thresh.begin.size(); ++g) {
    const bool one = thresh.begin[g + 1] - thresh.begin[g] == 1;
    for (auto p = thresh.begin[g]; !one && p < thresh.begin[g + 1]; ++p) {
      CHECK(graph.entries(thresh.order[static_cast<std::size_t>(p)]) <= 4);
    }
  }
  CHECK(fixed.groups() == (500 + 3) / 4);
}

}  // namespace heddle::test
