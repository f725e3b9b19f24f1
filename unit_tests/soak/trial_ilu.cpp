// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Incomplete factors of every exact scheme, against those of a sequential loop; and solutions with
// them, multiplied by the factors.
#include "../../solvers/ilu/definitions.hpp"
#include "../../testing/wide.hpp"
#include "../support/incomplete.hpp"
#include "draw_events.hpp"
#include "draw_system.hpp"

namespace heddle::test {

namespace {

/// Factors of the sequential loop: U holds the diagonal and L has ones on it; Cholesky's L holds
/// it.
struct Factors {
  FactorRows<double> rows;
  bool unit;

  /// L or U, or its transpose, times x.
  std::vector<double> times(Triangle triangle, bool transposed,
                            const std::vector<double>& x) const {
    std::vector<double> y(x.size(), 0);
    const auto add = [&](std::size_t i, std::size_t j, double value) {
      transposed ? y[j] += value * x[i] : y[i] += value * x[j];
    };
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (unit && triangle == Triangle::lower) add(i, i, 1);
      for (const auto& [column, value] : rows[i]) {
        const auto j = static_cast<std::size_t>(column);
        const bool lower = j < i || (j == i && !unit);
        if (lower == (triangle == Triangle::lower)) add(i, j, static_cast<double>(value));
      }
    }
    return y;
  }
  /// op(LU) or L L' times x.
  std::vector<double> product(Op op, const std::vector<double>& x) const {
    if (!unit) return times(Triangle::lower, false, times(Triangle::lower, true, x));
    const bool transposed = transposes(op);
    const Triangle first = transposed ? Triangle::lower : Triangle::upper;
    const Triangle second = transposed ? Triangle::upper : Triangle::lower;
    return times(second, transposed, times(first, transposed, x));
  }
};

template <class Exec, bool cholesky>
class IluTrial {
 public:
  static Outcome run(Random& random) { return IluTrial(random).follow(); }

 private:
  using Space = typename Exec::memory_space;
  using Operator = PlainOperator<Exec, double>;
  using Plan = std::conditional_t<cholesky, IcPlan<Exec, typename Operator::Matrix>,
                                  IluPlan<Exec, typename Operator::Matrix>>;
  template <class Layout>
  using Columns = Kokkos::View<double**, Layout, Space>;

  explicit IluTrial(Random& random) : random_(random), exec_(draw_instance<Exec>(random)) {
    const Pattern pattern = draw_square(random, 1000);
    a_ = draw_dominant<Exec>(random, pattern, cholesky || once_in(random, 2));
    draw_options();
    if (options_.pivot_floor > 0) turn_pivots();
    outcome_.what = "threads " + std::to_string(exec_.concurrency()) + ", " + std::to_string(a_.n) +
                    " rows of " + pattern.name + ", fill level " +
                    std::to_string(options_.fill_level) + ", blocks of " +
                    std::to_string(options_.block_size) + ", " +
                    std::to_string(options_.subdomains) + " subdomains" +
                    (options_.pivot_floor > 0 ? ", a floor of pivots" : "") +
                    (options_.partition.empty() ? ", " : ", parted, ") +
                    (options_.scheme ? options_.scheme->to_string() : "chosen");
  }

  void draw_options() {
    if (a_.n <= (emulated ? 60 : 300)) {  // fill may complete it
      options_.fill_level = static_cast<int>(random_.below(4));
      if (once_in(random_, 8)) options_.fill_level = std::numeric_limits<int>::max();
      if (once_in(random_, 3)) options_.block_size = static_cast<int>(2 + random_.below(4));
    }
    if (once_in(random_, 3)) {
      options_.subdomains = static_cast<int>(2 + random_.below(4));
    } else if (once_in(random_, 4)) {
      for (std::int64_t i = 0; i < a_.n; ++i) {
        options_.partition.push_back(static_cast<int>(random_.below(3)));
      }
    }
    // A floor above most pivots, large enough for factors that stay small.
    if (options_.block_size == 1 && once_in(random_, 4)) options_.pivot_floor = 50;
    options_.vectors = {static_cast<int>(1 + random_.below(once_in(random_, 2) ? 1 : 5)),
                        once_in(random_, 2)};
    if (once_in(random_, 2)) options_.ops = {Op::transpose};
    options_.threads = static_cast<int>(random_.below(7));
    const auto schemes = factor_schemes<Exec>(cholesky ? "ic" : "ilu");
    if (!once_in(random_, 4)) options_.scheme = one_of(random_, schemes);
  }

  /// Makes some diagonal entries negative, and with them pivots.
  void turn_pivots() {
    const auto row_ptr = to_host(a_.row_ptr), col_idx = to_host(a_.col_idx);
    const auto values = to_host(a_.values);
    for (std::size_t i = 0; i < static_cast<std::size_t>(a_.n); ++i) {
      if (!once_in(random_, 5)) continue;
      for (auto e = static_cast<std::size_t>(row_ptr(i)); std::cmp_less(e, row_ptr(i + 1)); ++e) {
        if (std::cmp_equal(col_idx(e), i)) values(e) = -values(e);
      }
    }
    Kokkos::deep_copy(a_.values, values);
  }

  Outcome follow() {
    try {
      std::optional<Plan> plan(std::in_place, exec_, a_.matrix(), options_);
      outcome_.what += "; " + plan->scheme().to_string();
      check_factors(*plan);
      const auto update = [&](Plan& old) {
        double_values(a_);
        old.update_values(exec_, a_.matrix());
        check_factors(old);
      };
      draw_events(random_, exec_, plan, outcome_, update, [&](Plan& used) {
        once_in(random_, 2) ? solve<Kokkos::LayoutLeft>(used) : solve<Kokkos::LayoutRight>(used);
      });
    } catch (const std::exception& error) {
      outcome_.problem = error.what();
    }
    return outcome_;
  }

  HostRows<double> host_rows() const {
    const auto row_ptr = to_host(a_.row_ptr), col_idx = to_host(a_.col_idx);
    const auto values = to_host(a_.values);
    HostRows<double> rows(static_cast<std::size_t>(a_.n));
    for (std::size_t i = 0; i < rows.size(); ++i) {
      for (auto e = static_cast<std::size_t>(row_ptr(i)); std::cmp_less(e, row_ptr(i + 1)); ++e) {
        rows[i].emplace_back(col_idx(e), values(e));
      }
    }
    return rows;
  }

  void check_factors(const Plan& plan) {
    ++outcome_.applies;
    plan.check_values(exec_);
    const auto rows = host_rows();
    expected_.rows = cholesky ? reference_cholesky(rows, options_) : reference_lu(rows, options_);
    const double off = difference(plan.factors(exec_), expected_.rows);
    const double left = plan.residual(exec_, a_.matrix());
    if (off < 1e-12 && (options_.pivot_floor > 0 || left < 1e-12)) return;
    outcome_.problem =
        "factors are off by " + std::to_string(off) + ", and leave " + std::to_string(left);
  }

  template <class Layout>
  void solve(Plan& plan) {
    const Op ops[] = {Op::none, Op::conjugate, Op::transpose, Op::conjugate_transpose};
    const Op op = ops[random_.below(cholesky || !options_.ops.empty() ? 4 : 2)];
    const auto n = static_cast<std::size_t>(a_.n);
    const auto count = static_cast<std::size_t>(1 + random_.below(options_.vectors.count + 3));
    const bool in_place = once_in(random_, 3);
    const auto host_b = random_columns<double, Layout>(n, count, random_.bits());
    const Columns<Layout> b = copy_to<Space>(host_b), x = copy_to<Space>(host_b);
    outcome_.what += std::string("; solved ") + name(op) + " of " + std::to_string(count) +
                     (in_place ? " in place" : "");
    if (in_place) {
      plan.apply(exec_, op, x, x);
    } else {
      fill_with_poison(x);
      plan.apply(exec_, op, b, x);
    }
    exec_.fence("heddle::test::solved");
    const auto got = to_host(x);
    for (std::size_t v = 0; v < count; ++v) {
      ++outcome_.applies;
      std::vector<double> of_x(n);
      for (std::size_t i = 0; i < n; ++i) of_x[i] = got(i, v);
      const auto product = expected_.product(op, of_x);
      for (std::size_t i = 0; i < n; ++i) {
        if (std::abs(product[i] - host_b(i, v)) < 1e-10) continue;
        outcome_.problem = "entry " + std::to_string(i) + " of what was solved for is off by " +
                           std::to_string(product[i] - host_b(i, v));
        return;
      }
    }
  }

  Random& random_;
  Exec exec_;
  Operator a_;
  IluOptions options_;
  Factors expected_{{}, !cholesky};
  Outcome outcome_;
};

}  // namespace

std::vector<Trial> trials_of_ilu() {
  return {{"ilu", &IluTrial<DefaultDevice, false>::run},
          {"ic", &IluTrial<DefaultDevice, true>::run}};
}

}  // namespace heddle::test
