// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../../formats/bcsr/inspect.hpp"
#include "../../formats/inspect/definitions.hpp"
#include "../../testing/events.hpp"
#include "../../testing/format_suite/make_plans.hpp"
#include "../../testing/format_suite/patterns.hpp"
#include "../support/shared_formats.hpp"

// Tests of bcsr alone; testing/format_suite.hpp has those of every format.
namespace heddle::test {

using BcsrType = OnePlanType<SharedFormats>;
using BcsrPlan = BcsrType::Plan<>;

namespace {

BcsrPlan bcsr_plan(const DeviceMatrix<BcsrType>& A, const std::string& size) {
  return BcsrPlan(BcsrType::Exec(), A.matrix(), {.scheme = Scheme("bcsr", {{size}})},
                  BcsrType::Formats());
}

/// Checks y = 2 A x + y / 2 with column-major x and row-major y; "" if all is right.
std::string mismatch_of_several(const BcsrPlan& plan, const DeviceMatrix<BcsrType>& A,
                                std::size_t count) {
  const BcsrType::Exec exec;
  const auto x = random_vectors<double>(A.rows_of_x(), count, true, 3);
  const auto y = random_vectors<double>(A.rows_of_y(), count, false, 4);
  const auto x_device = x.in<BcsrType::Space>();
  const auto y_device = y.in<BcsrType::Space>();
  plan.apply(exec, 2.0, x_device.view(), 0.5, y_device.view());
  exec.fence("heddle::test::applied");
  return mismatch(reference_of(A, Op::none, 2.0, x, 0.5, y),
                  y_device.in<Kokkos::HostSpace>().view());
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

}  // namespace

TEST_CASE("bcsr: the example of docs/bcsr.md") {
  const BcsrType::Exec exec;
  const Pattern pattern{"example", 5, {{0, 1, 4}, {1}, {2, 3, 2}}};
  const auto A = to_device<BcsrType>(exec, pattern);
  const heddle::detail::bcsr::Storage<BcsrType::Exec, double, std::int32_t, std::int32_t, double>
      storage(exec, A.matrix(), {2, 2});
  CHECK(storage.blocks() == 3);
  CHECK(storage.block_rows() == 2);
  const auto view = storage.view(heddle::detail::bcsr::BlockSize<2, 2>());
  using Ints = Kokkos::View<const std::int32_t*, BcsrType::Space>;
  const auto block_ptr = to_host(Ints(view.block_ptr, 3));
  const auto block_col = to_host(Ints(view.block_col, 3));
  const auto values = to_host(Kokkos::View<const double*, BcsrType::Space>(view.values, 12));
  const std::int32_t expected_ptr[3] = {0, 2, 3}, expected_col[3] = {0, 2, 1};
  const auto a = A.host.values();
  const double hole = std::numeric_limits<double>::quiet_NaN();
  const double expected[12] = {a(0), hole, a(1),        a(3), a(2), hole,
                               hole, hole, a(4) + a(6), hole, a(5), hole};
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(block_ptr(i) == expected_ptr[i]);
    CHECK(block_col(i) == expected_col[i]);
  }
  for (std::size_t i = 0; i < 12; ++i) {
    CAPTURE(i);
    CHECK(backends::is_hole(values(i)) == (expected[i] != expected[i]));
    if (expected[i] == expected[i]) CHECK(values(i) == expected[i]);
  }
}

TEST_CASE("bcsr: blocks of every size, with holes and ragged edges") {
  const BcsrType::Exec exec;
  for (int rows = 1; rows <= 8; ++rows) {
    for (int columns = 1; columns <= 8; ++columns) {
      const int cut = std::min(rows, columns) / 2;
      const auto A = to_device<BcsrType>(exec, blocks_with_holes(rows, columns, 43, 31, cut));
      CAPTURE(A.name);
      auto plan = bcsr_plan(A, size_name(rows, columns));
      CHECK(apply_and_compare(exec, plan, A, Op::none, 2.0, -1.0) == "");
      for (const std::size_t count : {3, 8}) CHECK(mismatch_of_several(plan, A, count) == "");
    }
  }
}

TEST_CASE("bcsr: an infinite entry of x stays out of the holes") {
  const BcsrType::Exec exec;
  for (const auto& [rows, columns] :
       {std::pair(2, 2), std::pair(3, 3), std::pair(8, 8), std::pair(5, 3), std::pair(1, 8)}) {
    const Pattern pattern = blocks_with_holes(rows, columns, 43, 31, 1);
    const auto A = to_device<BcsrType>(exec, pattern);
    auto plan = bcsr_plan(A, size_name(rows, columns));
    for (std::size_t infinite = 0; infinite < A.rows_of_x(); infinite += 3) {
      const Kokkos::View<double*, Kokkos::HostSpace> x("x", A.rows_of_x());
      Kokkos::deep_copy(x, 1.0);
      x(infinite) = std::numeric_limits<double>::infinity();
      const Kokkos::View<double*, BcsrType::Space> y("y", A.rows_of_y());
      plan.apply(exec, 1.0, copy_to<BcsrType::Space>(x), 0.0, y);
      exec.fence("heddle::test::applied");
      const auto result = to_host(y);
      bool right = true;
      for (std::size_t i = 0; i < result.extent(0); ++i) {
        const auto row = pattern.rows[i];
        const bool holds =
            std::find(row.begin(), row.end(), static_cast<int>(infinite)) != row.end();
        right = right && std::isfinite(result(i)) == !holds;
      }
      CHECK_MESSAGE(right, pattern.name, ", x(", infinite, ") infinite");
    }
  }
}

TEST_CASE("bcsr: unsorted columns and repeated entries, in all block rows and some") {
  const BcsrType::Exec exec;
  for (const int every : {1, 9}) {
    int i = 0;
    const auto pattern =
        with_rows_changed(blocks_with_holes(3, 3, 200, 50, 1), [&](std::vector<std::int64_t>& row) {
          if (i++ % every != 0) return;
          std::reverse(row.begin(), row.end());
          if (row.size() > 2) row.push_back(row[1]);
        });
    const auto A = to_device<BcsrType>(exec, pattern);
    auto plan = bcsr_plan(A, "3x3");
    CHECK(apply_and_compare(exec, plan, A, Op::none, 1.0, 0.0) == "");
  }
}

TEST_CASE("bcsr: fill-in is refused above its bound, and counted below") {
  const BcsrType::Exec exec;
  CHECK_THROWS_AS(bcsr_plan(to_device<BcsrType>(exec, pattern_named("many short rows")), "2x2"),
                  Refusal);
  const auto diagonal = to_device<BcsrType>(exec, banded_pattern("diagonal", 300, 300, {0}));
  CHECK_THROWS_WITH_AS(bcsr_plan(diagonal, "4x4"), doctest::Contains("bcsr: "), Refusal);
  const auto plan = bcsr_plan(diagonal, "2x2");
  const double stored = 600 * 8.0 + 150 * 4.0 + 151 * 4.0;
  CHECK(plan.moved_bytes() == stored + 600 * 8.0);
  CHECK(plan.moved_bytes(Op::none, 9, true) == 2 * stored + 9 * 900 * 8.0);
}

namespace {

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

}  // namespace

TEST_CASE("bcsr: a huge block row is cut, and its pieces add up in order") {
  const BcsrType::Exec exec;
  PlanMaker<BcsrType> make(exec);
  for (const std::string size : {"2x2", "1x4", "3x3", "4x4", "6x6"}) {
    const auto A = to_device<BcsrType>(exec, huge_block_rows(20003), 1);
    const auto B = to_device<BcsrType>(exec, huge_block_rows(20003), 2);
    auto plan = make(A, {.scheme = Scheme("bcsr", {{size}})});
    REQUIRE(plan);
    CAPTURE(plan->scheme().to_string());
    CHECK(apply_and_compare(exec, *plan, A, Op::none, 2.0, -1.0) == "");
    CHECK(apply_and_compare(exec, *plan, A, Op::none, 1.0, 0.0) == "");
    for (const std::size_t count : {3, 8, 11}) {
      const auto x = random_vectors<double>(A.rows_of_x(), count, true, 3);
      const auto y = random_vectors<double>(A.rows_of_y(), count, false, 4);
      const auto x_device = x.in<BcsrType::Space>();
      const auto y_device = y.in<BcsrType::Space>();
      plan->apply(exec, 2.0, x_device.view(), 0.5, y_device.view());
      exec.fence("heddle::test::applied");
      CHECK(mismatch(reference_of(A, Op::none, 2.0, x, 0.5, y),
                     y_device.in<Kokkos::HostSpace>().view()) == "");
    }
    const CheckedProduct<BcsrType> product(B, Op::none, 1.0, 0.0);
    plan->update_values(exec, B.matrix());
    auto fresh = make(B, {.scheme = plan->scheme()});
    CHECK(product.problem(exec, *plan) == "");
    CHECK(same_bits(product.result(exec, *plan), product.result(exec, *fresh)));
    CHECK(same_bits(product.result(exec, *plan), product.result(exec, *plan)));
  }
}

/// The number of launches of an apply shows whether block rows are cut.
TEST_CASE("bcsr: block rows are cut only where one is far longer than a piece") {
  const BcsrType::Exec exec;
  const auto launches = [&](const Pattern& pattern) {
    const auto A = to_device<BcsrType>(exec, pattern);
    BcsrPlan plan(exec, A.matrix(), {.scheme = Scheme("bcsr", {{"2x2"}}), .check_overlap = false},
                  BcsrType::Formats());
    const Kokkos::View<double*, BcsrType::Space> x("heddle::test::x", A.rows_of_x());
    const Kokkos::View<double*, BcsrType::Space> y("heddle::test::y", A.rows_of_y());
    const Recording recording;
    plan.apply(exec, 1.0, x, 0.0, y);
    CHECK(strangers(recording.seen()) == "");
    return count(recording.seen(), Event::kernel);
  };
  CHECK(launches(huge_block_rows(20003)) == 2);
  CHECK(launches(blocks_with_holes(2, 2, 4000, 3000, 1)) == 1);
  CHECK(launches(banded_pattern("tridiagonal", 30000, 30000, {-1, 0, 1})) == 1);
  // A row of as many blocks as are not cut, and a row of one block more.
  using Pieces = heddle::detail::bcsr::Pieces<BcsrType::Exec, std::int32_t, std::int32_t, double>;
  const std::int32_t block_ptr[] = {0, 2, 102, 102, 203};
  const auto on_device = copy_to<BcsrType::Space>(
      Kokkos::View<const std::int32_t*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(block_ptr, 5));
  CHECK(Pieces(exec, on_device.data(), 4, 2, 101).counts().carries == 0);
  CHECK(Pieces(exec, on_device.data(), 4, 2, 100).counts().carries == 2);
  const Pieces both(exec, on_device.data(), 4, 2, 50);
  CHECK(both.counts().carries == 2 + 3);
  const auto cut =
      to_host(Kokkos::View<const heddle::detail::CutPanel*, BcsrType::Space>(both.cut_panels(), 2));
  CHECK(both.counts().cut == 2);
  CHECK(cut(0).panel == 1);
  CHECK(cut(1).panel == 3);
  CHECK(cut(1).first == 2);
  CHECK(cut(1).carries == 3);
  CHECK(Pieces(exec, on_device.data(), 4, 2, 101).bytes() == 0);
}

/// Only the first block row is cut, into many pieces.
TEST_CASE("bcsr: an arrow of 3 x 3 blocks, times one vector and several") {
  const BcsrType::Exec exec;
  const int blocks = backends::has_lanes<BcsrType::Exec> ? 8000 : 40000;
  Pattern arrow{"arrow of blocks", 3 * blocks, {}};
  for (int i = 0; i < 3 * blocks; ++i) {
    const int block = i / 3;
    std::vector<std::int64_t> row;
    for (int j = 0; block == 0 && j < 3 * blocks; ++j) row.push_back(j);
    for (int j = 0; block > 0 && j < 3; ++j) row.push_back(j);
    for (int j = 0; block > 0 && j < 3; ++j) row.push_back(3 * block + j);
    arrow.rows.push_back(row);
  }
  const auto A = to_device<BcsrType>(exec, arrow);
  auto plan = bcsr_plan(A, "3x3");
  CHECK(apply_and_compare(exec, plan, A, Op::none, 2.0, -1.0) == "");
  for (const std::size_t count : {3, 8}) CHECK(mismatch_of_several(plan, A, count) == "");
}

TEST_CASE("bcsr: blocks are estimated from a sample, and counted where they are few") {
  const BcsrType::Exec exec;
  const auto blocks = [&](const Pattern& pattern, int rows, int columns) {
    const auto A = to_device<BcsrType>(exec, pattern);
    return estimated_blocks(exec, A.matrix(), rows, columns);
  };
  CHECK(blocks(pattern_named("dense 4 x 4 blocks"), 4, 4) ==
        pattern_named("dense 4 x 4 blocks").nonzeros() / 16);
  CHECK(blocks(pattern_named("0 x 7"), 2, 2) == 0);
  CHECK(blocks({"one", 4, {{0, 3}, {1}, {}}}, 2, 2) == 2);
  CHECK(blocks({"unsorted", 4, {{3, 0, 2}, {1}, {}}}, 2, 2) == 2);
  // Rows that are cut into parts have as many blocks as whole ones.
  const auto long_rows = to_device<BcsrType>(
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
          CAPTURE(rows);
          CAPTURE(height);
          CAPTURE(mean);
          CAPTURE(longest);
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

TEST_CASE("bcsr: choose samples blocks only where full ones would be the best") {
  Device gpu;
  gpu.lanes = 32;
  gpu.multiprocessors = 132;
  gpu.threads_per_multiprocessor = 2048;
  gpu.cache_bytes = 60 << 20;
  RowFeatures rows;
  rows.rows = rows.columns = 300000;
  rows.nonzeros = 300000 * 80;
  rows.longest_row = 81;
  int samples = 0;
  const auto chosen = [&](double full, std::int64_t applies) {
    samples = 0;
    const Features features(rows, {}, [&](int height, int width) {
      ++samples;
      return std::llround(static_cast<double>(rows.nonzeros) / (height * width) / full);
    });
    ChooseOptions options;
    options.expected_applies = applies;
    return choose<Formats<CsrFormat, BcsrFormat>>(features, gpu, options).scheme.format();
  };
  CHECK(chosen(1, 1) == "csr");
  CHECK(samples == 0);
  CHECK(chosen(1, 1000) == "bcsr");
  CHECK(samples == 1);
  CHECK(chosen(0.2, 1000) == "csr");
  CHECK(chosen(0.4, 1000) == "csr");
}

}  // namespace heddle::test
