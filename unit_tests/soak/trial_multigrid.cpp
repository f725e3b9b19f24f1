// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Cycles of multigrid of every smoother, number of levels and of levels in one launch: symmetric,
// positive definite, and equal to those of a plan with a launch for each step.
#include "../support/multigrid_plans.hpp"
#include "../support/shared_formats.hpp"
#include "../support/wrong_form.hpp"
#include "draw_system.hpp"

namespace heddle::test {

namespace {

MultigridOptions draw_options(Random& random, Report& report, std::int64_t n) {
  MultigridOptions options;
  options.smoother = one_of(random, {MultigridSmoother::chebyshev, MultigridSmoother::l1_jacobi,
                                     MultigridSmoother::gauss_seidel});
  options.degree = static_cast<int>(random.below(5));
  options.strength = one_of(random, {0.0, 0.02, 0.2});
  options.coarsest_rows = one_of(random, {0, 3, 20, 100});
  options.max_levels = once_in(random, 4) ? up_to(random, 3) : 20;
  const bool sweeps = options.smoother == MultigridSmoother::gauss_seidel;
  options.one_launch_entries =
      sweeps ? -1 : one_of<std::int64_t>(random, {-1, 0, 100, 1000, std::int64_t{1} << 40});
  options.vectors.count = up_to(random, once_in(random, 2) ? 1 : 4);
  for (const int size : {2, 3}) {
    if (n % size == 0 && once_in(random, 4)) options.block_size = size;
  }
  report.says(", ", name(options.smoother), " of degree ", options.degree, ", strength ",
              options.strength, ", coarsest rows ", options.coarsest_rows, ", at most ",
              options.max_levels, " levels, one launch from ", options.one_launch_entries,
              " entries, room for ", options.vectors.count, ", blocks of ", options.block_size);
  return options;
}

struct Units {
  std::vector<double> inverse;
  bool rounds;  ///< whether A is singular and its units differ, so that a cycle amplifies rounding
};

/// A, or a Laplacian whose rows without neighbours keep their diagonal, times a number, and with a
/// unit for each unknown on request.
template <class Operator>
Units draw_units(Random& random, Report& report, const Operator& a) {
  const double scale = one_of(random, {1.0, 1.0, 1e-12, 1e12, 1e-165, 1e155});
  const bool laplacian = once_in(random, 3), units = once_in(random, 3);
  if (laplacian) make_laplacian(a, true);
  std::vector<double> unit(static_cast<std::size_t>(a.n), 1.0);
  for (double& of : unit) of = units ? std::pow(10.0, 6 * random.scalar<double>()) : 1;
  change_values(a, [&](double& value, std::size_t i, std::size_t j) {
    value = scale * value * (unit[i] * unit[j]);
  });
  for (double& of : unit) of = 1 / of;
  report.says(laplacian ? ", a Laplacian" : "", ", times ", scale,
              units ? ", units of unknowns" : "");
  return {unit, laplacian && units};
}

template <class Exec>
void trial(Random& random, Report& report) {
  using Plan = MultigridOf<Exec, double>;
  using Space = typename Exec::memory_space;
  Exec exec = draw_instance<Exec>(random, report);
  const auto a = draw_dominant<Exec>(random, report, draw_square(random), true);
  const auto n = static_cast<std::size_t>(a.n);
  const MultigridOptions options = draw_options(random, report, a.n);
  const Units units = draw_units(random, report, a);
  const Kokkos::View<double**, Kokkos::LayoutLeft, Space> vectors("heddle::test::vectors", n, 1);
  Kokkos::deep_copy(Kokkos::subview(vectors, Kokkos::ALL, 0), copy_in<Space>(units.inverse));
  const bool with_vectors = n > 0 && once_in(random, 2);
  if (with_vectors) report.says(", a near-nullspace");
  const auto plan_of = [&](const MultigridOptions& of) {
    return with_vectors ? Plan(exec, a.matrix(), vectors, of) : Plan(exec, a.matrix(), of);
  };
  MultigridOptions by_launches = options;
  by_launches.one_launch_entries = 0;
  Plan other = plan_of(by_launches);
  const auto cycle = [&]<class Layout>(Plan& plan, Layout) {
    const auto count = 1 + up_to<std::size_t>(random, options.vectors.count);
    report.says("; ", count, " vectors");
    const auto b = random_columns<double, Layout>(n, count, random.bits());
    const auto b_device = copy_to<Space>(b), x = copy_to<Space>(b), y = copy_to<Space>(b);
    fill_with_poison(x);
    // Plans keep their own values, whatever the user does to A.
    const auto values = copy_to<Kokkos::HostSpace>(a.values);
    const bool lags = once_in(random, 3);
    if (lags) fill_with_poison(a.values);
    plan.apply(exec, b_device, x);
    other.apply(exec, b_device, y);
    exec.fence("heddle::test::cycled");
    if (lags) Kokkos::deep_copy(a.values, values);
    const auto got = to_host(x), expected = to_host(y);
    double largest = 0, off = 0;
    for (std::size_t v = 0; v < count; ++v) {
      for (std::size_t i = 0; i < n; ++i) {
        const double error = std::abs(got(i, v) - expected(i, v));
        largest = std::max(largest, std::abs(expected(i, v)));
        off = error <= off ? off : error;  // NaN counts as largest
      }
    }
    const double tolerance = units.rounds ? 1e-7 : 1e-9;
    report.take(off <= tolerance * largest ? "" : text("x is off by ", off, " of ", largest));
    const auto column = [](const auto& of, int v) { return Kokkos::subview(of, Kokkos::ALL, v); };
    report.take(wrong_form(column(b, 0), column(b, 1), column(got, 0), column(got, 1), 1e-9));
  };
  draw_events(
      random, exec, report, [&] { return plan_of(options); },
      [&](Plan& plan) {
        scale_values(a, 2);
        plan.update_values(exec, a.matrix());
        other.update_values(exec, a.matrix());
        plan.check_values(exec);
      },
      [&](Plan& plan) {
        once_in(random, 2) ? cycle(plan, Kokkos::LayoutLeft()) : cycle(plan, Kokkos::LayoutRight());
      });
}

const AddTrial added("multigrid", &trial<DefaultDevice>);

}  // namespace

}  // namespace heddle::test
