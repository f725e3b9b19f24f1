// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// "Converged" is a statement about b - A x, which these tests compute on the host: all methods, in
// every scalar, from far guesses, badly scaled, and at scales where squares overflow and underflow.
#include "../../../solvers/krylov/bicgstab_definitions.hpp"
#include "../../../solvers/krylov/cg_definitions.hpp"
#include "../../../solvers/krylov/chebyshev_definitions.hpp"
#include "../../../solvers/krylov/gmres_definitions.hpp"
#include "../../../solvers/krylov/minres_definitions.hpp"
#include "../../support/krylov_methods.hpp"

namespace heddle::test {

namespace {

constexpr int side = emulated ? 8 : 30;
constexpr SpectrumBounds of_laplacian = {0.01, 2};  ///< with Jacobi

/// Solves by every method, with Jacobi; calls `look` with each result.
template <ExecutionSpace E, Scalar S, class Look>
void by_all(SystemOf<E, S>& system, KrylovOptions options, const Look& look) {
  JacobiPreconditioner<E, S> jacobi(E(), system.a.matrix());
  for (const std::string& method : krylov_methods<E>()) {
    CAPTURE(method);
    options.restart.reset();
    if (is_gmres(method)) options.restart = 20;
    look(solve_by(method, system, options, jacobi));
  }
}

/// tridiag(-1, diagonal, -1) times `scale`.
template <class S>
PlainOperator<Exec, S> tridiagonal(int n, double diagonal, double scale) {
  return band<S>(n, [=](int i, int j) { return (i == j ? diagonal : -1) * scale; });
}

}  // namespace

// The Laplacian for methods of definite matrices, and a flow for those of any.
TEST_CASE_TEMPLATE_DEFINE("every method solves, plain and with Jacobi, in every scalar", T,
                          solves) {
  using S = typename T::Scalar;
  using E = typename T::Exec;
  const bool is_float = std::is_same_v<RealOf<S>, float>;
  const double tolerance = is_float ? 1e-4 : 1e-10;
  int of_launches = 0;
  for (const std::string& method : krylov_methods<E>()) {
    CAPTURE(method);
    // Kokkos' team policies have less scratch than the device.
    const bool fits = !heddle::backends::has_lanes<E> ||
                      heddle::detail::krylov::one_team_scratch_bytes<S>(side * side) <=
                          heddle::backends::describe(E()).scratch_bytes;
    const int of_side = fits ? side : side / 2;
    const bool of_any = is_gmres(method) || method == "bicgstab";
    // Bounds of A, by Gershgorin's circles, and of the same divided by the diagonal.
    const auto shifted = [](int i, int j) {
      using Real = RealOf<S>;
      if (i == j) return S(Real(4.5));
      if constexpr (is_complex<S>) {
        return S(Real(0.6), Real(i < j ? 0.8 : -0.8));
      } else {
        return S(-1);
      }
    };
    auto system = system_of(of_any                  ? flow<E, S>(of_side)
                            : method == "chebyshev" ? grid_operator<E, S>(of_side, shifted)
                                                    : laplacian<E, S>(of_side, 100),
                            {0.5, 8.5});
    fill_with_poison(system.guess);
    KrylovOptions options{.relative_tolerance = tolerance, .zero_guess = true};
    JacobiPreconditioner<E, S> jacobi(E(), system.a.matrix());
    const auto check = [&](auto&... preconditioner) {
      const auto solved = solve_by(method, system, options, preconditioner...);
      CHECK(solved.result.converged());
      CHECK(solved.residual < 2 * tolerance * norm(system.b));
      return solved;
    };
    const auto plain = check();
    if (method == "cg/launches") of_launches = plain.result.iterations;
    if (is_cg(method)) {
      CHECK((plain.products == 0) == in_one_launch(method));
      CHECK(std::abs(plain.result.iterations - of_launches) <= (is_float ? 4 : 2));
    }
    if (is_gmres(method)) {
      options.restart = 5;
      check();
    }
    system.bounds = {0.5 / 4.5, 8.5 / 4.5};
    const auto with_jacobi = check(jacobi);
    if (is_cg(method)) CHECK(with_jacobi.result.iterations < plain.result.iterations);
    if (method == "chebyshev") CHECK(with_jacobi.result.iterations == plain.result.iterations);
  }
}
TEST_CASE_TEMPLATE_APPLY(solves, VectorTypes);

TEST_CASE_TEMPLATE("three right-hand sides in every scalar, with fewer iterations than a restart",
                   S, float, Kokkos::complex<double>) {
  const Exec exec;
  const double tolerance = std::is_same_v<S, float> ? 1e-4 : 1e-10;
  auto system = system_of(laplacian<Exec, S>(side, 100), of_laplacian);
  JacobiPreconditioner<Exec, S> jacobi(exec, system.a.matrix());
  using Columns = Kokkos::View<S**, Kokkos::LayoutLeft, Space>;
  const Columns b("heddle::test::b", system.b.extent(0), 3), x("heddle::test::x", b.extent(0), 3);
  for (int c = 0; c < 3; ++c) {
    Kokkos::deep_copy(Kokkos::subview(b, Kokkos::ALL, c),
                      right_hand_side<S>(system.a.n, static_cast<std::uint64_t>(c) + 1));
  }
  for (const std::string& method : with_several_vectors()) {
    CAPTURE(method);
    for (const int most : {3, 2000}) {
      KrylovOptions of_any{.relative_tolerance = tolerance, .max_iterations = most, .vectors = 3};
      of_any.zero_guess = true;
      if (is_gmres(method)) of_any.restart = 20;
      fill_with_poison(x);
      with_method<S>(
          method, of_laplacian, of_any,
          [&]<class Solver>(std::type_identity<Solver>, const KrylovOptions& options) {
            if constexpr (!std::same_as<Solver, ChebyshevSolver<Exec, S>>) {
              Solver solver(exec, system.a.n, options);
              CHECK(solver.solve(exec, system.a, b, x, jacobi).converged() == (most > 3));
              for (int c = 0; c < 3; ++c) {
                const auto& result = solver.results()[static_cast<std::size_t>(c)];
                Kokkos::deep_copy(system.b, Kokkos::subview(b, Kokkos::ALL, c));
                Kokkos::deep_copy(system.guess, Kokkos::subview(x, Kokkos::ALL, c));
                const double residual = residual_norm(system, system.guess);
                CHECK(close(residual, result.residual, 0.5));
                if (most == 3) CHECK(result.iterations == (method == "bicgstab" ? 2 : 3));
                if (most > 3) CHECK(residual < 2 * tolerance * norm(system.b));
              }
            }
          });
    }
  }
}

TEST_CASE("from a far guess converged means what it says") {
  for (const double far : {1e5, 1e10}) {
    CAPTURE(far);
    System system = system_of(laplacian<Exec, double>(side), of_laplacian, far);
    by_all(system, {.max_iterations = 5000}, [&](const Solved& solved) {
      CHECK(solved.result.converged());
      CHECK(solved.residual <= 1.01e-8 * norm(system.b));
      CHECK(close(solved.result.residual, solved.residual, 0.01));
    });
  }
}

TEST_CASE("what float cannot reach is said, and is what is said") {
  auto system = system_of(laplacian<Exec, float>(side, 100));
  for (const std::string& method : krylov_methods()) {
    if (!is_cg(method)) continue;
    CAPTURE(method);
    for (const int every : {0, 7}) {
      const auto solved =
          solve_by(method, system,
                   {.relative_tolerance = 1e-8, .max_iterations = 1500, .check_every = every});
      CHECK(solved.result.outcome == Outcome::attainable_accuracy);
      CHECK(solved.residual > 1e-8 * norm(system.b));
      CHECK(solved.residual < 1e-4 * norm(system.b));
      // The product of the residual is rounded to float.
      CHECK(close(solved.result.residual, solved.residual, 0.5));
    }
  }
}

TEST_CASE("the default tolerance is one that the scalar reaches") {
  auto system = system_of(laplacian<Exec, float>(side), of_laplacian);
  by_all(system, {.max_iterations = 3000}, [&](const auto& solved) {
    CHECK(solved.result.converged());
    CHECK(solved.residual < 1.1e-5 * norm(system.b));
  });
}

TEST_CASE("a badly scaled system is judged by its own b - A x") {
  // Rows and columns scaled by 1 to 1e6: the recurrence keeps falling when b - A x does not.
  System system =
      system_of(grid_operator<Exec, double>(side,
                                            [](int i, int j) {
                                              const auto weight = [](int k) {
                                                return std::pow(10.0, 6.0 * (k % 7) / 6);
                                              };
                                              return (i == j ? 4.01 : -1.0) * weight(i) * weight(j);
                                            }),
                of_laplacian);
  const double size = norm(system.b);
  by_all(system, {.relative_tolerance = 1e-15, .max_iterations = 20000, .stagnation_window = 20000},
         [&](const Solved& solved) {
           CHECK((!solved.result.converged() || solved.residual < 1.5e-15 * size));
           // Both have the rounding error of a product.
           CHECK(std::abs(solved.result.residual - solved.residual) <=
                 0.5 * (solved.residual + 1e-15 * size));
         });
}

TEST_CASE_TEMPLATE("a right-hand side of any size is like one of size 1", S, float, double) {
  auto system = system_of(tridiagonal<S>(5, 2.5, 1), {0.1, 2});
  const auto of_power = [&](int power) {
    const auto host = Kokkos::create_mirror_view(system.b);
    for (int i = 0; i < 5; ++i) {
      host(static_cast<std::size_t>(i)) = std::ldexp(static_cast<S>(i + 1), power);
    }
    Kokkos::deep_copy(system.b, host);
    std::vector<S> entries;
    by_all(system, {}, [&](const auto& solved) {
      CHECK(solved.result.converged());
      CHECK(solved.result.iterations > 0);
      const auto x = to_host(solved.x);
      for (std::size_t i = 0; i < 5; ++i) entries.push_back(std::ldexp(x(i), -power));
    });
    return entries;
  };
  const auto one = of_power(0);
  // Powers of two: all bits are the same.
  const auto powers = std::is_same_v<S, float> ? std::vector{-110, -73, 73, 120}
                                               : std::vector{-1000, -540, 540, 1000};
  for (const int power : powers) {
    CAPTURE(power);
    CHECK(of_power(power) == one);
  }
}

TEST_CASE_TEMPLATE("a matrix of any size is like one of size 1", S, float, double) {
  const bool is_float = std::is_same_v<S, float>;
  const auto scales =
      is_float ? std::vector{1e-30, 1e-14, 1e14, 1e30} : std::vector{1e-150, 1e-14, 1e14, 1e150};
  for (const double of_matrix : scales) {
    for (const double of_b : {of_matrix, 1.0}) {
      CAPTURE(of_matrix);
      CAPTURE(of_b);
      auto system = system_of(tridiagonal<S>(40, 2.5, of_matrix), {0.1, 2});
      const auto host = to_host(system.b);
      for (std::size_t i = 0; i < 40; ++i) {
        host(i) = static_cast<S>(static_cast<double>(host(i)) * of_b);
      }
      Kokkos::deep_copy(system.b, host);
      by_all(system, {}, [&](const auto& solved) {
        CHECK(solved.result.converged());
        CHECK(solved.residual < (is_float ? 1.2e-5 : 1.1e-8) * norm(system.b));
      });
    }
  }
}

TEST_CASE("a system without a solution diverges, and the best x is left") {
  constexpr int n = 100;
  const auto entry = [](int i, int j) {  // of a path; rows sum to zero
    return i != j ? -1 : i == 0 || i == n - 1 ? 1 : 2;
  };
  System system = system_of(band<double>(n, entry));
  const auto host = Kokkos::create_mirror_view(system.b);
  double mean = 0;
  Random random(3);
  for (std::size_t i = 0; i < n; ++i) mean += host(i) = random.unit() - 0.5;
  for (std::size_t i = 0; i < n; ++i) host(i) += 1e-8 - mean / n;
  Kokkos::deep_copy(system.b, host);
  for (const std::string& method : krylov_methods()) {
    if (!is_cg(method)) continue;
    CAPTURE(method);
    const Solved solved = solve_by(method, system,
                                   {.relative_tolerance = 1e-12,
                                    .max_iterations = 100000,
                                    .check_every = 1,
                                    .stagnation_window = 100000});
    CHECK(!solved.result.converged());
    CHECK(solved.result.iterations < 100000);
    CHECK(solved.residual < 1e-6 * norm(system.b));
    CHECK(close(solved.result.residual, solved.residual, 0.01));
    CHECK(std::abs(to_host(solved.x)(0)) < 1e6);
  }
}

TEST_CASE("residuals that grow beyond the bound end the solve") {
  System system = system_of(laplacian<Exec, double>(side), {0.1, 1.5});
  for (const int every : {0, 3}) {
    CAPTURE(every);
    const Solved solved =
        solve_by("chebyshev", system, {.check_every = every, .divergence_factor = 1e3});
    const Outcome outcome = solved.result.outcome;
    CHECK((outcome == Outcome::diverged || (every == 0 && outcome == Outcome::not_a_number)));
    if (every > 0) CHECK(solved.residual <= solved.first);
  }
}

TEST_CASE("b - A x replaces the residual of the recurrence every so many iterations") {
  System system = system_of(laplacian<Exec, double>(side, 1e4), {0.001, 2}, 1e6);
  JacobiPreconditioner<Exec, double> jacobi(Exec(), system.a.matrix());
  for (const std::string method : {"cg/launches", "bicgstab", "minres", "chebyshev"}) {
    CAPTURE(method);
    for (const int every : {0, 20}) {
      const Solved solved = solve_by(method, system,
                                     {.max_iterations = 4000,
                                      .check_every = 0,
                                      .recompute_every = every,
                                      .stagnation_window = 4000},
                                     jacobi);
      if (every > 0) CHECK(solved.residual <= 1.1e-8 * norm(system.b));  // without checks
      // One product for the guess, and one at the end.
      CHECK(solved.products == 4002 + (every ? 4000 / products_of(method) / every : 0));
    }
  }
}

TEST_CASE("b - A x in place of the recurrence's residual leaves the directions as they are") {
  System system = system_of(laplacian<Exec, double>(side));
  for (const std::string& method : krylov_methods()) {
    if (!is_cg(method) && method != "bicgstab") continue;
    CAPTURE(method);
    const Solved plain = solve_by(method, system, {});
    const Solved every_step = solve_by(method, system, {.recompute_every = 1});
    CHECK(plain.result.converged());
    CHECK(every_step.result.converged());
    CHECK(every_step.result.iterations <= plain.result.iterations + (is_cg(method) ? 1 : 4));
  }
}

TEST_CASE("recomputed residuals do not keep minres from a restart that it needs") {
  if (emulated) return;  // thousands of iterations
  // A condition of 5000: an iteration leaves about 0.97 of the residual.
  constexpr int n = 3000;
  System system = system_of(tridiagonal<double>(n, 2 + 4.0 / 5000, 1));
  // b - A x differs by about 1e-6 |b| from the residual of the recurrence.
  system.guess = right_hand_side<double>(n, 2);
  heddle::vectors::scale(Exec(), 1e10, system.guess);
  for (const int every : {0, 1, 5, 20}) {
    CAPTURE(every);
    const KrylovResult result =
        solve_by("minres", system,
                 {.max_iterations = 8000, .recompute_every = every, .stagnation_window = 500})
            .result;
    CHECK_MESSAGE(result.converged(), name(result.outcome));
    CHECK(result.restarts > 0);
  }
}

TEST_CASE("a residual that rises for half of the rows before it falls has not stagnated") {
  constexpr int n = 1200;
  System system = system_of(tridiagonal<double>(n, 2, 1));
  Kokkos::deep_copy(system.b, 1.0);
  const KrylovResult result = solve_by("cg/launches", system, {.max_iterations = n}).result;
  CHECK_MESSAGE(result.converged(), name(result.outcome));
  CHECK(result.iterations > 500);
}

}  // namespace heddle::test
