// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../../formats/hyb/inspect.hpp"
#include "../../testing/format_suite/make_plans.hpp"
#include "../../testing/format_suite/patterns.hpp"
#include "../support/shared_formats.hpp"

// Tests of hyb alone; testing/format_suite.hpp has those of every format.
namespace heddle::test {

using HybType = OnePlanType<SharedFormats>;
using HybExec = HybType::Exec;
using HybPlan = HybType::Plan<>;

TEST_CASE("hyb: the example of docs/hyb.md") {
  const HybExec exec;
  const Pattern pattern{"example", 5, {{0, 1}, {1}, {0, 1, 2, 4}, {}, {0, 2, 3}}};
  const auto A = to_device<HybType>(exec, pattern);
  const auto longer = heddle::detail::hyb::rows_longer_than(exec, A.matrix());
  const std::int64_t expected_longer[] = {4, 3, 2, 1, 0};
  for (std::size_t j = 0; j < 5; ++j) CHECK(longer[j] == expected_longer[j]);
  const auto widths = heddle::detail::hyb::split_at(2, longer, 10);
  CHECK(widths.width == 2);
  CHECK(widths.long_rows == 2);
  CHECK(widths.rest == 3);
  using Storage = heddle::detail::hyb::Storage<HybExec, double, std::int32_t, std::int32_t, double>;
  const Storage storage(exec, A.matrix(), widths, backends::describe(exec));
  const auto slots = storage.slots();
  const auto part = storage.rest().view();
  const auto long_rows = storage.rest().long_rows();
  exec.fence("heddle::test::filled");
  using Columns = Kokkos::View<const std::int32_t*, HybType::Space>;
  using Values = Kokkos::View<const double*, HybType::Space>;
  using Words = Kokkos::View<const std::uint32_t*, HybType::Space>;
  REQUIRE(slots.width == 2);
  REQUIRE(slots.stride == 32);
  const auto columns = to_host(Columns(slots.col_idx, 64));
  const std::int32_t expected[2][5] = {{0, 1, 0, -1, 0}, {1, -1, 1, -1, 2}};
  for (std::size_t slot = 0; slot < 2; ++slot) {
    for (std::size_t row = 0; row < 5; ++row) {
      CHECK(columns(slot * 32 + row) == expected[slot][row]);
    }
  }
  const auto rest = to_host(Columns(part.col_idx, 3));
  const auto values = to_host(Values(part.values, 3));
  const std::int32_t expected_rest[] = {2, 4, 3};
  for (std::size_t k = 0; k < 3; ++k) CHECK(rest(k) == expected_rest[k]);
  CHECK(values(0) == A.host.values()(5));
  CHECK(values(2) == A.host.values()(9));
  CHECK(to_host(Words(long_rows.bits.words, 1))(0) == 0b10100);
  const auto before_word = to_host(Columns(long_rows.before_word, 1));
  CHECK(before_word(0) == 0);
}

TEST_CASE("hyb: the width moves the fewest bytes") {
  using namespace heddle::detail::hyb;
  const Bytes bytes{12, 14, 16};
  // 1000 rows: 100 of them have 40 entries and the others 7.
  std::vector<std::int64_t> longer(most_width + 1, 0);
  for (std::size_t j = 0; j < 40; ++j) longer[j] = j < 7 ? 1000 : 100;
  const std::int64_t nonzeros = 900 * 7 + 100 * 40;
  const Widths widths = cheapest_split(longer, 1000, nonzeros, bytes);
  CHECK(widths.width == 7);
  CHECK(widths.long_rows == 100);
  CHECK(widths.rest == 3300);
  // Rows of one length have no rest, and mostly empty rows no slots.
  for (std::size_t j = 0; j < 40; ++j) longer[j] = j < 7 ? 1000 : 0;
  CHECK(cheapest_split(longer, 1000, 7000, bytes).width == 7);
  CHECK(cheapest_split(longer, 1000, 7000, bytes).rest == 0);
  for (std::size_t j = 0; j < 40; ++j) longer[j] = j < 7 ? 10 : 0;
  CHECK(cheapest_split(longer, 1000, 70, bytes).width == 0);
  CHECK(cheapest_split(std::vector<std::int64_t>(most_width + 1, 0), 0, 0, bytes).width == 0);
}

/// Every width from none to all; the numbers of rows are about those of words, packs and teams.
TEST_CASE("hyb: any width gives the same product") {
  const HybExec exec;
  PlanMaker<HybType> make(exec);
  const Pattern patterns[] = {
      random_pattern("all lengths", 1, 1000, 400, [](std::int64_t i) { return 4 + i % 9; }),
      random_pattern("long rows side by side", 2, 999, 3000,
                     [](std::int64_t i) { return i / 64 == 3 ? 900 : 6 + i % 2; }),
      random_pattern("a long last row", 3, 257, 5000,
                     [](std::int64_t i) { return i == 256 ? 5000 : 3; })};
  for (const Pattern& pattern : patterns) {
    const auto A = to_device<HybType>(exec, pattern);
    for (const int width : {0, 1, 3, 5, 6, 7, 8, 9, 12}) {
      auto plan = make(A, {.scheme = Scheme("hyb", {{"width", width}})});
      REQUIRE(plan);
      CAPTURE(A.name);
      CAPTURE(width);
      CHECK(plan->scheme().integer("width") == width);
      CHECK(apply_and_compare(exec, *plan, A, Op::none, 2.0, -1.0) == "");
      CHECK(apply_and_compare(exec, *plan, A, Op::none, 1.0, 0.0) == "");
    }
  }
}

TEST_CASE("hyb: slots are bounded, and counted") {
  const HybExec exec;
  const Pattern pattern =
      random_pattern("short", 1, 64, 64, [](std::int64_t i) { return i % 16 == 3 ? 9 : 2; });
  const auto A = to_device<HybType>(exec, pattern);
  const double nonzeros = 60 * 2 + 4 * 9;
  const auto plan_of = [&](int width) {
    return HybPlan(exec, A.matrix(), {.scheme = Scheme("hyb", {{"width", width}})},
                   HybType::Formats());
  };
  CHECK_THROWS_AS(plan_of(8), Refusal);
  constexpr double row_bytes = backends::has_lanes<HybExec> ? 2 : 4;
  const double x_and_y = 128 * 8, bits = 2 * 8, handed_over = 4 * 16;
  CHECK(plan_of(2).moved_bytes() ==
        128 * 12.0 + 28 * (12 + row_bytes) + handed_over + bits + x_and_y);
  CHECK(plan_of(0).moved_bytes() == nonzeros * (12 + row_bytes) + 64 * 16 + bits + x_and_y);
  const HybPlan plan(exec, A.matrix(), {.scheme = Scheme("hyb")}, HybType::Formats());
  CHECK(plan.scheme().integer("width") == 2);
}

TEST_CASE("hyb: choose ranks it, behind CSR") {
  const HybExec exec;
  for (const char* name : {"one huge row", "power law", "tridiagonal"}) {
    const auto A = to_device<HybType>(exec, pattern_named(name));
    const Choice choice = chosen_for<Formats<HybFormat, CsrFormat>>(exec, A);
    CHECK(choice.scheme.format() == "csr");
    CHECK(choice.ranking.size() > 3);
  }
}

}  // namespace heddle::test
