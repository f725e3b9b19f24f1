// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../../formats/blocked_ell/inspect.hpp"
#include "../../testing/format_suite/make_plans.hpp"
#include "../../testing/format_suite/patterns.hpp"
#include "../support/shared_formats.hpp"

// Tests of blocked-ell alone.
namespace heddle::test {

using BlockedEllType = OnePlanType<SharedFormats>;
using BlockedEllPlan = BlockedEllType::Plan<>;

TEST_CASE("blocked-ell: the example of docs/blocked_ell.md") {
  using namespace heddle::detail::blocked_ell;
  const BlockedEllType::Exec exec;
  // Slices of two rows; the columns of the second slice span more than 16 bits.
  const Pattern pattern{"example", 70000, {{0, 1}, {1}, {0, 69999}, {2, 3, 4}, {}}};
  const auto A = to_device<BlockedEllType>(exec, pattern);
  const Storage<BlockedEllType::Exec, double, std::int32_t, std::int32_t, double> storage(
      exec, A.matrix(), 1, 0);
  exec.fence("heddle::test::filled");
  const auto view = storage.view();
  CHECK(view.pieces == 3);
  CHECK(view.piece == nullptr);
  const auto slice =
      to_host(Kokkos::View<const Slice<std::int32_t>*, BlockedEllType::Space>(view.slice, 3));
  const std::int64_t slots[] = {0, 4, 10}, words[] = {0, 4, 16};
  const std::int32_t bases[] = {0, -1, 0}, widths[] = {2, 3, 0};
  for (std::size_t s = 0; s < 3; ++s) {
    CHECK(slice(s).first_slot == slots[s]);
    CHECK(slice(s).first_column == words[s]);
    CHECK(slice(s).base == bases[s]);
    CHECK(slice(s).width == widths[s]);
  }
  const auto narrow =
      to_host(Kokkos::View<const std::uint16_t*, BlockedEllType::Space>(view.columns, 4));
  CHECK(narrow(0) == 0);
  CHECK(narrow(1) == 1);
  CHECK(narrow(2) == 1);
  CHECK(narrow(3) == no_delta);
  const auto wide = to_host(Kokkos::View<const std::int32_t*, BlockedEllType::Space>(
      reinterpret_cast<const std::int32_t*>(view.columns + 4), 6));
  const std::int32_t expected[] = {0, 2, 69999, 3, -1, 4};
  for (std::size_t i = 0; i < 6; ++i) CHECK(wide(i) == expected[i]);
  const auto values = to_host(Kokkos::View<const double*, BlockedEllType::Space>(view.values, 10));
  const std::int64_t entries[] = {0, 2, 1, -1, 3, 5, 4, 6, -1, 7};
  for (std::size_t i = 0; i < 10; ++i) {
    const auto entry = static_cast<std::size_t>(entries[i]);
    CHECK(values(i) == (entries[i] < 0 ? 0.0 : A.host.values()(entry)));
  }
}

TEST_CASE("blocked-ell: columns that lie far apart, and just close enough") {
  const BlockedEllType::Exec exec;
  for (const std::int64_t far : {65534, 65535, 65536, 199999}) {
    Pattern pattern{"far", 200000, {}};
    for (std::int64_t i = 0; i < 200; ++i) {
      pattern.rows.push_back(std::vector<std::int64_t>{i % 7, i % 3 ? far : 5});
    }
    const auto A = to_device<BlockedEllType>(exec, pattern);
    for (const char* scheme : {"blocked-ell", "blocked-ell/sigma=64"}) {
      BlockedEllPlan plan(exec, A.matrix(), {.scheme = Scheme::parse(scheme)},
                          BlockedEllType::Formats());
      CHECK(apply_and_compare(exec, plan, A, Op::none, 2.0, 0.0) == "");
    }
  }
}

TEST_CASE("blocked-ell: slices that are cut into pieces") {
  const BlockedEllType::Exec exec;
  const auto A = to_device<BlockedEllType>(
      exec, random_pattern("wide slices between narrow ones", 3, 300, 9000,
                           [](std::int64_t i) { return i / 64 % 2 ? 3000 + i : i % 5; }));
  for (const std::size_t vectors : {1, 3, 13}) {
    const auto x = random_vectors<double>(9000, vectors, true, 5);
    const auto y = random_vectors<double>(300, vectors, true, 6);
    const auto expected = reference_of(A, Op::none, 2.0, x, -1.0, y);
    for (const char* scheme : {"blocked-ell", "blocked-ell/sigma=128"}) {
      BlockedEllPlan plan(exec, A.matrix(), {.scheme = Scheme::parse(scheme)},
                          BlockedEllType::Formats());
      for (int run = 0; run < 2; ++run) {
        const auto x_device = x.in<BlockedEllType::Space>();
        const auto y_device = y.in<BlockedEllType::Space>();
        plan.apply(exec, 2.0, x_device.view(), -1.0, y_device.view());
        exec.fence("heddle::test::applied");
        CHECK(mismatch(expected, y_device.in<Kokkos::HostSpace>().view()) == "");
      }
    }
  }
}

TEST_CASE("blocked-ell: padding is refused above its bound, and sorting lowers it") {
  const BlockedEllType::Exec exec;
  const auto plan_of = [&](const Pattern& pattern, const char* scheme) {
    const auto A = to_device<BlockedEllType>(exec, pattern);
    return BlockedEllPlan(exec, A.matrix(), {.scheme = Scheme::parse(scheme)},
                          BlockedEllType::Formats());
  };
  CHECK_THROWS_AS(plan_of(pattern_named("one huge row"), "blocked-ell"), Refusal);
  const Pattern uneven = random_pattern("every eighth row is long", 1, 8192, 8192,
                                        [](std::int64_t i) { return i % 8 ? 2 : 100; });
  CHECK_THROWS_AS(plan_of(uneven, "blocked-ell"), Refusal);
  const BlockedEllPlan sorted = plan_of(uneven, "blocked-ell/sigma=8192");
  CHECK(sorted.bytes() < 8192 / 8 * (100 + 7 * 2) * 12 * 1.1 + 8192 * 5);
}

TEST_CASE("blocked-ell: close columns take two bytes") {
  const BlockedEllType::Exec exec;
  const auto plan_of = [&](const Pattern& pattern) {
    const auto A = to_device<BlockedEllType>(exec, pattern);
    return BlockedEllPlan(exec, A.matrix(), {.scheme = Scheme::parse("blocked-ell")},
                          BlockedEllType::Formats());
  };
  const auto all_rows_of = [](std::int64_t columns) {
    Pattern pattern{"two columns", columns, {}};
    for (int i = 0; i < 256; ++i) pattern.rows.push_back(std::vector<std::int64_t>{0, columns - 1});
    return pattern;
  };
  const auto slices = [](const BlockedEllPlan& plan) {
    return 256 / plan.scheme().integer("rows") *
           sizeof(heddle::detail::blocked_ell::Slice<std::int32_t>);
  };
  const BlockedEllPlan narrow = plan_of(all_rows_of(65535)), wide = plan_of(all_rows_of(65536));
  const double vectors = 8.0 * 256;
  CHECK(narrow.moved_bytes() ==
        512 * (8 + 2) + static_cast<double>(slices(narrow)) + vectors + 8.0 * 65535);
  CHECK(wide.moved_bytes() ==
        512 * (8 + 4) + static_cast<double>(slices(wide)) + vectors + 8.0 * 65536);
}

TEST_CASE("blocked-ell: predicted columns take two bytes in narrow slices, however wide the band") {
  PatternFeatures pattern;
  pattern.rows = pattern.columns = 320000;
  pattern.lower_bandwidth = pattern.upper_bandwidth = 300000;
  const auto bytes = [&] {
    return heddle::detail::blocked_ell::column_bytes(Features(pattern, [&] { return pattern; }), 32,
                                                     {});
  };
  pattern.narrow_slices = 10000;
  CHECK(bytes() == 2);
  pattern.narrow_slices = 7500;
  CHECK(bytes() == 2.5);
  pattern.narrow_slices = 0;
  CHECK(bytes() == 4);
  pattern.sorted = false;
  pattern.narrow_slices = -1;
  CHECK(bytes() == 3);
  pattern.columns = 60000;
  CHECK(bytes() == 2);
}

TEST_CASE("blocked-ell: sorted rows that are mostly padding all the same are refused") {
  const BlockedEllType::Exec exec;
  // One long row in each window of two slices, so that slices are wide though rows are sorted.
  const int rows = backends::has_lanes<BlockedEllType::Exec>
                       ? heddle::detail::blocked_ell::slice_rows_for(backends::describe(exec))
                       : 16;
  const std::string window = std::to_string(2 * rows);
  const auto A = to_device<BlockedEllType>(
      exec, random_pattern("a long row in every window", 3, 40 * rows, 3000,
                           [&](std::int64_t i) { return i % (2 * rows) == 5 ? 2000 : 1; }));
  const auto plan = [&](const std::string& sigma) {
    return BlockedEllPlan(
        exec, A.matrix(),
        {.scheme = Scheme::parse("blocked-ell/rows=" + std::to_string(rows) + ",sigma=" + sigma)},
        BlockedEllType::Formats());
  };
  CHECK_THROWS_WITH_AS(plan(window),
                       doctest::Contains("blocked-ell: sorted, slices as wide as their longest"),
                       Refusal);
  CHECK_THROWS_WITH_AS(plan("none"), doctest::Contains("blocked-ell: slices as wide as"), Refusal);
  // A larger window sorts its long rows into one slice.
  CHECK_NOTHROW(plan(std::to_string(40 * rows)));
}

}  // namespace heddle::test
