// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A solve whose launches were refused halfway leaves nothing to the next.
#include <doctest/doctest.h>

#include "../../../solvers/ordered/solved_values.hpp"
#include "../../support/triangles.hpp"

namespace heddle::test {

namespace {

using heddle::detail::ordered::GpuSolve;
using heddle::detail::ordered::SolvedValues;
using Exec = DefaultDevice;
using Solve = GpuSolve<Exec, double>;

constexpr std::int64_t places = 100;

/// Posts in the set of this solve, and ends it if `ends`. *taken is the number of tickets that were
/// taken before, *found the number of values in both sets before.
void post(const Exec& exec, const SolvedValues<double>& values, const backends::Tickets& tickets,
          bool ends, std::int64_t* taken, int* found) {
  Kokkos::parallel_for(
      "heddle::test::post", Kokkos::RangePolicy<Exec>(exec, 0, 1), KOKKOS_LAMBDA(int) {
        const int set = values.set();
        *found = 0;
        for (std::int64_t p = 0; p < places; ++p) {
          for (int s = 0; s < 2; ++s) {
            double value = SolvedValues<double>::Mailbox::not_posted();
            values.sets[s].look(p, 0, value);
            *found += SolvedValues<double>::Mailbox::posted(value) ? 1 : 0;
          }
          values.sets[set].post(p, 0, 1.0);
        }
        *taken = tickets.take(7);
        if (ends) values.end(set, 1);
      });
}

}  // namespace

TEST_CASE("sptrsv: a solve that was not queued to its end is cleared away before the next") {
  const Exec exec;
  Solve solve(exec, places, 1);
  const Kokkos::View<std::int64_t*, Exec> taken("heddle::test::taken", 1);
  const Kokkos::View<int*, Exec> found("heddle::test::found", 1);
  const auto run = [&](bool ends, bool refused) {
    solve.run(exec, 1, [&](const auto& values, const auto& tickets) {
      post(exec, values, tickets, ends, taken.data(), found.data());
      if (refused) throw Error("the second launch was refused", "see why");
    });
  };
  CHECK_THROWS_AS(run(false, true), Error);
  run(true, false);
  exec.fence("heddle::test::posted");
  CHECK(to_host(found)(0) == 0);
  CHECK(to_host(taken)(0) == 0);
  // Without a refusal nothing is cleared: this solve empties the second set.
  run(true, false);
  exec.fence("heddle::test::posted");
  CHECK(to_host(found)(0) == places);
  CHECK(to_host(taken)(0) == 1);
}

}  // namespace heddle::test
