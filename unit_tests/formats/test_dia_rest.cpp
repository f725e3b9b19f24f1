// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../../formats/dia/inspect.hpp"
#include "../../testing/format_suite/make_plans.hpp"
#include "../../testing/format_suite/patterns.hpp"
#include "../support/shared_formats.hpp"

// What is true of dia with a rest alone; what every format promises is tested by
// testing/format_suite.hpp.
namespace heddle::test {

using RestType = OnePlanType<SharedFormats>;
using RestExec = RestType::Exec;
using RestPlan = RestType::Plan<>;

namespace {

Scheme with_rest() { return Scheme("dia", {{"rest", "coo"}}); }

/// Grids of which some rows hold entries anywhere: here and there, side by side, or all in one row.
std::vector<Pattern> grids_with_more() {
  const auto grid = [](const char* name, std::int64_t rows, std::int64_t columns, auto more) {
    return diagonals_with_more(name, rows, columns, more);
  };
  return {
      grid("a few more", 3000, 3000, [](std::int64_t i) { return i % 5 == 2 ? 3 : 0; }),
      grid("more in every row", 900, 1000, [](std::int64_t i) { return 1 + i % 4; }),
      grid("one huge row", 1500, 20000, [](std::int64_t i) { return i == 777 ? 15000 : 0; }),
      grid("rows side by side", 1100, 1000, [](std::int64_t i) { return i / 64 == 3 ? 700 : 0; }),
      grid("the last row", 257, 5000, [](std::int64_t i) { return i == 256 ? 5000 : 0; })};
}

}  // namespace

TEST_CASE("dia/rest=coo: the example of docs/dia.md") {
  const RestExec exec;
  const Pattern pattern{"example", 5, {{0, 1, 3}, {1, 2}, {3, 2, 3}, {0, 3}}};
  const auto A = to_device<RestType>(exec, pattern);
  using Storage =
      heddle::detail::dia::SplitStorage<RestExec, double, std::int32_t, std::int32_t, double, 8>;
  const Storage storage(exec, A.matrix(), 50, backends::describe(exec));
  const auto diagonals = storage.diagonals().view();
  REQUIRE(diagonals.diagonals == 2);
  REQUIRE(storage.rest().size().entries == 2);
  REQUIRE(storage.rest().size().long_rows == 2);
  using Ints = Kokkos::View<const std::int32_t*, RestType::Space>;
  using Doubles = Kokkos::View<const double*, RestType::Space>;
  const auto a = A.host.values();
  const auto offsets = to_host(Ints(diagonals.offsets, 2));
  CHECK(offsets(0) == 0);
  CHECK(offsets(1) == 1);
  const auto values = to_host(Doubles(diagonals.values, storage.diagonals().places()));
  const double whole[2][3] = {{a(0), a(3), a(6)}, {a(1), a(4), a(5) + a(7)}};
  for (std::size_t d = 0; d < 2; ++d) {
    for (std::size_t row = 0; row < 3; ++row) CHECK(values(32 * d + row) == whole[d][row]);
  }
  CHECK(values(3) == a(9));
  CHECK(backends::is_hole(values(32 + 3)));
  const auto rest = storage.rest().view();
  const auto columns = to_host(Ints(rest.col_idx, 2));
  const auto rest_values = to_host(Doubles(rest.values, 2));
  CHECK(columns(0) == 3);
  CHECK(columns(1) == 0);
  CHECK(rest_values(0) == a(2));
  CHECK(rest_values(1) == a(8));
  using Words = Kokkos::View<const std::uint32_t*, RestType::Space>;
  CHECK(to_host(Words(storage.rest().long_rows().bits.words, 1))(0) == 0b1001);
}

TEST_CASE("dia/rest=coo: grids with further entries, by every bound and number of vectors") {
  const RestExec exec;
  PlanMaker<RestType> make(exec);
  for (const Pattern& pattern : grids_with_more()) {
    const auto A = to_device<RestType>(exec, pattern);
    CAPTURE(A.name);
    for (const int fill : {34, 50, 97, 100}) {
      CAPTURE(fill);
      auto plan = make(A, {.scheme = Scheme("dia", {{"fill", fill}}), .ops = {Op::transpose}});
      REQUIRE(plan);
      CHECK(plan->scheme().value("rest") == "coo");
      CHECK(plan->scheme().integer("fill") == fill);
      for (const Op op : {Op::none, Op::transpose}) {
        CHECK(apply_and_compare(exec, *plan, A, op, 2.0, -1.0) == "");
        CHECK(apply_and_compare(exec, *plan, A, op, 1.0, 0.0) == "");
      }
      for (const std::size_t count : {3, 8, 11}) {
        const auto x = random_vectors<double>(A.rows_of_x(), count, true, 3);
        const auto y = random_vectors<double>(A.rows_of_y(), count, false, 4);
        const auto x_device = x.in<RestType::Space>();
        const auto y_device = y.in<RestType::Space>();
        plan->apply(exec, 2.0, x_device.view(), 0.5, y_device.view());
        exec.fence("heddle::test::applied");
        CHECK(mismatch(reference_of(A, Op::none, 2.0, x, 0.5, y),
                       y_device.in<Kokkos::HostSpace>().view()) == "");
      }
    }
  }
}

TEST_CASE("dia/rest=coo: new values give the bits of a fresh plan") {
  const RestExec exec;
  PlanMaker<RestType> make(exec);
  for (const Pattern& pattern : grids_with_more()) {
    const auto before = to_device<RestType>(exec, pattern, 1);
    const auto after = to_device<RestType>(exec, pattern, 2);
    auto plan = make(before, {.scheme = with_rest()});
    auto fresh = make(after, {.scheme = with_rest()});
    REQUIRE(plan);
    REQUIRE(fresh);
    plan->update_values(exec, after.matrix());
    const CheckedProduct<RestType> product(after, Op::none, 1.0, 0.0);
    CHECK(product.problem(exec, *plan) == "");
    CHECK(same_bits(product.result(exec, *plan), product.result(exec, *fresh)));
  }
}

/// Entries are counted as they are stored, by whole runs of rows and one by one.
TEST_CASE("dia/rest=coo: diagonals are split by how many rows have them") {
  const RestExec exec;
  using Split = heddle::detail::dia::Split<RestExec, RestType::Matrix>;
  const auto split_of = [&](const Pattern& pattern, int fill) {
    const auto A = to_device<RestType>(exec, pattern);
    const Split split(exec, A.matrix(), fill);
    return std::tuple(split.diagonals(), split.rest().entries, split.rest().long_rows);
  };
  // 100 rows: 100 on the diagonal, 50 above it, 34 on another, 3 on a fourth.
  std::int64_t i = 0;
  const Pattern pattern = with_rows_changed(banded_pattern("banded", 100, 200, {0}),
                                            [&](std::vector<std::int64_t>& row) {
                                              if (i % 2 == 0) row.push_back(i + 1);
                                              if (i < 34) row.push_back(i + 50);
                                              if (i % 40 == 7) row.push_back(i + 90);
                                              ++i;
                                            });
  CHECK(split_of(pattern, 34) == std::tuple(3, 3, 3));
  CHECK(split_of(pattern, 35) == std::tuple(2, 37, 36));
  CHECK(split_of(pattern, 50) == std::tuple(2, 37, 36));
  CHECK(split_of(pattern, 51) == std::tuple(1, 87, 69));
  CHECK(split_of(pattern, 100) == std::tuple(1, 87, 69));
  CHECK(split_of(pattern_named("all rows empty"), 50) == std::tuple(0, 0, 0));
  CHECK(split_of(pattern_named("tridiagonal"), 100) == std::tuple(1, 1998, 1000));
  CHECK(split_of(pattern_named("tridiagonal"), 99) == std::tuple(3, 0, 0));
}

TEST_CASE("dia/rest=coo: without a rest it is dia, to the bit and to the byte") {
  const RestExec exec;
  const auto A = to_device<RestType>(exec, pattern_named("tridiagonal"));
  RestPlan whole(exec, A.matrix(), {.scheme = Scheme("dia")}, RestType::Formats());
  RestPlan split(exec, A.matrix(), {.scheme = with_rest()}, RestType::Formats());
  CHECK(split.bytes() == whole.bytes());
  CHECK(split.moved_bytes(Op::none, 9, true) == whole.moved_bytes(Op::none, 9, true));
  const CheckedProduct<RestType> product(A, Op::none, 1.0, 0.0);
  CHECK(same_bits(product.result(exec, whole), product.result(exec, split)));
}

TEST_CASE("dia/rest=coo: what dia refuses has a place, and is counted") {
  const RestExec exec;
  const auto A = to_device<RestType>(exec, grids_with_more().front());
  CHECK_THROWS_AS(RestPlan(exec, A.matrix(), {.scheme = Scheme("dia")}, RestType::Formats()),
                  Refusal);
  const RestPlan plan(exec, A.matrix(), {.scheme = with_rest()}, RestType::Formats());
  using Split = heddle::detail::dia::Split<RestExec, RestType::Matrix>;
  const Split split(exec, A.matrix(), 50);
  CHECK(split.diagonals() == 5);
  constexpr double row_bytes = backends::has_lanes<RestExec> ? 2 : 4;
  const double whole = 5 * 3008 * 8.0 + 5 * 4;
  const double rest = static_cast<double>(split.rest().entries) * (12 + row_bytes) + 94 * 8;
  const double handed_over = 16.0 * static_cast<double>(split.rest().long_rows);
  CHECK(plan.moved_bytes() == whole + rest + handed_over + 6000 * 8.0);
  CHECK(plan.moved_bytes(Op::none, 9, true) == 2 * (whole + rest) + 9 * (handed_over + 9000 * 8.0));
}

TEST_CASE("dia/rest=coo: choose ranks it, behind CSR and behind dia") {
  const RestExec exec;
  for (const char* name : {"one huge row", "power law", "tridiagonal"}) {
    const auto A = to_device<RestType>(exec, pattern_named(name));
    const Choice choice = chosen_for<Formats<DiaFormat, CsrFormat>>(exec, A);
    CHECK(!choice.scheme.has("rest"));
    const auto& ranking = choice.ranking;
    CHECK(std::any_of(ranking.begin(), ranking.end(),
                      [](const RankedScheme& one) { return one.scheme.has("rest"); }));
  }
}

}  // namespace heddle::test
