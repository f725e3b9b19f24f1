// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The entries of a plan in a tuning cache, and explain().
#include "../../core/pinned_scheme.hpp"
#include "../../core/tuning_cache.hpp"
#include "../../testing/format_suite/make_plans.hpp"
#include "../../testing/format_suite/patterns.hpp"
#include "../support/cache_file.hpp"
#include "../support/shared_formats.hpp"

namespace heddle::test {

namespace {

using List = Formats<Shared<CsrFormat>, Shared<EllFormat>, Shared<DiaFormat>>;
using Type = OnePlanType<List>;
using Exec = Type::Exec;
using Plan = Type::Plan<>;

}  // namespace

TEST_CASE("a plan that measured is remembered, and who finds it measures nothing") {
  const Exec exec;
  const CacheFile file("spmv_cache_of_a_test");
  const auto A = to_device<Type>(exec, pattern_named("tridiagonal"));
  const SpmvOptions cached{.cache = file.path},
      measured{.measure_seconds = 1e-4, .cache = file.path};
  const Plan none(exec, A.matrix(), cached);
  CHECK(says(none, "cache: nothing for this in " + file.path));
  CHECK(file.text().empty());
  const Plan first(exec, A.matrix(), measured);
  CHECK(says(first, "cache: added to " + file.path));
  const Plan second(exec, A.matrix(), cached), third(exec, A.matrix(), measured);
  for (const Plan* plan : {&second, &third}) {
    CHECK(says(*plan, "cache: found in " + file.path));
    CHECK(plan->scheme() == first.scheme());
    REQUIRE(plan->ranking().size() == 1);
    CHECK(plan->ranking().front().measured_seconds > 0);
  }
  file.key();  // requires one line
}

TEST_CASE("what is remembered is taken where it is legal, and never where it is not") {
  const Exec exec;
  const CacheFile file("spmv_cache_of_a_test");
  const auto A = to_device<Type>(exec, pattern_named("tridiagonal"));
  const SpmvOptions options{.measure_seconds = 1e-4, .cache = file.path};
  const Plan first(exec, A.matrix(), options);
  const std::string key = file.key();
  const heddle::detail::TuningCache cache(file.path);
  for (const char* scheme : {"csr/scalar", "ell", "dia"}) {
    REQUIRE(cache.add(key, {scheme, 1}) == "");
    const Plan plan(exec, A.matrix(), options);
    CHECK(plan.scheme().format() == Scheme(scheme).format());
    CHECK(plan.ranking().front().measured_seconds == 1);
  }
  for (const char* scheme : {"tiled", "csr/nonsense", "no scheme", ""}) {
    CAPTURE(scheme);
    REQUIRE(cache.add(key, {scheme, 1}) == "");
    const Plan plan(exec, A.matrix(), options);
    CHECK(says(plan, "cache: added to"));
    CHECK(plan.ranking().front().measured_seconds < 1);
  }
}

TEST_CASE("another pattern, other options and other types are not found; other values are") {
  const Exec exec;
  const CacheFile file("spmv_cache_of_a_test");
  const auto A = to_device<Type>(exec, pattern_named("tridiagonal"));
  const SpmvOptions options{.measure_seconds = 1e-4, .cache = file.path};
  const Plan first(exec, A.matrix(), options);
  const auto is_found = [&](const auto& matrix, SpmvOptions asked) {
    asked.cache = file.path;
    return says(Plan(exec, matrix, asked), "cache: found");
  };
  CHECK(is_found(A.matrix(), {}));
  const auto other_values = to_device<Type>(exec, pattern_named("tridiagonal"), 2);
  CHECK(is_found(other_values.matrix(), {}));
  CHECK_FALSE(is_found(A.matrix(), {.expected_applies = 10}));
  CHECK_FALSE(is_found(A.matrix(), {.vectors = {.count = 2}}));
  CHECK_FALSE(is_found(A.matrix(), {.vectors = {.apart = false}}));
  CHECK_FALSE(is_found(A.matrix(), {.ops = {Op::transpose}}));
  CHECK_FALSE(is_found(A.matrix(), {.values_in_place = true}));
  CHECK_FALSE(is_found(A.matrix(), {.max_bytes = 1'000'000'000}));
  CHECK_FALSE(is_found(to_device<Type>(exec, pattern_named("dense")).matrix(), {}));
  // One entry moves by a column: sizes and row pointer stay the same.
  const Pattern as_it_was = pattern_named("tridiagonal");
  Pattern moved{as_it_was.name, as_it_was.columns, {}};
  for (const auto row : as_it_was.rows) {
    std::vector<std::int32_t> columns(row.begin(), row.end());
    if (moved.rows.empty()) columns.back() += 1;
    moved.rows.push_back(columns);
  }
  CHECK_FALSE(is_found(to_device<Type>(exec, moved).matrix(), {}));
}

TEST_CASE("without a file that can be written a plan is made all the same, and says so") {
  const Exec exec;
  const auto A = to_device<Type>(exec, pattern_named("tridiagonal"));
  const Plan plan(exec, A.matrix(), {.measure_seconds = 1e-4, .cache = "/no/such/folder/cache"});
  CHECK(says(plan, "could not be written: "));
  const Plan other(exec, A.matrix(), {.cache = "/no/such/folder/cache"});
  CHECK(says(other, "nothing for this in"));
}

TEST_CASE("a scheme of another backend is legal here, and the plan lists what is idle of it") {
  const Exec exec;
  const auto A = to_device<Type>(exec, pattern_named("tridiagonal"));
  const Device here = backends::describe(exec);
  int checked = 0;
  for (const Device& device : heddle::detail::each_backend()) {
    for (const Scheme& scheme : List::variants(device)) {
      const auto grammars = List::grammars(here);
      const SchemeGrammar& grammar = grammar_of(scheme, grammars);
      const auto takes = [&](const SchemeTerm& term) {
        return heddle::detail::takes(grammar, term);
      };
      if (std::all_of(scheme.terms().begin(), scheme.terms().end(), takes)) continue;
      CAPTURE(scheme.to_string());
      ++checked;
      const Plan plan(exec, A.matrix(), {.scheme = scheme});
      CHECK(plan.scheme().format() == scheme.format());
      CHECK(plan.scheme().has(idle_key));
      CHECK(says(plan, "  idle here: "));
      const Plan again(exec, A.matrix(), {.scheme = plan.scheme()});
      CHECK_FALSE(again.scheme().has(idle_key));
      std::vector<SchemeTerm> active = plan.scheme().terms();
      std::erase_if(active, [](const SchemeTerm& term) { return term.key == idle_key; });
      CHECK(again.scheme() == Scheme(scheme.format(), active));
    }
  }
  CHECK(checked > 0);
  CHECK_THROWS_WITH_AS(Plan(exec, A.matrix(), {.scheme = "csr/adaptiv"}),
                       doctest::Contains("did you mean 'adaptive'?"), Error);
}

TEST_CASE("a plan explains itself") {
  const Exec exec;
  const auto A = to_device<Type>(exec, pattern_named("tridiagonal"));
  const Plan plan(exec, A.matrix(), {.expected_applies = 50});
  CHECK(plan.explain().rfind(plan.ranking().front().scheme.to_string() + ": " + plan.reason(), 0) ==
        0);
  CHECK(says(plan, "matrix: " + std::to_string(plan.rows()) + " x "));
  CHECK(says(plan, "asked: 50 applies to 1 vector\n"));
  CHECK(says(plan, "1. " + plan.ranking()[0].to_string()));
  CHECK(says(plan, "5. "));
  CHECK_FALSE(says(plan, "6. "));
  CHECK(says(plan, "  and " + std::to_string(plan.ranking().size() - 5) + " more"));
  const Plan pinned(exec, A.matrix(), {.scheme = "ell"});
  CHECK(says(pinned, "pinned by the caller"));
  CHECK(says(pinned, "matrix: "));
}

}  // namespace heddle::test
