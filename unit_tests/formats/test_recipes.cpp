// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The library of inspectors, each output against a plain derivation on the host, and entries that
// repeat one another: found at any place, and refused by recipes that require it.
#include <doctest/doctest.h>

#include <map>
#include <numeric>
#include <set>

#include "../../formats/recipes.hpp"
#include "../../testing/backends.hpp"
#include "../../testing/format_suite/check.hpp"
#include "../../testing/plan_types.hpp"
#include "../support/copy_in.hpp"
#include "../support/error_of.hpp"

namespace heddle::test {

namespace {

using namespace heddle::recipe;

#if defined(HEDDLE_SANITIZED_TESTS) || defined(HEDDLE_EMULATED)
using RecipeTypes = std::tuple<Types<DefaultDevice, double, Indices32>>;
#else
using RecipeTypes = JoinTuples<
    std::tuple<Types<DefaultDevice, double, Indices32>>,
    InTurn<
        Types<Portable<Kokkos::DefaultExecutionSpace>, double, Indices<std::int32_t, std::size_t>>,
        Types<DefaultDevice, Kokkos::complex<float>, Indices<std::int64_t, std::int64_t>>>>;
#endif

Pattern reversed(const Pattern& pattern) {
  Pattern all{pattern.name + ", columns descending", pattern.columns, {}};
  for (const auto row : pattern.rows) {
    all.rows.push_back(std::vector<std::int64_t>(row.rbegin(), row.rend()));
  }
  return all;
}

std::vector<Pattern> recipe_patterns() {
  std::vector<Pattern> all = test_patterns();
  all.push_back(reversed(random_pattern("irregular", 5, 300, 400,
                                        [](std::int64_t i) { return i == 70 ? 380 : i % 40; })));
  // Row 100 begins a panel of 100 rows, with the keys of row 99; rows 0, 200 and 201 are empty, and
  // begin panels of 100 or 201 rows.
  std::int64_t i = 0;
  all.push_back(with_rows_changed(
      banded_pattern("diagonals, empty rows", 450, 450, {-70, -1, 0, 1, 2, 80}), [&](auto& row) {
        if (i == 0 || i == 200 || i == 201) row.clear();
        ++i;
      }));
  i = 0;  // a single lane, never the first of its subwarp, whatever panel its row is in
  all.push_back(
      with_rows_changed(banded_pattern("one row descends", 200, 200, {-2, 0, 1}), [&](auto& row) {
        if (i++ == 101) std::ranges::reverse(row);
      }));
  for (const bool row : {false, true}) {
    for (const bool column : {false, true}) {
      if (row || column) all.push_back(crossed_pattern(cut(9000), cut(9000), row, column));
    }
  }
  return all;
}

/// Records the source of each place, and its position in the block.
struct PutAll {
  std::int64_t* sources;
  std::int64_t* inner;

  KOKKOS_FUNCTION void operator()(std::int64_t place, const Point& point, std::int64_t k) const {
    sources[place] = k;
    inner[place] = point.inner_row * 100000 + point.inner_column;
  }
};

/// For each key of a panel the values of its block, by (inner row, inner column).
template <class S>
using Blocks = std::map<std::pair<std::int64_t, std::int64_t>,
                        std::map<std::pair<std::int64_t, std::int64_t>, S>>;

/// Blocks of a matrix under a map, by the definition.
template <class T, class Map>
Blocks<typename T::Scalar> blocks_of(const DeviceMatrix<T>& A, const Map& map) {
  Blocks<typename T::Scalar> blocks;
  for (std::int64_t i = 0; i < A.host.rows(); ++i) {
    const auto begin = A.host.row_ptr()(static_cast<std::size_t>(i));
    for (auto k = begin; k < A.host.row_ptr()(static_cast<std::size_t>(i) + 1); ++k) {
      const auto at = static_cast<std::size_t>(k);
      const Point p = map(Point{i, static_cast<std::int64_t>(A.host.col_idx()(at)),
                                static_cast<std::int64_t>(k - begin)});
      if (!p.taken) continue;
      blocks[{p.row, p.column}][{p.inner_row, p.inner_column}] += A.host.values()(at);
    }
  }
  return blocks;
}

/// Checks Compact and fill_values against blocks_of, with poisoned arrays. Panels of more than
/// `most` entries are sorted.
template <class T, class Map>
void check_compact(const typename T::Exec& exec, const DeviceMatrix<T>& A, const Map& map,
                   bool by_columns, std::int64_t most) {
  using S = typename T::Scalar;
  using Space = typename T::Space;
  using Matrix = typename DeviceMatrix<T>::Matrix;
  CAPTURE(A.name);
  const Compact<typename T::Exec, Matrix, Map> compact(exec, A.matrix(), map, Repeats::add_up,
                                                       most);
  const Extents extents = compact.extents();
  const Blocks<S> blocks = blocks_of(A, map);
  REQUIRE(compact.keys() == static_cast<std::int64_t>(blocks.size()));
  const std::int64_t size = compact.keys() * extents.inner_rows * extents.inner_columns;
  if (size > 4000000) return;
  const Kokkos::View<std::int64_t*, Space> pointer("heddle::test::pointer", compact.panels() + 1);
  const Kokkos::View<std::int64_t*, Space> keys("heddle::test::keys", compact.keys());
  const Kokkos::View<S*, Space> values("heddle::test::values", size);
  compact.write(exec, pointer.data(), keys.data());
  const std::int64_t rows = extents.rows * extents.inner_rows;
  const auto fill = [&](const auto& layout) {
    Kokkos::deep_copy(values, S(std::numeric_limits<RealOf<S>>::quiet_NaN()));
    fill_values(exec, "heddle::test::fill", A.matrix(), map, pointer.data(), keys.data(), layout,
                values.data());
    exec.fence("heddle::test::filled");
    std::vector<std::int64_t> first(static_cast<std::size_t>(compact.panels()) + 1), expected_keys;
    std::vector<S> expected(static_cast<std::size_t>(size), S(0));
    for (const auto& [place, block] : blocks) {
      ++first[static_cast<std::size_t>(place.first) + 1];
      const std::int64_t at = std::ssize(expected_keys);
      expected_keys.push_back(place.second);
      for (const auto& [inner, value] : block) {
        expected[static_cast<std::size_t>(layout(at, inner.first, inner.second))] = value;
      }
    }
    std::partial_sum(first.begin(), first.end(), first.begin());
    CHECK(copy_out(pointer) == first);
    const bool same_keys = copy_out(keys) == expected_keys;
    CHECK(same_keys);
    const bool same_values = copy_out(values) == expected;
    CHECK(same_values);
  };
  if (by_columns) {
    fill(BlocksByColumns{extents.inner_rows, extents.inner_columns, rows});
  } else {
    fill(BlocksByRows{extents.inner_rows, extents.inner_columns, rows});
  }
}

/// Keeps the first rows of every panel out.
struct InnerRowsFrom {
  std::int64_t first;
  KOKKOS_FUNCTION bool operator()(const Point& p) const { return p.inner_row >= first; }
};

}  // namespace

TEST_CASE_TEMPLATE_DEFINE("compact: blocks, diagonals, diagonals of blocks and rows", T,
                          recipe_compact) {
  const typename T::Exec exec;
  for (const Pattern& pattern : recipe_patterns()) {
    const auto A = to_device<T>(exec, pattern);
    const bool small = pattern.nonzeros() < 20000;
    // Panels are merged or marked; with the second limit they are sorted if they can be.
    for (const std::int64_t most : {pattern.nonzeros(), std::int64_t{0}}) {
      const auto check = [&](const auto& map, bool by_columns) {
        check_compact<T>(exec, A, map, by_columns, most);
      };
      check(tile_rows(3) | tile_columns(3), false);
      check(tile_rows(2) | tile_columns(5), true);
      check(tile_rows(16) | tile_columns(16), false);
      if (!small) continue;
      check(tile_rows(1) | tile_columns(8), false);
      check(tile_rows(60) | tile_columns(7), false);
      check(tile_rows(100) | tile_columns(90), false);
      check(tile_rows(100) | tile_columns(90) | split(InnerRowsFrom{3}), false);
      check(tile_rows(201) | tile_columns(90), false);
      check(skew() | permute(), true);
      check(skew() | shift(5) | permute(), true);
      check(tile_rows(2) | shift(-3), true);
      check(tile_rows(3) | tile_columns(3) | skew() | permute(3), true);
      check(tile_rows(4) | tile_columns(4) | split(PlacesFrom{2}), false);
    }
  }
}
TEST_CASE_TEMPLATE_APPLY(recipe_compact, RecipeTypes);

TEST_CASE_TEMPLATE_DEFINE("coalesce: the entries that are taken, in order", T, recipe_coalesce) {
  const typename T::Exec exec;
  using Matrix = typename DeviceMatrix<T>::Matrix;
  for (const Pattern& pattern : recipe_patterns()) {
    const auto A = to_device<T>(exec, pattern);
    const auto check = [&](const auto& taken, const auto& is_taken) {
      const auto map = normalize() | shift(7) | taken;
      const Coalesce<typename T::Exec, Matrix, std::remove_const_t<decltype(map)>> flat(
          exec, A.matrix(), map);
      std::vector<std::array<std::int64_t, 3>> expected, found;
      for (std::int64_t i = 0, k = 0; i < std::ssize(pattern.rows.row_ptr()) - 1; ++i) {
        const auto length = std::ssize(pattern.rows[static_cast<std::size_t>(i)]);
        for (std::int64_t place = 0; place < length; ++place, ++k) {
          if (is_taken(place)) expected.push_back({i, place + 7, k});
        }
      }
      REQUIRE(flat.entries() == std::ssize(expected));
      using View = Kokkos::View<std::int64_t*, typename T::Space>;
      const View rows("rows", expected.size()), columns("columns", expected.size()),
          sources("sources", expected.size());
      std::int64_t* const none = nullptr;
      flat.write(exec, rows.data(), none, sources.data());
      flat.write(exec, none, columns.data(), none);
      exec.fence("heddle::test::written");
      const auto r = to_host(rows), c = to_host(columns), s = to_host(sources);
      for (std::size_t e = 0; e < expected.size(); ++e) found.push_back({r(e), c(e), s(e)});
      const bool same = found == expected;
      CHECK_MESSAGE(same, pattern.name);
    };
    for (const std::int64_t width : {0, 3}) {
      check(split(PlacesFrom{width}), [=](std::int64_t place) { return place >= width; });
    }
    check(split(PlacesBelow{3}), [](std::int64_t place) { return place < 3; });
  }
}
TEST_CASE_TEMPLATE_APPLY(recipe_coalesce, RecipeTypes);

TEST_CASE_TEMPLATE_DEFINE("sort_rows: stable, inside windows, the longest first", T,
                          recipe_sort_rows) {
  using O = typename T::Ordinal;
  const typename T::Exec exec;
  for (const Pattern& pattern : recipe_patterns()) {
    const auto A = to_device<T>(exec, pattern);
    const std::int64_t rows = A.host.rows();
    for (const std::int64_t window : {1, 7, 64, 1000}) {
      const Kokkos::View<O*, typename T::Space> row_at("row_at", static_cast<std::size_t>(rows));
      sort_rows(exec, A.matrix().row_ptr().data(), rows, window, row_at.data());
      exec.fence("heddle::test::sorted");
      const auto host = to_host(row_at);
      bool sorted = true;
      for (std::int64_t begin = 0; begin < rows; begin += window) {
        std::vector<std::int64_t> expected;
        for (std::int64_t i = begin; i < std::min(rows, begin + window); ++i) expected.push_back(i);
        std::ranges::stable_sort(expected, std::greater(), [&](std::int64_t i) {
          return pattern.rows[static_cast<std::size_t>(i)].size();
        });
        for (std::size_t i = 0; i < expected.size(); ++i) {
          sorted = sorted && host(static_cast<std::size_t>(begin) + i) == expected[i];
        }
      }
      CHECK_MESSAGE(sorted, pattern.name, ", windows of ", window);
    }
  }
}
TEST_CASE_TEMPLATE_APPLY(recipe_sort_rows, RecipeTypes);

namespace {

/// The shape of a panel whose rows are `order[first]` to `order[stop - 1]`.
template <class O>
PanelShape<O> shape_of(const Pattern& pattern, const std::vector<O>& order, std::int64_t first,
                       std::int64_t stop) {
  PanelShape<O> shape{0, std::numeric_limits<O>::max(), O(0)};
  for (std::int64_t place = first; place < stop; ++place) {
    const auto row = pattern.rows[static_cast<std::size_t>(order[static_cast<std::size_t>(place)])];
    shape.width = std::max(shape.width, std::ssize(row));
    for (const std::int64_t column : row) {
      shape.lowest = std::min(shape.lowest, static_cast<O>(column));
      shape.highest = std::max(shape.highest, static_cast<O>(column));
    }
  }
  return shape.width > 0 ? shape : PanelShape<O>{0, O(0), O(0)};
}

}  // namespace

TEST_CASE_TEMPLATE_DEFINE("panel_shapes: the longest row, and the range of the columns", T,
                          recipe_panel_shapes) {
  using O = typename T::Ordinal;
  using Shape = PanelShape<O>;
  const typename T::Exec exec;
  for (const Pattern& pattern : recipe_patterns()) {
    const auto A = to_device<T>(exec, pattern);
    const std::int64_t rows = A.host.rows();
    const Kokkos::View<O*, typename T::Space> row_at("row_at", static_cast<std::size_t>(rows));
    const auto row_ptr = A.matrix().row_ptr().data();
    sort_rows(exec, row_ptr, rows, 64, row_at.data());
    exec.fence("heddle::test::sorted");
    const std::vector<O> sorted_order = copy_out(row_at);
    std::vector<O> order(sorted_order.size());
    std::iota(order.begin(), order.end(), O(0));
    const auto check = [&](int panel_rows, bool in_order, bool ascending) {
      const auto panels = static_cast<std::size_t>(ceil_div(rows, panel_rows));
      const Kokkos::View<Shape*, typename T::Space> shapes("shapes", panels);
      Kokkos::deep_copy(shapes, Shape{-7, O(-7), O(-7)});
      panel_shapes(exec, row_ptr, A.matrix().col_idx().data(), rows, panel_rows,
                   in_order ? row_at.data() : nullptr, shapes.data(), ascending);
      exec.fence("heddle::test::shaped");
      const std::vector<Shape> found = copy_out(shapes);
      bool same = true;
      for (std::size_t p = 0; p < panels; ++p) {
        const std::int64_t first = static_cast<std::int64_t>(p) * panel_rows;
        const Shape expected = shape_of(pattern, in_order ? sorted_order : order, first,
                                        std::min(rows, first + panel_rows));
        same = same && found[p].width == expected.width && found[p].lowest == expected.lowest &&
               found[p].highest == expected.highest;
      }
      CHECK_MESSAGE(same, pattern.name, ", panels of ", panel_rows, in_order ? ", in order" : "",
                    ascending ? ", ascending" : "");
    };
    bool ascending = true;
    for (const auto row : pattern.rows) ascending = ascending && std::ranges::is_sorted(row);
    for (const int panel_rows : {3, 40}) {
      for (const bool in_order : {false, true}) {
        check(panel_rows, in_order, false);
        if (ascending) check(panel_rows, in_order, true);
      }
    }
  }
}
TEST_CASE_TEMPLATE_APPLY(recipe_panel_shapes, RecipeTypes);

namespace {

/// Values of dense blocks, row by row.
template <class T, class Map>
std::vector<typename T::Scalar> stored_values(const typename T::Exec& exec,
                                              const DeviceMatrix<T>& A, const Map& map) {
  using S = typename T::Scalar;
  using Space = typename T::Space;
  const StoredBlocks<typename T::Exec, typename DeviceMatrix<T>::Matrix, Map> stored(
      exec, A.matrix(), map, "heddle::test::blocks");
  exec.fence("heddle::test::filled");
  const auto view = stored.view();
  const auto size = view.blocks * view.layout.inner_rows * view.layout.inner_columns;
  const Kokkos::View<S*, Space> values("values", static_cast<std::size_t>(size));
  Kokkos::deep_copy(values, Kokkos::View<const S*, Space>(view.values, values.size()));
  return copy_out(values);
}

}  // namespace

TEST_CASE(
    "fill_values: entries of one place add up in the order of their row, however long it is") {
  using Type = Types<DefaultDevice, double, Indices32>;
  const Type::Exec exec;
  const Pattern pattern{"one place", 2, {{0}, std::vector<std::int64_t>(3001, 1)}};
  const auto host = make_matrix<double, std::int32_t, std::int32_t>(pattern);
  const double cycle[] = {1e16, 1, -1e16};  // the 1 is lost, in this order alone
  host.values()(0) = 2;
  for (std::size_t k = 0; k < 3000; ++k) host.values()(k + 1) = cycle[k % 3];
  host.values()(3001) = 5;
  const auto A = to_device<Type>(exec, "one place", host);
  CHECK(stored_values<Type>(exec, A, tile_rows(2) | tile_columns(2)) ==
        std::vector<double>{2, 0, 0, 5});
}

namespace {

enum class ListsBy { walk, sort };

/// For each panel and key: the entries of the block in order, and their places in it.
using Lists =
    std::map<std::pair<std::int64_t, std::int64_t>, std::vector<std::pair<std::int64_t, Point>>>;

/// Lists by the definition.
template <class Map>
Lists lists_of(const Pattern& pattern, const Map& map) {
  Lists lists;
  for (std::int64_t i = 0, k = 0; i < std::ssize(pattern.rows.row_ptr()) - 1; ++i) {
    std::int64_t place = 0;
    for (const std::int64_t column : pattern.rows[static_cast<std::size_t>(i)]) {
      const Point p = map(Point{i, column, place++});
      if (p.taken) lists[{p.row, p.column}].emplace_back(k, p);
      ++k;
    }
  }
  return lists;
}

template <class T, class Map>
void check_lists(const typename T::Exec& exec, const DeviceMatrix<T>& A, const Pattern& pattern,
                 const Map& map, ListsBy by) {
  using Off = typename T::Offset;
  using View = Kokkos::View<std::int64_t*, typename T::Space>;
  CAPTURE(A.name);
  CAPTURE(static_cast<int>(by));
  const Lists expected = lists_of(pattern, map);
  const Compact compact(exec, A.matrix(), map);
  REQUIRE(compact.keys() == std::ssize(expected));
  const auto blocks = static_cast<std::size_t>(compact.keys());
  const auto entries = static_cast<std::size_t>(A.host.nonzeros());
  const View pointer("pointer", static_cast<std::size_t>(compact.panels() + 1)),
      keys("keys", blocks), sources("sources", entries), inner("inner", entries);
  const Kokkos::View<Off*, typename T::Space> list_ptr("list_ptr", blocks + 1),
      next("next", blocks), source("source", entries);
  compact.write(exec, pointer.data(), keys.data());
  const auto matrix = A.matrix();
  if (by == ListsBy::walk) {
    count_lists(exec, matrix, map, compact.keys(), pointer.data(), keys.data(), list_ptr.data(),
                next.data());
  } else {
    sort_lists(exec, matrix, map, compact.keys(), pointer.data(), keys.data(), list_ptr.data(),
               source.data());
  }
  for (int run = 0; run < 2; ++run) {
    Kokkos::deep_copy(sources, -1);
    Kokkos::deep_copy(inner, -1);
    fill_lists(exec, "heddle::test::lists", matrix, map, compact.keys(), pointer.data(),
               keys.data(), list_ptr.data(), next.data(),
               by == ListsBy::walk ? nullptr : source.data(), PutAll{sources.data(), inner.data()});
    exec.fence("heddle::test::filled");
    const auto begins = to_host(list_ptr);
    const auto from = to_host(sources), at = to_host(inner);
    bool same = true;
    std::size_t block = 0, place = 0;
    for (const auto& [key, list] : expected) {
      same = same && begins(block++) == static_cast<Off>(place);
      for (const auto& [k, p] : list) {
        same = same && from(place) == k && at(place) == p.inner_row * 100000 + p.inner_column;
        ++place;
      }
    }
    CHECK(same);
    CHECK(begins(blocks) == static_cast<Off>(place));
  }
}

}  // namespace

TEST_CASE_TEMPLATE_DEFINE("lists: the entries of each block, in the order of rows", T,
                          recipe_lists) {
  const typename T::Exec exec;
  for (const Pattern& pattern : recipe_patterns()) {
    if (emulated && pattern.nonzeros() > 500) continue;  // lists take long there
    const auto A = to_device<T>(exec, pattern);
    for (const ListsBy by : {ListsBy::walk, ListsBy::sort}) {
      for (const std::int64_t size : {3, 16, 500}) {
        check_lists<T>(exec, A, pattern, tile_rows(size) | tile_columns(size), by);
      }
      check_lists<T>(exec, A, pattern, tile_rows(16) | tile_columns(16) | split(PlacesFrom{2}), by);
    }
  }
}
TEST_CASE_TEMPLATE_APPLY(recipe_lists, RecipeTypes);

namespace {

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
