// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Incomplete factors of every exact scheme, against those of a sequential loop; and solutions with
// them, multiplied by the factors.
#include "../../solvers/ilu/definitions.hpp"
#include "../support/wrong_factors.hpp"
#include "draw_system.hpp"

namespace heddle::test {

namespace {

template <class Exec, bool cholesky>
IluOptions draw_options(Random& random, Report& report, std::int64_t n) {
  IluOptions options;
  if (n <= (emulated ? 60 : 300)) {  // fill may complete it
    options.fill_level = static_cast<int>(random.below(4));
    if (once_in(random, 8)) options.fill_level = std::numeric_limits<int>::max();
    if (once_in(random, 3)) options.block_size = 1 + up_to(random, 4);
  }
  if (once_in(random, 3)) {
    options.subdomains = 1 + up_to(random, 4);
  } else if (once_in(random, 4)) {
    for (std::int64_t i = 0; i < n; ++i) {
      options.partition.push_back(static_cast<int>(random.below(3)));
    }
  }
  // A floor above most pivots, large enough for factors that stay small.
  if (options.block_size == 1 && once_in(random, 4)) options.pivot_floor = 50;
  options.vectors = {up_to(random, once_in(random, 2) ? 1 : 5), once_in(random, 2)};
  if (once_in(random, 2)) options.ops = {Op::transpose};
  options.threads = static_cast<int>(random.below(7));
  if (!once_in(random, 4)) {
    options.scheme = one_of(random, factor_schemes<Exec>(cholesky ? "ic" : "ilu"));
  }
  report.says(", fill level ", options.fill_level, ", blocks of ", options.block_size, ", ",
              options.subdomains, " subdomains", options.pivot_floor > 0 ? ", a floor" : "",
              options.partition.empty() ? "" : ", parted");
  return options;
}

template <class Exec, bool cholesky>
void trial(Random& random, Report& report) {
  using Matrix = typename PlainOperator<Exec, double>::Matrix;
  using Plan = std::conditional_t<cholesky, IcPlan<Exec, Matrix>, IluPlan<Exec, Matrix>>;
  using Space = typename Exec::memory_space;
  Exec exec = draw_instance<Exec>(random, report);
  const Pattern pattern = draw_square(random, 1000);
  const auto a = draw_dominant<Exec>(random, report, pattern, cholesky || once_in(random, 2));
  const auto options = draw_options<Exec, cholesky>(random, report, a.n);
  if (options.pivot_floor > 0) {  // some pivots are negative
    change_values(a, [&](double& value, std::size_t i, std::size_t j) {
      if (i == j && once_in(random, 5)) value = -value;
    });
  }
  ExpectedFactors expected{{}, cholesky};
  const auto factor = [&](const Plan& plan) {
    HostRows<double> rows(static_cast<std::size_t>(a.n));
    each_entry(a, [&](double value, std::size_t i, std::size_t j) {
      rows[i].emplace_back(static_cast<std::int64_t>(j), value);
    });
    expected.rows = cholesky ? reference_cholesky(rows, options) : reference_lu(rows, options);
    report.take(wrong_factors(exec, plan, a.matrix(), options, expected.rows, 1e-12));
  };
  const auto solve = [&]<class Layout>(Plan& plan, Layout) {
    const Op ops[] = {Op::none, Op::conjugate, Op::transpose, Op::conjugate_transpose};
    const Op op = ops[random.below(cholesky || !options.ops.empty() ? 4 : 2)];
    const auto count = up_to<std::size_t>(random, options.vectors.count + 3);
    const bool in_place = once_in(random, 3);
    report.says("; solved ", name(op), " of ", count, in_place ? " in place" : "");
    const auto host_b =
        random_columns<double, Layout>(static_cast<std::size_t>(a.n), count, random.bits());
    const auto b = copy_to<Space>(host_b), x = in_place ? b : copy_to<Space>(host_b);
    if (!in_place) fill_with_poison(x);
    plan.apply(exec, op, b, x);
    exec.fence("heddle::test::solved");
    report.take(expected.wrong_solutions(op, host_b, copy_to<Kokkos::HostSpace>(x), 1e-10));
  };
  draw_events(
      random, exec, report,
      [&] {
        Plan plan(exec, a.matrix(), options);
        factor(plan);
        return plan;
      },
      [&](Plan& plan) {
        scale_values(a, 2);
        plan.update_values(exec, a.matrix());
        factor(plan);
      },
      [&](Plan& plan) {
        once_in(random, 2) ? solve(plan, Kokkos::LayoutLeft()) : solve(plan, Kokkos::LayoutRight());
      });
}

const AddTrial ilu("ilu", &trial<DefaultDevice, false>);
const AddTrial ic("ic", &trial<DefaultDevice, true>);

}  // namespace

}  // namespace heddle::test
