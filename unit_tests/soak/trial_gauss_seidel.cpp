// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sweeps of Gauss-Seidel of every scheme, order and block size, against those of the host.
#include "../../formats/csr/inspect.hpp"
#include "../../solvers/gauss_seidel/definitions.hpp"
#include "../support/shared_formats.hpp"
#include "../support/shared_sweeps.hpp"
#include "../support/wrong_sweeps.hpp"
#include "draw_system.hpp"

namespace heddle::test {

namespace {

template <class Exec>
GaussSeidelOptions draw_options(Random& random, Report& report) {
  GaussSeidelOptions options;
  options.sweep = one_of(
      random, {SweepDirection::forward, SweepDirection::backward, SweepDirection::symmetric});
  if (once_in(random, 2)) options.omega = 0.3 + 0.15 * static_cast<double>(random.below(9));
  options.threads = static_cast<int>(random.below(7));
  options.vectors = {up_to(random, once_in(random, 2) ? 1 : 7), once_in(random, 2)};
  if (once_in(random, 3)) options.block_size = 1 + up_to(random, 7);
  const auto schemes = options.block_size > 1 ? block_schemes<Exec>() : sweep_schemes<Exec>();
  if (!once_in(random, 4)) options.scheme = one_of(random, schemes);
  const bool split = options.scheme && options.scheme->has("split");
  if (!split && once_in(random, 3)) options.order = GaussSeidelOrder::multicolor;
  report.says(", ", name(options.sweep), ", ", name(options.order), ", omega ", options.omega,
              ", blocks of ", options.block_size);
  return options;
}

template <class Exec>
void trial(Random& random, Report& report) {
  using Matrix = typename PlainOperator<Exec, double>::Matrix;
  using List = SweepFormats<Exec, Matrix>;
  using Plan = GaussSeidelPlan<Exec, Matrix, List>;
  Exec exec = draw_instance<Exec>(random, report);
  const auto a = draw_dominant<Exec>(random, report, draw_square(random));
  const auto options = draw_options<Exec>(random, report);
  const auto sweep = [&]<class Layout>(Plan& plan, Layout) {
    const auto n = static_cast<std::size_t>(a.n);
    const auto count = up_to<std::size_t>(random, options.vectors.count);
    const auto b = random_columns<double, Layout>(n, count, random.bits()),
               x = random_columns<double, Layout>(n, count, random.bits());
    const int sweeps = static_cast<int>(random.below(4));
    const bool wants_residual = once_in(random, 2);
    report.says("; ", sweeps, " sweeps of ", count);
    report.take(wrong_sweeps(exec, plan, a, options, b, x, sweeps, wants_residual, 1e-10));
  };
  draw_events(
      random, exec, report, [&] { return Plan(exec, a.matrix(), options, List()); },
      [&](Plan& plan) {
        scale_values(a, 2);
        plan.update_values(exec, a.matrix());
        plan.check_values(exec);
      },
      [&](Plan& plan) {
        once_in(random, 2) ? sweep(plan, Kokkos::LayoutLeft()) : sweep(plan, Kokkos::LayoutRight());
      });
}

const AddTrial added("gauss-seidel", &trial<DefaultDevice>);

}  // namespace

}  // namespace heddle::test
