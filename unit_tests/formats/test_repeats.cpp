// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Entries that repeat one another: found at any place, and refused by recipes that require it.
#include <doctest/doctest.h>

#include <set>

#include "../../formats/recipes.hpp"
#include "../../testing/backends.hpp"
#include "../../testing/format_suite/check.hpp"
#include "../../testing/plan_types.hpp"

namespace heddle::test {

namespace {

using namespace heddle::recipe;

#ifdef HEDDLE_EMULATED
using RepeatTypes = Every<std::tuple<double>, UsualIndices>;
#else
using RepeatTypes = JoinTuples<
    Every<std::tuple<double>, UsualIndices, AllBackends>,
    Every<std::tuple<double>,
          std::tuple<Indices<std::int32_t, std::size_t>, Indices<std::int64_t, std::int64_t>>,
          std::tuple<DefaultDevice>>>;
#endif

/// The first row with two entries of one column that a map takes, or -1.
template <class Map>
std::int64_t first_row_with_repeats(const Pattern& pattern, const Map& map) {
  for (std::size_t i = 0; i < pattern.rows.size(); ++i) {
    std::set<std::int64_t> seen;
    std::int64_t place = 0;
    for (const std::int64_t column : pattern.rows[i]) {
      if (!map(Point{static_cast<std::int64_t>(i), column, place++}).taken) continue;
      if (!seen.insert(column).second) return static_cast<std::int64_t>(i);
    }
  }
  return -1;
}

/// Every kind of row that may have a repeat: short, long, sorted or not, first and last.
std::vector<Pattern> patterns_with_repeats() {
  std::vector<Pattern> all = test_patterns();
  all.push_back({"the last two", 9, {{}, {1, 2}, {}, {3, 7, 7}, {}}});
  all.push_back({"the first two, descending after", 9, {{5, 5, 2, 1}, {8, 0}}});
  all.push_back({"the last row's column is the next one's first", 9, {{0, 4}, {4, 5}, {5}}});
  all.push_back({"apart, in the second row", 9, {{3, 2}, {7, 3, 5, 7}, {1, 1}}});
  all.push_back({"none, descending", 9, {{8, 4, 1}, {1, 0}, {0}}});
  for (const std::int64_t length : {100, 128, 129, 1000}) {  // GPUs sort in two ways
    Pattern pattern{"long, apart, " + std::to_string(length), 2000, {{4, 3}}};
    std::vector<std::int64_t> row;
    for (std::int64_t i = 0; i < length; ++i) row.push_back(i * 7 % 1999);
    pattern.rows.push_back(row);
    row.back() = row[2];
    pattern.rows.push_back(row);
    pattern.rows.push_back(std::vector<std::int64_t>{6, 6});
    all.push_back(pattern);
  }
  return all;
}

template <class F>
Error error_of(const F& call) {
  try {
    call();
  } catch (const Error& error) {
    return error;
  }
  return Error("", "");
}

}  // namespace

TEST_CASE_TEMPLATE_DEFINE("repeats: found, with row and column and both entries", T,
                          repeats_found) {
  const typename T::Exec exec;
  int found = 0, none = 0;
  const auto check = [&](const Pattern& pattern, const auto& map) {
    const auto A = to_device<T>(exec, pattern);
    const Repeat repeat = find_repeat(exec, A.matrix(), map);
    const std::int64_t row = first_row_with_repeats(pattern, map);
    CAPTURE(pattern.name);
    CHECK(repeat.found() == (row >= 0));
    ++(row >= 0 ? found : none);
    if (!repeat.found()) return;
    CHECK(repeat.row == row);
    const auto entry = [&](std::int64_t k) {
      return static_cast<std::int64_t>(A.host.col_idx()(static_cast<std::size_t>(k)));
    };
    const auto begin = A.host.row_ptr()(static_cast<std::size_t>(row));
    const auto end = A.host.row_ptr()(static_cast<std::size_t>(row) + 1);
    CHECK(repeat.first >= static_cast<std::int64_t>(begin));
    CHECK(repeat.first < repeat.second);
    CHECK(repeat.second < static_cast<std::int64_t>(end));
    CHECK(entry(repeat.first) == repeat.column);
    CHECK(entry(repeat.second) == repeat.column);
  };
  for (const Pattern& pattern : patterns_with_repeats()) {
    check(pattern, shift(0));
    check(pattern, tile_rows(2) | tile_columns(3));
    check(pattern, shift(2) | split(PlacesFrom{2}));
    check(pattern, split(PlacesBelow{3}));
  }
  CHECK(found > 10);
  CHECK(none > 10);
}
TEST_CASE_TEMPLATE_APPLY(repeats_found, RepeatTypes);

TEST_CASE("repeats: an end that refuses them is an error that says where, and else does nothing") {
  using Type = Types<DefaultDevice, double, Indices32>;
  using Matrix = DeviceMatrix<Type>::Matrix;
  const Type::Exec exec;
  const auto tiles = tile_rows(2) | tile_columns(2);
  using Tiles = std::remove_const_t<decltype(tiles)>;
  const auto repeated = to_device<Type>(exec, Pattern{"twice", 6, {{0, 1}, {4, 0, 5, 4}, {}}});
  const auto once = to_device<Type>(exec, Pattern{"once", 6, {{0, 1}, {4, 0, 5, 3}, {}}});
  const auto says_where = [](const Error& error) {
    const std::string text = error.what();
    CHECK(text.find("column 4 stands twice in row 1, as entries 2 and 5") != std::string::npos);
    CHECK(text.find("add_up") != std::string::npos);
    CHECK(error.where().row == 1);
    CHECK(error.where().entry == 5);
  };
  const auto compact = [&](const auto& A, Repeats repeats) {
    return Compact(exec, A.matrix(), tiles, repeats).keys();
  };
  const auto coalesce = [&](const auto& A, Repeats repeats) {
    return Coalesce(exec, A.matrix(), tiles, repeats).entries();
  };
  const auto blocks = [&](const auto& A, Repeats repeats) {
    const StoredBlocks<Type::Exec, Matrix, Tiles> stored(exec, A.matrix(), tiles,
                                                         "heddle::test::blocks", repeats);
    exec.fence("heddle::test::filled");
    return stored.view().blocks;
  };
  says_where(error_of([&] { compact(repeated, Repeats::refuse); }));
  says_where(error_of([&] { coalesce(repeated, Repeats::refuse); }));
  says_where(error_of([&] { blocks(repeated, Repeats::refuse); }));
  CHECK(compact(repeated, Repeats::add_up) == 2);
  CHECK(coalesce(repeated, Repeats::add_up) == 6);
  CHECK(blocks(repeated, Repeats::add_up) == 2);
  CHECK(compact(once, Repeats::refuse) == 3);
  CHECK(coalesce(once, Repeats::refuse) == 6);
  CHECK(blocks(once, Repeats::refuse) == 3);
  // Entries of another recipe do not count.
  const auto left = tiles | split(PlacesFrom{1});
  CHECK(Coalesce(exec, repeated.matrix(), left, Repeats::refuse).entries() == 4);
}

}  // namespace heddle::test
