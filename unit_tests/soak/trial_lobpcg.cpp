// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Eigenpairs of every number, end of the spectrum, B, constraints, guess (also a null vector) and
// scale of each. Pairs that LobpcgSolver reports as converged are checked by residuals of the host,
// vectors by X' B X = I and the constraints, and a second search by the bits of the first.
#include <heddle/lobpcg.hpp>

#include "../../solvers/krylov/jacobi_definitions.hpp"
#include "../../solvers/lobpcg/definitions.hpp"
#include "draw_system.hpp"
#include "trial.hpp"

namespace heddle::test {

namespace {

template <class Exec>
class LobpcgTrial {
 public:
  static Outcome run(Random& random) { return LobpcgTrial(random).follow(); }

 private:
  using Space = typename Exec::memory_space;
  using Operator = PlainOperator<Exec, double>;
  using Columns = Kokkos::View<double**, Kokkos::LayoutLeft, Space>;
  using OnHost = Kokkos::View<double**, Kokkos::LayoutLeft, Kokkos::HostSpace>;

  explicit LobpcgTrial(Random& random) : random_(random), exec_(draw_instance<Exec>(random)) {
    Pattern pattern = draw_square(random, emulated ? 60 : 400);
    while (pattern.rows.empty()) pattern = draw_square(random, emulated ? 60 : 400);
    a_ = draw_dominant<Exec>(random, pattern, true);
    if (options_.generalized = once_in(random, 2); options_.generalized) {
      b_ = draw_dominant<Exec>(random, once_in(random, 2) ? pattern : full_pattern(a_.n, 1, 1),
                               true);
    }
    laplacian_ = once_in(random, 4);
    if (laplacian_) make_laplacian(a_);
    draw_scales();
    const std::int64_t most = std::min<std::int64_t>(a_.n, 8);
    options_.count = static_cast<int>(1 + random.below(once_in(random, 8) ? a_.n % 40 + 1 : most));
    options_.count = static_cast<int>(std::min<std::int64_t>(options_.count, a_.n));
    if (once_in(random, 3)) {
      options_.constraints =
          static_cast<int>(random.below(std::min<std::int64_t>(4, a_.n - options_.count + 1)));
    }
    options_.wanted = once_in(random, 2) ? Wanted::smallest : Wanted::largest;
    const double tolerances[] = {1e-3, 1e-6, 1e-9};
    options_.relative_tolerance = one_of(random, tolerances);
    if (once_in(random, 4)) options_.relative_to = EigenRelativeTo::value;
    options_.max_iterations = static_cast<int>(random.below(emulated ? 12 : 200));
    jacobi_ = !laplacian_ && once_in(random, 2);  // its diagonal may be zero
    const char* const guesses[] = {"random", "zero", "one"};
    guess_ = static_cast<int>(random.below(3));
    outcome_.what = "threads " + std::to_string(exec_.concurrency()) + ", " + std::to_string(a_.n) +
                    " rows of " + pattern.name + ", " + std::to_string(options_.count) +
                    (options_.wanted == Wanted::smallest ? " smallest" : " largest") +
                    (options_.generalized ? " with B" : "") + ", " +
                    std::to_string(options_.constraints) + " constraints, to " +
                    std::to_string(*options_.relative_tolerance) + " in " +
                    std::to_string(options_.max_iterations) + (jacobi_ ? ", jacobi" : "") +
                    ", guess " + guesses[guess_] + (laplacian_ ? ", Laplacian" : "") + ", scales " +
                    std::to_string(scale_of_a_) + ' ' + std::to_string(scale_of_b_) + ' ' +
                    std::to_string(scale_of_x_) + ' ' + std::to_string(scale_of_y_) +
                    (options_.relative_to == EigenRelativeTo::value ? ", by value" : "");
  }

  Outcome follow() {
    try {
      LobpcgSolver<Exec, double> solver(exec_, a_.n, options_);
      const auto y = columns(options_.constraints, 2);
      const auto [result, x] = search(solver, y);
      outcome_.what += std::string(": ") + name(result.outcome);
      exec_ = draw_instance<Exec>(random_);
      const auto [again, same] = search(solver, y);
      outcome_.applies += 2 * options_.count;
      if (result.outcome == EigenOutcome::not_a_number ||
          result.outcome == EigenOutcome::indefinite ||
          result.outcome == EigenOutcome::not_symmetric) {
        outcome_.problem = "A and B are positive definite";
      } else if (result.outcome != EigenOutcome::rank_deficient) {
        judge(result, x, to_host(y));
      }
      const bool null_vector = laplacian_ && guess_ == 2 && options_.count == 1 &&
                               options_.constraints == 0 && options_.max_iterations > 0 &&
                               options_.wanted == Wanted::smallest &&
                               options_.relative_to == EigenRelativeTo::norm;
      if (null_vector && !(result.converged() && result.iterations <= 1)) {
        outcome_.problem = "a null vector as the guess has not converged";
      }
      for (std::size_t i = 0; i < x.size(); ++i) {
        if (x.data()[i] != same.data()[i]) outcome_.problem = "other bits on another instance";
      }
    } catch (const std::exception& error) {
      outcome_.problem = error.what();
    }
    return outcome_;
  }

  /// Decimal exponents: all of them are 0 in half of the trials.
  void draw_scales() {
    if (once_in(random_, 2)) return;
    const int extremes[] = {-165, -30, -12, 12, 30, 150};
    scale_of_a_ = one_of(random_, extremes);
    if (options_.generalized) {
      const int of_b[] = {-160, -26, -3, 0, 26, 150};
      scale_of_b_ = one_of(random_, of_b);
      if (std::abs(scale_of_a_ - scale_of_b_) > 290) scale_of_b_ = scale_of_a_;
      scale_values(b_, scale_of_b_);
    }
    scale_values(a_, scale_of_a_);
    const int of_vectors[] = {-300, -160, 0, 160, 300};
    scale_of_x_ = one_of(random_, of_vectors);
    scale_of_y_ = one_of(random_, of_vectors);
  }
  static void scale_values(const Operator& a, int exponent) {
    vectors::scale(Exec(), std::pow(10.0, exponent), a.values);
    Exec().fence("heddle::test::scaled");
  }
  /// Makes the rows sum to zero, without positive entries off the diagonal.
  static void make_laplacian(const Operator& a) {
    const auto row_ptr = to_host(a.row_ptr), col_idx = to_host(a.col_idx);
    const auto values = Kokkos::create_mirror(Kokkos::HostSpace(), a.values);
    Kokkos::deep_copy(values, a.values);
    for (int i = 0; i < static_cast<int>(a.n); ++i) {
      double sum = 0;
      std::size_t diagonal = 0;
      for (auto e = static_cast<std::size_t>(row_ptr(i)); std::cmp_less(e, row_ptr(i + 1)); ++e) {
        if (col_idx(e) == i) {
          diagonal = e;
        } else {
          values(e) = -std::abs(values(e));
          sum -= values(e);
        }
      }
      values(diagonal) = sum;
    }
    Kokkos::deep_copy(a.values, values);
  }

  Columns columns(int count, int kind) {
    const auto n = static_cast<std::size_t>(a_.n), k = static_cast<std::size_t>(count);
    const Columns x("heddle::test::x", n, k);
    if (kind == 1) Kokkos::deep_copy(x, 1.0);
    if (kind != 2) return x;
    const auto host = Kokkos::create_mirror_view(x);
    for (std::size_t i = 0; i < x.size(); ++i) {
      host.data()[i] = random_.scalar<double>() * std::pow(10.0, scale_of_y_);
    }
    Kokkos::deep_copy(x, host);
    return x;
  }

  std::pair<LobpcgResult, OnHost> search(LobpcgSolver<Exec, double>& solver, const Columns& y) {
    Random own(7);
    Columns x = columns(options_.count, guess_ == 0 ? 0 : guess_ - 1);
    if (guess_ == 0) {
      const auto host = Kokkos::create_mirror_view(x);
      for (std::size_t i = 0; i < x.size(); ++i) host.data()[i] = own.scalar<double>();
      Kokkos::deep_copy(x, host);
    }
    vectors::scale(exec_, std::pow(10.0, scale_of_x_), x);
    const auto with = [&](auto&& m, auto&& b) {
      return options_.constraints > 0 ? solver.solve(exec_, a_, x, m, b, y)
                                      : solver.solve(exec_, a_, x, m, b);
    };
    const auto preconditioned = [&](auto&& m) {
      return options_.generalized ? with(m, b_) : with(m, NoMassMatrix());
    };
    const LobpcgResult result =
        jacobi_ ? preconditioned(JacobiPreconditioner<Exec, double>(exec_, a_.matrix()))
                : preconditioned(NoPreconditioner());
    return {result, to_host(x)};
  }

  /// Numbers of a wider range, so that squares do not overflow.
  using Sums = std::vector<std::vector<long double>>;

  /// A x, or x if there is no A.
  static Sums product(const Operator* a, const OnHost& x) {
    Sums y(x.extent(1), std::vector<long double>(x.extent(0)));
    for (std::size_t j = 0; j < x.extent(1); ++j) {
      for (std::size_t i = 0; i < x.extent(0); ++i) {
        if (!a) y[j][i] = x(i, j);
      }
    }
    if (!a) return y;
    const auto row_ptr = to_host(a->row_ptr), col_idx = to_host(a->col_idx);
    const auto values = to_host(a->values);
    for (std::size_t j = 0; j < x.extent(1); ++j) {
      for (std::size_t i = 0; i < x.extent(0); ++i) {
        for (int e = row_ptr(i); e < row_ptr(i + 1); ++e) {
          const auto at = static_cast<std::size_t>(e);
          y[j][i] +=
              static_cast<long double>(values(at)) * x(static_cast<std::size_t>(col_idx(at)), j);
        }
      }
    }
    return y;
  }
  /// The largest sum of magnitudes of a row; 1 for the identity.
  static double norm_of(const Operator* a) {
    if (!a) return 1;
    const auto row_ptr = to_host(a->row_ptr);
    const auto values = to_host(a->values);
    double largest = 0;
    for (std::size_t i = 0; i < static_cast<std::size_t>(a->n); ++i) {
      double sum = 0;
      for (int e = row_ptr(i); e < row_ptr(i + 1); ++e) {
        sum += std::abs(values(static_cast<std::size_t>(e)));
      }
      largest = std::max(largest, sum);
    }
    return largest;
  }
  static long double dot(const std::vector<long double>& x, const std::vector<long double>& y) {
    long double sum = 0;
    for (std::size_t i = 0; i < x.size(); ++i) sum += x[i] * y[i];
    return sum;
  }

  void judge(const LobpcgResult& result, const OnHost& vectors, const OnHost& constraints) {
    const Operator* const b = options_.generalized ? &b_ : nullptr;
    const Sums x = product(nullptr, vectors), ax = product(&a_, vectors), bx = product(b, vectors),
               y = product(nullptr, constraints);
    const double of_a = norm_of(&a_), of_b = norm_of(b);
    bool all = true;
    for (std::size_t j = 0; j < x.size(); ++j) {
      const auto& pair = result.pairs[j];
      const long double norm = std::sqrt(dot(x[j], x[j]));
      const double unit = of_a + std::abs(pair.value) * of_b;
      std::vector<long double> r = ax[j];
      for (std::size_t i = 0; i < r.size(); ++i) r[i] -= pair.value * bx[j][i];
      const auto residual = static_cast<double>(std::sqrt(dot(r, r)) / norm);
      all = all && pair.converged;
      if (pair.converged &&
          !(residual <= 1.01 * *options_.relative_tolerance * result.scale + 1e-13 * unit)) {
        outcome_.problem = "a pair called converged has a residual of " + std::to_string(residual);
      }
      if (!(std::abs(residual - pair.residual) <= 1e-2 * residual + 1e-10 * unit)) {
        outcome_.problem = "a residual of " + std::to_string(residual) + " is called " +
                           std::to_string(pair.residual);
      }
      if (!(pair.error * of_b >= 0.98 * pair.residual)) {
        outcome_.problem = "an error bound below what the residual is in the norm of B";
      }
      for (std::size_t k = 0; k <= j; ++k) {
        if (!(std::abs(dot(x[k], bx[j]) - (k == j)) <= 1e-9)) {
          outcome_.problem = "vectors are not orthonormal";
        }
      }
      for (const auto& constraint : y) {
        if (!(std::abs(dot(constraint, bx[j])) <=
              1e-9 * std::sqrt(dot(constraint, constraint)) * norm * of_b)) {
          outcome_.problem = "vectors are not orthogonal to the constraints";
        }
      }
    }
    if (all != result.converged()) outcome_.problem = "the outcome is not that of the pairs";
  }

  Random& random_;
  Exec exec_;
  Operator a_, b_;
  LobpcgOptions options_;
  bool jacobi_ = false, laplacian_ = false;
  int scale_of_a_ = 0, scale_of_b_ = 0, scale_of_x_ = 0, scale_of_y_ = 0;
  int guess_ = 0;
  Outcome outcome_;
};

}  // namespace

std::vector<Trial> trials_of_lobpcg() { return {{"lobpcg", &LobpcgTrial<DefaultDevice>::run}}; }

}  // namespace heddle::test
