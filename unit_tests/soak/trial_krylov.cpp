// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Krylov methods with every preconditioner but triangular ones, at scales where squares overflow,
// from far guesses, and for b = 0. Their norms of b - A x are compared with those of the host, and
// a second solve, by a solver that had another preconditioner before, with the first one.
#include <heddle/bicgstab.hpp>
#include <heddle/cg.hpp>
#include <heddle/chebyshev.hpp>
#include <heddle/gmres.hpp>
#include <heddle/minres.hpp>

#include "../../solvers/krylov/bicgstab_definitions.hpp"
#include "../../solvers/krylov/cg_definitions.hpp"
#include "../../solvers/krylov/chebyshev_definitions.hpp"
#include "../../solvers/krylov/gmres_definitions.hpp"
#include "../../solvers/krylov/jacobi_definitions.hpp"
#include "../../solvers/krylov/minres_definitions.hpp"
#include "../../solvers/krylov/polynomial.hpp"
#include "../../testing/vectors_check.hpp"
#include "../support/shared_formats.hpp"
#include "../support/wrong_solve.hpp"
#include "draw_system.hpp"

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

template <class Exec, class S, class M>
Applied<Exec, S> by_apply(M& m) {
  return {[&m](const Exec& exec, const auto& b, const auto& x) { m.apply(exec, b, x); }};
}

/// Powers of ten by which A, b and the guess are multiplied. Products and the solution stay finite.
struct Scales {
  double a, b, guess;

  Scales(Random& random, bool is_float) {
    const int most = is_float ? 30 : 150;
    const auto power = [&](int low, int high) { return low - 1 + up_to(random, high - low + 1); };
    const int of_a = once_in(random, 2) ? power(-most, most) : 0;
    const int of_b = once_in(random, 2)
                         ? power(std::max(-most, of_a - most), std::min(most, of_a + most))
                         : of_a;
    const int far = !once_in(random, 4) ? 0 : is_float ? power(-5, 5) : power(-5, 10);
    const int of_x = std::clamp(of_b - of_a + far, -most, most);
    a = std::pow(10.0, of_a);
    b = once_in(random, 12) ? 0 : std::pow(10.0, of_b);
    guess = std::pow(10.0, std::min(of_x, most - of_a));
  }
};

template <class Exec, class S>
class KrylovTrial {
 public:
  static void run(Random& random, Report& report) {
    KrylovTrial trial(random, report);
    if constexpr (is_float) {
      trial.solve_twice(with_rows(trial.a_, trial.a_.matrix()));
    } else {
      Plan plan(trial.exec_, trial.a_.matrix());
      trial.solve_twice(with_rows(plan, trial.a_.matrix()));
    }
  }

 private:
  using Space = typename Exec::memory_space;
  using Operator = PlainOperator<Exec, S>;
  using Matrix = typename Operator::Matrix;
  using Plan = SpmvPlan<Exec, Matrix, S, S, Formats<Shared<CsrFormat>>>;
  static constexpr bool is_float = std::is_same_v<S, float>;  // no program shares its plans
  using Jacobi = JacobiPreconditioner<Exec, S>;
  using Columns = Kokkos::View<S**, Kokkos::LayoutLeft, Space>;
  using Column = Kokkos::View<S*, Space, Kokkos::MemoryUnmanaged>;

  KrylovTrial(Random& random, Report& report)
      : random_(random),
        report_(report),
        exec_(draw_instance<Exec>(random, report)),
        method_(one_of<std::string>(random, {"cg", "chebyshev", "gmres", "bicgstab", "minres"})),
        scales_(random, is_float) {
    const bool symmetric = method_ != "gmres" && method_ != "bicgstab";
    const Pattern pattern = draw_square(random, emulated ? 200 : 1500);
    a_ = times<S>(draw_dominant<Exec>(random, report, pattern, symmetric), scales_.a);
    how_ = one_of<std::string>(random, {"alone", "jacobi", "blocks", "polynomial"});
    if (how_ == "polynomial" && !symmetric) how_ = "jacobi";
    if (method_ == "chebyshev") how_ = "jacobi";  // its spectrum is bounded
    if (method_ != "chebyshev" && once_in(random, 2)) options_.vectors = up_to(random, 4);
    const bool may_be_flexible = method_ == "cg" || method_ == "gmres";
    options_.flexible = may_be_flexible && once_in(random, 4);
    if (method_ == "gmres") options_.restart = up_to(random, 30);
    if (method_ == "gmres" && !is_float && once_in(random, 3)) {
      options_.basis = KrylovBasis::in_float;
    }
    if (method_ == "chebyshev") options_.bounds = bounds();
    size_ = up_to(random, 6);
    if (!once_in(random, 3)) {
      options_.relative_tolerance = is_float ? 1e-4 : once_in(random, 2) ? 1e-5 : 1e-9;
    }
    options_.check_every = one_of(random, {0, 1, 7, 10});
    options_.max_iterations = emulated ? 60 : 300;
    options_.zero_guess = once_in(random, 2);
    if (once_in(random, 4) && method_ != "gmres") options_.recompute_every = 5;
    if (once_in(random, 4)) options_.relative_to = RelativeTo::first_residual;
    options_.history = once_in(random, 4);
    const bool one_launch = method_ == "cg" && options_.vectors == 1 && !options_.flexible &&
                            (how_ == "alone" || how_ == "jacobi") && once_in(random, 2);
    if (one_launch) options_.scheme = Scheme(once_in(random, 2) ? "cg/launches" : "cg/one-team");
    report.says("; A of ", scales_.a, ", b of ", scales_.b, ", a guess of ", scales_.guess, ", ",
                method_, " with ", how_, ", ", options_.vectors, " right-hand sides, restart ",
                options_.restart.value_or(30), ", checks every ", options_.check_every,
                options_.zero_guess ? ", from zero" : "",
                options_.recompute_every ? ", recomputed" : "",
                options_.flexible ? ", flexible" : "",
                options_.basis == KrylovBasis::in_float ? ", its basis in float" : "",
                one_launch ? ", " + options_.scheme->to_string() : "");
  }

  /// Bounds of the spectrum of D^-1 A, from Gershgorin circles.
  SpectrumBounds bounds() const {
    const auto beside = row_sums(a_, false);
    double radius = 0.01;
    each_entry(a_, [&](S value, std::size_t i, std::size_t j) {
      if (i == j) radius = std::max(radius, beside[i] / static_cast<double>(value));
    });
    return {1 - radius, 1 + radius};
  }

  Columns columns(double scale) {
    const auto host = random_columns<S, Kokkos::LayoutLeft>(
        static_cast<std::size_t>(a_.n), static_cast<std::size_t>(options_.vectors), random_.bits());
    for (std::size_t i = 0; i < host.size(); ++i) {
      host.data()[i] = static_cast<S>(host.data()[i] * scale);
    }
    return copy_to<Space>(host);
  }

  template <class Rows>
  void solve_twice(Rows matrix) {
    const Columns b = columns(scales_.b), start = columns(scales_.guess);
    if (options_.zero_guess) fill_with_poison(start);
    const auto x = copy_to<Space>(start);
    std::vector<unsigned char> bits;
    for (const bool again : {false, true}) {
      Kokkos::deep_copy(x, start);
      with_preconditioner(matrix, [&](auto& m) { solve_by_method(matrix, b, x, m, again); });
      exec_.fence("heddle::test::solved");
      if (again) report_.take(bits_of(x) == bits ? "" : "the same solve leaves other bits");
      bits = bits_of(x);
    }
    for (std::size_t v = 0; v < results_.size(); ++v) {
      report_.take(wrong_result(results_[v], Kokkos::subview(b, Kokkos::ALL, v),
                                Kokkos::subview(x, Kokkos::ALL, v)));
    }
  }

  /// Calls use(preconditioner).
  template <class Rows, class Use>
  void with_preconditioner(Rows& matrix, const Use& use) {
    NoPreconditioner none;
    if (how_ == "alone") return use(none);
    Jacobi jacobi(exec_, a_.matrix());
    if (how_ == "jacobi") return use(jacobi);
    if (how_ == "blocks") {
      BlockJacobiPreconditioner<Exec, S> blocks(exec_, a_.matrix(), size_);
      auto applied = by_apply<Exec, S>(blocks);
      return use(applied);
    }
    ChebyshevPreconditioner polynomial(exec_, matrix, jacobi, bounds(), size_ - 1);
    auto applied = by_apply<Exec, S>(polynomial);
    use(applied);
  }

  template <class Rows, class M>
  void solve_by_method(Rows& matrix, const Columns& b, const Columns& x, M& m, bool used) {
    const Column of_b(b.data(), b.extent(0)), of_x(x.data(), x.extent(0));
    if (method_ == "cg") {
      solve(CgSolver<Exec, S>(exec_, a_.n, options_), matrix, b, x, m, used && !options_.scheme);
    } else if (method_ == "minres") {
      solve(MinresSolver<Exec, S>(exec_, a_.n, options_), matrix, b, x, m, used);
    } else if (method_ == "gmres") {
      solve(GmresSolver<Exec, S>(exec_, a_.n, options_), matrix, b, x, m, used);
    } else if (method_ == "bicgstab") {
      solve(BicgstabSolver<Exec, S>(exec_, a_.n, options_), matrix, b, x, m, used);
    } else if constexpr (std::is_same_v<M, Jacobi>) {
      solve(ChebyshevSolver<Exec, S>(exec_, a_.n, options_), matrix, of_b, of_x, m, used);
    }
  }

  /// Solves; if `used`, by a solver that has solved with other preconditioners before.
  template <class Solver, class Rows, class V, class M>
  void solve(Solver solver, Rows& matrix, const V& b, const V& x, M& m, bool used) {
    if (used) {
      const auto guess = copy_to<Kokkos::HostSpace>(x);
      Jacobi jacobi(exec_, a_.matrix());
      solver.solve(exec_, matrix, b, x, jacobi);
      if constexpr (!std::is_same_v<Solver, ChebyshevSolver<Exec, S>>) {
        auto applied = by_apply<Exec, S>(jacobi);
        solver.solve(exec_, matrix, b, x, applied);
      }
      exec_.fence("heddle::test::used");
      Kokkos::deep_copy(x, guess);
    }
    solver.solve(exec_, matrix, b, x, m);
    const auto results = solver.results(exec_);
    results_.assign(results.begin(), results.end());
    if (!options_.history) return;
    const std::vector<double> history = solver.history(exec_, options_.vectors - 1);
    const KrylovResult& result = results_.back();
    const bool same = !history.empty() && history.front() == result.first_residual &&
                      history.back() == result.residual;
    report_.take(same ? "" : "the history does not begin and end as the result says");
  }

  template <class B, class X>
  std::string wrong_result(const KrylovResult& result, const B& b, const X& x) const {
    constexpr double epsilon = std::numeric_limits<S>::epsilon();
    const ResidualNorms is = residual_norms(a_, b, x);
    const double noise = 20 * epsilon * is.rounding;
    const double target =
        options_.relative_tolerance.value_or(is_float ? 1e-5 : 1e-8) * result.reference;
    const std::string wrong = wrong_report(result, is.residual, target, 0.05, noise);
    if (!wrong.empty() || result.converged()) return wrong;
    if (is.b == 0) return "b = 0 is not solved";
    if (result.outcome == Outcome::attainable_accuracy) {
      // Without checks a solve from a far guess ends where its recurrence does.
      const double reached = options_.check_every == 0
                                 ? std::max(noise, 100 * epsilon * result.first_residual)
                                 : noise;
      if (is.residual <= 100 * reached) return "";
      return text("gave up at ", is.residual, ", where rounding is ", noise);
    }
    if (result.outcome == Outcome::iteration_limit &&
        result.iterations >= options_.max_iterations - 1) {
      return "";
    }
    return text(name(result.outcome), " after ", result.iterations, " at ", is.residual, " of ",
                target);
  }

  Random& random_;
  Report& report_;
  Exec exec_;
  std::string method_, how_;
  int size_;  ///< block size, or degree + 1 of a polynomial
  Scales scales_;
  Operator a_;
  KrylovOptions options_;
  std::vector<KrylovResult> results_;
};

const AddTrial added("krylov", &KrylovTrial<DefaultDevice, double>::run);
#ifndef HEDDLE_EMULATED
const AddTrial in_float("krylov float", &KrylovTrial<DefaultDevice, float>::run);
#endif

}  // namespace

}  // namespace heddle::test
