// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrices that are hard for the kernels of one format. testing/format_suite.hpp has the promises
// of every format.
#include "../../formats/tiled/inspect.hpp"
#include "../../testing/events.hpp"
#include "../../testing/format_suite/make_plans.hpp"
#include "../../testing/format_suite/patterns.hpp"
#include "../support/shared_formats.hpp"

namespace heddle::test {

namespace {

using Type = OnePlanType<SharedFormats>;
using Exec = Type::Exec;
using Plan = Type::Plan<>;
using Patterns = std::vector<Pattern>;

using heddle::detail::tiled::Layout;
using TileRows = std::vector<std::vector<std::int64_t>>;  // columns of each of 16 rows

/// A tile with an entry in row i if holds(i, column).
template <class Holds>
TileRows tile_where(const Holds& holds) {
  TileRows tile(16);
  for (std::int64_t i = 0; i < 16; ++i) {
    for (std::int64_t column = 0; column < 16; ++column) {
      if (holds(i, column)) tile[static_cast<std::size_t>(i)].push_back(column);
    }
  }
  return tile;
}

/// One tile for each layout, and for each rule a tile on either side of its bound.
std::vector<std::pair<TileRows, Layout>> tiles_of_every_layout() {
  using I = std::int64_t;
  const auto first_entries = [](int entries) {
    return tile_where([=](I i, I k) { return 16 * i + k < entries; });
  };
  const auto scattered = [](int entries) {
    // 7 and 256 have no common divisor.
    return tile_where([=](I i, I k) { return (7 * (16 * i + k)) % 256 < entries; });
  };
  return {
      {tile_where([](I i, I k) { return i == k && i < 12; }), Layout::coo},
      {tile_where([](I i, I k) { return i == 5 && k == 15; }), Layout::coo},
      {tile_where([](I i, I k) { return i == k; }), Layout::ell},
      {tile_where([](I i, I k) { return (k + 16 - i) % 16 < (i < 2 ? 4 : 5); }), Layout::ell},
      {tile_where([](I i, I k) { return k <= i; }), Layout::csr},
      {tile_where([](I i, I k) { return k < (i < 6 ? 16 : 1); }), Layout::csr},
      // Eight rows of one entry, and one row of five, in the middle and at the end.
      {tile_where([](I i, I k) { return i == 3 ? k % 3 == 1 : i % 2 == 0 && k == 15 - i; }),
       Layout::hyb},
      {tile_where([](I i, I k) { return i == 15 ? k < 4 : i >= 5 && k == i - 5; }), Layout::hyb},
      {first_entries(256), Layout::dense},
      {scattered(192), Layout::dense},
      {first_entries(176), Layout::dense_rows},
      {tile_where([](I i, I) { return i == 3 || i == 7 || i == 15; }), Layout::dense_rows},
      {tile_where([](I i, I) { return i == 0; }), Layout::dense_rows},
      {tile_where([](I, I k) { return k == 0; }), Layout::dense_columns},
      {tile_where([](I, I k) { return k % 4 == 1 || k == 14; }), Layout::dense_columns}};
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

std::string size_name(int rows, int columns) {
  return std::to_string(rows) + "x" + std::to_string(columns);
}

/// Blocks of rows x columns here and there, which the edges cut; every seventh row lacks its first
/// entry.
Pattern blocks_with_holes(int rows, int columns, int block_rows, int block_columns, int cut) {
  const auto coarse = random_pattern("blocks", 3, block_rows, block_columns,
                                     [](std::int64_t i) { return i % 5 == 3 ? 0 : 1 + i % 4; });
  Pattern pattern{"blocks of " + size_name(rows, columns), columns * block_columns - cut, {}};
  for (int i = 0; i < rows * block_rows - cut; ++i) {
    std::vector<std::int64_t> row;
    for (const auto block : coarse.rows[static_cast<std::size_t>(i / rows)]) {
      for (std::int64_t j = 0; j < columns; ++j) {
        if (columns * block + j < pattern.columns) row.push_back(columns * block + j);
      }
    }
    if (i % 7 == 2 && !row.empty()) row.erase(row.begin());
    pattern.rows.push_back(row);
  }
  return pattern;
}

/// Two unknowns a point, and huge block rows among short ones: in the middle, next to one another,
/// and the last, which the edge cuts.
Pattern huge_block_rows(std::int64_t columns) {
  const auto huge = [](std::int64_t block_row) {
    return block_row == 40 || block_row == 41 || block_row == 150;
  };
  Pattern pattern{"huge block rows", columns, {}};
  for (std::int64_t i = 0; i < 301; ++i) {
    std::vector<std::int64_t> row;
    const std::int64_t block = i / 2;
    for (std::int64_t j = 0; j < columns; ++j) {
      if (huge(block) ? (i + j) % 97 != 5 : j / 2 == block || j / 2 == block + 7) row.push_back(j);
    }
    pattern.rows.push_back(row);
  }
  return pattern;
}

std::vector<std::string> schemes_of(const std::string& format) {
  std::vector<std::string> schemes;
  for (const Scheme& scheme : Type::Formats::variants(backends::describe(Exec()))) {
    if (scheme.format() == format) schemes.push_back(scheme.to_string());
  }
  return schemes;
}

Patterns full_and_partial_tiles() {
  Patterns all;
  for (const std::int64_t rows : {1, 2, 15, 16, 17, 31, 33, 47}) {
    for (const std::int64_t columns : {1, 5, 15, 16, 17, 40}) {
      Pattern full{"full", columns, {}}, some{"some", columns, {}};
      for (std::int64_t i = 0; i < rows; ++i) {
        std::vector<std::int64_t> every, few;
        for (std::int64_t k = 0; k < columns; ++k) {
          every.push_back(k);
          if ((i + k) % 3 != 0 || k == columns - 1) few.push_back(k);
        }
        full.rows.push_back(every);
        some.rows.push_back(few);
      }
      all.insert(all.end(), {full, some});
    }
  }
  return all;
}

/// The span of a slice's columns is just below 16 bits, or just above.
Patterns spans_about_16_bits() {
  Patterns all;
  for (const std::int64_t far : {65534, 65535, 65536, 199999}) {
    Pattern pattern{"columns up to " + std::to_string(far), 200000, {}};
    for (std::int64_t i = 0; i < 200; ++i) {
      pattern.rows.push_back(std::vector<std::int64_t>{i % 7, i % 3 ? far : 5});
    }
    all.push_back(pattern);
  }
  return all;
}

/// Unsorted columns and entries that repeat one, in every row or in one of nine.
Patterns unsorted_blocks() {
  Patterns all;
  for (const int every : {1, 9}) {
    int i = 0;
    all.push_back(
        with_rows_changed(blocks_with_holes(3, 3, 200, 50, 1), [&](std::vector<std::int64_t>& row) {
          if (i++ % every != 0) return;
          std::ranges::reverse(row);
          if (row.size() > 2) row.push_back(row[1]);
        }));
  }
  return all;
}

/// An arrow of 3 x 3 blocks: of its block rows only the first is cut, into many pieces.
Pattern arrow_of_blocks() {
  const int blocks = backends::has_lanes<Exec> ? 8000 : 40000;
  Pattern arrow{"arrow of blocks", 3 * blocks, {}};
  for (int i = 0; i < 3 * blocks; ++i) {
    const int block = i / 3;
    std::vector<std::int64_t> row;
    for (int j = 0; j < 3 * (block == 0 ? blocks : 1); ++j) row.push_back(j);
    for (int j = 0; block > 0 && j < 3; ++j) row.push_back(3 * block + j);
    arrow.rows.push_back(row);
  }
  return arrow;
}

Pattern repeated_entries() {
  return {"repeats",
          20,
          {std::vector<std::int64_t>(1000, 17),
           {3, 1, 3, 19, 2, 0, 5, 3, 6, 7, 8, 9, 10, 11, 4},
           {},
           std::vector<std::int64_t>(300, 3)}};
}

struct Demands {
  std::vector<std::size_t> counts = {};  ///< numbers of vectors above one
  std::vector<Op> ops = {Op::none};
  std::vector<int> expected_vectors = {1};
  bool same_bits_on_gpus = false;  ///< whether all schemes of a GPU add up in one order
};

/// Products by every scheme, before new values and after: agree with the oracle, and have the bits
/// of a fresh plan.
void products_agree(const Patterns& patterns, const std::vector<std::string>& schemes,
                    const Demands& demands = {}) {
  const Exec exec;
  PlanMaker<Type> make(exec);
  for (const Pattern& pattern : patterns) {
    const auto A = to_device<Type>(exec, pattern, 1), B = to_device<Type>(exec, pattern, 2);
    std::vector<CheckedProduct<Type>> products, updated;
    std::vector<CheckedVectors<Type>> several;
    for (const Op op : demands.ops) {
      for (const auto& [alpha, beta] : {std::pair(2.0, -1.0), {1.0, 0.0}, {2.0, 1.0}}) {
        products.emplace_back(A, op, alpha, beta);
      }
      updated.emplace_back(B, op, 1.0, 0.0);
      for (const std::size_t count : demands.counts) {
        for (const bool y_apart : {false, true}) {
          several.emplace_back(A, op, 2.0, 0.5, count, true, y_apart);
        }
      }
    }
    std::optional<Plan> first;
    for (const std::string& scheme : schemes) {
      for (const int vectors : demands.expected_vectors) {
        INFO(pattern.name, ", ", scheme, ", ", vectors, " vectors expected");
        const SpmvOptions options{.scheme = Scheme::parse(scheme), .vectors = {vectors}};
        auto plan = make(A, options), fresh = make(B, options);
        REQUIRE(plan);
        REQUIRE(fresh);
        for (const auto& product : products) CHECK(product.problem(exec, *plan) == "");
        for (const auto& product : several) CHECK(product.problem(exec, *plan) == "");
        plan->update_values(exec, B.matrix());
        for (const auto& product : updated) {
          CHECK(product.problem(exec, *plan) == "");
          for (const Plan* other : {&*fresh, first ? &*first : &*plan}) {
            CHECK(same_bits(product.result(exec, *plan), product.result(exec, *other)));
          }
        }
        if (!backends::has_lanes<Exec> || !demands.same_bits_on_gpus || first) continue;
        first.emplace(std::move(*plan));
      }
    }
  }
}

const std::vector<Op> both_ways{Op::none, Op::transpose};

}  // namespace

TEST_CASE("dia: more diagonals than scratch holds offsets, beyond the edges, over many strips") {
  const auto dense = [](std::int64_t rows, std::int64_t columns) {
    return random_pattern("dense", 1, rows, columns, [=](std::int64_t) { return columns; });
  };
  products_agree({dense(300, 300), dense(20, 700)}, {"dia"}, {.ops = both_ways});
  Patterns beyond;
  for (const auto& [rows, columns] :
       {std::pair(100, 100), {100, 120}, {120, 100}, {97, 131}, {131, 97}}) {
    beyond.push_back(
        banded_pattern("banded", rows, columns, {-90, -33, -32, -1, 0, 2, 31, 60, 119}));
  }
  products_agree(beyond, schemes_of("dia"),
                 {.ops = {Op::none, Op::transpose, Op::conjugate, Op::conjugate_transpose}});
  products_agree(
      {banded_pattern("strips", 5000, 4900, {-1030, -70, -3, -1, 0, 1, 2, 5, 64, 65, 900})},
      schemes_of("dia"), {.counts = {3, 8, 11}, .ops = both_ways, .same_bits_on_gpus = true});
}

TEST_CASE("gcsr: more rows than a team reads at once, and long runs of rows without entries") {
  products_agree({random_pattern("one row in a thousand", 1, 70001, 500,
                                 [](std::int64_t i) { return i % 1000 == 999 ? 3 : 0; }),
                  random_pattern("a block of rows", 2, 50000, 300,
                                 [](std::int64_t i) { return i / 100 == 333 ? 40 : 0; }),
                  random_pattern("the last row", 3, 9000, 9000,
                                 [](std::int64_t i) { return i == 8999 ? 9000 : 0; }),
                  random_pattern("no entry", 4, 5000, 10, [](std::int64_t) { return 0; })},
                 {"gcsr"});
}

/// The numbers of rows are about those of words, packs and teams.
TEST_CASE("hyb: every width from no slots to all") {
  std::vector<std::string> schemes;
  for (const int width : {0, 1, 3, 5, 6, 7, 8, 9, 12}) {
    schemes.push_back("hyb/width=" + std::to_string(width));
  }
  products_agree(
      {random_pattern("all lengths", 1, 1000, 400, [](std::int64_t i) { return 4 + i % 9; }),
       random_pattern("long rows side by side", 2, 999, 3000,
                      [](std::int64_t i) { return i / 64 == 3 ? 900 : 6 + i % 2; }),
       random_pattern("a long last row", 3, 257, 5000,
                      [](std::int64_t i) { return i == 256 ? 5000 : 3; })},
      schemes);
}

TEST_CASE("csb: blocks of every size, and heavy rows and columns of blocks") {
  products_agree(
      {random_pattern("a heavy block row", 1, 9000, 70000,
                      [](std::int64_t i) { return i / 500 == 3 ? 300 : i % 4; }),
       random_pattern("a heavy block column", 2, 70000, 500, [](std::int64_t i) { return i % 3; }),
       banded_pattern("band", 20000, 20000, {-70, -1, 0, 1, 70})},
      {"csb/beta=256", "csb/beta=1024", "csb/beta=4096", "csb/beta=16384", "csb/beta=65536"},
      {.ops = both_ways, .expected_vectors = {1, 4}});
}

TEST_CASE("tiled: every layout, any size, entries that repeat, and tile rows that are cut") {
  Patterns layouts;
  for (const std::size_t each : {1, 4, 15}) layouts.push_back(pattern_of_every_layout(each));
  for (const auto& tile : tiles_of_every_layout()) layouts.push_back(pattern_of({tile.first}, 1));
  products_agree(layouts, {"tiled/16", "tiled/16,piece=2"}, {.counts = {2, 4, 5, 8, 11}});
  products_agree(full_and_partial_tiles(), {"tiled/16"});
  products_agree({repeated_entries()}, {"tiled/16"});
  products_agree({random_pattern("long tile rows between short ones", 3, 100, 9000,
                                 [](std::int64_t i) { return i / 16 % 2 ? 700 + i : i % 5; })},
                 {"tiled/16", "tiled/16,piece=7", "tiled/16,piece=500"}, {.counts = {3, 13}});
}

TEST_CASE("blocked-ell: columns that span about 16 bits, and slices that are cut into pieces") {
  products_agree(spans_about_16_bits(), {"blocked-ell", "blocked-ell/sigma=64"});
  products_agree({random_pattern("wide slices between narrow ones", 3, 300, 9000,
                                 [](std::int64_t i) { return i / 64 % 2 ? 3000 + i : i % 5; })},
                 {"blocked-ell", "blocked-ell/sigma=128"}, {.counts = {3, 13}});
}

TEST_CASE("bcsr: blocks of every size, holes, unsorted columns, repeats and huge block rows") {
  for (int rows = 1; rows <= 8; ++rows) {
    for (int columns = 1; columns <= 8; ++columns) {
      const int cut = std::min(rows, columns) / 2;
      products_agree({blocks_with_holes(rows, columns, 43, 31, cut)},
                     {"bcsr/" + size_name(rows, columns)}, {.counts = {3, 8}});
    }
  }
  products_agree(unsorted_blocks(), {"bcsr/3x3"});
  products_agree({huge_block_rows(20003)},
                 {"bcsr/2x2", "bcsr/1x4", "bcsr/3x3", "bcsr/4x4", "bcsr/6x6"},
                 {.counts = {3, 8, 11}});
  products_agree({arrow_of_blocks()}, {"bcsr/3x3"}, {.counts = {3, 8}});
}

TEST_CASE("an infinite entry of x stays out of the holes that formats keep") {
  struct Case {
    std::string scheme;
    Pattern pattern;
    Op op = Op::none;
  };
  std::vector<Case> cases{{"dia", diagonals_with_holes(), Op::transpose},
                          {"tiled/16", pattern_of_every_layout(5)}};
  for (const auto& [rows, columns] : {std::pair(2, 2), {3, 3}, {8, 8}, {5, 3}, {1, 8}}) {
    cases.push_back(
        {"bcsr/" + size_name(rows, columns), blocks_with_holes(rows, columns, 43, 31, 1)});
  }
  const Exec exec;
  for (const auto& [scheme, pattern, op] : cases) {
    CAPTURE(scheme);
    const auto A = to_device<Type>(exec, pattern);
    Plan plan(exec, A.matrix(), {.scheme = Scheme::parse(scheme)});
    for (std::size_t infinite = 0; infinite < A.rows_of_x(op); ++infinite) {
      const Kokkos::View<double*, Kokkos::HostSpace> x("heddle::test::x", A.rows_of_x(op));
      Kokkos::deep_copy(x, 1.0);
      x(infinite) = std::numeric_limits<double>::infinity();
      const Kokkos::View<double*, Type::Space> y("heddle::test::y", A.rows_of_y(op));
      plan.apply(exec, op, 1.0, copy_to<Type::Space>(x), 0.0, y);
      exec.fence("heddle::test::applied");
      const auto result = to_host(y);
      bool right = true;
      for (std::size_t i = 0; i < result.extent(0); ++i) {
        const auto row = pattern.rows[transposes(op) ? infinite : i];
        const auto column = static_cast<std::int32_t>(transposes(op) ? i : infinite);
        const bool holds = std::find(row.begin(), row.end(), column) != row.end();
        right = right && std::isfinite(result(i)) == !holds;
      }
      CHECK_MESSAGE(right, "x(", infinite, ") infinite");
    }
  }
}

TEST_CASE("dia: a NaN in the matrix is no hole, not even the one that marks holes") {
  const Exec exec;
  const auto host = make_matrix<double, std::int32_t, std::int32_t>(pattern_named("tridiagonal"));
  backends::put_hole(&host.values()(6));                        // entry (2, 2)
  host.values()(8) = std::numeric_limits<double>::quiet_NaN();  // entry (3, 2)
  const auto A = to_device<Type>(exec, "NaN", host);
  Plan plan(exec, A.matrix(), {.scheme = Scheme("dia")});
  for (const Op op : {Op::none, Op::transpose}) {
    const Kokkos::View<double*, Type::Space> x("heddle::test::x", 1000), y("heddle::test::y", 1000);
    Kokkos::deep_copy(x, 1.0);
    plan.apply(exec, op, 1.0, x, 0.0, y);
    exec.fence("heddle::test::applied");
    const auto result = to_host(y);
    for (std::size_t i = 0; i < 1000; ++i) {
      const bool holds = i == 2 || (op == Op::none && i == 3);
      CHECK(std::isnan(result(i)) == holds);
    }
  }
}

TEST_CASE("gcsr: of y, beta = 1 leaves rows without entries alone, but for an infinite alpha") {
  const Exec exec;
  const Pattern pattern{"example", 4, {{}, {0, 1}, {}, {}, {2}, {1, 2, 3}, {}}};
  const auto A = to_device<Type>(exec, pattern);
  Plan plan(exec, A.matrix(), {.scheme = Scheme("gcsr")});
  const Kokkos::View<double*, Type::Space> x("heddle::test::x", 4), y("heddle::test::y", 7);
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double alpha : {3.0, infinity}) {
    Kokkos::deep_copy(x, 1.0);
    Kokkos::deep_copy(y, 5.0);
    plan.apply(exec, alpha, x, 1.0, y);
    exec.fence("heddle::test::applied");
    const auto result = to_host(y);
    for (const std::size_t row : {0, 2, 3, 6}) {
      CHECK((alpha == infinity ? std::isnan(result(row)) : result(row) == 5.0));
    }
    for (const std::size_t row : {1, 4, 5}) CHECK(result(row) != 5.0);
  }
}

TEST_CASE("tiled: every layout is chosen by its rule") {
  const Exec exec;
  using Counts = std::array<std::int64_t, 7>;
  const auto tiles_of_layouts = [&](const Pattern& pattern) {
    const auto A = to_device<Type>(exec, pattern);
    const heddle::detail::tiled::Storage<Exec, double, std::int32_t, std::int32_t, double> storage(
        exec, A.matrix(), {}, backends::describe(exec));
    return storage.tiles_of_layouts(exec);
  };
  Counts all{};
  for (const auto& [tile, layout] : tiles_of_every_layout()) {
    const auto which = static_cast<std::size_t>(layout);
    CAPTURE(which);
    Counts one{};
    one[which] = 1;
    CHECK(tiles_of_layouts(pattern_of({tile}, 1)) == one);
    ++all[which];
  }
  CHECK(tiles_of_layouts(pattern_of_every_layout(4)) == all);
  for (const std::int64_t tiles : all) CHECK(tiles > 0);
  CHECK(tiles_of_layouts(repeated_entries())[static_cast<std::size_t>(Layout::coo)] == 2);
}

/// The number of launches of an apply shows whether block rows are cut.
TEST_CASE("bcsr: block rows are cut only where one is far longer than a piece") {
  const Exec exec;
  const auto launches = [&](const Pattern& pattern) {
    const auto A = to_device<Type>(exec, pattern);
    Plan plan(exec, A.matrix(), {.scheme = Scheme("bcsr", {{"2x2"}}), .check_overlap = false});
    const Kokkos::View<double*, Type::Space> x("heddle::test::x", A.rows_of_x());
    const Kokkos::View<double*, Type::Space> y("heddle::test::y", A.rows_of_y());
    const Recording recording;
    plan.apply(exec, 1.0, x, 0.0, y);
    CHECK(strangers(recording.seen()) == "");
    return count(recording.seen(), Event::kernel);
  };
  CHECK(launches(huge_block_rows(20003)) == 2);
  CHECK(launches(blocks_with_holes(2, 2, 4000, 3000, 1)) == 1);
  CHECK(launches(banded_pattern("tridiagonal", 30000, 30000, {-1, 0, 1})) == 1);
}

}  // namespace heddle::test
