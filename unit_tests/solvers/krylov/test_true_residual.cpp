// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// "Converged" is a statement about b - A x, which these tests compute on the host: all solvers,
// from far guesses, in float, badly scaled, and at scales where squares overflow and underflow.
#include <heddle/bicgstab.hpp>
#include <heddle/cg.hpp>
#include <heddle/chebyshev.hpp>
#include <heddle/gmres.hpp>

#include "../../../solvers/krylov/bicgstab_definitions.hpp"
#include "../../../solvers/krylov/cg_definitions.hpp"
#include "../../../solvers/krylov/chebyshev_definitions.hpp"
#include "../../../solvers/krylov/gmres_definitions.hpp"
#include "../../support/krylov.hpp"

namespace heddle::test {

namespace {

constexpr int side = emulated ? 8 : 30;

template <class S>
Kokkos::View<S*, Space> vector(std::int64_t n, S value = S(0)) {
  const Kokkos::View<S*, Space> v("heddle::test::vector", static_cast<std::size_t>(n));
  Kokkos::deep_copy(v, value);
  return v;
}

/// Solves by every solver, with Jacobi, from one guess; calls `look` with x after each.
template <class S, class B, class Guess, class Look>
void by_all(PlainOperator<Exec, S>& a, const B& b, const Guess& guess, const SpectrumBounds& bounds,
            const KrylovOptions& options, const Look& look) {
  const Exec exec;
  JacobiPreconditioner<Exec, S> jacobi(exec, a.matrix());
  const auto solve = [&](const char* by, auto&& solver) {
    const auto x = vector<S>(a.n);
    Kokkos::deep_copy(x, guess);
    const std::string with =
        std::string(by) + ", checked every " + std::to_string(options.check_every);
    CAPTURE(with);
    look(with, solver.solve(exec, a, b, x, jacobi), x);
  };
  solve("cg", CgSolver<Exec, S>(exec, a.n, options));
  solve("gmres", GmresSolver<Exec, S>(exec, a.n, restarted_after(20, options)));
  solve("bicgstab", BicgstabSolver<Exec, S>(exec, a.n, options));
  solve("chebyshev", ChebyshevSolver<Exec, S>(exec, a.n, within(bounds, options)));
}

constexpr SpectrumBounds of_laplacian = {0.01, 2};

/// tridiag(-1, diagonal, -1) times `scale`.
template <class S>
PlainOperator<Exec, S> tridiagonal(int n, double diagonal, double scale) {
  std::vector<int> row_ptr{0}, col_idx;
  std::vector<S> values;
  for (int i = 0; i < n; ++i) {
    for (int j = std::max(0, i - 1); j <= std::min(n - 1, i + 1); ++j) {
      col_idx.push_back(j);
      values.push_back(static_cast<S>((i == j ? diagonal : -1) * scale));
    }
    row_ptr.push_back(static_cast<int>(col_idx.size()));
  }
  return plain_operator<Exec>(row_ptr, col_idx, values);
}

/// The Laplacian of a path; its rows sum to zero.
PlainOperator<Exec, double> neumann_chain(int n) {
  auto a = tridiagonal<double>(n, 2, 1);
  const auto values = to_host(a.values);
  values(0) = values(values.extent(0) - 1) = 1;
  Kokkos::deep_copy(a.values, values);
  return a;
}

}  // namespace

TEST_CASE("from a far guess converged means what it says") {
  for (const double far : {1e5, 1e10}) {
    auto a = laplacian<Exec, double>(side);
    const auto b = right_hand_side<double>(a.n);
    KrylovOptions options;
    options.max_iterations = 5000;
    by_all(a, b, vector<double>(a.n, far), of_laplacian, options,
           [&](const std::string&, const KrylovResult& result, const auto& x) {
             CHECK(result.converged());
             CHECK(relative_residual(a, b, x) <= 1.01e-8);
             CHECK(result.relative_residual() ==
                   doctest::Approx(relative_residual(a, b, x)).epsilon(0.01));
           });
  }
}

TEST_CASE("what float cannot reach is said, and is what is said") {
  auto a = laplacian<Exec, float>(side, 100);
  const auto b = right_hand_side<float>(a.n);
  for (const int every : {0, 7}) {
    KrylovOptions options;
    options.relative_tolerance = 1e-8;
    options.max_iterations = 1500;
    options.check_every = every;
    const Exec exec;
    const auto x = vector<float>(a.n);
    CgSolver<Exec, float> cg(exec, a.n, options);
    cg.solve(exec, a, b, x);
    const KrylovResult result = cg.results(exec)[0];
    CHECK(result.outcome == Outcome::attainable_accuracy);
    const double is = relative_residual(a, b, x);
    CHECK(is > 1e-8);
    CHECK(is < 1e-4);
    // The host's product is rounded to float too.
    CHECK(result.relative_residual() == doctest::Approx(is).epsilon(0.5));
  }
}

TEST_CASE("the default tolerance is one that the scalar reaches") {
  const Exec exec;
  auto a = laplacian<Exec, float>(side);
  const auto b = right_hand_side<float>(a.n);
  KrylovOptions options;
  options.max_iterations = 3000;
  by_all(a, b, vector<float>(a.n), of_laplacian, options,
         [&](const std::string&, const KrylovResult& result, const auto& x) {
           CHECK(result.converged());
           CHECK(relative_residual(a, b, x) < 1.1e-5);
         });
}

TEST_CASE("a badly scaled system is judged by its own b - A x") {
  // Rows and columns scaled by 1 to 1e6: the recurrence keeps falling when b - A x does not.
  auto a = grid_operator<Exec, double>(side, [](int i, int j) {
    const auto weight = [](int k) { return std::pow(10.0, 6.0 * (k % 7) / 6); };
    return (i == j ? 4.01 : -1.0) * weight(i) * weight(j);
  });
  const auto b = right_hand_side<double>(a.n);
  KrylovOptions options;
  options.relative_tolerance = 1e-15;
  options.max_iterations = 20000;
  options.stagnation_window = 20000;
  by_all(a, b, vector<double>(a.n), of_laplacian, options,
         [&](const std::string&, const KrylovResult& result, const auto& x) {
           const double is = relative_residual(a, b, x);
           CHECK((!result.converged() || is < 1.5e-15));
           // Both have the rounding error of a product.
           CHECK(result.relative_residual() == doctest::Approx(is).epsilon(0.5).scale(1e-15));
         });
}

TEST_CASE_TEMPLATE("a right-hand side of any size is like one of size 1", S, float, double) {
  const bool is_float = std::is_same_v<S, float>;
  auto a = tridiagonal<S>(5, 2.5, 1);
  KrylovOptions options;
  const auto of_scale = [&](double scale) {
    const auto b = vector<S>(5);
    const auto host = Kokkos::create_mirror_view(b);
    for (int i = 0; i < 5; ++i) host(static_cast<std::size_t>(i)) = static_cast<S>((i + 1) * scale);
    Kokkos::deep_copy(b, host);
    std::vector<std::vector<S>> solutions;
    by_all(a, b, vector<S>(5), {0.1, 2}, options,
           [&](const std::string&, const KrylovResult& result, const auto& x) {
             CHECK(result.converged());
             CHECK(result.iterations > 0);
             const auto of = to_host(x);
             std::vector<S> entries;
             for (std::size_t i = 0; i < 5; ++i) {
               entries.push_back(static_cast<S>(static_cast<double>(of(i)) / scale));
             }
             solutions.push_back(entries);
           });
    return solutions;
  };
  const auto one = of_scale(1);
  // Powers of two: all bits are the same.
  const std::vector<int> powers =
      is_float ? std::vector<int>{-110, -73, 73, 120} : std::vector<int>{-1000, -540, 540, 1000};
  for (const int power : powers) {
    CAPTURE(power);
    CHECK(of_scale(std::ldexp(1.0, power)) == one);
  }
}

TEST_CASE_TEMPLATE("a matrix of any size is like one of size 1", S, float, double) {
  const bool is_float = std::is_same_v<S, float>;
  const std::vector<double> scales = is_float ? std::vector<double>{1e-30, 1e-14, 1e14, 1e30}
                                              : std::vector<double>{1e-150, 1e-14, 1e14, 1e150};
  for (const double of_matrix : scales) {
    for (const double of_b : {of_matrix, 1.0}) {
      CAPTURE(of_matrix);
      CAPTURE(of_b);
      auto a = tridiagonal<S>(40, 2.5, of_matrix);
      const auto b = right_hand_side<S>(40);
      const auto scaled = vector<S>(40);
      const auto from = to_host(b);
      const auto host = Kokkos::create_mirror_view(scaled);
      for (std::size_t i = 0; i < 40; ++i) {
        host(i) = static_cast<S>(static_cast<double>(from(i)) * of_b);
      }
      Kokkos::deep_copy(scaled, host);
      KrylovOptions options;
      by_all(a, scaled, vector<S>(40), {0.1, 2}, options,
             [&](const std::string&, const KrylovResult& result, const auto& x) {
               CHECK(result.converged());
               const auto of_x = to_host(x);
               double residual = 0, size = 0;  // relative to of_b
               for (int i = 0; i < 40; ++i) {
                 const auto at = [&](int j) {
                   return j < 0 || j >= 40
                              ? 0.0
                              : static_cast<double>(of_x(static_cast<std::size_t>(j))) *
                                    (of_matrix / of_b);
                 };
                 const double right = static_cast<double>(from(static_cast<std::size_t>(i)));
                 residual += std::pow(right - (2.5 * at(i) - at(i - 1) - at(i + 1)), 2);
                 size += right * right;
               }
               CHECK(std::sqrt(residual / size) < (is_float ? 1.2e-5 : 1.1e-8));
             });
    }
  }
}

TEST_CASE("b = 0 is solved by x = 0 at once, whatever the guess") {
  const double not_a_number = std::numeric_limits<double>::quiet_NaN();
  for (const double guess : {0.0, 1.0, 1e200, not_a_number}) {
    for (const int every : {0, 10}) {
      auto a = laplacian<Exec, double>(side);
      const auto b = vector<double>(a.n);
      KrylovOptions options;
      options.check_every = every;
      by_all(a, b, vector<double>(a.n, guess), of_laplacian, options,
             [&](const std::string&, const KrylovResult& result, const auto& x) {
               if (every > 0) {
                 CHECK(result.converged());
                 CHECK(result.iterations == 0);
                 CHECK(result.residual == 0);
               }
               const auto solution = to_host(x);
               bool zero = true;
               for (std::size_t i = 0; i < solution.extent(0); ++i) zero &= solution(i) == 0;
               CHECK(zero);
             });
    }
  }
}

TEST_CASE("a system without a solution diverges, and the best x is left") {
  const Exec exec;
  auto a = neumann_chain(100);
  const auto b = vector<double>(100);
  const auto host = Kokkos::create_mirror_view(b);
  double mean = 0;
  Random random(3);
  for (std::size_t i = 0; i < 100; ++i) mean += host(i) = random.unit() - 0.5;
  for (std::size_t i = 0; i < 100; ++i) host(i) += 1e-8 - mean / 100;
  Kokkos::deep_copy(b, host);
  for (const char* scheme : {"cg/launches", "cg/one-team"}) {
    CAPTURE(scheme);
    KrylovOptions options;
    options.relative_tolerance = 1e-12;
    options.max_iterations = 100000;
    options.stagnation_window = 100000;
    options.check_every = 1;
    options.scheme = Scheme(scheme);
    const auto x = vector<double>(100);
    CgSolver<Exec, double> cg(exec, 100, options);
    auto rows = with_rows(a, a.matrix());
    const KrylovResult result = cg.solve(exec, rows, b, x);
    CHECK(!result.converged());
    CHECK(result.iterations < 100000);
    CHECK(relative_residual(a, b, x) < 1e-6);
    CHECK(result.relative_residual() == doctest::Approx(relative_residual(a, b, x)).epsilon(0.01));
    CHECK(std::abs(to_host(x)(0)) < 1e6);
  }
}

TEST_CASE("residuals that grow beyond the bound end the solve") {
  const Exec exec;
  auto a = laplacian<Exec, double>(side);
  const auto b = right_hand_side<double>(a.n);
  for (const int every : {0, 3}) {
    KrylovOptions options;
    options.check_every = every;
    options.divergence_factor = 1e3;
    ChebyshevSolver<Exec, double> chebyshev(exec, a.n, within({0.1, 1.5}, options));
    const auto x = vector<double>(a.n);
    chebyshev.solve(exec, a, b, x);
    const KrylovResult result = chebyshev.results(exec)[0];
    CHECK((result.outcome == Outcome::diverged || result.outcome == Outcome::not_a_number));
    if (every > 0) {
      CHECK(result.outcome == Outcome::diverged);
      CHECK(result.residual <= result.first_residual);
      CHECK(relative_residual(a, b, x) ==
            doctest::Approx(result.relative_residual()).epsilon(1e-6));
    }
  }
}

TEST_CASE("b - A x replaces the residual of the recurrence every so many iterations") {
  const Exec exec;
  auto a = laplacian<Exec, double>(side, 1e4);
  const auto b = right_hand_side<double>(a.n);
  KrylovOptions options;
  options.max_iterations = 4000;
  options.check_every = 0;
  options.stagnation_window = 4000;
  for (const int every : {0, 20}) {
    options.recompute_every = every;
    const auto products = [&](auto&& solver) {
      const auto x = vector<double>(a.n, 1e6);
      JacobiPreconditioner<Exec, double> jacobi(exec, a.matrix());
      a.applies = 0;
      solver.solve(exec, a, b, x, jacobi);
      if (every > 0) {
        // Without checks it still converged.
        CHECK(relative_residual(a, b, x) <= 1.1e-8);
      }
      return a.applies;
    };
    // One product for the guess, and one at the end.
    CHECK(products(CgSolver<Exec, double>(exec, a.n, options)) ==
          4002 + (every ? 4000 / every : 0));
    CHECK(products(BicgstabSolver<Exec, double>(exec, a.n, options)) ==
          4002 + (every ? 2000 / every : 0));
    CHECK(products(ChebyshevSolver<Exec, double>(exec, a.n, within({0.001, 2}, options))) ==
          4002 + (every ? 4000 / every : 0));
  }
}

TEST_CASE("b - A x in place of the recurrence's residual leaves the directions as they are") {
  const Exec exec;
  auto a = laplacian<Exec, double>(side);
  const auto b = right_hand_side<double>(a.n);
  const auto iterations = [&](auto solver) {
    const auto x = vector<double>(a.n, 0);
    const KrylovResult result = solver.solve(exec, a, b, x);
    CHECK(result.converged());
    return result.iterations;
  };
  const KrylovOptions options, every_step{.recompute_every = 1};
  const int cg = iterations(CgSolver<Exec, double>(exec, a.n, options));
  CHECK(iterations(CgSolver<Exec, double>(exec, a.n, every_step)) <= cg + 1);
  const int bicgstab = iterations(BicgstabSolver<Exec, double>(exec, a.n, options));
  CHECK(iterations(BicgstabSolver<Exec, double>(exec, a.n, every_step)) <= bicgstab + 4);
}

TEST_CASE("a residual that rises for half of the rows before it falls has not stagnated") {
  const Exec exec;
  constexpr int n = 1200;
  auto a = tridiagonal<double>(n, 2, 1);
  const auto b = vector<double>(n), x = vector<double>(n);
  Kokkos::deep_copy(b, 1.0);
  CgSolver<Exec, double> cg(exec, n, {.max_iterations = n});
  const KrylovResult result = cg.solve(exec, a, b, x);
  CHECK_MESSAGE(result.converged(), name(result.outcome));
  CHECK(result.iterations > 500);
}

}  // namespace heddle::test
