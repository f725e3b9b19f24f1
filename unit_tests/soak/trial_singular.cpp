// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Krylov methods that end badly: small singular and inconsistent systems of whole numbers, with and
// without their nullspace, products with NaN, guesses far larger than b, and solves without checks.
// Results are no worse than the guess, and agree with what the solver reports.
#include <heddle/bicgstab.hpp>
#include <heddle/cg.hpp>
#include <heddle/gmres.hpp>

#include "../../solvers/krylov/bicgstab_definitions.hpp"
#include "../../solvers/krylov/cg_definitions.hpp"
#include "../../solvers/krylov/gmres_definitions.hpp"
#include "../../testing/vectors_check.hpp"
#include "../support/grid_operator.hpp"
#include "draw_system.hpp"
#include "trial.hpp"

namespace heddle::test {

namespace {

/// A matrix with a NaN in one of its products.
template <class Exec>
struct Breaking {
  PlainOperator<Exec, double> of;
  int at;  ///< its number; 0: none

  std::int64_t rows() const { return of.rows(); }
  std::int64_t columns() const { return of.columns(); }
  template <class X, class Y>
  void apply(const Exec& exec, const X& x, const Y& y) {
    of.apply(exec, x, y);
    if (of.applies != at) return;
    exec.fence("heddle::test::product");
    Kokkos::deep_copy(Kokkos::subview(y, std::size_t{0}), std::nan(""));
  }
};

template <class Exec>
class SingularTrial {
 public:
  static Outcome run(Random& random) { return SingularTrial(random).follow(); }

 private:
  using Space = typename Exec::memory_space;
  using Vector = Kokkos::View<double*, Space>;
  enum class Method { cg, gmres, bicgstab };

  explicit SingularTrial(Random& random) : random_(random), exec_(draw_instance<Exec>(random)) {
    n_ = 2 + random.below(5);
    const Method methods[] = {Method::cg, Method::gmres, Method::bicgstab};
    method_ = one_of(random, methods);
    const auto n = static_cast<std::size_t>(n_);
    // B C of n x k and k x n, or B B': their rank is at most k.
    const std::size_t k = 1 + static_cast<std::size_t>(random.below(n_ - 1));
    const std::vector<double> left = numbers(n * k), right = numbers(n * k);
    const bool laplacian = once_in(random, 3);
    std::vector<int> row_ptr{0}, col_idx;
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        double entry = 0;
        for (std::size_t l = 0; l < k; ++l) {
          entry += left[i * k + l] * (method_ == Method::cg ? left[j * k + l] : right[j * k + l]);
        }
        if (laplacian) entry = i == j ? static_cast<double>(n - 1) : -1;
        values_.push_back(entry);
        col_idx.push_back(static_cast<int>(j));
      }
      row_ptr.push_back(static_cast<int>((i + 1) * n));
    }
    const double size = once_in(random, 4) ? 1e-120 : 1;
    b_ = numbers(n);
    for (double& entry : b_) entry *= size;
    guess_ = numbers(n);
    a_ = {plain_operator<Exec>(row_ptr, col_idx, values_),
          once_in(random, 3) ? static_cast<int>(2 + random.below(8)) : 0};  // 1: the guess
    const int checks[] = {0, 1, 2, 10};
    options_.check_every = one_of(random, checks);
    options_.max_iterations = static_cast<int>(2 + random.below(40));
    options_.history = true;
    if (laplacian && once_in(random, 2)) options_.nullspace = Nullspace::constant();
    if (method_ == Method::gmres) options_.restart = static_cast<int>(1 + random.below(n_));
    const char* const names[] = {"cg", "gmres", "bicgstab"};
    outcome_.what = std::to_string(n_) + " rows" + (laplacian ? " of a Laplacian" : "") + ", " +
                    names[static_cast<int>(method_)] + ", NaN at " + std::to_string(a_.at) +
                    ", checks every " + std::to_string(options_.check_every) + ", at most " +
                    std::to_string(options_.max_iterations) +
                    (options_.nullspace.count() ? ", nullspace" : "");
  }

  std::vector<double> numbers(std::size_t count) {
    std::vector<double> of(count);
    for (double& number : of) number = static_cast<double>(random_.below(7) - 3);
    return of;
  }

  Outcome follow() {
    try {
      if (method_ == Method::cg) {
        solve(CgSolver<Exec, double>(exec_, n_, options_));
      } else if (method_ == Method::gmres) {
        solve(GmresSolver<Exec, double>(exec_, n_, options_));
      } else {
        solve(BicgstabSolver<Exec, double>(exec_, n_, options_));
      }
    } catch (const std::exception& error) {
      outcome_.problem = error.what();
    }
    return outcome_;
  }

  template <class Solver>
  void solve(Solver solver) {
    const Vector b = copy_in<Space>(b_), x = copy_in<Space>(guess_);
    solver.solve(exec_, a_, b, x);
    const KrylovResult result = solver.results(exec_)[0];
    ++outcome_.applies;
    const auto left = to_host(x);
    std::vector<double> entries;
    for (std::size_t i = 0; i < b_.size(); ++i) entries.push_back(left(i));
    const auto [is, noise] = residual(entries);
    const auto [first, noise_of_guess] = residual(guess_);
    const double rounding = 1e-13 * (noise + noise_of_guess);
    const bool limit = method_ == Method::cg && result.outcome == heddle::Outcome::iteration_limit;
    const double target = 1e-8 * result.reference;
    const auto problem = [&](const std::string& what) {
      outcome_.problem = what + ": " + name(result.outcome) + ", said " +
                         std::to_string(result.residual / first) + " and is " +
                         std::to_string(is / first) + " of the guess's";
    };
    if (!(is <= first * 1.0001 + rounding) && !limit) problem("worse than the guess");
    if (!std::isfinite(is)) problem("not finite");
    if (!(std::abs(result.residual - is) <= 1e-6 * is + rounding)) problem("a wrong residual");
    if (result.converged() && is > target * 1.0001 + rounding) problem("not converged");
    if (result.outcome == heddle::Outcome::running) problem("said to run");
    const auto history = solver.history(exec_);
    if (history.empty() || history.back() != result.residual) problem("the history's end");
  }

  /// The norms of b - A x and of |b| + |A| |x|.
  std::pair<double, double> residual(const std::vector<double>& x) const {
    long double norm = 0, size = 0;
    for (std::size_t i = 0; i < b_.size(); ++i) {
      long double sum = b_[i], all = std::abs(b_[i]);
      for (std::size_t j = 0; j < b_.size(); ++j) {
        const long double part = static_cast<long double>(values_[i * b_.size() + j]) * x[j];
        sum -= part;
        all += std::abs(part);
      }
      norm += sum * sum;
      size += all * all;
    }
    return {static_cast<double>(std::sqrt(norm)), static_cast<double>(std::sqrt(size))};
  }

  Random& random_;
  Exec exec_;
  std::int64_t n_;
  Method method_;
  Breaking<Exec> a_;
  std::vector<double> values_, b_, guess_;
  KrylovOptions options_;
  Outcome outcome_;
};

}  // namespace

std::vector<Trial> trials_of_singular() {
  return {{"singular", &SingularTrial<DefaultDevice>::run}};
}

}  // namespace heddle::test
