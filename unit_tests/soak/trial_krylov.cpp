// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Krylov methods with every preconditioner that knows nothing of triangles: what they say of their
// residuals is held against residuals computed on the host, and a second solve against the first.
#include <heddle/bicgstab.hpp>
#include <heddle/cg.hpp>
#include <heddle/chebyshev.hpp>
#include <heddle/gmres.hpp>

#include "../../solvers/krylov/block_jacobi.hpp"
#include "../../solvers/krylov/polynomial.hpp"
#include "../support/shared_formats.hpp"
#include "../support/vectors_check.hpp"
#include "draw_system.hpp"
#include "trial.hpp"

namespace heddle::test {

namespace {

/// A preconditioner of which a solver knows no more than that it can be applied.
template <class Exec>
struct Applied {
  using B = ConstSolverVector<Exec, double>;
  using X = SolverVector<Exec, double>;
  std::function<void(const Exec&, const B&, const X&)> to;

  void apply(const Exec& exec, const B& b, const X& x) const { to(exec, b, x); }
};

template <class Exec>
class KrylovTrial {
 public:
  static Outcome run(Random& random) { return KrylovTrial(random).follow(); }

 private:
  using Space = typename Exec::memory_space;
  using Operator = PlainOperator<Exec, double>;
  using Matrix = typename Operator::Matrix;
  using Plan = SpmvPlan<Exec, Matrix, double, double, Formats<Shared<CsrFormat>>>;
  using Rows = OperatorWithRows<Plan, Matrix>;
  using Jacobi = JacobiPreconditioner<Exec, double>;
  using Columns = Kokkos::View<double**, Kokkos::LayoutLeft, Space>;
  using Column = Kokkos::View<double*, Space, Kokkos::MemoryUnmanaged>;
  enum class Method { cg, chebyshev, gmres, bicgstab };
  enum class How { plain, jacobi, blocks, polynomial };

  explicit KrylovTrial(Random& random) : random_(random), exec_(draw_instance<Exec>(random)) {
    const Pattern pattern = draw_square(random, emulated ? 200 : 1500);
    const Method methods[] = {Method::cg, Method::chebyshev, Method::gmres, Method::bicgstab};
    method_ = one_of(random, methods);
    const bool symmetric = method_ == Method::cg || method_ == Method::chebyshev;
    a_ = draw_dominant<Exec>(random, pattern, symmetric);
    const How kinds[] = {How::plain, How::jacobi, How::blocks, How::polynomial};
    how_ = kinds[random.below(symmetric ? 4 : 3)];
    if (method_ == Method::chebyshev) how_ = How::jacobi;  // whose spectrum is bounded
    if (method_ == Method::cg && once_in(random, 2)) count_ = 1 + static_cast<int>(random.below(4));
    restart_ = static_cast<int>(1 + random.below(30));
    size_ = static_cast<int>(1 + random.below(6));
    draw_options();
    const char* const names[] = {"cg", "chebyshev", "gmres", "bicgstab"};
    const char* const with[] = {"alone", "with jacobi", "with blocks", "with a polynomial"};
    outcome_.what = "threads " + std::to_string(exec_.concurrency()) + ", " + std::to_string(a_.n) +
                    " rows of " + pattern.name + ", " + names[static_cast<int>(method_)] + " " +
                    with[static_cast<int>(how_)] + ", " + std::to_string(count_) +
                    " right-hand sides, restart " + std::to_string(restart_) + ", looks every " +
                    std::to_string(options_.check_every) +
                    (options_.zero_guess ? ", from zero" : "") +
                    (options_.recompute_every ? ", recomputed" : "") +
                    (options_.scheme ? ", " + options_.scheme->to_string() : "");
  }

  void draw_options() {
    options_.relative_tolerance = once_in(random_, 2) ? 1e-5 : 1e-9;
    const int looks[] = {0, 1, 7, 10};
    options_.check_every = one_of(random_, looks);
    options_.max_iterations = emulated ? 60 : 300;
    options_.zero_guess = once_in(random_, 2);
    if (once_in(random_, 4)) options_.recompute_every = 5;
    if (once_in(random_, 4)) options_.relative_to = RelativeTo::first_residual;
    const bool one_launch = method_ == Method::cg && count_ == 1 &&
                            (how_ == How::plain || how_ == How::jacobi) && once_in(random_, 2);
    const char* const schemes[] = {"cg/launches", "cg/one-team", "cg/all-teams"};
    const int there = backends::has_cooperative<Exec> ? 3 : 2;
    if (one_launch) options_.scheme = Scheme::parse(schemes[random_.below(there)]);
  }

  Outcome follow() {
    try {
      Plan plan(exec_, a_.matrix());
      Rows matrix = with_rows(plan, a_.matrix());
      solve(matrix);
    } catch (const std::exception& error) {
      outcome_.problem = error.what();
    }
    return outcome_;
  }

  void solve(Rows& matrix) {
    const auto n = static_cast<std::size_t>(a_.n), count = static_cast<std::size_t>(count_);
    const Columns b =
        copy_to<Space>(random_columns<double, Kokkos::LayoutLeft>(n, count, random_.bits()));
    const Columns start =
        copy_to<Space>(random_columns<double, Kokkos::LayoutLeft>(n, count, random_.bits()));
    if (options_.zero_guess) fill_with_poison(start);
    const Columns x("heddle::test::x", n, count);
    std::vector<unsigned char> bits;
    for (const bool again : {false, true}) {
      Kokkos::deep_copy(x, start);
      with_preconditioner(matrix, [&](auto& m) { run(matrix, b, x, m); });
      exec_.fence("heddle::test::solved");
      if (again && bits_of(x) != bits) outcome_.problem = "the same solve leaves other bits";
      bits = bits_of(x);
    }
    for (int v = 0; v < count_; ++v) check(v, b, x);
  }

  /// use(the preconditioner).
  template <class Use>
  void with_preconditioner(Rows& matrix, const Use& use) {
    NoPreconditioner none;
    if (how_ == How::plain) return use(none);
    Jacobi jacobi(exec_, a_.matrix());
    if (how_ == How::jacobi) return use(jacobi);
    if (how_ == How::blocks) {
      BlockJacobiPreconditioner<Exec, double> blocks(exec_, a_.matrix(), size_);
      Applied<Exec> applied{[&](const auto& exec, const auto& from, const auto& to) {
        blocks.apply(exec, from, to);
      }};
      return use(applied);
    }
    ChebyshevPreconditioner polynomial(exec_, matrix, jacobi, bounds(), size_ - 1);
    Applied<Exec> applied{[&](const auto& exec, const auto& from, const auto& to) {
      polynomial.apply(exec, from, to);
    }};
    use(applied);
  }

  template <class M>
  void run(Rows& matrix, const Columns& b, const Columns& x, M& m) {
    const auto only = [&](auto solver) {
      const Column of_b(b.data(), b.extent(0)), of_x(x.data(), x.extent(0));
      solver.solve(exec_, matrix, of_b, of_x, m);
      results_.assign(1, solver.result(exec_));
    };
    if (method_ == Method::cg) {
      CgSolver<Exec, double> cg(exec_, a_.n, options_, count_);
      cg.solve(exec_, matrix, b, x, m);
      const auto results = cg.results(exec_);
      results_.assign(results.begin(), results.end());
    } else if (method_ == Method::gmres) {
      only(GmresSolver<Exec, double>(exec_, a_.n, restart_, options_));
    } else if (method_ == Method::bicgstab) {
      only(BicgstabSolver<Exec, double>(exec_, a_.n, options_));
    } else if constexpr (std::is_same_v<M, Jacobi>) {
      only(ChebyshevSolver<Exec, double>(exec_, a_.n, bounds(), options_));
    }
  }

  /// Of D^-1 A, by Gershgorin's circles.
  SpectrumBounds bounds() const {
    const auto row_ptr = to_host(a_.row_ptr), col_idx = to_host(a_.col_idx);
    const auto values = to_host(a_.values);
    double radius = 0;
    for (std::size_t i = 0; i < static_cast<std::size_t>(a_.n); ++i) {
      double diagonal = 0, beside = 0;
      for (auto e = static_cast<std::size_t>(row_ptr(i)); std::cmp_less(e, row_ptr(i + 1)); ++e) {
        if (std::cmp_equal(col_idx(e), i)) {
          diagonal = values(e);
        } else {
          beside += std::abs(values(e));
        }
      }
      radius = std::max(radius, beside / diagonal);
    }
    return {1 - std::max(radius, 0.01), 1 + std::max(radius, 0.01)};
  }

  void check(int v, const Columns& b, const Columns& x) {
    ++outcome_.applies;
    const KrylovResult& result = results_[static_cast<std::size_t>(v)];
    const auto of_b = Kokkos::subview(b, Kokkos::ALL, v), of_x = Kokkos::subview(x, Kokkos::ALL, v);
    const auto host_b = to_host(of_b);
    double size = 0;
    for (std::size_t i = 0; i < host_b.extent(0); ++i) size += host_b(i) * host_b(i);
    const double is = size > 0 ? relative_residual(a_, of_b, of_x) * std::sqrt(size) : 0;
    const bool used_up =
        result.outcome == heddle::Outcome::running && result.iterations == options_.max_iterations;
    const bool met = result.residual <= options_.relative_tolerance * result.reference;
    if (!used_up && !result.converged()) {
      outcome_.problem = name(result.outcome);
    } else if (result.converged() != met) {
      outcome_.problem = "the tolerance is met or not, and the result says otherwise";
    } else if (!(std::abs(result.residual - is) <= 0.05 * is + 1e-11 * std::sqrt(size))) {
      outcome_.problem = "a residual of " + std::to_string(is) + " is said to be " +
                         std::to_string(result.residual);
    }
  }

  Random& random_;
  Exec exec_;
  Method method_;
  How how_;
  int count_ = 1;
  int restart_;  ///< of gmres
  int size_;     ///< of blocks, and of a polynomial with its constant
  Operator a_;
  KrylovOptions options_;
  std::vector<KrylovResult> results_;
  Outcome outcome_;
};

}  // namespace

std::vector<Trial> trials_of_krylov() { return {{"krylov", &KrylovTrial<DefaultDevice>::run}}; }

}  // namespace heddle::test
