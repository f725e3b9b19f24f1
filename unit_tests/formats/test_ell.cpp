// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../../formats/ell/inspect.hpp"
#include "../../testing/format_suite/make_plans.hpp"
#include "../../testing/format_suite/patterns.hpp"
#include "../support/shared_formats.hpp"

// Tests of ell alone; testing/format_suite.hpp has those of every format.
namespace heddle::test {

using EllType = OnePlanType<SharedFormats>;
using EllPlan = EllType::Plan<>;

TEST_CASE("ell: the example of docs/ell.md") {
  const EllType::Exec exec;
  const Pattern pattern{"example", 5, {{0, 1}, {1}, {0, 3}, {2, 3, 4}}};
  const auto A = to_device<EllType>(exec, pattern);
  const heddle::detail::slots::Storage<EllType::Exec, double, std::int32_t, std::int32_t> storage(
      exec, A.matrix(), 3);
  const auto view = storage.view();
  CHECK(view.stride == 32);
  CHECK(view.width == 3);
  const auto slots = static_cast<std::size_t>(view.stride * view.width);
  using Columns = Kokkos::View<const std::int32_t*, EllType::Space>;
  using Values = Kokkos::View<const double*, EllType::Space>;
  exec.fence("heddle::test::filled");
  const auto columns = to_host(Columns(view.col_idx, slots));
  const auto values = to_host(Values(view.values, slots));
  const std::int32_t expected[3][5] = {{0, 1, 0, 2, -1}, {1, -1, 3, 3, -1}, {-1, -1, -1, 4, -1}};
  for (std::size_t slot = 0; slot < 3; ++slot) {
    for (std::size_t row = 0; row < 5; ++row) {
      CHECK(columns(slot * 32 + row) == expected[slot][row]);
    }
  }
  CHECK(values(0) == A.host.values()(0));
  CHECK(values(32 + 3) == A.host.values()(6));
}

TEST_CASE("ell: padding is refused above its bound, and counted below") {
  const EllType::Exec exec;
  const auto plan_of = [&](const Pattern& pattern) {
    const auto A = to_device<EllType>(exec, pattern);
    return EllPlan(exec, A.matrix(), {.scheme = Scheme("ell")}, EllType::Formats());
  };
  CHECK_THROWS_AS(plan_of(pattern_named("one huge row")), Refusal);
  // 64 rows, of which one has 3 entries and the others one: 192 slots, 66 entries.
  const auto with_one_row_of = [](std::int64_t entries) {
    return random_pattern("one longer row", 1, 64, 64,
                          [=](std::int64_t i) { return i == 7 ? entries : 1; });
  };
  const EllPlan plan = plan_of(with_one_row_of(3));
  CHECK(plan.moved_bytes() == 192 * 12.0 + 128 * 8.0);
  CHECK(plan.bytes() == 192 * 12);
  CHECK_THROWS_AS(plan_of(with_one_row_of(4)), Refusal);
}

TEST_CASE("ell: choose ranks it, and says why not") {
  const EllType::Exec exec;
  const auto wide = to_device<EllType>(exec, pattern_named("one huge row"));
  const EllPlan plan(exec, wide.matrix(), {}, EllType::Formats());
  const auto ell = std::ranges::find(plan.ranking(), Scheme("ell"), &RankedScheme::scheme);
  REQUIRE(ell != plan.ranking().end());
  CHECK(ell->prediction.refusal.find("slots for each nonzero") != std::string::npos);
}

}  // namespace heddle::test
