// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How the inspection of a solve runs: threads, waits of the host, and Ritz values.
#include "../../../backends/device.hpp"
#include "../../../solvers/solve/prices.hpp"
#include "../../../testing/events.hpp"
#include "../../support/solves.hpp"

namespace heddle::test {

TEST_CASE("the inspection of a small matrix takes one thread of a CPU") {
  const bool before = backends::let_small_plans_take_one_thread(true);
  // Counts products of the inspection within one thread, and outside.
  int alone = 0, together = 0;
  const auto facts_of = [&](const Plain& a) {
    alone = together = 0;
    Inspection inspection(a);
    const Recording events;
    const MatrixFacts facts = inspection.find_ritz_values(
        [&] { ++(backends::OneThread::is_wanted() ? alone : together); });
    // All steps are queued before the host waits.
    const auto& seen = Recording::seen();
    const auto wait = std::find_if(seen.begin(), seen.end(), [](const Event& event) {
      return event.label == "heddle::solve::ritz_values";
    });
    REQUIRE(wait != seen.end());
    CHECK(std::none_of(wait, seen.end(), [](const Event& event) {
      return event.kind == Event::kernel && event.label.starts_with("heddle::");
    }));
    CHECK(std::none_of(seen.begin(), wait, [](const Event& event) {
      return event.kind == Event::fence && event.label.starts_with("heddle::");
    }));
    CHECK(!backends::OneThread::is_wanted());
    return facts;
  };
  const Plain small = poisson(30);
  const MatrixFacts by_one = facts_of(small);
  CHECK((backends::runs_on_host<Exec> ? together : alone) == 0);
  CHECK(alone + together == by_one.steps);
  backends::let_small_plans_take_one_thread(false);
  const MatrixFacts by_all = facts_of(small);
  CHECK(alone == 0);
  CHECK(by_one.to_string() == by_all.to_string());
  CHECK(by_one.least_real == by_all.least_real);
  CHECK(by_one.largest_real == by_all.largest_real);
  backends::let_small_plans_take_one_thread(true);
  facts_of(poisson(80));  // 6400 rows and 31680 entries
  CHECK(alone == 0);
  CHECK(together > 0);
  backends::let_small_plans_take_one_thread(before);
}

TEST_CASE("Ritz values are looked for where a choice may depend on them") {
  const Plain a = poisson(20);
  const Solver small(Exec(), a.matrix());
  CHECK(small.report().matrix.steps == 0);
  const Solver pinned(Exec(), a.matrix(), {.pair = "cg/multigrid"});
  CHECK(pinned.report().matrix.steps == 0);
  const MatrixFacts facts = inspected(a);
  const Device device = backends::describe(Exec());
  const heddle::detail::solve::Priced priced{facts, device, 1e4, 8, 1e-8, false, 1, false};
  SolvePair first;
  first.iterations = 1;
  for (const auto preconditioner :
       {SolvePreconditioner::none, SolvePreconditioner::jacobi, SolvePreconditioner::incomplete,
        SolvePreconditioner::multigrid, SolvePreconditioner::direct}) {
    first.preconditioner = preconditioner;
    first.seconds_of_iteration = 10;
    CHECK(heddle::detail::solve::ritz_values_may_matter(priced, {first}) ==
          (preconditioner > SolvePreconditioner::jacobi));
    first.seconds_of_iteration = 1e-9;  // the steps would take longer than the solve
    CHECK_FALSE(heddle::detail::solve::ritz_values_may_matter(priced, {first}));
  }
}

TEST_CASE("what a sample of the rows cannot show is found by passes") {
  const Plain grid = poisson(100);
  const auto row_ptr = copy_out(grid.row_ptr), col_idx = copy_out(grid.col_idx);
  CHECK(inspected(grid).symmetric);
  // One entry of 49600 differs from its mirror image, by little or by much.
  for (const double change : {1e-13, 1e-9, 10.0}) {
    CAPTURE(change);
    Plain a = grid;
    auto values = copy_out(grid.values);
    const auto last_of_row = static_cast<std::size_t>(row_ptr[4321]) - 1;
    values[last_of_row] += change;
    a.values = copy_in<Space>(values);
    const MatrixFacts facts = inspected(a);
    CHECK(facts.symmetric_pattern);
    CHECK(facts.symmetric == (change < 1));
    CHECK(facts.symmetric_to_rounding == (change < 1e-12));
  }
  // An entry without a mirror image.
  auto columns = col_idx;
  const auto at = static_cast<std::size_t>(row_ptr[4321]) - 1;
  columns[at] += 50;
  Plain moved = grid;
  moved.col_idx = copy_in<Space>(columns);
  CHECK_FALSE(inspected(moved).symmetric_pattern);
  CHECK_FALSE(inspected(moved).symmetric);

  // All entries differ: the sample shows it, in pattern and values.
  const MatrixFacts flowing = inspected(flow<Exec, double>(100, 0.5));
  CHECK(flowing.symmetric_pattern);
  CHECK_FALSE(flowing.symmetric);
  const MatrixFacts triangle = inspected(operator_where<Exec, double>(
      5000,
      [](int i, const auto& add) {
        if (i > 0) add(i - 1);
        add(i);
      },
      [](int i, int j) { return i == j ? 2.0 : 1.0; }));
  CHECK_FALSE(triangle.symmetric_pattern);
  CHECK_FALSE(triangle.symmetric);
}

TEST_CASE("eigenvalues of a small Hessenberg matrix") {
  using C = std::complex<double>;
  // The companion matrix of (x - 1)(x - 2)(x + 3)(x^2 + 4), by columns.
  const int n = 5;
  const double c[] = {24, -28, 6, -3, 0};  // x^5 + c4 x^4 + ... + c0
  std::vector<C> h(25);
  for (int i = 0; i < n; ++i) h[std::size_t(4 * n + i)] = -c[i];
  for (int i = 1; i < n; ++i) h[std::size_t((i - 1) * n + i)] = 1;
  const auto values = heddle::detail::solve::hessenberg_eigenvalues(n, h);
  REQUIRE(values.size() == 5);
  for (const C wanted : {C(1), C(2), C(-3), C(0, 2), C(0, -2)}) {
    CAPTURE(wanted.real());
    double nearest = 10;
    for (const C& value : values) nearest = std::min(nearest, std::abs(value - wanted));
    CHECK(nearest < 1e-10);
  }
}

}  // namespace heddle::test
