// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Krylov methods with every preconditioner but triangular ones, at scales where squares overflow,
// from far guesses, and for b = 0. Their norms of b - A x are compared with those of the host, and
// a second solve, by a solver that had another preconditioner before, with the first one.
#include <heddle/bicgstab.hpp>
#include <heddle/cg.hpp>
#include <heddle/chebyshev.hpp>
#include <heddle/gmres.hpp>

#include "../../solvers/krylov/bicgstab_definitions.hpp"
#include "../../solvers/krylov/cg_definitions.hpp"
#include "../../solvers/krylov/chebyshev_definitions.hpp"
#include "../../solvers/krylov/gmres_definitions.hpp"
#include "../../solvers/krylov/jacobi_definitions.hpp"
#include "../../solvers/krylov/polynomial.hpp"
#include "../../testing/vectors_check.hpp"
#include "../support/shared_formats.hpp"
#include "draw_system.hpp"
#include "trial.hpp"

namespace heddle::test {

namespace {

/// A preconditioner that a solver knows only by its apply.
template <class Exec, class S>
struct Applied {
  using B = ConstSolverVector<Exec, S>;
  using X = SolverVector<Exec, S>;
  std::function<void(const Exec&, const B&, const X&)> to;

  void apply(const Exec& exec, const B& b, const X& x) const { to(exec, b, x); }
};

template <class Exec, class S>
class KrylovTrial {
 public:
  static Outcome run(Random& random) { return KrylovTrial(random).follow(); }

 private:
  using Space = typename Exec::memory_space;
  using Operator = PlainOperator<Exec, S>;
  using Matrix = typename Operator::Matrix;
  using Plan = SpmvPlan<Exec, Matrix, S, S, Formats<Shared<CsrFormat>>>;
  static constexpr bool is_float = std::is_same_v<S, float>;  // no program shares its plans
  using Rows = OperatorWithRows<std::conditional_t<is_float, Operator, Plan>, Matrix>;
  using Jacobi = JacobiPreconditioner<Exec, S>;
  using Columns = Kokkos::View<S**, Kokkos::LayoutLeft, Space>;
  using Column = Kokkos::View<S*, Space, Kokkos::MemoryUnmanaged>;
  enum class Method { cg, chebyshev, gmres, bicgstab };
  enum class How { plain, jacobi, blocks, polynomial };
  static constexpr double epsilon = std::numeric_limits<S>::epsilon();

  explicit KrylovTrial(Random& random) : random_(random), exec_(draw_instance<Exec>(random)) {
    const Pattern pattern = draw_square(random, emulated ? 200 : 1500);
    const Method methods[] = {Method::cg, Method::chebyshev, Method::gmres, Method::bicgstab};
    method_ = one_of(random, methods);
    const bool symmetric = method_ == Method::cg || method_ == Method::chebyshev;
    draw_scales();
    a_ = times<S>(draw_dominant<Exec>(random, pattern, symmetric), scale_);
    const How kinds[] = {How::plain, How::jacobi, How::blocks, How::polynomial};
    how_ = kinds[random.below(symmetric ? 4 : 3)];
    if (method_ == Method::chebyshev) how_ = How::jacobi;  // its spectrum is bounded
    if (method_ == Method::cg && once_in(random, 2)) count_ = 1 + static_cast<int>(random.below(4));
    restart_ = static_cast<int>(1 + random.below(30));
    size_ = static_cast<int>(1 + random.below(6));
    draw_options();
    const char* const names[] = {"cg", "chebyshev", "gmres", "bicgstab"};
    const char* const with[] = {"alone", "with jacobi", "with blocks", "with a polynomial"};
    outcome_.what =
        "threads " + std::to_string(exec_.concurrency()) + ", " + std::to_string(a_.n) +
        " rows of " + pattern.name + ", A of " + text(scale_) + ", b of " + text(scale_of_b_) +
        ", a guess of " + text(scale_of_guess_) + ", " + names[static_cast<int>(method_)] + " " +
        with[static_cast<int>(how_)] + ", " + std::to_string(count_) +
        " right-hand sides, restart " + std::to_string(restart_) + ", checks every " +
        std::to_string(options_.check_every) + (options_.zero_guess ? ", from zero" : "") +
        (options_.recompute_every ? ", recomputed" : "") +
        (options_.scheme ? ", " + options_.scheme->to_string() : "");
  }

  static std::string text(double number) {
    char digits[32];
    std::snprintf(digits, sizeof(digits), "%.1e", number);
    return digits;
  }

  /// Scales of A, b and the guess, with which products and the solution stay finite.
  void draw_scales() {
    const int most = is_float ? 30 : 150;
    const auto power = [&](std::int64_t low, std::int64_t high) {
      return static_cast<int>(low + random_.below(high - low + 1));
    };
    int of_a = 0, of_b = 0;
    if (once_in(random_, 2)) of_a = power(-most, most);
    if (once_in(random_, 2)) {
      of_b = power(std::max(-most, of_a - most), std::min(most, of_a + most));
    } else {
      of_b = of_a;
    }
    const int far = once_in(random_, 4) ? power(-5, is_float ? 5 : 10) : 0;
    const int of_x = std::clamp(of_b - of_a + far, -most, most);
    scale_ = std::pow(10.0, of_a);
    scale_of_b_ = once_in(random_, 12) ? 0 : std::pow(10.0, of_b);
    scale_of_guess_ = std::pow(10.0, std::min(of_x, most - of_a));
  }

  void draw_options() {
    if (!once_in(random_, 3)) {
      options_.relative_tolerance = is_float ? 1e-4 : once_in(random_, 2) ? 1e-5 : 1e-9;
    }
    const int checks[] = {0, 1, 7, 10};
    options_.check_every = one_of(random_, checks);
    options_.max_iterations = emulated ? 60 : 300;
    options_.zero_guess = once_in(random_, 2);
    if (once_in(random_, 4) && method_ != Method::gmres) options_.recompute_every = 5;
    if (once_in(random_, 4)) options_.relative_to = RelativeTo::first_residual;
    options_.history = once_in(random_, 4);
    const bool one_launch = method_ == Method::cg && count_ == 1 &&
                            (how_ == How::plain || how_ == How::jacobi) && once_in(random_, 2);
    const char* const schemes[] = {"cg/launches", "cg/one-team"};
    if (one_launch) options_.scheme = Scheme::parse(one_of(random_, schemes));
  }

  Outcome follow() {
    try {
      if constexpr (is_float) {
        Rows matrix = with_rows(a_, a_.matrix());
        solve(matrix);
      } else {
        Plan plan(exec_, a_.matrix());
        Rows matrix = with_rows(plan, a_.matrix());
        solve(matrix);
      }
    } catch (const std::exception& error) {
      outcome_.problem = error.what();
    }
    return outcome_;
  }

  /// Random columns times a number.
  Columns columns(std::size_t n, std::size_t count, double scale) {
    const auto host = random_columns<S, Kokkos::LayoutLeft>(n, count, random_.bits());
    for (std::size_t c = 0; c < count; ++c) {
      for (std::size_t i = 0; i < n; ++i) host(i, c) = static_cast<S>(host(i, c) * scale);
    }
    return copy_to<Space>(host);
  }

  void solve(Rows& matrix) {
    const auto n = static_cast<std::size_t>(a_.n), count = static_cast<std::size_t>(count_);
    const Columns b = columns(n, count, scale_of_b_), start = columns(n, count, scale_of_guess_);
    if (options_.zero_guess) fill_with_poison(start);
    const Columns x("heddle::test::x", n, count);
    std::vector<unsigned char> bits;
    for (const bool again : {false, true}) {
      Kokkos::deep_copy(x, start);
      with_preconditioner(matrix, [&](auto& m) { run(matrix, b, x, m, again); });
      exec_.fence("heddle::test::solved");
      if (again && bits_of(x) != bits) outcome_.problem = "the same solve leaves other bits";
      bits = bits_of(x);
    }
    for (int v = 0; v < count_; ++v) check(v, b, x);
  }

  /// Calls use(preconditioner).
  template <class Use>
  void with_preconditioner(Rows& matrix, const Use& use) {
    NoPreconditioner none;
    if (how_ == How::plain) return use(none);
    Jacobi jacobi(exec_, a_.matrix());
    if (how_ == How::jacobi) return use(jacobi);
    if (how_ == How::blocks) {
      BlockJacobiPreconditioner<Exec, S> blocks(exec_, a_.matrix(), size_);
      Applied<Exec, S> applied{[&](const auto& exec, const auto& from, const auto& to) {
        blocks.apply(exec, from, to);
      }};
      return use(applied);
    }
    ChebyshevPreconditioner polynomial(exec_, matrix, jacobi, bounds(), size_ - 1);
    Applied<Exec, S> applied{[&](const auto& exec, const auto& from, const auto& to) {
      polynomial.apply(exec, from, to);
    }};
    use(applied);
  }

  /// Solves; `used`: with a solver that has solved with other preconditioners before.
  template <class M>
  void run(Rows& matrix, const Columns& b, const Columns& x, M& m, bool used) {
    const auto before = [&](auto& solver, const auto& of_b) {
      if (!used) return;
      Jacobi jacobi(exec_, a_.matrix());
      const Columns scratch("heddle::test::scratch", x.extent(0), x.extent(1));
      const auto of_x = like(of_b, scratch);
      solver.solve(exec_, matrix, of_b, of_x, jacobi);
      if constexpr (!std::is_same_v<std::decay_t<decltype(solver)>, ChebyshevSolver<Exec, S>>) {
        Applied<Exec, S> applied{[&](const auto& exec, const auto& from, const auto& to) {
          jacobi.apply(exec, from, to);
        }};
        solver.solve(exec_, matrix, of_b, of_x, applied);
      }
      exec_.fence("heddle::test::used");
    };
    const auto only = [&](auto solver) {
      const Column of_b(b.data(), b.extent(0)), of_x(x.data(), x.extent(0));
      before(solver, of_b);
      solver.solve(exec_, matrix, of_b, of_x, m);
      results_.assign(1, solver.results(exec_)[0]);
      if (options_.history) take_history(solver.history(exec_), 0);
    };
    if (method_ == Method::cg) {
      options_.vectors = count_;
      CgSolver<Exec, S> cg(exec_, a_.n, options_);
      if (!options_.scheme) before(cg, b);
      cg.solve(exec_, matrix, b, x, m);
      const auto results = cg.results(exec_);
      results_.assign(results.begin(), results.end());
      if (options_.history) take_history(cg.history(exec_, count_ - 1), results_.size() - 1);
    } else if (method_ == Method::gmres) {
      options_.restart = restart_;
      only(GmresSolver<Exec, S>(exec_, a_.n, options_));
    } else if (method_ == Method::bicgstab) {
      only(BicgstabSolver<Exec, S>(exec_, a_.n, options_));
    } else if constexpr (std::is_same_v<M, Jacobi>) {
      options_.bounds = bounds();
      only(ChebyshevSolver<Exec, S>(exec_, a_.n, options_));
    }
  }
  static const Columns& like(const Columns&, const Columns& x) { return x; }
  static Column like(const Column&, const Columns& x) { return Column(x.data(), x.extent(0)); }

  void take_history(const std::vector<double>& history, std::size_t v) {
    const KrylovResult& result = results_[v];
    if (history.empty() || history.front() != result.first_residual ||
        history.back() != result.residual) {
      outcome_.problem = "the history does not begin and end as the result says";
    }
  }

  /// Bounds of the spectrum of D^-1 A, from Gershgorin circles.
  SpectrumBounds bounds() const {
    const auto row_ptr = to_host(a_.row_ptr), col_idx = to_host(a_.col_idx);
    const auto values = to_host(a_.values);
    double radius = 0;
    for (std::size_t i = 0; i < static_cast<std::size_t>(a_.n); ++i) {
      double diagonal = 0, beside = 0;
      for (auto e = static_cast<std::size_t>(row_ptr(i)); std::cmp_less(e, row_ptr(i + 1)); ++e) {
        if (std::cmp_equal(col_idx(e), i)) {
          diagonal = static_cast<double>(values(e));
        } else {
          beside += std::abs(static_cast<double>(values(e)));
        }
      }
      radius = std::max(radius, beside / diagonal);
    }
    return {1 - std::max(radius, 0.01), 1 + std::max(radius, 0.01)};
  }

  /// The norms of b - A x, of b, and of |A| |x| + |b|, which bounds rounding; all divided by the
  /// scale of b, or of A x if b is zero.
  struct Norms {
    double residual, b, rounding;
  };
  template <class B, class X>
  Norms norms(const B& of_b, const X& of_x) const {
    const auto row_ptr = to_host(a_.row_ptr), col_idx = to_host(a_.col_idx);
    const auto values = to_host(a_.values);
    const auto b = to_host(of_b);
    const auto x = to_host(of_x);
    long double residual = 0, right = 0, rounding = 0;
    for (std::size_t i = 0; i < b.extent(0); ++i) {
      long double sum = static_cast<long double>(b(i)), size = std::abs(sum);
      right += sum * sum;
      for (auto e = static_cast<std::size_t>(row_ptr(i)); std::cmp_less(e, row_ptr(i + 1)); ++e) {
        const auto j = static_cast<std::size_t>(col_idx(e));
        const long double part =
            static_cast<long double>(values(e)) * static_cast<long double>(x(j));
        sum -= part;
        size += std::abs(part);
      }
      residual += sum * sum;
      rounding += size * size;
    }
    return {static_cast<double>(std::sqrt(residual)), static_cast<double>(std::sqrt(right)),
            static_cast<double>(std::sqrt(rounding))};
  }

  void check(int v, const Columns& b, const Columns& x) {
    ++outcome_.applies;
    const KrylovResult& result = results_[static_cast<std::size_t>(v)];
    const Norms is = norms(Kokkos::subview(b, Kokkos::ALL, v), Kokkos::subview(x, Kokkos::ALL, v));
    const double noise = 20 * epsilon * is.rounding;
    const double tolerance = options_.relative_tolerance.value_or(is_float ? 1e-5 : 1e-8);
    const double target = tolerance * result.reference;
    if (!(std::abs(result.residual - is.residual) <= 0.05 * is.residual + noise)) {
      outcome_.problem = "a residual of " + text(is.residual) + " is said to be " +
                         text(result.residual) + " (rounding " + text(noise) + "), " +
                         name(result.outcome);
    } else if (result.converged()) {
      if (is.residual > 1.05 * target + noise) {
        outcome_.problem = "converged at " + text(is.residual) + " of " + text(target);
      }
    } else if (is.b == 0) {
      outcome_.problem = "b = 0 is not solved";
    } else if (result.outcome == heddle::Outcome::attainable_accuracy) {
      // Without checks a solve from a far guess ends where its recurrence does.
      const double reached = options_.check_every == 0
                                 ? std::max(noise, 100 * epsilon * result.first_residual)
                                 : noise;
      if (is.residual > 100 * reached) {
        outcome_.problem = "gave up at " + text(is.residual) + ", where rounding is " + text(noise);
      }
    } else if (result.outcome != heddle::Outcome::iteration_limit ||
               result.iterations < options_.max_iterations - 1) {
      outcome_.problem = std::string(name(result.outcome)) + " after " +
                         std::to_string(result.iterations) + " at " + text(is.residual) + " of " +
                         text(target);
    }
  }

  Random& random_;
  Exec exec_;
  Method method_;
  How how_;
  int count_ = 1;
  int restart_;  ///< restart length of gmres
  int size_;     ///< block size, or degree + 1 of a polynomial
  double scale_, scale_of_b_, scale_of_guess_;
  Operator a_;
  KrylovOptions options_;
  std::vector<KrylovResult> results_;
  Outcome outcome_;
};

}  // namespace

std::vector<Trial> trials_of_krylov() {
#ifdef HEDDLE_EMULATED
  return {{"krylov", &KrylovTrial<DefaultDevice, double>::run}};
#else
  return {{"krylov", &KrylovTrial<DefaultDevice, double>::run},
          {"krylov float", &KrylovTrial<DefaultDevice, float>::run}};
#endif
}

}  // namespace heddle::test
