// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Eigenpairs of every number, end of the spectrum, B, constraints, guess (also a null vector) and
// scale of each. Pairs that LobpcgSolver reports as converged are checked by residuals of the host,
// vectors by X' B X = I and the constraints, and a second search by the bits of the first.
#include <heddle/lobpcg.hpp>

#include "../../solvers/krylov/jacobi_definitions.hpp"
#include "../../solvers/lobpcg/definitions.hpp"
#include "../../testing/vectors_check.hpp"
#include "../support/wrong_pairs.hpp"
#include "draw_system.hpp"

namespace heddle::test {

namespace {

template <class Exec>
class LobpcgTrial {
 public:
  static void run(Random& random, Report& report) { LobpcgTrial(random, report).search_twice(); }

 private:
  using Space = typename Exec::memory_space;
  using Operator = PlainOperator<Exec, double>;
  using Columns = Kokkos::View<double**, Kokkos::LayoutLeft, Space>;
  enum class Guess { random, zero, one };

  LobpcgTrial(Random& random, Report& report)
      : random_(random), report_(report), exec_(draw_instance<Exec>(random, report)) {
    Pattern pattern;
    while (pattern.rows.empty()) pattern = draw_square(random, emulated ? 60 : 400);
    a_ = draw_dominant<Exec>(random, report, pattern, true);
    options_.generalized = once_in(random, 2);
    if (options_.generalized) {
      const bool diagonal = once_in(random, 2);
      b_ = draw_dominant<Exec>(random, report, diagonal ? full_pattern(a_.n, 1, 1) : pattern, true);
    }
    laplacian_ = once_in(random, 4);
    if (laplacian_) make_laplacian(a_, false);
    if (once_in(random, 2)) draw_scales();
    options_.count = up_to(random, std::min<std::int64_t>(a_.n, once_in(random, 8) ? 40 : 8));
    if (once_in(random, 3)) {
      options_.constraints =
          static_cast<int>(random.below(std::min<std::int64_t>(4, a_.n - options_.count + 1)));
    }
    options_.wanted = once_in(random, 2) ? Wanted::smallest : Wanted::largest;
    options_.relative_tolerance = one_of(random, {1e-3, 1e-6, 1e-9});
    if (once_in(random, 4)) options_.relative_to = EigenRelativeTo::value;
    options_.max_iterations = static_cast<int>(random.below(emulated ? 12 : 200));
    jacobi_ = !laplacian_ && once_in(random, 2);  // its diagonal may be zero
    guess_ = one_of(random, {Guess::random, Guess::zero, Guess::one});
    report.says(", ", options_.count, " for wanted ", static_cast<int>(options_.wanted), ", ",
                options_.constraints, " constraints, to ", *options_.relative_tolerance, " in ",
                options_.max_iterations, jacobi_ ? ", jacobi" : "", ", guess ",
                static_cast<int>(guess_), laplacian_ ? ", Laplacian" : "",
                options_.relative_to == EigenRelativeTo::value ? ", by value" : "");
  }

  /// Decimal exponents.
  void draw_scales() {
    const auto power = [](int exponent) { return std::pow(10.0, exponent); };
    const int of_a = one_of(random_, {-165, -30, -12, 12, 30, 150});
    int of_b = one_of(random_, {-160, -26, -3, 0, 26, 150});
    if (std::abs(of_a - of_b) > 290) of_b = of_a;
    const int of_x = one_of(random_, {-300, -160, 0, 160, 300}),
              of_y = one_of(random_, {-300, -160, 0, 160, 300});
    scale_values(a_, power(of_a));
    if (options_.generalized) scale_values(b_, power(of_b));
    scale_of_x_ = power(of_x);
    scale_of_y_ = power(of_y);
    report_.says(", scales ", of_a, ' ', of_b, ' ', of_x, ' ', of_y);
  }

  void search_twice() {
    LobpcgSolver<Exec, double> solver(exec_, a_.n, options_);
    const Columns guess = columns(options_.count), y = columns(options_.constraints);
    if (guess_ != Guess::random) Kokkos::deep_copy(guess, guess_ == Guess::one ? 1.0 : 0.0);
    vectors::scale(exec_, scale_of_x_, guess);
    if (options_.constraints > 0) vectors::scale(exec_, scale_of_y_, y);
    exec_.fence("heddle::test::scaled");
    const auto x = copy_to<Space>(guess), again = copy_to<Space>(guess);
    const LobpcgResult result = search(solver, x, y);
    report_.says(": ", name(result.outcome));
    exec_ = instance_of<Exec>(exec_.concurrency());
    search(solver, again, y);
    report_.take(bits_of(again) == bits_of(x) ? "" : "other bits on another instance");
    if (result.outcome == EigenOutcome::not_a_number ||
        result.outcome == EigenOutcome::indefinite ||
        result.outcome == EigenOutcome::not_symmetric) {
      report_.take("A and B are positive definite");
    } else if (result.outcome != EigenOutcome::rank_deficient) {
      const PairErrors errors(a_, options_.generalized ? &b_ : nullptr, x, result, y);
      report_.take(wrong_pairs(result, errors, *options_.relative_tolerance));
    }
    const bool null_vector = laplacian_ && guess_ == Guess::one && options_.count == 1 &&
                             options_.constraints == 0 && options_.max_iterations > 0 &&
                             options_.wanted == Wanted::smallest &&
                             options_.relative_to == EigenRelativeTo::norm;
    if (null_vector && !(result.converged() && result.iterations <= 1)) {
      report_.take("a null vector as the guess has not converged");
    }
  }

  Columns columns(int count) {
    return copy_to<Space>(random_columns<double>(static_cast<std::size_t>(a_.n),
                                                 static_cast<std::size_t>(count), random_.bits()));
  }

  LobpcgResult search(LobpcgSolver<Exec, double>& solver, const Columns& x, const Columns& y) {
    const auto solve = [&](auto&& m, auto&& b) {
      return options_.constraints > 0 ? solver.solve(exec_, a_, x, m, b, y)
                                      : solver.solve(exec_, a_, x, m, b);
    };
    const auto preconditioned = [&](auto&& m) {
      return options_.generalized ? solve(m, b_) : solve(m, NoMassMatrix());
    };
    return jacobi_ ? preconditioned(JacobiPreconditioner<Exec, double>(exec_, a_.matrix()))
                   : preconditioned(NoPreconditioner());
  }

  Random& random_;
  Report& report_;
  Exec exec_;
  Operator a_, b_;
  LobpcgOptions options_;
  bool jacobi_ = false, laplacian_ = false;
  double scale_of_x_ = 1, scale_of_y_ = 1;
  Guess guess_ = Guess::random;
};

const AddTrial added("lobpcg", &LobpcgTrial<DefaultDevice>::run);

}  // namespace

}  // namespace heddle::test
