// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Cycles of multigrid of every smoother, number of levels and of levels in one launch: symmetric,
// positive definite, and equal to those of a plan with a launch for each step.
#include "../support/multigrid_plans.hpp"
#include "../support/shared_formats.hpp"
#include "draw_events.hpp"
#include "draw_system.hpp"

namespace heddle::test {

namespace {

template <class Exec>
class MultigridTrial {
 public:
  static Outcome run(Random& random) { return MultigridTrial(random).follow(); }

 private:
  using Space = typename Exec::memory_space;
  using Operator = PlainOperator<Exec, double>;
  using Plan = MultigridOf<Exec, double>;
  template <class Layout>
  using Columns = Kokkos::View<double**, Layout, Space>;

  explicit MultigridTrial(Random& random) : random_(random), exec_(draw_instance<Exec>(random)) {
    const Pattern pattern = draw_square(random);
    a_ = draw_dominant<Exec>(random, pattern, true);
    draw_options();
    const std::string units = draw_units();
    outcome_.what = "threads " + std::to_string(exec_.concurrency()) + ", " + std::to_string(a_.n) +
                    " rows of " + pattern.name + ", " + name(options_.smoother) + " of degree " +
                    std::to_string(options_.degree) + ", strength " +
                    std::to_string(options_.strength) + ", coarsest rows " +
                    std::to_string(options_.coarsest_rows) + ", at most " +
                    std::to_string(options_.max_levels) + " levels, one launch from " +
                    std::to_string(options_.one_launch_entries) + " entries, room for " +
                    std::to_string(options_.vectors.count) + units;
  }

  /// A as it is or as a Laplacian whose rows without neighbours keep their diagonal; times a
  /// number; with a unit for each unknown, with or without a near-nullspace in these units.
  std::string draw_units() {
    const double scales[] = {1, 1, 1e-12, 1e12, 1e-165, 1e155};
    const bool laplacian = once_in(random_, 3), units = once_in(random_, 3);
    const double scale = one_of(random_, scales);
    const auto row_ptr = to_host(a_.row_ptr), col_idx = to_host(a_.col_idx);
    auto values = to_host(a_.values);
    std::vector<double> unit(static_cast<std::size_t>(a_.n), 1.0), entries;
    for (double& of : unit) of = units ? std::pow(10.0, 6 * random_.scalar<double>()) : 1;
    for (std::size_t i = 0; i < unit.size(); ++i) {
      const auto begin = static_cast<std::size_t>(row_ptr(i));
      const auto end = static_cast<std::size_t>(row_ptr(i + 1));
      double sum = 0;
      for (auto k = begin; k < end; ++k) {
        if (static_cast<std::size_t>(col_idx(k)) != i) sum += std::abs(values(k));
      }
      for (auto k = begin; k < end; ++k) {
        const auto j = static_cast<std::size_t>(col_idx(k));
        const double entry = !laplacian || sum == 0 ? values(k)
                             : j == i               ? sum
                                                    : -std::abs(values(k));
        entries.push_back(scale * entry * (unit[i] * unit[j]));
      }
    }
    a_.values = copy_in<Space>(entries);
    if (once_in(random_, 2)) {
      near_nullspace_ = Columns<Kokkos::LayoutLeft>("heddle::test::vectors", unit.size(), 1);
      for (double& of : unit) of = 1 / of;
      Kokkos::deep_copy(Kokkos::subview(near_nullspace_, Kokkos::ALL, 0), copy_in<Space>(unit));
    }
    return std::string(laplacian ? ", a Laplacian" : "") + ", times " + std::to_string(scale) +
           (units ? ", units of unknowns" : "") +
           (near_nullspace_.extent(0) > 0 ? ", vectors" : "");
  }
  Plan plan_of(const MultigridOptions& options) const {
    return near_nullspace_.extent(0) > 0 ? Plan(exec_, a_.matrix(), near_nullspace_, options)
                                         : Plan(exec_, a_.matrix(), options);
  }

  void draw_options() {
    const MultigridSmoother smoothers[] = {MultigridSmoother::chebyshev,
                                           MultigridSmoother::l1_jacobi,
                                           MultigridSmoother::gauss_seidel};
    const std::int64_t entries[] = {-1, 0, 100, 1000, std::int64_t{1} << 40};
    const int rows[] = {0, 3, 20, 100};
    const double strengths[] = {0, 0.02, 0.2};
    options_.smoother = one_of(random_, smoothers);
    options_.degree = static_cast<int>(random_.below(5));
    options_.strength = one_of(random_, strengths);
    options_.coarsest_rows = one_of(random_, rows);
    options_.max_levels = static_cast<int>(once_in(random_, 4) ? 1 + random_.below(3) : 20);
    const bool sweeps = options_.smoother == MultigridSmoother::gauss_seidel;
    options_.one_launch_entries = sweeps ? -1 : one_of(random_, entries);
    options_.vectors.count = static_cast<int>(1 + random_.below(once_in(random_, 2) ? 1 : 4));
    if (once_in(random_, 4)) {
      for (const int size : {2, 3}) {
        if (a_.n % size == 0) options_.block_size = size;
      }
    }
  }

  Outcome follow() {
    try {
      std::optional<Plan> plan(plan_of(options_));
      MultigridOptions apart = options_;
      apart.one_launch_entries = 0;
      apart_.emplace(plan_of(apart));
      outcome_.what += "; " + std::to_string(plan->levels().levels.size()) + " levels";
      const auto update = [&](Plan& old) {
        double_values(a_);
        old.update_values(exec_, a_.matrix());
        apart_->update_values(exec_, a_.matrix());
        old.check_values(exec_);
      };
      draw_events(random_, exec_, plan, outcome_, update, [&](Plan& used) {
        once_in(random_, 2) ? cycle<Kokkos::LayoutLeft>(used) : cycle<Kokkos::LayoutRight>(used);
      });
    } catch (const std::exception& error) {
      outcome_.problem = error.what();
    }
    return outcome_;
  }

  template <class Layout>
  void cycle(Plan& plan) {
    const auto n = static_cast<std::size_t>(a_.n);
    const auto count = static_cast<std::size_t>(2 + random_.below(options_.vectors.count));
    const auto host_b = random_columns<double, Layout>(n, count, random_.bits());
    const Columns<Layout> b = copy_to<Space>(host_b), x = copy_to<Space>(host_b),
                          y = copy_to<Space>(host_b);
    fill_with_poison(x);
    // Plans keep their own values, whatever the user does to A.
    const auto values = copy_to<Kokkos::HostSpace>(a_.values);
    const bool lags = once_in(random_, 3);
    if (lags) Kokkos::deep_copy(a_.values, std::numeric_limits<double>::quiet_NaN());
    plan.apply(exec_, b, x);
    apart_->apply(exec_, b, y);
    exec_.fence("heddle::test::cycled");
    if (lags) Kokkos::deep_copy(a_.values, values);
    outcome_.applies += static_cast<int>(count);
    outcome_.what += "; " + std::to_string(count) + " vectors";
    const auto got = to_host(x), expected = to_host(y);
    const auto energy = [&](std::size_t v, std::size_t w) {
      double sum = 0;
      for (std::size_t i = 0; i < n; ++i) sum += host_b(i, v) * got(i, w);
      return sum;
    };
    double largest = 0, off = 0;
    for (std::size_t v = 0; v < count; ++v) {
      for (std::size_t i = 0; i < n; ++i) {
        largest = std::max(largest, std::abs(expected(i, v)));
        off = std::max(off, std::abs(got(i, v) - expected(i, v)));
      }
    }
    if (!(off <= 1e-9 * largest)) outcome_.problem = "x is off by " + std::to_string(off);
    const double of_0 = energy(0, 0), of_1 = energy(1, 1);
    if (n > 0 && !(of_0 > 0 && of_1 > 0)) outcome_.problem = "not positive definite";
    if (!(std::abs(energy(0, 1) - energy(1, 0)) <= 1e-9 * std::sqrt(of_0) * std::sqrt(of_1))) {
      outcome_.problem = "not symmetric";
    }
  }

  Random& random_;
  Exec exec_;
  Operator a_;
  MultigridOptions options_;
  Columns<Kokkos::LayoutLeft> near_nullspace_;
  std::optional<Plan> apart_;
  Outcome outcome_;
};

}  // namespace

std::vector<Trial> trials_of_multigrid() {
  return {{"multigrid", &MultigridTrial<DefaultDevice>::run}};
}

}  // namespace heddle::test
