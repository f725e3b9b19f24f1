// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rules of formats: what is refused, bytes that are kept and moved, parameters that are left to a
// format, and choices.
#include <cmath>
#include <numeric>

#include "../../formats/blocked_ell/view.hpp"
#include "../../formats/csb/view.hpp"
#include "../../formats/inspect/definitions.hpp"
#include "../../testing/format_suite/make_plans.hpp"
#include "../../testing/format_suite/patterns.hpp"
#include "../support/choose_csr.hpp"
#include "../support/shared_formats.hpp"

namespace heddle::test {

namespace {

using Type = OnePlanType<SharedFormats>;
using Exec = Type::Exec;
using Plan = Type::Plan<>;

Plan plan_of(const DeviceMatrix<Type>& A, const std::string& scheme) {
  return Plan(Exec(), A.matrix(), {.scheme = Scheme::parse(scheme)});
}
Plan plan_of(const Pattern& pattern, const std::string& scheme) {
  return plan_of(to_device<Type>(Exec(), pattern), scheme);
}

/// 64 rows of one entry, but for one of them.
Pattern one_row_of(std::int64_t entries) {
  return random_pattern("one longer row", 1, 64, 64,
                        [=](std::int64_t i) { return i == 7 ? entries : 1; });
}

/// The diagonal of 64 rows, and `count` entries beside it that lie on two other diagonals each.
Pattern diagonal_with_entries_beside(std::int64_t count) {
  return with_rows_changed(banded_pattern("diagonals", 64, 64, {0}),
                           [row = std::int64_t{0}, count](auto& columns) mutable {
                             if (row >= 10 && row < 10 + count) columns.push_back(2 * row);
                             ++row;
                           });
}

Pattern short_rows() {
  return random_pattern("short", 1, 64, 64, [](std::int64_t i) { return i % 16 == 3 ? 9 : 2; });
}

Pattern every_eighth_row_is_long() {
  return random_pattern("every eighth row is long", 1, 8192, 8192,
                        [](std::int64_t i) { return i % 8 ? 2 : 100; });
}

}  // namespace

TEST_CASE("formats refuse what would be mostly padding, and say so") {
  // One long row in each window of two slices, so that slices are wide though rows are sorted.
  const int rows = backends::has_lanes<Exec>
                       ? heddle::detail::blocked_ell::slice_rows_for(backends::describe(Exec()))
                       : 16;
  const Pattern windows =
      random_pattern("a long row in every window", 3, 40 * rows, 3000,
                     [&](std::int64_t i) { return i % (2 * rows) == 5 ? 2000 : 1; });
  const auto sorted_over = [&](const std::string& sigma) {
    return "blocked-ell/rows=" + std::to_string(rows) + ",sigma=" + sigma;
  };
  const struct {
    std::string scheme;
    Pattern pattern;
    const char* words;
  } cases[] = {
      {"ell", pattern_named("one huge row"), "slots for each nonzero"},
      {"ell", one_row_of(4), "slots for each nonzero"},
      {"dia", pattern_named("one huge row"), "dia: "},
      {"dia", diagonal_with_entries_beside(3), "dia: "},
      {"dia", random_pattern("dense", 1, 700, 20, [](std::int64_t) { return 20; }), "dia: "},
      {"bcsr/2x2", pattern_named("many short rows"), "bcsr: "},
      {"bcsr/4x4", banded_pattern("diagonal", 300, 300, {0}), "bcsr: "},
      {"hyb/width=8", short_rows(), "hyb: "},
      {"blocked-ell", pattern_named("one huge row"), "blocked-ell: slices as wide as"},
      {"blocked-ell", every_eighth_row_is_long(), "blocked-ell: slices as wide as"},
      {sorted_over(std::to_string(2 * rows)), windows,
       "blocked-ell: sorted, slices as wide as their longest"},
      {sorted_over("none"), windows, "blocked-ell: slices as wide as"}};
  for (const auto& [scheme, pattern, words] : cases) {
    CAPTURE(scheme);
    CAPTURE(pattern.name);
    CHECK_THROWS_WITH_AS(plan_of(pattern, scheme), doctest::Contains(words), Refusal);
  }
  // A larger window sorts its long rows into one slice.
  CHECK_NOTHROW(plan_of(windows, sorted_over(std::to_string(40 * rows))));
  const Plan sorted = plan_of(every_eighth_row_is_long(), "blocked-ell/sigma=8192");
  CHECK(sorted.bytes() < 8192 / 8 * (100 + 7 * 2) * 12 * 1.1 + 8192 * 5);
}

TEST_CASE("formats refuse what their tables do not count") {
  const Device device = backends::describe(Exec());
  RowFeatures rows;
  rows.rows = rows.columns = 1000000000;
  rows.nonzeros = 1000;
  const auto csb = [&](int beta) {
    return CsbFormat::predict(Scheme("csb", {{"beta", beta}}), Features(rows), device, Sizes());
  };
  CHECK(csb(256).refusal.find("blocks would need a table larger") != std::string::npos);
  CHECK(csb(65536).possible());
  const auto tiled = [&] {
    return TiledFormat::predict(Scheme::parse("tiled/16"), Features(rows), device, {}).refusal;
  };
  rows.rows = 10;
  rows.columns = 1000;
  // 16 such rows in one tile, which is possible if entries repeat, have 2^32 - 16 entries.
  rows.nonzeros = rows.longest_row = (std::int64_t{1} << 28) - 1;
  CHECK(tiled() == "");
  rows.nonzeros = ++rows.longest_row;
  CHECK(tiled() == "a tile of rows of 268435456 entries might hold more than it can count");
}

TEST_CASE("the bytes that formats keep and move are counted") {
  constexpr double row_bytes = backends::has_lanes<Exec> ? 2 : 4, handed_over = 16, bits = 2 * 8;
  constexpr std::size_t any = 0;
  // The arrays of a format, read once an apply. Of nine vectors they are read twice: for eight and
  // one.
  const struct {
    std::string scheme;
    Pattern pattern;
    double arrays;
    std::size_t kept;
    Op nine = Op::none;
    bool reads_twice = false;
  } cases[] = {{"ell", one_row_of(3), 192 * 12.0, 192 * 12},
               {"dia", diagonal_with_entries_beside(2), 192 * 8.0 + 3 * 4.0, 2 * 256 + 192 * 8,
                Op::transpose, true},
               {"bcsr/2x2", banded_pattern("diagonal", 300, 300, {0}),
                600 * 8.0 + 150 * 4.0 + 151 * 4.0, any, Op::none, true},
               {"hyb/width=2", short_rows(),
                128 * 12.0 + 28 * (12 + row_bytes) + 4 * handed_over + bits, any},
               {"hyb/width=0", short_rows(),
                (60 * 2 + 4 * 9) * (12 + row_bytes) + 64 * handed_over + bits, any}};
  for (const auto& [scheme, pattern, arrays, kept, nine, reads_twice] : cases) {
    CAPTURE(scheme);
    const auto A = to_device<Type>(Exec(), pattern);
    const Plan plan = plan_of(A, scheme);
    const auto x = 8.0 * static_cast<double>(A.rows_of_x(nine)),
               y = 8.0 * static_cast<double>(A.rows_of_y(nine));
    CHECK(plan.moved_bytes() == arrays + x + y);
    if (kept != any) CHECK(plan.bytes() == kept);
    if (reads_twice) CHECK(plan.moved_bytes(nine, 9, true) == 2 * arrays + 9 * (x + 2 * y));
  }
  CHECK(plan_of(short_rows(), "hyb").scheme().integer("width") == 2);
}

TEST_CASE("blocked-ell: close columns take two bytes") {
  for (const auto& [columns, bytes] : {std::pair(65535, 2), std::pair(65536, 4)}) {
    Pattern pattern{"two columns", columns, {}};
    pattern.rows.push_back(std::vector<std::int64_t>{0, columns - 1}, 256);
    const Plan plan = plan_of(pattern, "blocked-ell");
    const auto slices = 256 / plan.scheme().integer("rows") *
                        sizeof(heddle::detail::blocked_ell::Slice<std::int32_t>);
    CHECK(plan.moved_bytes() ==
          512 * (8.0 + bytes) + static_cast<double>(slices) + 8.0 * (256 + columns));
  }
  PatternFeatures pattern;
  pattern.rows = pattern.columns = 320000;
  pattern.lower_bandwidth = pattern.upper_bandwidth = 300000;
  const auto predicted = [&](bool sorted, std::int64_t narrow_slices) {
    pattern.sorted = sorted;
    pattern.narrow_slices = narrow_slices;
    const Features features(pattern, [&] { return pattern; });
    return heddle::detail::blocked_ell::column_bytes(features, 32, {});
  };
  CHECK(predicted(true, 10000) == 2);
  CHECK(predicted(true, 7500) == 2.5);
  CHECK(predicted(true, 0) == 4);
  CHECK(predicted(false, -1) == 3);
  pattern.columns = 60000;
  CHECK(predicted(false, -1) == 2);
}

TEST_CASE("coo and gcsr read values in place, and keep rows alone") {
  const Exec exec;
  const Pattern hypersparse =
      random_pattern("hypersparse", 1, 64000, 64000, [](std::int64_t i) { return i % 64 == 0; });
  for (const auto& [scheme, pattern] :
       {std::pair("coo", pattern_named("power law")), {"gcsr", hypersparse}}) {
    CAPTURE(std::string(scheme));
    const auto A = to_device<Type>(exec, pattern, 1), B = to_device<Type>(exec, pattern, 2);
    Plan plan(exec, A.matrix(), {.scheme = Scheme(scheme), .values_in_place = true});
    Kokkos::deep_copy(A.device.values(), B.device.values());
    CHECK(apply_and_compare(exec, plan, B, Op::none, 2.0, -1.0) == "");
    const auto kept = static_cast<double>(plan.bytes());
    const auto nonzeros = static_cast<double>(A.host.nonzeros());
    const double entries =
        plan.moved_bytes() - 12 * nonzeros - 8 * static_cast<double>(A.rows_of_x() + A.rows_of_y());
    if (plan.scheme().format() == "gcsr") {  // an empty row costs a bit
      CHECK(kept >= 1000 * 8 + 4 + 8000);
      CHECK(kept <= 1000 * 8 + 4 + 8000 + 3 * arena_alignment_bytes);
      CHECK(entries == kept);
      continue;
    }
    constexpr double row_bytes = backends::has_lanes<Exec> ? 2 : 4;
    CHECK(kept >= row_bytes * nonzeros);
    // Shares: an edge and carry-outs each, of at least 256 steps; and the alignment of four arrays.
    const double shares = std::floor((nonzeros + static_cast<double>(A.rows_of_y()) * 8) / 256) + 1;
    CHECK(kept <= row_bytes * (nonzeros + 32) + shares * (16 + 2 * 64 * 8) + 4 * 256);
    // One carry-out a share and vector, though there is room for more.
    CHECK(entries > row_bytes * nonzeros);
    CHECK(entries <= row_bytes * nonzeros + (shares + 1) * (16 + 4 * 8));
  }
}

TEST_CASE("csb: bytes that are moved are counted; blocks on the diagonal are read once") {
  const auto bytes_of = [&](const DeviceMatrix<Type>& A, Symmetry symmetry,
                            const char* sweep = "") {
    const Scheme scheme = Scheme::parse(std::string("csb/beta=4096") + sweep);
    return Plan(Exec(), A.matrix(), {.scheme = scheme, .symmetry = symmetry}).moved_bytes();
  };
  constexpr double piece = sizeof(heddle::detail::csb::PanelPiece<std::int32_t, std::int32_t>);
  const auto small = to_device<Type>(Exec(), banded_pattern("small", 1000, 1000, {0}));
  const double once = 1000 * 12.0 + 8 + piece + 2000 * 8.0;
  CHECK(bytes_of(small, Symmetry::none) == once);
  CHECK(bytes_of(small, Symmetry::symmetric) == once);
  // Two block rows, and one block off the diagonal, which holds one entry.
  const auto two = to_device<Type>(Exec(), banded_pattern("two", 8000, 8000, {-1, 0}));
  const double x_and_y = 16000 * 8.0;
  const double by_rows = 15999 * 12.0 + 3 * 8 + 2 * piece + x_and_y;
  const double by_columns = 1 * 12.0 + 3 * 16 + 2 * piece + x_and_y + 8000 * 8.0;
  CHECK(bytes_of(two, Symmetry::none) == by_rows);
  CHECK(bytes_of(two, Symmetry::symmetric, ",sweep=two") == by_rows + by_columns);
  CHECK(bytes_of(two, Symmetry::symmetric, ",sweep=atomics") == by_rows + 2 * 8000 * 8.0);
  CHECK(bytes_of(two, Symmetry::symmetric) == by_rows + by_columns);
}

TEST_CASE("csb: sweep is for triangles, and is predicted") {
  RowFeatures rows;
  rows.rows = rows.columns = 1000000;
  rows.nonzeros = 300000000;
  const auto predicted = [&](const char* sweep, Symmetry symmetry) {
    Sizes sizes;
    sizes.symmetry = symmetry;
    const Scheme scheme = Scheme::parse(std::string("csb/beta=4096") + sweep);
    return CsbFormat::predict(scheme, Features(rows), backends::describe(Exec()), sizes);
  };
  CHECK(predicted(",sweep=two", Symmetry::none).refusal ==
        "sweep is for a matrix of which one triangle is stored");
  const double both = predicted("", Symmetry::none).moved_bytes;
  const double two = predicted(",sweep=two", Symmetry::symmetric).moved_bytes;
  CHECK(two > 1.9 * both);
  CHECK(predicted("", Symmetry::hermitian).moved_bytes == two);
  CHECK(predicted(",sweep=atomics", Symmetry::symmetric).possible());
}

/// A matrix of floats with wider sums. Where floats are not tested, doubles show less: nothing is
/// rounded.
TEST_CASE(
    "entries that repeat are added in the accumulator, unless the format says that it merges "
    "them") {
  using T =
      WithFormats<SharedFormats, std::conditional_t<is_tested<FloatType>, FloatType, DoubleType>>;
  using S = T::Scalar;
  constexpr bool rounds = std::is_same_v<S, float>;
  const T::Exec exec;
  // A full matrix, which every format holds; each row has the first column twice.
  const double small = std::ldexp(1.0, -30);
  std::vector<std::int64_t> row(17);
  std::iota(row.begin() + 1, row.end(), 0);
  Pattern pattern{"full", 16, {}};
  pattern.rows.push_back(row, 16);
  const auto host = make_matrix<S, std::int32_t, std::int32_t>(pattern);
  for (std::size_t k = 0; k < 16 * 17; ++k) {
    host.values()(k) = static_cast<S>(k % 17 == 0 ? 1 : k % 17 == 1 ? small : 0);
  }
  const auto A = to_device<T>(exec, pattern.name, host);
  const Kokkos::View<double*, T::Space> x("heddle::test::x", 16), y("heddle::test::y", 16);
  Kokkos::deep_copy(x, 1.0);
  int merging = 0;
  T::Formats::for_each([&](auto format) {
    CAPTURE(std::string(format.name));
    const Scheme scheme = variants_of(format.grammar(backends::describe(exec))).front();
    T::Plan<double, double> plan(exec, A.matrix(), {.scheme = scheme});
    plan.apply(exec, 1.0, x, 0.0, y);
    exec.fence("heddle::test::applied");
    const auto sums = to_host(y);
    const bool merges = merges_repeats<decltype(format)>;
    merging += merges;
    for (std::size_t i = 0; i < 16; ++i) CHECK(sums(i) == (merges && rounds ? 1.0 : 1.0 + small));
  });
  CHECK(merging == 2);
}

TEST_CASE("hyb: the width moves the fewest bytes") {
  using namespace heddle::detail::hyb;
  /// The split of 1000 rows, of which `seven` have at least 7 entries and `forty` have 40.
  const auto split = [](std::int64_t seven, std::int64_t forty, std::int64_t nonzeros) {
    std::vector<std::int64_t> longer(most_width + 1, 0);
    for (std::size_t j = 0; j < 40; ++j) longer[j] = j < 7 ? seven : forty;
    return cheapest_split(longer, 1000, nonzeros, Bytes{12, 14, 16});
  };
  const Widths widths = split(1000, 100, 900 * 7 + 100 * 40);
  CHECK(widths.width == 7);
  CHECK(widths.long_rows == 100);
  CHECK(widths.rest == 3300);
  // Rows of one length have no rest, and mostly empty rows no slots.
  CHECK(split(1000, 0, 7000).width == 7);
  CHECK(split(1000, 0, 7000).rest == 0);
  CHECK(split(10, 0, 70).width == 0);
  const std::vector<std::int64_t> none(most_width + 1, 0);
  CHECK(cheapest_split(none, 0, 0, Bytes{12, 14, 16}).width == 0);
}

TEST_CASE("gcsr: lanes follow the rows that have entries, and one far longer than the others") {
  const struct {
    std::int64_t with_entries, nonzeros, longest;
    int lanes;
  } cases[] = {{0, 0, 0, 1},
               {1000, 4000, 0, 1},
               {1000, 5000, 0, 2},
               {1000, 30000, 0, 8},
               {10, 1000000, 0, 32},
               {1000000, 3000000, 3, 1},
               {1000000, 3000000, 20, 1},
               {1000000, 3000000, 200000, 32}};
  Device device;
  device.lanes = 32;
  device.multiprocessors = 132;
  RowFeatures rows;
  rows.rows = 1000000;
  for (const auto& [with_entries, nonzeros, longest, lanes] : cases) {
    rows.empty_rows = rows.rows - with_entries;
    rows.nonzeros = nonzeros;
    rows.longest_row = longest;
    CAPTURE(nonzeros);
    CHECK(heddle::detail::gcsr::lanes_for(rows, device) == lanes);
  }
  const auto seconds = [&](const Scheme& scheme) {
    return heddle::detail::gcsr::predict(scheme, rows, device, Sizes()).seconds;
  };
  CHECK(seconds(Scheme("gcsr")) == seconds(Scheme("gcsr", {{"lanes", 32}})));
  CHECK(seconds(Scheme("gcsr", {{"lanes", 1}})) > 20 * seconds(Scheme("gcsr")));
  // The warp of the longest row needs 1562 rounds.
  CHECK(seconds(Scheme("gcsr")) > 1562 * 0.5e-6);
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

TEST_CASE("bcsr: blocks are estimated from a sample, and counted where they are few") {
  const Exec exec;
  const auto blocks = [&](const Pattern& pattern, int rows, int columns) {
    const auto A = to_device<Type>(exec, pattern);
    return estimated_blocks(exec, A.matrix(), rows, columns);
  };
  CHECK(blocks(pattern_named("dense 4 x 4 blocks"), 4, 4) ==
        pattern_named("dense 4 x 4 blocks").nonzeros() / 16);
  CHECK(blocks(pattern_named("0 x 7"), 2, 2) == 0);
  CHECK(blocks({"one", 4, {{0, 3}, {1}, {}}}, 2, 2) == 2);
  CHECK(blocks({"unsorted", 4, {{3, 0, 2}, {1}, {}}}, 2, 2) == 2);
  // Rows that are cut into parts have as many blocks as whole ones.
  const auto long_rows = to_device<Type>(
      exec, random_pattern("long rows", 7, 30000, 30000,
                           [](std::int64_t i) { return i % 10000 == 5 ? 20000 : i % 4; }));
  for (const int size : {1, 2, 3}) {
    CHECK(estimated_blocks(exec, long_rows.matrix(), size, size, 20000) ==
          estimated_blocks(exec, long_rows.matrix(), size, size));
  }
  // 40,000 rows are 20,000 block rows: tridiagonal, so two other blocks for each full one.
  const std::int64_t estimate = blocks(banded_pattern("band", 40000, 40000, {-1, 0, 1}), 2, 2);
  CHECK(estimate > 58000);
  CHECK(estimate < 62000);
}

TEST_CASE("bcsr: a sample of blocks is bounded in parts and entries, whatever the matrix is like") {
  using heddle::detail::BlockSample;
  for (const std::int64_t rows : {1, 7, 5000, 1000000, 2000000000}) {
    for (const int height : {1, 2, 3, 8, 32}) {
      for (const std::int64_t mean : {1, 40, 5000, 1000000}) {
        for (const std::int64_t longest : {mean, mean + 4097, std::int64_t{2000000000}}) {
          const BlockSample sample(rows, mean * rows, height, longest);
          INFO(rows, " rows of ", mean, " to ", longest, " entries, blocks of ", height);
          CHECK(sample.parts >= 1);
          CHECK(sample.parts <= 1 + longest * height / BlockSample::part_searches);
          CHECK(sample.items() >= sample.samples * height);
          CHECK(sample.items() <= BlockSample::most_items);
          CHECK(sample.samples >= 1);
          CHECK((sample.samples - 1) * height * mean <= BlockSample::most_entries);
        }
      }
    }
  }
  // Each of a few rows is cut into as many parts as it needs; many rows have most_items in total.
  CHECK(BlockSample(3, 100, 1, 1 << 24).parts == 65536);
  CHECK(BlockSample(1000000, 5000000, 2, 1 << 24).items() == BlockSample::most_items);
}

TEST_CASE("choose: formats that are slower than CSR are ranked after it, and refusals say why") {
  const Exec exec;
  const auto after_csr = [&](auto format) {
    for (const char* name : {"one huge row", "power law", "tridiagonal"}) {
      const auto A = to_device<Type>(exec, pattern_named(name));
      const Choice choice = chosen_for<Formats<decltype(format), CsrFormat>>(exec, A);
      CHECK(choice.scheme.format() == "csr");
      CHECK(choice.ranking.size() > 3);
    }
  };
  after_csr(CooFormat());
  after_csr(GcsrFormat());
  after_csr(HybFormat());
  const auto wide = to_device<Type>(exec, pattern_named("one huge row"));
  const Plan plan(exec, wide.matrix(), {});
  const auto ell = std::ranges::find(plan.ranking(), Scheme("ell"), &RankedScheme::scheme);
  REQUIRE(ell != plan.ranking().end());
  CHECK(ell->prediction.refusal.find("slots for each nonzero") != std::string::npos);
}

TEST_CASE("choose: diagonals are counted only where few of them would be the best") {
  PatternFeatures grid;
  grid.rows = grid.columns = 1440000;
  grid.nonzeros = 7195200;
  grid.longest_row = grid.diagonals = 5;
  int looks = 0;
  const auto chosen = [&](const PatternFeatures& pattern, std::int64_t applies) {
    looks = 0;
    const Features features(pattern, [&] {
      ++looks;
      return pattern;
    });
    ChooseOptions options;
    options.expected_applies = applies;
    return choose<AllFormats>(features, gpu(32), options).scheme;
  };
  CHECK(chosen(grid, 1000) == Scheme("dia"));
  CHECK(looks == 1);
  CHECK(chosen(grid, 1).format() != "dia");
  CHECK(looks == 0);
  PatternFeatures irregular = grid, scattered = grid;
  irregular.longest_row = 90;
  CHECK(chosen(irregular, 1000).format() != "dia");
  CHECK(looks == 0);
  scattered.diagonals = 100000;
  CHECK(chosen(scattered, 1000).format() != "dia");
  CHECK(looks == 1);
}

TEST_CASE("choose: blocks are sampled only where full ones would be the best") {
  RowFeatures rows = rows_of(300000, 80, 81);
  int samples = 0;
  const auto chosen = [&](double full, std::int64_t applies) {
    samples = 0;
    const Features features(rows, {}, [&](int height, int width) {
      ++samples;
      return std::llround(static_cast<double>(rows.nonzeros) / (height * width) / full);
    });
    ChooseOptions options;
    options.expected_applies = applies;
    return choose<Formats<CsrFormat, BcsrFormat>>(features, gpu(32), options).scheme.format();
  };
  CHECK(chosen(1, 1) == "csr");
  CHECK(samples == 0);
  CHECK(chosen(1, 1000) == "bcsr");
  CHECK(samples == 1);
  CHECK(chosen(0.2, 1000) == "csr");
  CHECK(chosen(0.4, 1000) == "csr");
}

}  // namespace heddle::test
