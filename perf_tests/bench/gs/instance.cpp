// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compiled once for each pair of HEDDLE_BENCH_SCALAR and HEDDLE_BENCH_OFFSET.
#include <cmath>
#include <heddle/gauss_seidel.hpp>
#include <heddle/spmv.hpp>
#include <limits>
#include <optional>

#include "../../../solvers/gauss_seidel/choose.hpp"
#include "../../../testing/reference.hpp"
#include "../common/contest.hpp"
#include "../common/sequential.hpp"
#include "../common/table.hpp"
#include "problem.hpp"

namespace heddle::bench {

namespace {

using S = HEDDLE_BENCH_SCALAR;
using Off = HEDDLE_BENCH_OFFSET;
using Problem = GsProblem<S, Off>;

/// A plan of Heddle as a contestant.
class HeddleSweeps : public PlanContestant<Problem, GaussSeidelPlan<Exec, Problem::Matrix>> {
 public:
  HeddleSweeps(const Exec& exec, const Problem& problem, const GaussSeidelOptions& options)
      : PlanContestant(problem, exec, problem.A, options), order_(options.order) {}

  void run(const Exec& exec) override {
    problem_.with_vectors([&](const auto& b, const auto& x) {
      if (problem_.from_zero) return plan_.apply(exec, b, x);
      plan_.relax(exec, b, x, problem_.sweeps);
    });
  }
  GsNumbers numbers() const override {
    const bool natural = order_ == GaussSeidelOrder::natural;
    const bool of_rows = problem_.options.block_size == 1;
    return natural && of_rows ? GsNumbers::sequential : GsNumbers::reordered;
  }
  std::string note() const override {
    const SweepDirection first =
        problem_.forward() ? SweepDirection::forward : SweepDirection::backward;
    const int colors = plan_.colors(), levels = plan_.levels(first);
    if (colors > 0) return std::to_string(colors) + " colors";
    if (levels == 0) return "";
    const double rows = static_cast<double>(problem_.A.rows()) / levels;
    return std::to_string(levels) + " levels of " + factor(rows) + " rows";
  }

 private:
  GaussSeidelOrder order_;
};

/// The product A b, whose rate sweeps are compared with. It uses CSR only: that format is compiled,
/// and CPUs mostly choose it.
using CsrProduct = SpmvPlan<Exec, Problem::Matrix, S, S, Formats<CsrFormat>>;
class HeddleProduct : public PlanContestant<Problem, CsrProduct> {
 public:
  HeddleProduct(const Exec& exec, const Problem& problem)
      : PlanContestant(problem, exec, problem.A, SpmvOptions{.vectors = problem.options.vectors},
                       Formats<CsrFormat>()) {}

  void run(const Exec& exec) override {
    problem_.with_vectors(
        [&](const auto& b, const auto& x) { plan_.apply(exec, S(1), b, S(0), x); });
  }
  GsNumbers numbers() const override { return GsNumbers::product; }
};

/// The sweeps of one column, row after row. Each number has a bound of its rounding errors and of
/// the errors of the numbers that it is made of.
class ReferenceSweeps {
 public:
  ReferenceSweeps(const HostStorage<S, Off>& A, const GaussSeidelOptions& options)
      : A_(A), options_(options), omega_(static_cast<RealOf<S>>(options.omega)) {}

  /// `b(i)` and `guess(i)` are functions of the row.
  template <class B, class Guess>
  void run(const B& b, const Guess& guess, int sweeps) {
    const auto n = static_cast<std::size_t>(A_.rows());
    x_.clear();
    for (std::size_t i = 0; i < n; ++i) x_.push_back({Number(guess(i)), 0});
    for (int sweep = 0; sweep < sweeps; ++sweep) {
      if (options_.sweep != SweepDirection::backward) {
        for (std::size_t i = 0; i < n; ++i) row(i, Number(b(i)));
      }
      if (options_.sweep == SweepDirection::forward) continue;
      for (std::size_t i = n; i-- > 0;) row(i, Number(b(i)));
    }
  }

  /// The largest error of x over its bound; empty if a bound is above 0.1 % of the largest entry.
  template <class X>
  std::optional<double> error_over_bound(const X& x) const {
    long double worst = 0, largest = 0, loosest = 0;
    for (std::size_t i = 0; i < x_.size(); ++i) {
      const long double error = test::detail::magnitude(Number(x(i)) - x_[i].value);
      const long double over = error > 0 ? error / x_[i].error : 0;
      worst = over <= worst ? worst : over;  // NaN is the worst
      largest = std::max(largest, test::detail::magnitude(x_[i].value));
      loosest = x_[i].error <= loosest ? loosest : x_[i].error;
    }
    if (!(loosest <= 1e-3L * largest) && !x_.empty()) return std::nullopt;
    return static_cast<double>(worst);
  }

 private:
  using Number = test::detail::WideOf<S, S>;
  struct Bounded {
    Number value;
    long double error;
  };

  void row(std::size_t i, const Number& right) {
    using test::detail::magnitude;
    Number sum = right, diagonal(0);
    long double size = magnitude(right), inherited = 0;
    each_entry(A_, i, [&](std::size_t j, const S& value) {
      const Number entry(value);
      if (j == i) return void(diagonal = entry);
      const Number product = entry * x_[j].value;
      sum = sum - product;
      size += magnitude(product);
      inherited += magnitude(entry) * x_[j].error;
    });
    // Complex numbers are divided by multiplying with the conjugate of the diagonal.
    const long double inverse = 1 / magnitude(diagonal);
    const Number quotient = (sum * conjugated(diagonal)) * Number(omega_ * inverse * inverse);
    const Number kept = Number(1 - omega_) * x_[i].value;
    const auto terms = static_cast<long double>(A_.row_ptr()(i + 1) - A_.row_ptr()(i) + 8);
    const long double rounding = (is_complex<S> ? 8 : 2) * terms * epsilon;
    x_[i].error = std::fabs(1 - omega_) * x_[i].error + omega_ * inverse * inherited +
                  rounding * (omega_ * inverse * size + magnitude(kept)) + smallest;
    x_[i].value = kept + quotient;
  }
  template <class N>
  static N conjugated(const N& value) {
    if constexpr (requires { value.im; }) return N(value.re, -value.im);
    return value;
  }

  static constexpr long double epsilon = std::numeric_limits<RealOf<S>>::epsilon();
  static constexpr long double smallest = std::numeric_limits<RealOf<S>>::min();

  HostStorage<S, Off> A_;
  GaussSeidelOptions options_;
  long double omega_;
  std::vector<Bounded> x_;
};

/// Runs one source: load, set up, verify, time.
class Run : public Contest<GsRequest, Problem> {
 public:
  Run(const GsRequest& request, const Source& source, Progress& progress)
      : Contest(request, source, progress) {
    take_whole_matrix("sweeps of Gauss-Seidel", true);
    problem_.symmetric = hermitian(problem_.host);
    problem_.options = request.options;
    problem_.options.vectors = expected_vectors();
    problem_.from_zero = request.from_zero();
    problem_.sweeps = request.sweeps;
    problem_.make_vectors(exec_, random_vectors(2));
    result_.apply_bytes = problem_.least_bytes(result_.csr_bytes);
  }

  MatrixResult run() {
    const auto sweeps = [&](const std::optional<Scheme>& scheme, GaussSeidelOrder order) {
      GaussSeidelOptions options = problem_.options;
      options.scheme = scheme;
      options.order = order;
      return std::make_unique<HeddleSweeps>(exec_, problem_, options);
    };
    enter_schemes(detail::gauss_seidel::grammar(backends::describe(exec_)), "multicolor",
                  [&](const auto& scheme) { return sweeps(scheme, GaussSeidelOrder::natural); });
    if (request_.asks_for("multicolor")) {
      enter("multicolor", true, [&] { return sweeps({}, GaussSeidelOrder::multicolor); });
    }
    enter(product_name, true, [&] { return std::make_unique<HeddleProduct>(exec_, problem_); });
    race([&] { return check(); });
    return std::move(result_);
  }

 private:
  using Columns = test::HostColumns<S>;

  /// Returns the check of a contestant.
  ErrorOf check() {
    const Columns b = problem_.host_b, guess = random_vectors(3);
    std::vector<ReferenceSweeps> references;
    for (std::size_t v = 0; v < b.extent(1); ++v) {
      references.emplace_back(problem_.host, problem_.options);
      references.back().run([&](std::size_t i) { return b(i, v); },
                            [&](std::size_t i) { return problem_.from_zero ? S(0) : guess(i, v); },
                            problem_.sweeps);
    }
    const test::Reference product = test::reference_product(Op::none, problem_.host.matrix(), b);
    return [=, this](Contestant& contestant, ContestantResult& entry) -> std::optional<double> {
      if (problem_.from_zero) {
        test::fill_with_poison(problem_.x);
      } else {
        problem_.copy_in(exec_, problem_.x, guess);
      }
      contestant.run(exec_);
      const Columns x = problem_.host_x(exec_);
      if (contestant.numbers() == GsNumbers::reordered) {
        const double tenth = 0.1;  // solve_error() is relative to ten times a tolerance
        entry.note += (entry.note.empty() ? "" : ", ") +
                      format("residual %.2g", solve_error(problem_.host, b, x, tenth));
        return {};
      }
      if (contestant.numbers() == GsNumbers::product) return test::error_over_bound(product, x);
      double error = 0;
      for (std::size_t v = 0; v < references.size(); ++v) {
        const auto of_column =
            references[v].error_over_bound([&](std::size_t i) { return x(i, v); });
        if (!of_column) return {};
        error = std::max(error, *of_column);
      }
      return error;
    };
  }
};

/// One line for each kernel, and one for the choice of a plan with colors.
std::vector<std::string> gs_scheme_names() {
  std::vector<std::string> names = kernel_usages(detail::gauss_seidel::grammar(listed_device()));
  names.push_back("multicolor: what a plan chooses in the order of colors");
  return names;
}

[[maybe_unused]] const bool entered =
    enter_instance<Run>(HEDDLE_BENCH_SCALAR_NAME, gs_scheme_names);

}  // namespace

}  // namespace heddle::bench
