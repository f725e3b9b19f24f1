// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lists of the entries of each block, walked and sorted, against a plain derivation on the host.
#include <doctest/doctest.h>

#include <map>

#include "../support/recipes.hpp"

namespace heddle::test {

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

}  // namespace heddle::test
