// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Eigenpairs of every number, end of the spectrum, B, constraints and guess: what LobpcgSolver
// calls converged is held against residuals by the host's own sums, vectors against X' B X = I and
// the constraints, and a second search against the bits of the first.
#include <heddle/lobpcg.hpp>

#include "../../solvers/krylov/jacobi_definitions.hpp"
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
    const std::int64_t most = std::min<std::int64_t>(a_.n, 8);
    options_.count = static_cast<int>(1 + random.below(once_in(random, 8) ? a_.n % 40 + 1 : most));
    options_.count = static_cast<int>(std::min<std::int64_t>(options_.count, a_.n));
    if (once_in(random, 3)) {
      options_.constraints =
          static_cast<int>(random.below(std::min<std::int64_t>(4, a_.n - options_.count + 1)));
    }
    options_.wanted = once_in(random, 2) ? Wanted::smallest : Wanted::largest;
    const double tolerances[] = {1e-3, 1e-6, 1e-9};
    options_.tolerance = one_of(random, tolerances);
    options_.max_iterations = static_cast<int>(random.below(emulated ? 12 : 200));
    jacobi_ = once_in(random, 2);
    const char* const guesses[] = {"random", "zero", "one"};
    guess_ = static_cast<int>(random.below(3));
    outcome_.what = "threads " + std::to_string(exec_.concurrency()) + ", " + std::to_string(a_.n) +
                    " rows of " + pattern.name + ", " + std::to_string(options_.count) +
                    (options_.wanted == Wanted::smallest ? " smallest" : " largest") +
                    (options_.generalized ? " with B" : "") + ", " +
                    std::to_string(options_.constraints) + " constraints, to " +
                    std::to_string(*options_.tolerance) + " in " +
                    std::to_string(options_.max_iterations) + (jacobi_ ? ", jacobi" : "") +
                    ", guess " + guesses[guess_];
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
      for (std::size_t i = 0; i < x.size(); ++i) {
        if (x.data()[i] != same.data()[i]) outcome_.problem = "other bits on another instance";
      }
    } catch (const std::exception& error) {
      outcome_.problem = error.what();
    }
    return outcome_;
  }

  Columns columns(int count, int kind) {
    const auto n = static_cast<std::size_t>(a_.n), k = static_cast<std::size_t>(count);
    const Columns x("heddle::test::x", n, k);
    if (kind == 1) Kokkos::deep_copy(x, 1.0);
    if (kind != 2) return x;
    const auto host = Kokkos::create_mirror_view(x);
    for (std::size_t i = 0; i < x.size(); ++i) host.data()[i] = random_.scalar<double>();
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

  /// A x of the host's own sums.
  static OnHost product(const Operator& a, const OnHost& x) {
    const auto row_ptr = to_host(a.row_ptr), col_idx = to_host(a.col_idx);
    const auto values = to_host(a.values);
    const OnHost y("heddle::test::y", x.extent(0), x.extent(1));
    for (std::size_t j = 0; j < x.extent(1); ++j) {
      for (std::size_t i = 0; i < x.extent(0); ++i) {
        for (int e = row_ptr(i); e < row_ptr(i + 1); ++e) {
          const auto at = static_cast<std::size_t>(e);
          y(i, j) += values(at) * x(static_cast<std::size_t>(col_idx(at)), j);
        }
      }
    }
    return y;
  }

  void judge(const LobpcgResult& result, const OnHost& x, const OnHost& y) {
    const OnHost ax = product(a_, x), bx = options_.generalized ? product(b_, x) : x;
    const auto dot = [&](const OnHost& of, std::size_t k, const OnHost& with, std::size_t j) {
      double sum = 0;
      for (std::size_t i = 0; i < x.extent(0); ++i) sum += of(i, k) * with(i, j);
      return sum;
    };
    bool all = true;
    for (std::size_t j = 0; j < x.extent(1); ++j) {
      const auto& pair = result.pairs[j];
      double square = 0;
      for (std::size_t i = 0; i < x.extent(0); ++i) {
        const double r = ax(i, j) - pair.value * bx(i, j);
        square += r * r;
      }
      const double residual = std::sqrt(square / dot(x, j, x, j));
      all = all && pair.converged;
      if (pair.converged && !(residual <= 1.01 * *options_.tolerance * result.scale + 1e-13)) {
        outcome_.problem = "a pair called converged has a residual of " + std::to_string(residual);
      }
      if (!(std::abs(residual - pair.residual) <= 1e-2 * residual + 1e-10 * result.scale)) {
        outcome_.problem = "a residual of " + std::to_string(residual) + " is called " +
                           std::to_string(pair.residual);
      }
      for (std::size_t k = 0; k <= j; ++k) {
        if (!(std::abs(dot(x, k, bx, j) - (k == j)) <= 1e-9)) {
          outcome_.problem = "vectors are not orthonormal";
        }
      }
      for (std::size_t k = 0; k < y.extent(1); ++k) {
        if (!(std::abs(dot(y, k, bx, j)) <=
              1e-9 * std::sqrt(dot(y, k, y, k)) * (1 + result.scale))) {
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
  bool jacobi_ = false;
  int guess_ = 0;
  Outcome outcome_;
};

}  // namespace

std::vector<Trial> trials_of_lobpcg() { return {{"lobpcg", &LobpcgTrial<DefaultDevice>::run}}; }

}  // namespace heddle::test
