// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The features of a triangle, against counts of the host.
#include <doctest/doctest.h>

#include <numeric>
#include <set>
#include <sstream>

#include "../../../solvers/sptrsv/definitions.hpp"
#include "../../../testing/events.hpp"
#include "../../support/triangles.hpp"

namespace heddle::test {

namespace {

Spread spread_of(const std::vector<std::int64_t>& counts) {
  if (counts.empty()) return {};
  const auto n = static_cast<double>(counts.size());
  Spread spread;
  for (const std::int64_t count : counts) {
    spread.mean += static_cast<double>(count) / n;
    spread.max = std::max(spread.max, count);
  }
  double variance = 0;
  for (const std::int64_t count : counts) {
    variance += std::pow(static_cast<double>(count) - spread.mean, 2) / n;
  }
  spread.variation = std::sqrt(variance) / spread.mean;
  return spread;
}

/// The columns of a row below the diagonal, in their order.
std::vector<std::int64_t> below(const Pattern& pattern, std::int64_t i) {
  const auto row = pattern.rows[static_cast<std::size_t>(i)];
  std::vector<std::int64_t> columns(row.begin(), row.end());
  std::erase_if(columns, [&](std::int64_t j) { return j >= i; });
  return columns;
}

/// The features of the lower triangle of a pattern, row by row.
TriangleFeatures count_features(const Pattern& pattern) {
  TriangleFeatures features;
  const auto n = static_cast<std::int64_t>(pattern.rows.size());
  std::vector<std::int64_t> entries, level, level_rows, level_entries;
  std::set<std::int64_t> with_hubs;
  for (std::int64_t i = 0; i < n; ++i) {
    std::int64_t count = 1, above = 0, nearest = 0;
    for (const std::int64_t j : pattern.rows[static_cast<std::size_t>(i)]) {
      if (j >= i) continue;
      ++count;
      above = std::max(above, level[static_cast<std::size_t>(j)] + 1);
      nearest = nearest ? std::min(nearest, i - j) : i - j;
    }
    entries.push_back(count);
    level.push_back(above);
    const auto l = static_cast<std::size_t>(above);
    if (l == level_rows.size()) {
      level_rows.push_back(0);
      level_entries.push_back(0);
    }
    ++level_rows[l];
    level_entries[l] += count;
    if (count >= 100) {
      ++features.hub_rows;
      features.hub_entries += count;
      with_hubs.insert(above);
    }
    if (nearest) features.dep_dist += 1 / static_cast<double>(nearest) / static_cast<double>(n);
    // A row shares its columns if it needs the row before it, once, and the columns of that one.
    std::vector<std::int64_t> row = below(pattern, i);
    if (std::count(row.begin(), row.end(), i - 1) != 1) continue;
    row.erase(std::find(row.begin(), row.end(), i - 1));
    features.shared_rows += row == below(pattern, i - 1) ? 1 : 0;
  }
  features.rows = n;
  features.entries = std::accumulate(entries.begin(), entries.end(), std::int64_t{0});
  features.row_entries = spread_of(entries);
  features.levels = static_cast<std::int64_t>(level_rows.size());
  features.level_rows = spread_of(level_rows);
  features.level_entries = spread_of(level_entries);
  features.hub_levels = static_cast<std::int64_t>(with_hubs.size());
  std::int64_t chain = 0;
  for (const std::int64_t rows : level_rows) {
    features.wide_levels += rows >= 1000 ? 1 : 0;
    const auto digits = std::to_string(rows).size();
    ++features.levels_by_width[std::min<std::size_t>(digits, 5) - 1];
    features.chain_levels += rows == 1 ? 1 : 0;
    chain = rows == 1 ? chain + 1 : 0;
    features.longest_chain = std::max(features.longest_chain, chain);
  }
  return features;
}

Pattern transposed(const Pattern& pattern) {
  std::vector<std::vector<std::int64_t>> rows(pattern.rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (const std::int64_t j : pattern.rows[i]) {
      rows[static_cast<std::size_t>(j)].push_back(static_cast<std::int64_t>(i));
    }
  }
  Pattern result{pattern.name + ", transposed", pattern.columns, {}};
  for (const auto& row : rows) result.rows.push_back(row);
  return result;
}

/// Compares features of a plan on a device; only CPUs search for rows that share their columns.
template <class Exec>
void check_same(const Exec&, const TriangleFeatures& is, const TriangleFeatures& should) {
  const auto about = [](double value) { return doctest::Approx(value).epsilon(1e-8); };
  const auto check_spread = [&](const Spread& a, const Spread& b) {
    CHECK(a.mean == about(b.mean));
    CHECK(a.max == b.max);
    CHECK(a.variation == about(b.variation));
  };
  CHECK(is.rows == should.rows);
  CHECK(is.entries == should.entries);
  CHECK(is.levels == should.levels);
  check_spread(is.row_entries, should.row_entries);
  check_spread(is.level_rows, should.level_rows);
  check_spread(is.level_entries, should.level_entries);
  CHECK(is.wide_levels == should.wide_levels);
  CHECK(is.levels_by_width == should.levels_by_width);
  CHECK(is.chain_levels == should.chain_levels);
  CHECK(is.longest_chain == should.longest_chain);
  CHECK(is.hub_rows == should.hub_rows);
  CHECK(is.hub_entries == should.hub_entries);
  CHECK(is.hub_levels == should.hub_levels);
  CHECK(is.dep_dist == about(should.dep_dist));
  CHECK(is.shared_rows == (heddle::detail::ordered::on_threads<Exec> ? should.shared_rows : 0));
}

std::string printed(const TriangleFeatures& features) {
  std::ostringstream text;
  text.precision(17);
  text << features;
  return text.str();
}

}  // namespace

TEST_CASE_TEMPLATE_DEFINE("triangle features agree with a serial count", T, serial_count) {
  const typename T::Exec exec;
  for (const Pattern& lower : triangle_patterns()) {
    const Pattern upper = reversed(lower);
    const TriangleFeatures expected = count_features(lower);
    // Features of the transpose: of a lower triangle it is an upper one, in reverse order.
    const TriangleFeatures expected_transposed = count_features(reversed(transposed(lower)));
    for (const bool is_upper : {false, true}) {
      const auto A = triangle_on_device<T>(exec, is_upper ? upper : lower);
      CAPTURE(A.name);
      const Triangle triangle = is_upper ? Triangle::upper : Triangle::lower;
      const typename T::template Plan<> plan(exec, A.matrix(), {.triangle = triangle});
      check_same(exec, plan.features(exec), expected);
      check_same(exec, plan.features(exec, Op::conjugate), expected);
      check_same(exec, plan.features(exec, Op::transpose), expected_transposed);
      CHECK(printed(plan.features(exec)) == printed(plan.features(exec)));
    }
  }
}
TEST_CASE_TEMPLATE_APPLY(serial_count, TriangleTypes);

TEST_CASE("triangle features: what is outside of the triangle does not count") {
  using Type = OneTriangleType;
  const Type::Exec exec;
  const Pattern lower = triangle_named("grid");
  Pattern both{"both", lower.columns, {}};
  for (std::size_t i = 0; i < lower.rows.size(); ++i) {
    const auto from = lower.rows[i];
    std::vector<std::int64_t> row(from.begin(), from.end());
    for (std::int64_t j = static_cast<std::int64_t>(i) + 1; j < lower.columns; j += 700) {
      row.push_back(j);
    }
    both.rows.push_back(row);
  }
  const auto A = triangle_on_device<Type>(exec, both);
  const Type::Plan<> plan(exec, A.matrix(), {.ignore_outside = true});
  check_same(exec, plan.features(exec), count_features(lower));
}

TEST_CASE("triangle features: neighbours of a grid need each other, those of a shuffled one not") {
  using Type = OneTriangleType;
  const Type::Exec exec;
  const std::int64_t side = 200, n = side * side;
  const auto features = [&](const Pattern& pattern) {
    const auto A = triangle_on_device<Type>(exec, pattern);
    return Type::Plan<>(exec, A.matrix()).features(exec);
  };
  const auto neighbours = [&](std::int64_t i) {
    std::vector<std::int64_t> near;
    if (i >= side) near.push_back(i - side);
    if (i % side > 0) near.push_back(i - 1);
    if (i % side < side - 1) near.push_back(i + 1);
    if (i + side < n) near.push_back(i + side);
    return near;
  };
  const auto grid = lower_pattern("grid", n, [&](std::int64_t i) {
    auto row = neighbours(i);
    std::erase_if(row, [&](std::int64_t j) { return j > i; });
    return row;
  });
  const TriangleFeatures of_grid = features(grid);
  CHECK(of_grid.dep_dist > 0.99);
  CHECK(of_grid.dep_dist < 1);
  CHECK(of_grid.levels == 2 * side - 1);

  std::vector<std::int64_t> place(static_cast<std::size_t>(n)), point(place.size());
  std::iota(place.begin(), place.end(), std::int64_t{0});
  Random random(3);
  for (std::size_t i = 1; i < place.size(); ++i) {
    std::swap(place[i],
              place[static_cast<std::size_t>(random.below(static_cast<std::int64_t>(i) + 1))]);
  }
  for (std::size_t i = 0; i < place.size(); ++i) {
    point[static_cast<std::size_t>(place[i])] = static_cast<std::int64_t>(i);
  }
  const auto shuffled = lower_pattern("shuffled", n, [&](std::int64_t i) {
    std::vector<std::int64_t> row;
    for (const std::int64_t near : neighbours(point[static_cast<std::size_t>(i)])) {
      const std::int64_t j = place[static_cast<std::size_t>(near)];
      if (j < i) row.push_back(j);
    }
    return row;
  });
  const TriangleFeatures of_shuffled = features(shuffled);
  CHECK(of_shuffled.dep_dist > 0);
  CHECK(of_shuffled.dep_dist < 0.01);
  CHECK(of_shuffled.levels < 60);
}

TEST_CASE("triangle features: widths of levels by decades, and chains") {
  TriangleFeatures features;
  const std::int64_t rows[] = {1, 1, 9, 10, 99, 100, 999, 1, 1, 1, 1000, 9999, 10000, 123456789, 1};
  heddle::detail::sptrsv::count_widths(features, rows);
  CHECK(features.levels_by_width == std::array<std::int64_t, 5>{7, 2, 2, 2, 2});
  CHECK(features.wide_levels == 4);
  CHECK(features.chain_levels == 6);
  CHECK(features.longest_chain == 3);
}

TEST_CASE("triangle features: everything is labelled, and one copy comes back") {
  using Type = OneTriangleType;
  const Type::Exec exec;
  const auto A = triangle_on_device<Type>(exec, triangle_named("random"));
  const Type::Plan<> plan(exec, A.matrix());
  const Recording recording;
  plan.features(exec);
  CHECK(strangers(recording.seen()) == "");
  CHECK(count(recording.seen(), Event::copy) <= 1);
}

}  // namespace heddle::test
