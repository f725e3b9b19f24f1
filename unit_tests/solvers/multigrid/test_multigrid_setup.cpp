// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The cost of a set-up of multigrid: launches and readbacks, and memory under max_bytes.
#include <heddle/multigrid.hpp>

#include "../../../testing/events.hpp"
#include "../../support/multigrid.hpp"
#include "../../support/shared_formats.hpp"

namespace heddle::test {

namespace {

using Plan = MultigridOf<Exec, double>;
constexpr int side = emulated ? 24 : 60;

/// Events of a set-up of `levels` levels, each with launches of its own.
std::vector<Event> events_of(const Exec& exec, const PlainOperator<Exec, double>& a, int levels) {
  const Recording recording;
  const Plan plan(exec, a.matrix(),
                  {.coarsest_rows = 2, .max_levels = levels, .one_launch_entries = 0});
  REQUIRE(plan.levels().levels.size() == static_cast<std::size_t>(levels));
  return Recording::seen();
}

}  // namespace

TEST_CASE("launches and readbacks of a set-up") {
  const Exec exec;
  const auto a = poisson<Exec, double>(side, side, 1);
  for (const int levels : {1, 2, 3}) {
    CAPTURE(levels);
    const std::vector<Event> seen = events_of(exec, a, levels);
    CHECK(count(seen, "heddle::spectrum::lanczos_next") == 12 * levels);
    CHECK(count(seen, "heddle::spectrum::prepare_rows") == levels);
    CHECK(count(seen, "heddle::spectrum::read") == levels);
    CHECK(count(seen, "heddle::csr::check") == 0);
    CHECK(count(seen, "heddle::multigrid::size_of_diagonal") == 0);
    if (!emulated) continue;
    CHECK(count(seen, "heddle::features::rows") == 1);
    CHECK(count(seen, "heddle::multigrid::independent_set") == 2 * (levels - 1));
    CHECK(count(seen, "heddle::multigrid::candidates") == 0);
  }
}

TEST_CASE("a bound of the memory that a plan keeps") {
  const Exec exec;
  for (const auto smoother : {MultigridSmoother::chebyshev, MultigridSmoother::gauss_seidel}) {
    for (const bool inverted : {false, true}) {
      CAPTURE(inverted);
      const auto a = poisson<Exec, double>(inverted ? 10 : side, inverted ? 10 : side, 1);
      MultigridOptions options{.smoother = smoother, .coarsest_rows = inverted ? 100 : 20};
      Plan free(exec, a.matrix(), options);
      options.max_bytes = free.bytes();
      Plan bound(exec, a.matrix(), options);
      CHECK(bound.bytes() == free.bytes());
      const auto b = right_hand_side<double>(a.n);
      const auto one = applied(exec, free, b), other = applied(exec, bound, b);
      bool same = true;
      for (std::size_t i = 0; i < one.extent(0); ++i) same = same && one(i) == other(i);
      CHECK(same);
      bound.reserve(exec, 8);
      CHECK(bound.bytes() == free.bytes());
      free.reserve(exec, 8);
      CHECK((bound.bytes() < free.bytes()) == !inverted);
      --options.max_bytes;
      CHECK_THROWS_WITH_AS(Plan(exec, a.matrix(), options),
                           doctest::Contains("levels, and options"), Error);
    }
  }
}

TEST_CASE("too small a bound is seen before anything is allocated") {
  const Exec exec;
  const auto a = poisson<Exec, double>(side, side, 1);
  const MultigridOptions options{.max_bytes = a.values.extent(0) * sizeof(int)};
  const Recording recording;
  CHECK_THROWS_WITH_AS(Plan(exec, a.matrix(), options), doctest::Contains("keeps at least"), Error);
  CHECK(bytes_allocated(Recording::seen()) == 0);
}

#ifndef HEDDLE_EMULATED
TEST_CASE("a bound of the memory of a hierarchy in single precision") {
  const Exec exec;
  if (!heddle::detail::is_compiled<Exec, PlainOperator<Exec, double>::Matrix>()) return;
  const auto a = poisson<Exec, double>(side, side, 1);
  MultigridOptions options{.values = MultigridValues::single_precision, .coarsest_rows = 20};
  const Plan free(exec, a.matrix(), options);
  options.max_bytes = free.bytes();
  Plan bound(exec, a.matrix(), options);
  bound.reserve(exec, 8);
  CHECK(bound.bytes() == free.bytes());
  --options.max_bytes;
  CHECK_THROWS_WITH_AS(Plan(exec, a.matrix(), options), doctest::Contains("levels, and options"),
                       Error);
  options.max_bytes = 1000;
  CHECK_THROWS_WITH_AS(Plan(exec, a.matrix(), options), doctest::Contains("keeps at least"), Error);
}
#endif

}  // namespace heddle::test
