// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Slices of blocked ELL as wide as a wavefront, twice and four times: features and predictions of
// them, against the slots that are kept.
#include <algorithm>

#include "../../formats/blocked_ell/format.hpp"
#include "../../formats/inspect/definitions.hpp"
#include "../../formats/plan/rank.hpp"
#include "../../testing/format_suite/make_plans.hpp"
#include "../../testing/format_suite/patterns.hpp"
#include "../support/shared_formats.hpp"

namespace heddle::test {

using WideType = OnePlanType<SharedFormats>;
using WideExec = WideType::Exec;

namespace {

std::int64_t slots_of(const Pattern& pattern, std::size_t rows_of_slice) {
  std::int64_t slots = 0;
  for (std::size_t first = 0; first < pattern.rows.size(); first += rows_of_slice) {
    std::size_t longest = 0;
    for (std::size_t i = first; i < std::min(first + rows_of_slice, pattern.rows.size()); ++i) {
      longest = std::max(longest, pattern.rows[i].size());
    }
    slots += static_cast<std::int64_t>(rows_of_slice * longest);
  }
  return slots;
}

}  // namespace

TEST_CASE(
    "wide slices: their slots are known where a wavefront is as wide, and bounded elsewhere") {
  const WideExec exec;
  const Device device = backends::describe(exec);
  const std::size_t widest_known = device.lanes > 32 ? 128 : 32;
  PlanMaker<WideType> make(exec);
  for (const Pattern& pattern :
       {random_pattern("short and long", 1, 3001, 3000,
                       [](std::int64_t i) { return i / 40 % 3 == 1 ? 12 : 3; }),
        banded_pattern("tridiagonal", 4000, 4000, {-1, 0, 1}),
        random_pattern("a longer row here and there", 2, 2500, 3000,
                       [](std::int64_t i) { return i % 200 == 7 ? 40 : 5; })}) {
    CAPTURE(pattern.name);
    const auto A = to_device<WideType>(exec, pattern);
    const auto matrix = A.matrix();
    const Features features = features_of(exec, matrix, row_features(exec, matrix));
    for (const int rows : {32, 64, 128, 256}) {
      CAPTURE(rows);
      const auto slots = static_cast<double>(slots_of(pattern, static_cast<std::size_t>(rows)));
      const double most = heddle::detail::blocked_ell::most_slots(features.rows(), rows);
      CHECK(most >= slots);
      if (static_cast<std::size_t>(rows) <= widest_known) CHECK(most == slots);
      const Scheme scheme("blocked-ell", {{"rows", rows}, {"sigma", "none"}});
      const bool exists =
          device.has_lanes() ? rows >= device.lanes && rows <= 4 * device.lanes : rows <= 64;
      if (!exists) continue;
      const Prediction predicted = BlockedEllFormat::predict(
          scheme, features, device, sizes_of<WideType::Matrix, double, double>({}));
      auto plan = make(A, {.scheme = scheme});
      REQUIRE(static_cast<bool>(plan) == predicted.possible());
      if (!plan) continue;
      const auto kept = static_cast<double>(plan->bytes());
      CHECK(predicted.kept_bytes >= 0.75 * kept - 5000);
      if (static_cast<std::size_t>(rows) <= widest_known) {
        CHECK(predicted.kept_bytes <= 1.25 * kept + 5000);
      }
      CHECK(apply_and_compare(exec, *plan, A, Op::none, 2.0, -1.0) == "");
    }
  }
}

TEST_CASE("wide slices: of those that are cut, a second launch adds up the pieces") {
  const WideExec exec;
  PlanMaker<WideType> make(exec);
  const auto A = to_device<WideType>(
      exec, random_pattern("a slice wider than a piece", 3, 200, 1500,
                           [](std::int64_t i) { return i < 64 ? 1100 + i : i % 5; }));
  auto plan = make(A, {.scheme = Scheme("blocked-ell/sigma=none")});
  REQUIRE(plan);
  CHECK(apply_and_compare(exec, *plan, A, Op::none, 2.0, -1.0) == "");
}

TEST_CASE("wide slices: a choice knows them on a device with wavefronts of 64") {
  Device gpu;
  gpu.backend = BackendKind::hip;
  gpu.lanes = 64;
  gpu.multiprocessors = 110;
  gpu.threads_per_multiprocessor = 2048;
  gpu.bytes_per_second = 1.3e12;
  gpu.cache_bytes = std::size_t{8} << 20;
  gpu.scratch_bytes = std::size_t{64} << 10;
  RowFeatures rows;
  rows.rows = rows.columns = 1000000;
  rows.nonzeros = 9000000;
  rows.shortest_row = rows.longest_row = 9;
  rows.slice_slots = 9000000;
  rows.group_slots.fill(9000000);
  const auto takes_unsorted_slices = [&] {
    const Scheme scheme = choose<Formats<CsrFormat, BlockedEllFormat>>(Features(rows), gpu,
                                                                       {.expected_applies = 100000})
                              .scheme;
    return scheme.format() == "blocked-ell" && scheme.value("sigma") == "none";
  };
  CHECK(!takes_unsorted_slices());  // as if slices of 64 rows had twice the slots
  rows.wide_group_slots = {9000000, 9000000};
  CHECK(takes_unsorted_slices());
}

}  // namespace heddle::test
