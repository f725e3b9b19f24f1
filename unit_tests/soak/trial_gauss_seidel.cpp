// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sweeps of Gauss-Seidel of every scheme, order and block size, against those of the host.
#include "../../formats/csr/inspect.hpp"
#include "../../solvers/gauss_seidel/definitions.hpp"
#include "../support/gauss_seidel.hpp"
#include "../support/shared_formats.hpp"
#include "../support/shared_sweeps.hpp"
#include "draw_events.hpp"
#include "draw_system.hpp"

namespace heddle::test {

namespace {

template <class Exec>
class GaussSeidelTrial {
 public:
  static Outcome run(Random& random) { return GaussSeidelTrial(random).follow(); }

 private:
  using Space = typename Exec::memory_space;
  using Operator = PlainOperator<Exec, double>;
  using List = SweepFormats<Exec, typename Operator::Matrix>;
  using Plan = GaussSeidelPlan<Exec, typename Operator::Matrix, List>;
  template <class Layout>
  using Columns = Kokkos::View<double**, Layout, Space>;

  explicit GaussSeidelTrial(Random& random) : random_(random), exec_(draw_instance<Exec>(random)) {
    const Pattern pattern = draw_square(random);
    a_ = draw_dominant<Exec>(random, pattern);
    draw_options();
    outcome_.what = "threads " + std::to_string(exec_.concurrency()) + ", " + std::to_string(a_.n) +
                    " rows of " + pattern.name + ", " + name(options_.sweep) + ", " +
                    name(options_.order) + ", omega " + std::to_string(options_.omega) +
                    ", blocks of " + std::to_string(options_.block_size) + ", " +
                    (options_.scheme ? options_.scheme->to_string() : "chosen");
  }

  void draw_options() {
    const SweepDirection sweeps[] = {SweepDirection::forward, SweepDirection::backward,
                                     SweepDirection::symmetric};
    options_.sweep = one_of(random_, sweeps);
    options_.omega =
        once_in(random_, 2) ? 1 : 0.3 + 1.2 * static_cast<double>(random_.below(9)) / 8;
    options_.threads = static_cast<int>(random_.below(7));
    options_.vectors = {static_cast<int>(1 + random_.below(once_in(random_, 2) ? 1 : 7)),
                        once_in(random_, 2)};
    if (once_in(random_, 3)) options_.block_size = static_cast<int>(2 + random_.below(7));
    const auto schemes = options_.block_size > 1 ? block_schemes<Exec>() : sweep_schemes<Exec>();
    if (!once_in(random_, 4)) options_.scheme = one_of(random_, schemes);
    const bool split = options_.scheme && options_.scheme->has("split");
    if (!split && once_in(random_, 3)) options_.order = GaussSeidelOrder::multicolor;
  }

  Outcome follow() {
    try {
      std::optional<Plan> plan(std::in_place, exec_, a_.matrix(), options_, List());
      outcome_.what += "; " + plan->scheme().to_string();
      const auto update = [&](Plan& old) {
        double_values(a_);
        old.update_values(exec_, a_.matrix());
        old.check_values(exec_);
      };
      draw_events(random_, exec_, plan, outcome_, update, [&](Plan& used) {
        once_in(random_, 2) ? sweep<Kokkos::LayoutLeft>(used) : sweep<Kokkos::LayoutRight>(used);
      });
    } catch (const std::exception& error) {
      outcome_.problem = error.what();
    }
    return outcome_;
  }

  template <class Layout>
  void sweep(Plan& plan) {
    const auto n = static_cast<std::size_t>(a_.n);
    const auto count = static_cast<std::size_t>(1 + random_.below(options_.vectors.count));
    const int sweeps = static_cast<int>(random_.below(4));  // 0: one sweep from zero
    const bool wants_residual = once_in(random_, 2);
    const auto host_b = random_columns<double, Layout>(n, count, random_.bits());
    const auto host_x = random_columns<double, Layout>(n, count, random_.bits());
    const Columns<Layout> b = copy_to<Space>(host_b), x = copy_to<Space>(host_x),
                          r = copy_to<Space>(host_x);
    if (sweeps == 0) fill_with_poison(x);
    fill_with_poison(r);
    outcome_.what += "; " + std::to_string(sweeps) + " sweeps of " + std::to_string(count);
    if (sweeps == 0 && wants_residual) plan.apply(exec_, b, x, r);
    if (sweeps == 0 && !wants_residual) plan.apply(exec_, b, x);
    if (sweeps > 0 && wants_residual) plan.relax(exec_, b, x, sweeps, r);
    if (sweeps > 0 && !wants_residual) plan.relax(exec_, b, x, sweeps);
    exec_.fence("heddle::test::swept");
    const auto got_x = to_host(x), got_r = to_host(r);
    const SequentialSweeps<double> program(exec_, a_, options_);
    for (std::size_t v = 0; v < count && outcome_.problem.empty(); ++v) {
      ++outcome_.applies;
      const HostVector<double> of_b("heddle::test::b", n), of_x("heddle::test::x", n);
      Kokkos::deep_copy(of_b, Kokkos::subview(host_b, Kokkos::ALL, v));
      if (sweeps > 0) Kokkos::deep_copy(of_x, Kokkos::subview(host_x, Kokkos::ALL, v));
      program.run(of_b, of_x, std::max(1, sweeps));
      compare("x", Kokkos::subview(got_x, Kokkos::ALL, v), of_x.data());
      if (!wants_residual) continue;
      compare("the residual", Kokkos::subview(got_r, Kokkos::ALL, v),
              program.residual(of_b, of_x).data());
    }
  }

  template <class Got>
  void compare(const std::string& what, const Got& got, const double* expected) {
    const double off = difference(got, expected);
    if (off < 1e-10) return;
    outcome_.problem = what + " is off by " + std::to_string(off);
  }

  Random& random_;
  Exec exec_;
  Operator a_;
  GaussSeidelOptions options_;
  Outcome outcome_;
};

}  // namespace

std::vector<Trial> trials_of_gauss_seidel() {
  return {{"gauss-seidel", &GaussSeidelTrial<DefaultDevice>::run}};
}

}  // namespace heddle::test
