// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Plans of triangular solves, of Gauss-Seidel and of factors that measure, cache and explain.
#include <doctest/doctest.h>

#include "../../core/pinned_scheme.hpp"
#include "../../core/tuning_cache.hpp"
#include "../../solvers/gauss_seidel/choose.hpp"
#include "../../solvers/ilu/schemes.hpp"
#include "../../solvers/ordered/choose_by_time.hpp"
#include "../../solvers/sptrsv/definitions.hpp"
#include "../../solvers/sptrsv/select/tuning.hpp"
#include "../../testing/vectors_check.hpp"
#include "../support/cache_file.hpp"
#include "../support/incomplete.hpp"
#include "../support/shared_formats.hpp"
#include "../support/shared_sweeps.hpp"
#include "../support/shared_triangles.hpp"
#include "../support/triangles.hpp"

namespace heddle::test {

namespace {

using Exec = DefaultDevice;
using heddle::detail::TuningCache;
using Triangles = OneTriangleType;
using SolvePlan = Triangles::Plan<>;
using Owned = OwnedMatrix<Types<Exec, double, Indices<std::int32_t, std::int32_t>>>;
using List = SweepFormats<Exec, Owned::Matrix>;
using SweepPlan = GaussSeidelPlan<Exec, Owned::Matrix, List>;
using OwnedPlan = IluPlan<Exec, Owned::Matrix>;
using CholeskyPlan = IcPlan<Exec, Owned::Matrix>;

constexpr std::int64_t n = emulated ? 40 : 300;

/// A band on both sides of the diagonal, which has the largest entry of each row.
HostRows<double> band(std::int64_t far = 9) {
  HostRows<double> rows(static_cast<std::size_t>(n));
  for (std::int64_t i = 0; i < n; ++i) {
    for (const std::int64_t j : {i - far, i - 1, i, i + 1, i + far}) {
      if (j >= 0 && j < n) rows[static_cast<std::size_t>(i)].emplace_back(j, i == j ? 5.0 : -1.0);
    }
  }
  return rows;
}

SptrsvOptions of_triangle(SptrsvOptions options = {}) {
  options.ignore_outside = true;
  return options;
}
SolvePlan solve_plan(const Owned& A, SptrsvOptions options) {
  return SolvePlan(Exec{}, A.matrix(), of_triangle(std::move(options)));
}
SweepPlan sweep_plan(const Owned& A, const GaussSeidelOptions& options) {
  return SweepPlan(Exec{}, A.matrix(), options, List());
}

template <class Plan>
auto applied(const Plan& plan) {
  const Exec exec;
  const auto b = copy_to<Exec::memory_space>(random_vector<double>(static_cast<std::size_t>(n), 3));
  const Kokkos::View<double*, Exec::memory_space> x("heddle::test::x", b.extent(0));
  plan.apply(exec, b, x);
  exec.fence("heddle::test::applied");
  return bits_of(x);
}

/// Checks the explanation and ranking of a plan that measured.
template <class Plan>
void check_measured(const Plan& plan) {
  CHECK(says(plan, " that were measured"));
  CHECK(says(plan, "1. " + plan.ranking().front().to_string()));
  CHECK(says(plan, "  device: "));
  REQUIRE(!plan.ranking().empty());
  CHECK(plan.ranking().front().scheme == plan.scheme());
  std::size_t measured = 0;
  double before = 0;
  for (const RankedSolve& one : plan.ranking()) {
    if (one.measured_seconds == 0) break;
    CHECK(one.measured_seconds >= before);
    before = one.measured_seconds;
    ++measured;
  }
  for (std::size_t i = measured; i < plan.ranking().size(); ++i) {
    CHECK(plan.ranking()[i].measured_seconds == 0);
  }
  CHECK(measured >= 1);
  if (plan.ranking().size() > 1) CHECK(measured >= 2);
}

/// Checks that plans of `make(options)` keep their measurements in a file of this name.
template <class Options, class Make>
void check_remembered(const char* name, const Make& make) {
  const CacheFile file(name);
  Options cached, measured;
  cached.cache = measured.cache = file.path;
  measured.measure_seconds = 1e-6;
  const auto none = make(cached);
  CHECK(says(none, "cache: nothing for this in " + file.path));
  CHECK(file.text().empty());
  const auto first = make(measured);
  CHECK(says(first, "cache: added to " + file.path));
  check_measured(first);
  const std::string key = file.key();
  for (const auto& plan : {make(cached), make(measured)}) {
    CHECK(says(plan, "cache: found in " + file.path));
    CHECK(plan.scheme() == first.scheme());
    REQUIRE(plan.ranking().size() == 1);
    CHECK(plan.ranking().front().measured_seconds > 0);
    CHECK(applied(plan) == applied(first));
  }
  const TuningCache cache(file.path);
  for (const RankedSolve& one : none.ranking()) {
    CAPTURE(one.scheme.to_string());
    REQUIRE(cache.add(key, {one.scheme.to_string(), 1}) == "");
    const auto plan = make(measured);
    CHECK(plan.scheme().kernel() == one.scheme.kernel());
    CHECK(plan.ranking().front().measured_seconds == 1);
  }
  for (const char* scheme :
       {"csr/scalar", "sptrsv/nonsense", "gauss-seidel/split", "no scheme", ""}) {
    CAPTURE(scheme);
    REQUIRE(cache.add(key, {scheme, 1}) == "");
    const auto plan = make(measured);
    CHECK(says(plan, "cache: added to"));
    CHECK(plan.ranking().front().measured_seconds < 1);
  }
  Options elsewhere = measured;
  elsewhere.cache = "/no/such/folder/cache";
  CHECK(says(make(elsewhere), "could not be written: "));
  Options fewer = cached;
  fewer.expected_applies = 10;
  CHECK(says(make(fewer), "cache: nothing"));
}

}  // namespace

TEST_CASE("a triangular solve that measures gives what its scheme gives, and is remembered") {
  const Owned A(band());
  for (const Triangle triangle : {Triangle::lower, Triangle::upper}) {
    const SolvePlan plan = solve_plan(A, {.triangle = triangle, .measure_seconds = 1e-6});
    check_measured(plan);
    CHECK(says(plan, "  triangle: " + std::to_string(n) + " rows, "));
    const SolvePlan pinned = solve_plan(A, {.triangle = triangle, .scheme = plan.scheme()});
    CHECK(pinned.scheme() == plan.scheme());
    CHECK(pinned.reason() == "pinned by the caller");
    CHECK(pinned.ranking().empty());
    CHECK(applied(pinned) == applied(plan));
  }
  check_remembered<SptrsvOptions>("sptrsv_cache_of_a_test", [&](const SptrsvOptions& options) {
    return solve_plan(A, options);
  });
}

TEST_CASE("of a triangle each op has a choice of its own, and another question another key") {
  const Owned A(band());
  const CacheFile file("sptrsv_ops_cache_of_a_test");
  const SptrsvOptions options{.measure_seconds = 1e-6, .cache = file.path, .ops = {Op::transpose}};
  const SolvePlan plan = solve_plan(A, options);
  CHECK(file.lines() == 2);
  CHECK(says(plan, "cache: added", Op::transpose));
  const auto is_found = [&](const Owned& of, SptrsvOptions asked, Op op = Op::none) {
    asked.cache = file.path;
    return says(solve_plan(of, asked), "cache: found", op);
  };
  CHECK(is_found(A, {}));
  CHECK(is_found(A, {.ops = {Op::transpose}}, Op::transpose));
  CHECK_FALSE(is_found(A, {.triangle = Triangle::upper}));
  CHECK_FALSE(is_found(A, {.diagonal = Diagonal::unit}));
  CHECK_FALSE(is_found(A, {.vectors = {.count = 2}}));
  CHECK_FALSE(is_found(A, {.threads = 1}));
  CHECK_FALSE(is_found(Owned(band(8)), {}));
  HostRows<double> other = band();
  other[0][0].second = 7;
  CHECK(is_found(Owned(other), {}));
}

TEST_CASE("a Gauss-Seidel sweep that measures gives what its scheme gives, and is remembered") {
  const Owned A(band());
  for (const GaussSeidelOrder order : {GaussSeidelOrder::natural, GaussSeidelOrder::multicolor}) {
    for (const int block_size : {1, 2}) {
      GaussSeidelOptions options{.order = order, .block_size = block_size};
      options.measure_seconds = 1e-6;
      const SweepPlan plan = sweep_plan(A, options);
      check_measured(plan);
      CHECK(says(plan, std::string("a symmetric sweep in ") + name(order) + " order"));
      options.scheme = plan.scheme();
      const SweepPlan pinned = sweep_plan(A, options);
      CHECK(pinned.reason() == "pinned by the caller");
      CHECK(applied(pinned) == applied(plan));
    }
  }
  check_remembered<GaussSeidelOptions>(
      "gauss_seidel_cache_of_a_test",
      [&](const GaussSeidelOptions& options) { return sweep_plan(A, options); });
}

TEST_CASE("what was predicted is explained") {
  const Owned A(band());
  const SolvePlan solve = solve_plan(A, {});
  CHECK(solve.explain().rfind(solve.scheme().to_string() + ": " + solve.reason() + "\n", 0) == 0);
  CHECK(solve.ranking().front().scheme == solve.scheme());
  CHECK(solve.ranking().front().reason == solve.reason());
  CHECK(says(solve, "asked: 1000 applies to 1 vector\n"));
  const SweepPlan sweep = sweep_plan(A, {});
  CHECK(sweep.explain().rfind(sweep.scheme().to_string() + ": " + sweep.reason() + "\n", 0) == 0);
  CHECK(sweep.ranking().front().scheme == sweep.scheme());
}

TEST_CASE("factors have solves that measure, before there are values too, and explain them") {
  const Exec exec;
  const Owned A(band());
  const auto check = [&](auto plan, IluOptions options, int solves) {
    using Plan = decltype(plan);
    const CacheFile file("ilu_cache_of_a_test");
    options.measure_seconds = 1e-6;
    options.cache = file.path;
    plan = Plan(exec, A.matrix(), options);
    CHECK(file.lines() == solves);
    CHECK(says(plan, plan.scheme().to_string() + ": the factorization\n"));
    CHECK(says(plan, "solve with L, sptrsv/"));
    CHECK(says(plan, "cache: added"));
    CHECK_FALSE(says(plan, "cache: found"));
    options.measure_seconds = 0;
    const Plan again(exec, A.matrix(), options);
    CHECK(says(again, "cache: found"));
    CHECK_FALSE(says(again, "cache: nothing"));
    CHECK(applied(again) == applied(plan));
    CHECK(plan.residual(exec, A.matrix()) < 1e-14);
    return plan;
  };
  for (const FactorValues values : {FactorValues::same, FactorValues::single_precision}) {
    IluOptions options;
    options.factor_values = values;
    const auto ilu = check(OwnedPlan(), options, 2);
    CHECK(says(ilu, "solve with U, sptrsv/"));
    CHECK_FALSE(says(ilu, "transposed"));
    options.ops = {Op::transpose};
    CHECK(says(check(OwnedPlan(), options, 4), "solve with U transposed, sptrsv/"));
    options.ops = {};
    CHECK(says(check(CholeskyPlan(), options, 2), "solve with the adjoint of L, sptrsv/"));
  }
}

namespace {

/// Schemes of other backends that this backend's grammar does not allow.
template <class Grammar>
std::vector<Scheme> of_other_backends(const Grammar& grammar) {
  const SchemeGrammar here = grammar(backends::describe(Exec()));
  std::vector<Scheme> others;
  for (const Device& device : heddle::detail::each_backend()) {
    for (const Scheme& scheme : variants_of(grammar(device))) {
      const bool known = std::find(others.begin(), others.end(), scheme) != others.end();
      const auto takes = [&](const SchemeTerm& term) { return heddle::detail::takes(here, term); };
      const bool legal = std::all_of(scheme.terms().begin(), scheme.terms().end(), takes);
      if (!known && !legal) others.push_back(scheme);
    }
  }
  CHECK(!others.empty());
  return others;
}

/// make(scheme) must give an idle plan, and the printed scheme a plan with equal results.
template <class Make>
void check_idle(const std::vector<Scheme>& schemes, const Make& make) {
  for (const Scheme& scheme : schemes) {
    CAPTURE(scheme.to_string());
    const auto plan = make(scheme);
    REQUIRE(plan.scheme().has(idle_key));
    CHECK(says(plan, "idle here: "));
    const Scheme printed = Scheme::parse(plan.scheme().to_string());
    CHECK(printed == plan.scheme());
    const auto again = make(printed);
    CHECK_FALSE(again.scheme().has(idle_key));
    CHECK(again.scheme().kernel() == plan.scheme().kernel());
    CHECK(applied(again) == applied(plan));
  }
}

}  // namespace

TEST_CASE("schemes of other backends are legal here, and a plan lists what is idle of them") {
  const Exec exec;
  const Owned A(band());
  check_idle(of_other_backends(&heddle::detail::sptrsv::grammar),
             [&](const Scheme& scheme) { return solve_plan(A, {.scheme = scheme}); });
  check_idle(of_other_backends(&heddle::detail::gauss_seidel::grammar), [&](const Scheme& scheme) {
    GaussSeidelOptions options;
    options.scheme = scheme;
    return sweep_plan(A, options);
  });
  check_idle(of_other_backends(
                 [](const Device& device) { return heddle::detail::ilu::grammar("ilu", device); }),
             [&](const Scheme& scheme) {
               IluOptions options;
               options.scheme = scheme;
               return OwnedPlan(exec, A.matrix(), options);
             });
  CHECK_THROWS_WITH_AS(solve_plan(A, {.scheme = "sptrsv/sequental"}),
                       doctest::Contains("does not know 'sequental'"), Error);
}

namespace {

struct Runs {
  Scheme name;
  const Scheme& scheme() const { return name; }
};

}  // namespace

TEST_CASE(
    "what cannot be made is passed over, what runs the same is measured once, and the fastest is "
    "kept") {
  const auto ranking = [](const std::vector<const char*>& schemes) {
    heddle::detail::SolveChoice choice;
    for (const char* scheme : schemes) choice.ranking.push_back({Scheme(scheme), "a reason"});
    return choice;
  };
  const auto make = [](const Scheme& scheme) {
    if (scheme.kernel() == "never") throw Refusal("no room", "none");
    if (scheme.kernel() == "also-slow") return std::make_unique<Runs>(Runs{Scheme("x/slow")});
    return std::make_unique<Runs>(Runs{scheme});
  };
  int measured = 0;
  const auto seconds_of = [&](Runs& runs, double) {
    ++measured;
    return runs.name.kernel() == "fast" ? 1.0 : 2.0;
  };
  using heddle::detail::ordered::make_fastest;
  auto choice = ranking({"x/never", "x/slow", "x/also-slow", "x/fast", "x/left"});
  const auto fastest = make_fastest(1e-9, choice, make, seconds_of);
  CHECK(fastest->name == Scheme("x/fast"));
  CHECK(measured == 2);
  REQUIRE(choice.ranking.size() == 4);
  CHECK(choice.ranking[0].scheme == Scheme("x/fast"));
  CHECK(choice.ranking[1].scheme == Scheme("x/slow"));
  CHECK(choice.ranking[2].scheme == Scheme("x/left"));
  CHECK(choice.ranking[3].to_string() == "x/never refuses: no room");
  CHECK(choice.reason == "the fastest of 2 that were measured; a reason");
  auto none = ranking({"x/never"});
  CHECK_THROWS_AS(make_fastest(1e-9, none, make, seconds_of), Refusal);
}

}  // namespace heddle::test
