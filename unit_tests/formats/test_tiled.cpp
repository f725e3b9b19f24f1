// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../../formats/tiled/inspect.hpp"
#include "../../testing/format_suite/infinities.hpp"
#include "../../testing/format_suite/make_plans.hpp"
#include "../../testing/format_suite/patterns.hpp"
#include "../support/shared_formats.hpp"

// Tests of tiled alone; testing/format_suite.hpp has those of every format.
namespace heddle::test {

using TiledType = OnePlanType<SharedFormats>;
using TiledPlan = TiledType::Plan<>;
using TiledStorage =
    heddle::detail::tiled::Storage<TiledType::Exec, double, std::int32_t, std::int32_t, double>;
using heddle::detail::tiled::Layout;
using TileRows = std::vector<std::vector<std::int64_t>>;  // columns of each of 16 rows

namespace {

TiledPlan tiled_plan(const DeviceMatrix<TiledType>& A, const std::string& scheme = "tiled/16") {
  return TiledPlan(TiledType::Exec(), A.matrix(), {.scheme = Scheme::parse(scheme)},
                   TiledType::Formats());
}

/// A tile with an entry in row i if holds(i, column).
template <class Holds>
TileRows tile_where(const Holds& holds) {
  TileRows tile(16);
  for (std::size_t i = 0; i < 16; ++i) {
    for (std::int64_t column = 0; column < 16; ++column) {
      if (holds(static_cast<std::int64_t>(i), column)) tile[i].push_back(column);
    }
  }
  return tile;
}

/// One tile for each layout, and for each rule a tile on either side of its bound.
std::vector<std::pair<TileRows, Layout>> tiles_of_every_layout() {
  const auto first_entries = [](int entries) {
    return tile_where([=](std::int64_t i, std::int64_t k) { return 16 * i + k < entries; });
  };
  const auto scattered = [](int entries) {
    return tile_where([=](std::int64_t i, std::int64_t k) {
      return (7 * (16 * i + k)) % 256 < entries;  // 7 and 256 have no common divisor
    });
  };
  return {
      {tile_where([](std::int64_t i, std::int64_t k) { return i == k && i < 12; }), Layout::coo},
      {tile_where([](std::int64_t i, std::int64_t k) { return i == 5 && k == 15; }), Layout::coo},
      {tile_where([](std::int64_t i, std::int64_t k) { return i == k; }), Layout::ell},
      {tile_where(
           [](std::int64_t i, std::int64_t k) { return (k + 16 - i) % 16 < (i < 2 ? 4 : 5); }),
       Layout::ell},
      {tile_where([](std::int64_t i, std::int64_t k) { return k <= i; }), Layout::csr},
      {tile_where([](std::int64_t i, std::int64_t k) { return k < (i < 6 ? 16 : 1); }),
       Layout::csr},
      // Eight rows of one entry, and one row of five, in the middle and at the end.
      {tile_where([](std::int64_t i, std::int64_t k) {
         return i == 3 ? k % 3 == 1 : i % 2 == 0 && k == 15 - i;
       }),
       Layout::hyb},
      {tile_where(
           [](std::int64_t i, std::int64_t k) { return i == 15 ? k < 4 : i >= 5 && k == i - 5; }),
       Layout::hyb},
      {first_entries(256), Layout::dense},
      {scattered(192), Layout::dense},
      {first_entries(176), Layout::dense_rows},
      {tile_where([](std::int64_t i, std::int64_t) { return i == 3 || i == 7 || i == 15; }),
       Layout::dense_rows},
      {tile_where([](std::int64_t i, std::int64_t) { return i == 0; }), Layout::dense_rows},
      {tile_where([](std::int64_t, std::int64_t k) { return k == 0; }), Layout::dense_columns},
      {tile_where([](std::int64_t, std::int64_t k) { return k % 4 == 1 || k == 14; }),
       Layout::dense_columns},
  };
}

/// Tile rows with the given numbers of tiles; every other tile column is empty.
Pattern pattern_of(const std::vector<TileRows>& tiles, std::size_t tiles_per_row) {
  Pattern pattern{"tiles", static_cast<std::int64_t>(32 * tiles_per_row), {}};
  for (std::size_t first = 0; first < tiles.size(); first += tiles_per_row) {
    for (std::size_t i = 0; i < 16; ++i) {
      std::vector<std::int64_t> row;
      for (std::size_t t = first; t < std::min(first + tiles_per_row, tiles.size()); ++t) {
        for (const auto column : tiles[t][i]) {
          row.push_back(static_cast<std::int64_t>(32 * (t - first)) + column);
        }
      }
      pattern.rows.push_back(row);
    }
  }
  return pattern;
}

Pattern pattern_of_every_layout(std::size_t tiles_per_row) {
  std::vector<TileRows> tiles;
  for (const auto& tile : tiles_of_every_layout()) tiles.push_back(tile.first);
  return pattern_of(tiles, tiles_per_row);
}

std::array<std::int64_t, 7> tiles_of_layouts(const Pattern& pattern) {
  const TiledType::Exec exec;
  const auto A = to_device<TiledType>(exec, pattern);
  return TiledStorage(exec, A.matrix(), {}, backends::describe(exec)).tiles_of_layouts(exec);
}

}  // namespace

TEST_CASE("tiled: every layout is chosen by its rule") {
  std::array<std::int64_t, 7> expected{};
  for (const auto& [tile, layout] : tiles_of_every_layout()) {
    const auto counts = tiles_of_layouts(pattern_of({tile}, 1));
    for (std::size_t which = 0; which < 7; ++which) {
      CAPTURE(which);
      CHECK(counts[which] == (static_cast<std::size_t>(layout) == which ? 1 : 0));
    }
    ++expected[static_cast<std::size_t>(layout)];
  }
  CHECK(tiles_of_layouts(pattern_of_every_layout(4)) == expected);
  for (const std::int64_t tiles : expected) CHECK(tiles > 0);
}

TEST_CASE("tiled: every layout agrees with the oracle, alone and beside the others") {
  const TiledType::Exec exec;
  std::vector<Pattern> patterns;
  for (const std::size_t per_row : {1, 4, 15}) patterns.push_back(pattern_of_every_layout(per_row));
  for (const auto& tile : tiles_of_every_layout()) patterns.push_back(pattern_of({tile.first}, 1));
  for (const Pattern& pattern : patterns) {
    const auto A = to_device<TiledType>(exec, pattern);
    for (const char* scheme : {"tiled/16", "tiled/16,piece=2"}) {
      auto plan = tiled_plan(A, scheme);
      for (int values = 0; values < 2; ++values) {
        CHECK(apply_and_compare(exec, plan, A, Op::none, 2.0, -1.0) == "");
        CHECK(apply_and_compare(exec, plan, A, Op::none, 2.0, 0.0) == "");
        for (const std::size_t count : {2, 4, 5, 8, 11}) {
          const auto x = random_vectors<double>(A.rows_of_x(), count, true, 3);
          const auto y = random_vectors<double>(A.rows_of_y(), count, false, 4);
          const auto x_device = x.in<TiledType::Space>();
          const auto y_device = y.in<TiledType::Space>();
          plan.apply(exec, 2.0, x_device.view(), 0.5, y_device.view());
          exec.fence("heddle::test::applied");
          CHECK(mismatch(reference_of(A, Op::none, 2.0, x, 0.5, y),
                         y_device.in<Kokkos::HostSpace>().view()) == "");
        }
        plan.update_values(exec, A.matrix());
      }
    }
  }
}

TEST_CASE("tiled: an infinite entry of x stays out of the holes of every layout") {
  const TiledType::Exec exec;
  const Pattern pattern = pattern_of_every_layout(5);
  const auto A = to_device<TiledType>(exec, pattern);
  auto plan = tiled_plan(A);
  const Kokkos::View<double*, TiledType::Space> y("heddle::test::y", A.rows_of_y());
  for (std::size_t infinite = 0; infinite < A.rows_of_x(); ++infinite) {
    const Kokkos::View<double*, Kokkos::HostSpace> x("x", A.rows_of_x());
    Kokkos::deep_copy(x, 1.0);
    x(infinite) = std::numeric_limits<double>::infinity();
    plan.apply(exec, 1.0, copy_to<TiledType::Space>(x), 0.0, y);
    exec.fence("heddle::test::applied");
    const auto result = to_host(y);
    bool right = true;
    for (std::size_t i = 0; i < pattern.rows.size(); ++i) {
      const auto row = pattern.rows[i];
      const bool holds =
          std::find(row.begin(), row.end(), static_cast<std::int32_t>(infinite)) != row.end();
      right = right && is_finite(result(i)) != holds;
    }
    CHECK_MESSAGE(right, "x(", infinite, ") infinite");
  }
}

TEST_CASE("tiled: sizes that are no multiples of 16 lose nothing") {
  const TiledType::Exec exec;
  for (const std::int64_t rows : {1, 2, 15, 16, 17, 31, 33, 47}) {
    for (const std::int64_t columns : {1, 5, 15, 16, 17, 40}) {
      Pattern full{"full", columns, {}}, some{"some", columns, {}};
      for (std::int64_t i = 0; i < rows; ++i) {
        std::vector<std::int64_t> all, few;
        for (std::int64_t k = 0; k < columns; ++k) {
          all.push_back(k);
          if ((i + k) % 3 != 0 || k == columns - 1) few.push_back(k);
        }
        full.rows.push_back(all);
        some.rows.push_back(few);
      }
      for (const Pattern& pattern : {full, some}) {
        const auto A = to_device<TiledType>(exec, pattern);
        auto plan = tiled_plan(A);
        CAPTURE(rows);
        CAPTURE(columns);
        CHECK(apply_and_compare(exec, plan, A, Op::none, 2.0, -1.0) == "");
        CHECK(apply_and_compare(exec, plan, A, Op::none, 1.0, 0.0) == "");
      }
    }
  }
}

TEST_CASE("tiled: entries that repeat are listed, however many") {
  const TiledType::Exec exec;
  Pattern pattern{"repeats", 20, {}};
  pattern.rows.push_back(std::vector<std::int64_t>(1000, 17));
  pattern.rows.push_back(std::vector<std::int64_t>{3, 1, 3, 19, 2, 0, 5, 3, 6, 7, 8, 9, 10, 11, 4});
  pattern.rows.push_back(std::vector<std::int64_t>{});
  pattern.rows.push_back(std::vector<std::int64_t>(300, 3));
  const auto counts = tiles_of_layouts(pattern);
  CHECK(counts[static_cast<std::size_t>(Layout::coo)] == 2);
  const auto A = to_device<TiledType>(exec, pattern);
  auto plan = tiled_plan(A);
  CHECK(apply_and_compare(exec, plan, A, Op::none, 2.0, -1.0) == "");
}

TEST_CASE("tiled: on a GPU a piece has as few tiles as keep its warps busy") {
  Device gpu;
  gpu.lanes = 32;
  gpu.multiprocessors = 100;
  const auto piece = [&](const char* scheme, const Device& device, std::int64_t tiles) {
    using heddle::detail::tiled::Parameters;
    return heddle::parameters_of<Parameters>(scheme, device).piece_tiles(tiles, device);
  };
  CHECK(piece("tiled/16", gpu, 0) == 4);
  CHECK(piece("tiled/16", gpu, 32000) == 10);
  CHECK(piece("tiled/16", gpu, 1000000) == 64);
  CHECK(piece("tiled/16,piece=500", gpu, 1000) == 500);
  CHECK(piece("tiled/16", Device{}, 1000) == 4096);
}

TEST_CASE("tiled: tile rows that are cut into pieces") {
  const TiledType::Exec exec;
  const auto A = to_device<TiledType>(
      exec, random_pattern("long tile rows between short ones", 3, 100, 9000,
                           [](std::int64_t i) { return i / 16 % 2 ? 700 + i : i % 5; }));
  for (const std::size_t vectors : {1, 3, 13}) {
    const auto x = random_vectors<double>(9000, vectors, true, 5);
    const auto y = random_vectors<double>(100, vectors, true, 6);
    const auto expected = reference_of(A, Op::none, 2.0, x, -1.0, y);
    for (const char* scheme : {"tiled/16", "tiled/16,piece=7", "tiled/16,piece=500"}) {
      auto plan = tiled_plan(A, scheme);
      for (int run = 0; run < 2; ++run) {
        const auto x_device = x.in<TiledType::Space>();
        const auto y_device = y.in<TiledType::Space>();
        plan.apply(exec, 2.0, x_device.view(), -1.0, y_device.view());
        exec.fence("heddle::test::applied");
        CHECK(mismatch(expected, y_device.in<Kokkos::HostSpace>().view()) == "");
      }
    }
  }
}

TEST_CASE("tiled: rows of which a tile might hold more entries than it counts are refused") {
  RowFeatures rows;
  rows.rows = 10;
  rows.columns = 1000;
  // 16 such rows in one tile, which is possible if entries repeat, have 2^32 - 16 entries.
  rows.nonzeros = rows.longest_row = (std::int64_t{1} << 28) - 1;
  const Device device = backends::describe(TiledType::Exec());
  const auto refusal = [&] {
    return TiledFormat::predict(Scheme::parse("tiled/16"), Features(rows), device, {}).refusal;
  };
  CHECK(refusal() == "");
  rows.nonzeros = ++rows.longest_row;
  CHECK(refusal() == "a tile of rows of 268435456 entries might hold more than it can count");
}

}  // namespace heddle::test
