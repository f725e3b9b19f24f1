// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Orders of rows against a serial search, and the bandwidths that they give.
#include <numeric>

#include "matrices/support.hpp"
#include "support/copy_in.hpp"

namespace heddle::test {

namespace {

using Neighbours = std::vector<std::vector<std::int64_t>>;

/// Neighbours in A + A', without the diagonal, in ascending order of `before`.
template <class Before>
Neighbours neighbours_of(const Pattern& pattern, const Before& before) {
  std::vector<std::set<std::int64_t>> sets(pattern.rows.size());
  for (std::size_t i = 0; i < sets.size(); ++i) {
    for (const std::int64_t j : pattern.rows[i]) {
      if (j == static_cast<std::int64_t>(i)) continue;
      sets[i].insert(j);
      sets[static_cast<std::size_t>(j)].insert(static_cast<std::int64_t>(i));
    }
  }
  Neighbours lists;
  for (const auto& set : sets) lists.emplace_back(set.begin(), set.end());
  for (auto& list : lists) std::ranges::sort(list, before(lists));
  return lists;
}

/// A breadth-first search from a root: vertices as they are found, and their levels.
std::vector<std::pair<std::int64_t, std::int64_t>> search(const Neighbours& neighbours,
                                                          std::int64_t root) {
  std::vector<std::pair<std::int64_t, std::int64_t>> queue{{root, 0}};
  std::set<std::int64_t> seen{root};
  for (std::size_t i = 0; i < queue.size(); ++i) {
    const auto [vertex, level] = queue[i];
    for (const std::int64_t next : neighbours[static_cast<std::size_t>(vertex)]) {
      if (seen.insert(next).second) queue.emplace_back(next, level + 1);
    }
  }
  return queue;
}

/// Reverse Cuthill-McKee by one thread, with pseudo-peripheral roots.
std::vector<std::int64_t> serial_order(const Pattern& pattern) {
  const auto size = pattern.rows.size();
  const auto lower = [](const Neighbours& lists) {
    return [&lists](std::int64_t a, std::int64_t b) {
      const auto degree = [&](std::int64_t v) { return lists[static_cast<std::size_t>(v)].size(); };
      return std::pair(degree(a), a) < std::pair(degree(b), b);
    };
  };
  const Neighbours neighbours = neighbours_of(pattern, lower);
  std::vector<std::int64_t> by_degree(size), order;
  std::iota(by_degree.begin(), by_degree.end(), std::int64_t{0});
  std::ranges::sort(by_degree, lower(neighbours));
  std::vector<bool> done(size, false);
  for (const std::int64_t first : by_degree) {
    if (done[static_cast<std::size_t>(first)]) continue;
    std::int64_t depth = 0;
    auto found = search(neighbours, first);
    while (found.back().second > depth) {
      depth = found.back().second;
      std::vector<std::int64_t> last;
      for (const auto& [vertex, level] : found) {
        if (level == depth) last.push_back(vertex);
      }
      found = search(neighbours, *std::ranges::min_element(last, lower(neighbours)));
    }
    for (const auto& [vertex, level] : found) {
      order.push_back(vertex);
      done[static_cast<std::size_t>(vertex)] = true;
    }
  }
  std::ranges::reverse(order);
  return order;
}

std::vector<Pattern> square_patterns() {
  std::vector<Pattern> all;
  for (const Pattern& pattern : test_patterns()) {
    if (std::ssize(pattern.rows.row_ptr()) - 1 != pattern.columns) continue;
    if (pattern.nonzeros() < cut(70000)) all.push_back(pattern);
  }
  all.push_back(banded_pattern("grid", 400, 400, {-20, -1, 0, 1, 20}));
  all.push_back(banded_pattern("upper half of a grid", 400, 400, {0, 1, 20}));
  all.push_back(crossed_pattern(500, 500, true, false));
  all.push_back(random_pattern("many components", 3, 900, 900,
                               [](std::int64_t i) { return i % 3 == 0 ? 1 : 0; }));
  all.push_back(banded_pattern("chain", cut(2000), cut(2000), {1}));
  return all;
}

}  // namespace

TEST_CASE_TEMPLATE_DEFINE("reverse Cuthill-McKee: the order that one thread finds", T, rcm) {
  const typename T::Exec exec;
  for (const Pattern& pattern : square_patterns()) {
    CAPTURE(pattern.name);
    const auto A = to_device<T>(exec, pattern);
    const auto order = reverse_cuthill_mckee(exec, A.matrix());
    CHECK(std::ranges::equal(copy_out(order), serial_order(pattern)));
    std::vector<std::int64_t> rows(pattern.rows.size());
    std::iota(rows.begin(), rows.end(), std::int64_t{0});
    std::ranges::stable_sort(
        rows, {}, [&](std::int64_t i) { return pattern.rows[static_cast<std::size_t>(i)].size(); });
    CHECK(std::ranges::equal(copy_out(order_by_degree(exec, A.matrix())), rows));
  }
}
TEST_CASE_TEMPLATE_APPLY(rcm, MatrixTypes);

TEST_CASE("reverse Cuthill-McKee finds a band that was hidden, and says what it does not take") {
  using T = Types<DefaultDevice, double, Indices<std::int32_t, std::int32_t>>;
  const DefaultDevice exec;
  const auto band = to_device<T>(exec, banded_pattern("band", 500, 500, {-2, -1, 0, 1, 2}));
  std::vector<int> shuffled(500);
  for (int i = 0; i < 500; ++i) shuffled[static_cast<std::size_t>(i)] = i * 181 % 500;
  const auto hidden = permute(exec, band.matrix(), copy_in<DefaultDevice::memory_space>(shuffled));
  const auto bandwidth = [](const auto& M) {
    std::int64_t widest = 0, i = 0;
    for (const auto& row : written_down(M).rows) {
      for (const auto& [j, value] : row) widest = std::max(widest, std::abs(i - j));
      ++i;
    }
    return widest;
  };
  CHECK(bandwidth(hidden.matrix()) > 400);
  const auto order = reverse_cuthill_mckee(exec, hidden.matrix());
  const auto found = permute(exec, hidden.matrix(), order);
  CHECK(bandwidth(found.matrix()) <= 3);
  const auto wide = to_device<T>(exec, Pattern{"wide", 3, {{0}, {1}}});
  CHECK(mentions(error_of([&] { reverse_cuthill_mckee(exec, wide.matrix()); }),
                 "the matrix to reorder is 2 x 3"));
}

}  // namespace heddle::test
