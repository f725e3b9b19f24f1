// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bytes that plans keep, against their predictions; slices of blocked ELL as wide as a wavefront,
// twice and four times.
#include <set>

#include "../../formats/blocked_ell/format.hpp"
#include "../../formats/inspect/definitions.hpp"
#include "../../formats/plan/rank.hpp"
#include "../../testing/format_suite/make_plans.hpp"
#include "../../testing/format_suite/patterns.hpp"
#include "../support/shared_formats.hpp"

namespace heddle::test {

namespace {

using Type = OnePlanType<SharedFormats>;
using Exec = Type::Exec;
using Matrix = Type::Matrix;

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

#if !defined(HEDDLE_EMULATED) && !defined(HEDDLE_SANITIZED_TESTS)  // many plans of large matrices
namespace {

/// Patterns so large that an arena's padding counts little.
std::vector<Pattern> kept_patterns() {
  std::vector<Pattern> all;
  const auto add = [&](const char* name, std::int64_t rows, std::int64_t columns, auto length) {
    all.push_back(random_pattern(name, 300 + all.size(), rows, columns, length));
  };
  all.push_back(banded_pattern("tridiagonal", 40000, 40000, {-1, 0, 1}));
  all.push_back(
      banded_pattern("nine-point", 20000, 20000, {-201, -200, -199, -1, 0, 1, 199, 200, 201}));
  add("random", 20000, 20000, [](std::int64_t i) { return i % 9; });
  add("mostly empty rows", 90000, 90000, [](std::int64_t i) { return i % 11 == 5 ? 2 : 0; });
  add("a few long rows", 30000, 30000,
      [](std::int64_t i) { return i % 7000 == 1 ? 15000 : 2 + i % 2; });
  add("long rows", 600, 40000, [](std::int64_t i) { return 300 + i % 50; });
  return all;
}

/// Whether rows and pattern determine the bytes, and not only an upper bound.
bool is_exact(const Scheme& scheme) {
  const std::string& format = scheme.format();
  if (format == "csr") return scheme.has("pack") && scheme.has("merge");
  return format == "dia" || format == "ell" || format == "coo" || format == "gcsr" ||
         format == "bcsr";
}

}  // namespace

TEST_CASE("kept_bytes: what a plan keeps, or somewhat more") {
  const Exec exec;
  const Device device = backends::describe(exec);
  const TestedSchemes<Type> schemes(exec);
  const std::vector<Scheme> all = schemes.all();
  constexpr double share = 0.25, few_bytes = 20000;
  std::set<std::string> made;
  for (const Pattern& pattern : kept_patterns()) {
    const auto A = to_device<Type>(exec, pattern);
    const Matrix matrix = A.matrix();
    const Features features = features_of(exec, matrix, row_features(exec, matrix));
    for (const ExpectedVectors vectors :
         {ExpectedVectors{1, true}, ExpectedVectors{8, true}, ExpectedVectors{8, false}}) {
      const Sizes sizes = sizes_of<Matrix, double, double>(vectors);
      for (const Scheme& scheme : all) {
        const Prediction prediction = Type::Formats::predict(scheme, features, device, sizes);
        if (!prediction.possible()) continue;
        SpmvOptions options;
        options.scheme = scheme;
        options.vectors = vectors;
        double kept = 0;
        try {
          kept = static_cast<double>(Type::Plan<>(exec, matrix, options, Type::Formats()).bytes());
        } catch (const Refusal&) {
          continue;
        }
        made.insert(scheme.format());
        INFO(scheme.to_string(), " of ", pattern.name, ", ", vectors.count, " vectors",
             std::string(vectors.apart ? " apart" : ""), ": keeps ", kept, ", predicted ",
             prediction.kept_bytes);
        CHECK(prediction.kept_bytes >= (1 - share) * kept - few_bytes);
        if (is_exact(scheme)) CHECK(prediction.kept_bytes <= (1 + share) * kept + few_bytes);
      }
    }
  }
  CHECK(made.size() == Type::Formats::grammars(device).size());
}
#endif

TEST_CASE(
    "wide slices: their slots are known where a wavefront is as wide, and bounded elsewhere") {
  const Exec exec;
  const Device device = backends::describe(exec);
  const std::size_t widest_known = device.lanes > 32 ? 128 : 32;
  PlanMaker<Type> make(exec);
  for (const Pattern& pattern :
       {random_pattern("short and long", 1, 3001, 3000,
                       [](std::int64_t i) { return i / 40 % 3 == 1 ? 12 : 3; }),
        banded_pattern("tridiagonal", 4000, 4000, {-1, 0, 1}),
        random_pattern("a longer row here and there", 2, 2500, 3000,
                       [](std::int64_t i) { return i % 200 == 7 ? 40 : 5; })}) {
    CAPTURE(pattern.name);
    const auto A = to_device<Type>(exec, pattern);
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
      const Prediction predicted =
          BlockedEllFormat::predict(scheme, features, device, sizes_of<Matrix, double, double>({}));
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
  const Exec exec;
  PlanMaker<Type> make(exec);
  const auto A = to_device<Type>(
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
