// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../../formats/gcsr/inspect.hpp"
#include "../../testing/format_suite/make_plans.hpp"
#include "../../testing/format_suite/patterns.hpp"
#include "../support/shared_formats.hpp"

// Tests of gcsr alone; testing/format_suite.hpp has those of every format.
namespace heddle::test {

using GcsrType = OnePlanType<SharedFormats>;
using GcsrExec = GcsrType::Exec;
using GcsrPlan = GcsrType::Plan<>;

TEST_CASE("gcsr: the example of docs/gcsr.md") {
  const GcsrExec exec;
  const Pattern pattern{"example", 4, {{}, {0, 1}, {}, {}, {2}, {1, 2, 3}, {}}};
  const auto A = to_device<GcsrType>(exec, pattern);
  const heddle::detail::gcsr::Storage<GcsrExec, std::int32_t, std::int32_t> storage(exec,
                                                                                    A.matrix(), 4);
  const auto view = storage.view(A.matrix());
  CHECK(view.all_rows == 7);
  REQUIRE(view.rows == 3);
  exec.fence("heddle::test::filled");
  using Rows = Kokkos::View<const std::int32_t*, GcsrType::Space>;
  using Words = Kokkos::View<const std::uint32_t*, GcsrType::Space>;
  const auto rows = to_host(Rows(view.row_number, 3));
  const auto row_ptr = to_host(Rows(view.row_ptr, 4));
  const std::int32_t expected_rows[] = {1, 4, 5}, expected_row_ptr[] = {0, 2, 3, 6};
  for (std::size_t i = 0; i < 3; ++i) CHECK(rows(i) == expected_rows[i]);
  for (std::size_t i = 0; i < 4; ++i) CHECK(row_ptr(i) == expected_row_ptr[i]);
  CHECK(to_host(Words(view.has_entries.words, 1))(0) == 0b0110010);
  CHECK(view.values == A.device.values().data());
}

/// More rows than a team reads at once, and long runs of rows with and without entries.
TEST_CASE("gcsr: hypersparse matrices agree with the oracle") {
  const GcsrExec exec;
  PlanMaker<GcsrType> make(exec);
  const Pattern patterns[] = {
      random_pattern("one row in a thousand", 1, 70001, 500,
                     [](std::int64_t i) { return i % 1000 == 999 ? 3 : 0; }),
      random_pattern("a block of rows", 2, 50000, 300,
                     [](std::int64_t i) { return i / 100 == 333 ? 40 : 0; }),
      random_pattern("the last row", 3, 9000, 9000,
                     [](std::int64_t i) { return i == 8999 ? 9000 : 0; }),
      random_pattern("no entry", 4, 5000, 10, [](std::int64_t) { return 0; })};
  for (const Pattern& pattern : patterns) {
    const auto A = to_device<GcsrType>(exec, pattern);
    auto plan = make(A, {.scheme = Scheme("gcsr")});
    REQUIRE(plan);
    CHECK_MESSAGE(apply_and_compare(exec, *plan, A, Op::none, 2.0, -1.0) == "", A.name);
    CHECK_MESSAGE(apply_and_compare(exec, *plan, A, Op::none, 1.0, 0.0) == "", A.name);
    CHECK_MESSAGE(apply_and_compare(exec, *plan, A, Op::none, 2.0, 1.0) == "", A.name);
  }
}

TEST_CASE("gcsr: of y, beta = 1 leaves rows without entries alone, but for an infinite alpha") {
  const GcsrExec exec;
  const Pattern pattern{"example", 4, {{}, {0, 1}, {}, {}, {2}, {1, 2, 3}, {}}};
  const auto A = to_device<GcsrType>(exec, pattern);
  GcsrPlan plan(exec, A.matrix(), {.scheme = Scheme("gcsr")});
  const Kokkos::View<double*, GcsrType::Space> x("heddle::test::x", 4), y("heddle::test::y", 7);
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

TEST_CASE("gcsr: an empty row costs a bit, and values are read in place") {
  const GcsrExec exec;
  const Pattern pattern =
      random_pattern("hypersparse", 1, 64000, 64000, [](std::int64_t i) { return i % 64 == 0; });
  const auto A = to_device<GcsrType>(exec, pattern, 1), B = to_device<GcsrType>(exec, pattern, 2);
  GcsrPlan plan(exec, A.matrix(), {.scheme = Scheme("gcsr"), .values_in_place = true});
  CHECK(plan.bytes() >= 1000 * 8 + 4 + 8000);
  CHECK(plan.bytes() <= 1000 * 8 + 4 + 8000 + 3 * arena_alignment_bytes);
  CHECK(plan.moved_bytes() == 1000 * 12.0 + static_cast<double>(plan.bytes()) + 128000 * 8.0);
  Kokkos::deep_copy(A.device.values(), B.device.values());
  CHECK(apply_and_compare(exec, plan, B, Op::none, 2.0, -1.0) == "");
}

TEST_CASE("gcsr: lanes follow the rows that have entries") {
  Device device;
  device.lanes = 32;
  RowFeatures rows;
  rows.rows = 1000000;
  const auto lanes = [&](std::int64_t with_entries, std::int64_t nonzeros) {
    rows.empty_rows = rows.rows - with_entries;
    rows.nonzeros = nonzeros;
    return heddle::detail::gcsr::lanes_for(rows, device);
  };
  CHECK(lanes(0, 0) == 1);
  CHECK(lanes(1000, 4000) == 1);
  CHECK(lanes(1000, 5000) == 2);
  CHECK(lanes(1000, 30000) == 8);
  CHECK(lanes(10, 1000000) == 32);
}

TEST_CASE("gcsr: a row far longer than the others is given more lanes, and its time is told") {
  Device device;
  device.lanes = 32;
  device.multiprocessors = 132;
  RowFeatures rows;
  rows.rows = 1000000;
  rows.nonzeros = 3000000;
  const auto lanes = [&](std::int64_t longest) {
    rows.longest_row = longest;
    return heddle::detail::gcsr::lanes_for(rows, device);
  };
  CHECK(lanes(3) == 1);
  CHECK(lanes(20) == 1);
  CHECK(lanes(200000) == 32);
  const auto seconds = [&](const Scheme& scheme) {
    return heddle::detail::gcsr::predict(scheme, rows, device, Sizes()).seconds;
  };
  CHECK(seconds(Scheme("gcsr")) == seconds(Scheme("gcsr", {{"lanes", 32}})));
  CHECK(seconds(Scheme("gcsr", {{"lanes", 1}})) > 20 * seconds(Scheme("gcsr")));
  // The warp of the longest row needs 1562 rounds.
  CHECK(seconds(Scheme("gcsr")) > 1562 * 0.5e-6);
}

TEST_CASE("gcsr: choose ranks it, behind CSR") {
  const GcsrExec exec;
  for (const char* name : {"one huge row", "power law", "tridiagonal"}) {
    const auto A = to_device<GcsrType>(exec, pattern_named(name));
    const Choice choice = chosen_for<Formats<GcsrFormat, CsrFormat>>(exec, A);
    CHECK(choice.scheme.format() == "csr");
    CHECK(choice.ranking.size() > 3);
  }
}

}  // namespace heddle::test
