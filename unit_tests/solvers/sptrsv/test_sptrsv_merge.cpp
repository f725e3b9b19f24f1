// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows merged into groups: invariants of every merging, the purpose of each, and that groups are
// the same on every device.
#include <doctest/doctest.h>

#include "../../../solvers/sptrsv/definitions.hpp"
#include "../../../solvers/sptrsv/transform/blocked_triangle.hpp"
#include "../../../solvers/sptrsv/transform/merge.hpp"
#include "../../support/serial_parents.hpp"
#include "../../support/task_proofs.hpp"
#include "../../support/triangles.hpp"

namespace heddle::test {

namespace {

namespace ordered = heddle::detail::ordered;
namespace triangle = heddle::detail::triangle;
using heddle::detail::sptrsv::merge;
using heddle::detail::sptrsv::MergedRows;
using heddle::detail::sptrsv::Merging;
using heddle::detail::sptrsv::MergingBands;
using heddle::detail::sptrsv::most_rows;
using ordered::launches_of;
using Kind = Merging::Kind;

/// A lower triangle on a device, with its rows in the order of their levels.
template <class Exec>
struct Leveled {
  using Pattern32 = triangle::OrderedPattern<Exec, std::int32_t, std::int64_t>;

  Exec exec;
  Pattern32 pattern;
  std::vector<std::int64_t> level_begin;
  std::vector<std::int64_t> row_ptr;
  std::vector<std::int32_t> needed;

  explicit Leveled(const Pattern& from) {
    const auto n = static_cast<std::int32_t>(from.rows.size());
    const auto pointers = on_device(from.rows.row_ptr());
    const auto columns = on_device(from.rows.col_idx());
    const triangle::DependencyGraph<std::int32_t, std::int64_t> graph{
        pointers.data(), columns.data(), n, Triangle::lower};
    const auto places = ordered::Schedule<Exec, std::int32_t>::by_level(
        exec, n, SweepDirection::forward,
        ordered::Levels<Exec>(exec, triangle::loop_of(graph, from.rows.nonzeros())));
    level_begin = places.level_begin();
    std::int64_t entries = 0;
    for (std::int32_t i = 0; i < n; ++i) {
      for (const std::int32_t j : from.rows[static_cast<std::size_t>(i)]) entries += j < i ? 1 : 0;
    }
    pattern = Pattern32(exec, graph, nullptr, places.order(), entries);
    row_ptr = on_host(pattern.row_ptr().data(), n + std::int64_t{1});
    needed = on_host(pattern.needed().data(), entries);
  }

  RowGroups on_host(const MergedRows<Exec, std::int32_t>& groups) const {
    return groups_on_host(exec, groups, pattern.rows());
  }
  MergedRows<Exec, std::int32_t> merged(const Merging& merging) const {
    return merge(exec, pattern, level_begin, merging);
  }
  template <class T>
  std::vector<T> on_host(const T* from, std::int64_t count) const {
    return ordered::copied_to_host(exec, "heddle::test::on_host", from, count);
  }
  std::int64_t entries(std::int64_t place) const {
    const auto p = static_cast<std::size_t>(place);
    return row_ptr[p + 1] - row_ptr[p];
  }

 private:
  template <class T>
  Kokkos::View<T*, typename Exec::memory_space> on_device(const std::vector<T>& from) const {
    Kokkos::View<T*, typename Exec::memory_space> to("pattern", from.size());
    ordered::copy_from_host(exec, to.data(), from);
    exec.fence("heddle::test::pattern");
    return to;
  }
};

/// All mergings; on an emulated device, which is slow, two of each kind.
std::vector<Merging> all_mergings() {
  std::vector<Merging> all;
  for (const Kind kind :
       {Kind::none, Kind::fixed, Kind::average, Kind::short_rows, Kind::parents}) {
    for (const int number : {1, 2, 4, 8, 16, 32}) {
      if (emulated && number != 4) continue;
      all.push_back({kind, number, 10000});
      all.push_back({kind, number, 40});
    }
  }
  return all;
}

/// The error in the groups, "" if there is none.
template <class Triangle>
std::string problem(const Triangle& triangle, const RowGroups& groups, const Merging& merging) {
  for (std::size_t g = 0; g + 1 < groups.begin.size(); ++g) {
    std::int64_t entries = 0;
    for (auto p = groups.begin[g]; p < groups.begin[g + 1]; ++p) {
      entries += triangle.entries(groups.order[static_cast<std::size_t>(p)]);
    }
    const bool one_row = groups.begin[g + 1] - groups.begin[g] == 1;
    if (!one_row && entries > merging.most_entries) return "a group has too many entries";
  }
  for (std::size_t l = 0; l + 1 < groups.level_begin.size(); ++l) {
    if (groups.level_begin[l] == groups.level_begin[l + 1]) return "a level is empty";
  }
  return "";
}

template <class Exec>
Leveled<Exec> leveled(const std::string& name) {
  return Leveled<Exec>(triangle_named(name));
}

}  // namespace

TEST_CASE_TEMPLATE_DEFINE("sptrsv: groups wait for what they need, in every schedule", Exec,
                          every_schedule) {
  for (const Pattern& pattern : triangle_patterns()) {
    CAPTURE(pattern.name);
    const Leveled<Exec> triangle(pattern);
    for (const Merging& merging : all_mergings()) {
      CAPTURE(static_cast<int>(merging.kind));
      CAPTURE(merging.number);
      CAPTURE(merging.most_entries);
      const auto groups = triangle.merged(merging);
      CHECK(problem(triangle, triangle.on_host(groups), merging) == "");
      for (const std::int64_t least : {1, 5, 1000000}) {
        const auto launches = launches_of(groups.level_begin(), least);
        CHECK(broken_groups(triangle.exec, triangle.pattern, groups, launches, {most_rows}) == "");
      }
    }
  }
}
TEST_CASE_TEMPLATE_APPLY(every_schedule, Backends);

TEST_CASE_TEMPLATE_DEFINE("sptrsv: merging by parents makes the groups of one thread", Exec,
                          same_groups) {
  for (const Pattern& pattern : triangle_patterns()) {
    CAPTURE(pattern.name);
    const Leveled<Exec> triangle(pattern);
    if (pattern.rows.empty()) continue;
    for (const Merging& merging : all_mergings()) {
      if (merging.kind != Kind::parents) continue;
      CAPTURE(merging.number);
      CAPTURE(merging.most_entries);
      const auto grown = heddle::detail::sptrsv::merge_parents(triangle.exec, triangle.pattern,
                                                               triangle.level_begin, merging);
      const std::int64_t n = triangle.pattern.rows();
      const auto head = triangle.on_host(grown.head, n);
      const auto level = triangle.on_host(grown.level, n);
      const SerialParents serial(triangle, merging);
      bool same = true;
      for (std::size_t p = 0; p < head.size(); ++p) {
        const auto g = static_cast<std::size_t>(head[p]);
        same = same && g == serial.group[p] && level[g] == serial.groups[g].level;
      }
      CHECK(same);
    }
  }
}
TEST_CASE_TEMPLATE_APPLY(same_groups, Backends);

TEST_CASE_TEMPLATE_DEFINE("sptrsv: groups have no more pieces than sums fit into scratch", Exec,
                          few_pieces) {
  using heddle::detail::sptrsv::most_pieces_of;
  for (const Pattern& pattern : triangle_patterns()) {
    CAPTURE(pattern.name);
    const Leveled<Exec> triangle(pattern);
    for (const int subwarps : {1, 2, 4}) {
      for (const int piece : {4, 8}) {
        if (emulated && piece == 8) continue;
        const int most = most_pieces_of(subwarps);
        const auto groups =
            triangle.merged({Kind::parents, 4, std::int64_t{most - most_rows} * piece});
        const auto launches = launches_of(groups.level_begin(), 1000000);
        CHECK(broken_groups(triangle.exec, triangle.pattern, groups, launches,
                            {most_rows, piece, most}) == "");
      }
    }
  }
}
TEST_CASE_TEMPLATE_APPLY(few_pieces, Backends);

#ifndef HEDDLE_EMULATED
using Host = Kokkos::DefaultHostExecutionSpace;

TEST_CASE("sptrsv: a schedule that breaks a dependence is noticed") {
  const Leveled<Host> chain(lower_band("chain", 3, {1}));
  const auto wrong = [](const Leveled<Host>& triangle, const RowGroups& groups,
                        const std::vector<LaunchRange>& launches, const GroupBounds& bounds) {
    const PlaceGraph<std::int32_t, std::int64_t> graph{
        triangle.pattern.rows(), triangle.row_ptr.data(), triangle.needed.data()};
    return broken_dependence(graph, groups, launches, bounds);
  };
  const auto broken = [&](const RowGroups& groups, const std::vector<LaunchRange>& launches) {
    return wrong(chain, groups, launches, {most_rows}) != "";
  };
  const RowGroups two{{0, 1, 2}, {0, 2, 3}, {0, 1, 2}};
  CHECK(!broken(two, {{0, 2, false}}));
  CHECK(!broken(two, {{0, 1, true}, {1, 2, true}}));
  CHECK(broken(two, {{0, 2, true}}));   // a launch without waits
  CHECK(broken(two, {{0, 1, false}}));  // a group is missing
  CHECK(broken(two, {{1, 2, false}, {0, 1, false}}));
  CHECK(broken({{0, 1, 2}, {0, 3}, {0, 1}}, {}));
  CHECK(broken({{0, 1, 1}, {0, 3}, {0, 1}}, {{0, 1, true}}));
  CHECK(broken({{1, 0, 2}, {0, 3}, {0, 1}}, {{0, 1, true}}));  // unordered group
  // The first and the last row in one group, which would wait for itself through another group.
  CHECK(broken({{0, 2, 1}, {0, 2, 3}, {0, 1, 2}}, {{0, 2, false}}));
  CHECK(broken({{1, 0, 2}, {0, 1, 3}, {0, 1, 2}}, {{0, 2, false}}));

  // Two rows of one group need five rows of another, in pieces of four.
  const Leveled<Host> fan(lower_pattern("fan", 7, [](std::int64_t i) {
    return i < 5 ? std::vector<std::int64_t>{} : std::vector<std::int64_t>{0, 1, 2, 3, 4};
  }));
  const RowGroups groups{{0, 1, 2, 3, 4, 5, 6}, {0, 5, 7}, {0, 1, 2}};
  const std::vector<LaunchRange> once{{0, 2, false}};
  CHECK(wrong(fan, groups, once, {most_rows, 4, 4}) == "");
  CHECK(wrong(fan, groups, once, {most_rows, 4, 3}) == "a group of 4 pieces");
  CHECK(wrong(fan, groups, once, {4}) == "a group of 5 rows");
}

TEST_CASE("sptrsv: merging by parents makes fewer levels") {
  const auto levels = [](const Leveled<Host>& triangle, const Merging& merging) {
    return triangle.merged(merging).level_begin().size() - 1;
  };
  const auto grid = leveled<Host>("grid"), chain = leveled<Host>("bidiagonal");
  CHECK(levels(grid, {Kind::none, 1}) == 99);
  CHECK(levels(grid, {Kind::parents, 4}) <= 33);
  CHECK(levels(chain, {Kind::parents, 1}) == (700 + most_rows - 1) / most_rows);
  CHECK(levels(chain, {Kind::fixed, 8}) == (700 + 7) / 8);
  CHECK(levels(leveled<Host>("diagonal"), {Kind::parents, 4}) == 1);
}

TEST_CASE("sptrsv: a large triangle is merged in bands, each for itself") {
  const Leveled<Host> band(lower_band("band", 250000, {500, 1250}));
  const MergingBands bands(band.level_begin);
  CHECK(bands.count == 2);
  const auto groups = band.merged({Kind::parents, 4});
  const RowGroups on_host = band.on_host(groups);
  for (const std::int64_t least : {1, 1000000}) {
    CHECK(broken_groups(band.exec, band.pattern, groups, launches_of(groups.level_begin(), least),
                        {most_rows}) == "");
  }
  // Groups of the second band follow all of the first.
  const std::int64_t edge = bands.begin[1];
  CHECK(std::find(on_host.begin.begin(), on_host.begin.end(), edge) != on_host.begin.end());
  for (std::int64_t p = 0; p < edge; ++p) {
    if (on_host.order[static_cast<std::size_t>(p)] >= edge) FAIL("a row is in another band");
  }
}

TEST_CASE("sptrsv: kinds of merging in places that follow each other") {
  const auto rows = leveled<Host>("long rows");
  const auto merged = [&](Kind kind) { return rows.on_host(rows.merged({kind, 4})); };
  const auto mean = [&](const RowGroups& groups, std::size_t g) {
    std::int64_t entries = 0;
    for (auto p = groups.begin[g]; p < groups.begin[g + 1]; ++p) {
      entries += rows.entries(groups.order[static_cast<std::size_t>(p)]);
    }
    return static_cast<double>(entries) /
           static_cast<double>(groups.begin[g + 1] - groups.begin[g]);
  };
  const RowGroups average = merged(Kind::average), thresh = merged(Kind::short_rows);
  for (std::size_t g = 0; g + 1 < average.begin.size(); ++g) {
    if (average.begin[g + 1] - average.begin[g] > 1) CHECK(mean(average, g) <= 4);
  }
  for (std::size_t g = 0; g + 1 < thresh.begin.size(); ++g) {
    const bool one = thresh.begin[g + 1] - thresh.begin[g] == 1;
    for (auto p = thresh.begin[g]; !one && p < thresh.begin[g + 1]; ++p) {
      CHECK(rows.entries(thresh.order[static_cast<std::size_t>(p)]) <= 4);
    }
  }
  CHECK(merged(Kind::fixed).groups() == (500 + 3) / 4);
}
#endif

}  // namespace heddle::test
