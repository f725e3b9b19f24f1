// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// x after solves that end badly: singular systems, NaN or overflow, and the iteration limit. Its
// residual is never larger than that of the guess.
#include "../../../solvers/krylov/gmres_definitions.hpp"  // the compiled part has no float
#include "../../support/krylov_methods.hpp"

namespace heddle::test {

namespace {

constexpr int most = 40;  // iterations, all of which are queued if the host does not check

Kokkos::View<double*, Space> of(const std::vector<double>& entries) {
  return copy_in<Space>(entries);
}

/// A dense system; `values` are row-major.
System dense(const std::vector<double>& values, const std::vector<double>& b,
             const std::vector<double>& guess = {}) {
  const int n = static_cast<int>(b.size());
  std::vector<int> row_ptr{0}, col_idx;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) col_idx.push_back(j);
    row_ptr.push_back((i + 1) * n);
  }
  return {MatrixWithRows(plain_operator<Exec>(row_ptr, col_idx, values)),
          of(b),
          of(guess.empty() ? std::vector<double>(b.size()) : guess),
          {0.5, 4}};
}

System chain(int n, double diagonal = 2.5) {
  std::vector<int> row_ptr{0}, col_idx;
  std::vector<double> values;
  for (int i = 0; i < n; ++i) {
    for (int j = std::max(0, i - 1); j <= std::min(n - 1, i + 1); ++j) {
      col_idx.push_back(j);
      values.push_back(i == j ? diagonal : -1);
    }
    row_ptr.push_back(static_cast<int>(col_idx.size()));
  }
  MatrixWithRows a(plain_operator<Exec>(row_ptr, col_idx, values));
  return {a,
          right_hand_side<double>(n),
          of(std::vector<double>(static_cast<std::size_t>(n))),
          {0.5, 4.5}};
}

bool finite(const Kokkos::View<double*, Space>& v) {
  const auto host = to_host(v);
  for (std::size_t i = 0; i < host.extent(0); ++i) {
    if (!std::isfinite(host(i))) return false;
  }
  return true;
}

/// An operator or preconditioner with a NaN in some of its results.
struct Breaking {
  PlainOperator<Exec, double> of;
  int at;         ///< number of the first result with a NaN; -1: all have one
  int last = at;  ///< number of the last one

  std::int64_t rows() const { return of.rows(); }
  std::int64_t columns() const { return of.columns(); }
  template <class X, class Y>
  void apply(const Exec& exec, const X& x, const Y& y) {
    of.apply(exec, x, y);
    if (at >= 0 && (of.applies < at || of.applies > last)) return;
    exec.fence("heddle::test::product");
    Kokkos::deep_copy(Kokkos::subview(y, std::size_t{0}), std::nan(""));
  }
};

/// Calls use(name, type, options) for each solver.
template <class Use>
void with_every_solver(const Use& use) {
  use("cg", std::type_identity<CgSolver<Exec, double>>(), KrylovOptions());
  use("gmres", std::type_identity<GmresSolver<Exec, double>>(), restarted_after(8));
  use("bicgstab", std::type_identity<BicgstabSolver<Exec, double>>(), KrylovOptions());
  use("chebyshev", std::type_identity<ChebyshevSolver<Exec, double>>(), within({0.5, 4.5}));
}

}  // namespace

TEST_CASE("after a product with NaN x is that of what was good before") {
  const Exec exec;
  System system = chain(emulated ? 60 : 200);
  for (const int every : {0, 10}) {
    CAPTURE(every);
    for (const int at : {2, 5, 13}) {
      CAPTURE(at);
      with_every_solver(
          [&]<class Solver>(const char* name, std::type_identity<Solver>, KrylovOptions options) {
            CAPTURE(std::string(name));
            options.check_every = every;
            options.relative_tolerance = 1e-14;
            options.max_iterations = most;
            Solver solver(exec, system.a.n, options);
            system.a.applies = 0;
            Breaking a{system.a, at};
            const Kokkos::View<double*, Space> x("heddle::test::x", system.b.extent(0));
            solver.solve(exec, a, system.b, x);
            const KrylovResult result = solver.results(exec)[0];
            CHECK(result.outcome == Outcome::not_a_number);
            CHECK(finite(x));
            const double is = residual_norm(system, x);
            CHECK(is <= result.first_residual * (1 + 1e-12));
            CHECK(result.residual == doctest::Approx(is).epsilon(1e-6));
            // All good cycles and iterations but the last count.
            if (at == 13 && every == 10) CHECK(is < 0.9 * result.first_residual);
          });
    }
  }
}

TEST_CASE("a cycle of GMRES without a column that counts leaves x of its start") {
  const Exec exec;
  System system = chain(emulated ? 60 : 200);
  for (const int cycles : {1, 2, 3}) {
    CAPTURE(cycles);
    KrylovOptions options = restarted_after(1);
    options.relative_tolerance = 1e-14;
    options.max_iterations = most;
    GmresSolver<Exec, double> solver(exec, system.a.n, options);
    system.a.applies = 0;
    // A cycle multiplies twice. Its first product is NaN here, and so is the one after it.
    const int first = 2 * cycles + 2;
    Breaking a{system.a, first, first + 1};
    const Kokkos::View<double*, Space> x("heddle::test::x", system.b.extent(0));
    solver.solve(exec, a, system.b, x);
    const KrylovResult result = solver.results(exec)[0];
    CHECK(result.outcome == Outcome::not_a_number);
    const double is = residual_norm(system, x);
    CHECK(is < result.first_residual);
    CHECK(result.residual == doctest::Approx(is).epsilon(1e-6));
  }
}

TEST_CASE("a preconditioner of NaN leaves the guess") {
  const Exec exec;
  System system = dense({2}, {1}, {0.3});
  with_every_solver(
      [&]<class Solver>(const char* name, std::type_identity<Solver>, KrylovOptions options) {
        CAPTURE(std::string(name));
        for (const int every : {0, 10}) {
          options.check_every = every;
          options.max_iterations = most;
          options.restart.reset();
          Solver solver(exec, 1, options);
          Breaking m{system.a, -1};
          const auto x = of({0.3});
          solver.solve(exec, system.a, system.b, x, m);
          const KrylovResult result = solver.results(exec)[0];
          CHECK(result.outcome == Outcome::not_a_number);
          CHECK(to_host(x)(0) == 0.3);
          CHECK(result.residual == doctest::Approx(0.4));
        }
      });
}

TEST_CASE("x that overflows is not left") {
  for (const std::string& method : krylov_methods()) {
    CAPTURE(method);
    for (const int every : {0, 10}) {
      System system = dense({1e-150}, {1e200}, {7});
      system.bounds = {1e-150, 1e-150};
      const Solved solved =
          solve_by(method, system, {.max_iterations = most, .check_every = every});
      CHECK(solved.result.outcome == Outcome::not_a_number);
      CHECK(to_host(solved.x)(0) == 7);
      CHECK(solved.result.residual == doctest::Approx(1e200));
    }
  }
}

TEST_CASE("of singular systems no x is left that is worse than the guess") {
  const std::vector<System> known = {dense({-3, -3, 1, 1}, {1, 1}), dense({-3, -2, 0, 0}, {-1, -1}),
                                     dense({-1, -1, 0, 0}, {-2, -2}, {1, 0}),
                                     dense({1, 0, 1, 0, 0, 0, 1, 0, 9}, {0, 3, -1})};
  std::vector<System> systems = known;
  Random random(5);
  const auto small = [&](int most) {
    return static_cast<double>(random.below(2 * most + 1)) - most;
  };
  for (int k = 0; k < (emulated ? 1 : 100); ++k) {
    const double u = small(3), v = small(3), w = small(3), z = small(3);
    systems.push_back(
        dense({u * w, u * z, v * w, v * z}, {small(3) + 0.5, small(3)}, {small(1), small(1)}));
  }
  for (System& system : systems) {
    for (const std::string& method : krylov_methods()) {
      CAPTURE(method);
      for (const int every : {0, 1, 10}) {
        CAPTURE(every);
        const Solved solved =
            solve_by(method, system, {.max_iterations = most, .check_every = every});
        CHECK(finite(solved.x));
        CHECK(solved.residual <= solved.first * (1 + 1e-12) + 1e-14 * norm(solved.x));
        CHECK(solved.result.outcome != Outcome::running);
      }
    }
  }
  // A cycle of GMRES uses the columns that are not rounding errors.
  System first = known.front(), last = known.back();
  CHECK(solve_by("gmres", first, {}).residual <= 1.2650);
  for (const int restart : {1, 2, 3}) {
    CHECK(solve_by("gmres", last, restarted_after(restart)).residual <= 0.9491 * norm(last.b));
  }
}

TEST_CASE("gmres records the iteration that ends it") {
  System system = dense({0, 1, 0, 0}, {1, 1});
  const Solved solved = solve_by("gmres", system, {.history = true});
  CHECK(solved.result.outcome == Outcome::breakdown);
  CHECK(solved.result.iterations == 2);
  CHECK(solved.history.size() == 3);
}

TEST_CASE("at the limit of iterations conjugate gradients leave the last x") {
  const int size = emulated ? 16 : 60;  // a team of a GPU has 7,000 rows
  MatrixWithRows a(
      grid_operator<Exec, double>(size, [](int i, int j) { return i == j ? 4. : -1.; }));
  const auto n = static_cast<std::size_t>(a.n);
  System system{a, of(std::vector<double>(n, 1)), of(std::vector<double>(n))};
  const auto energy = [&](const auto& x) {  // x' A x / 2 - b' x, 0 at the guess
    const auto at = to_host(x);
    const Kokkos::View<double*, Space> product("heddle::test::product", n);
    system.a.apply(Exec(), x, product);
    Exec().fence("heddle::test::product");
    const auto of_x = to_host(product);
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i) sum += at(i) * (of_x(i) / 2 - 1);
    return sum;
  };
  for (const std::string& method : krylov_methods()) {
    if (!method.starts_with("cg/")) continue;
    CAPTURE(method);
    for (const int every : {0, 1, 10, 50}) {
      CAPTURE(every);
      double before = 0;
      for (const int limit : {2, emulated ? 5 : 20}) {
        const Solved solved =
            solve_by(method, system, {.max_iterations = limit, .check_every = every});
        CHECK(solved.result.outcome == Outcome::iteration_limit);
        CHECK(energy(solved.x) < before);
        before = energy(solved.x);
      }
      CHECK(solve_by(method, system, {.max_iterations = 2, .check_every = every}).residual >
            0.1 * norm(system.b));
    }
  }
}

TEST_CASE("conjugate gradients whose residual rises for long have not stagnated") {
  const int n = emulated ? 20 : 60;
  System system = chain(n, 2);
  Kokkos::deep_copy(system.b, 1.0);
  for (const std::string& method : krylov_methods()) {
    if (!method.starts_with("cg/")) continue;
    CAPTURE(method);
    const Solved solved = solve_by(method, system, {.stagnation_window = 3});
    CHECK_MESSAGE(solved.result.converged(), name(solved.result.outcome));
    CHECK(solved.result.iterations >= n / 2);
  }
}

TEST_CASE("a solve that is over is never said to run") {
  const auto never = [](int limit, int recompute) {
    KrylovOptions options{.relative_tolerance = 1e-12, .max_iterations = limit, .check_every = 0};
    options.recompute_every = recompute;
    return options;
  };
  const auto over = [&](const char* method, System system, const KrylovOptions& options) {
    CAPTURE(std::string(method));
    const Solved solved = solve_by(method, system, options);
    CHECK(solved.returned == Outcome::running);  // without a check
    CHECK(solved.result.outcome != Outcome::running);
  };
  over("cg/launches", dense({3e12, -1e7, -1e7, 300}, {1, 1}), never(4, 2));
  over("cg/one-team", dense({3e12, -1e7, -1e7, 300}, {1, 1}), never(4, 2));
  over("bicgstab", dense({3e12, 1e7, -1e7, 300}, {1, 1}), never(8, 2));
  over("gmres", dense({300, 1e6, 0, -1e6, 3e10, -1e6, 0, 1e6, 300}, {1, 1, 1}), never(4, 0));
}

TEST_CASE("a definite system with a far guess is never called indefinite") {
  for (const std::string& method : krylov_methods()) {
    CAPTURE(method);
    for (const double size : {1e-100, 1e-140, 1e-300}) {
      CAPTURE(size);
      if (emulated && size != 1e-140) continue;
      System system = dense({1, 0, 0, 0, 2, 0, 0, 0, 3}, {size, 2 * size, -size}, {1, 1, 1});
      const Solved solved = solve_by(method, system, {.check_every = 10});
      CHECK(solved.result.outcome != Outcome::indefinite);
      CHECK(solved.result.outcome != Outcome::not_a_number);
      CHECK(solved.result.outcome != Outcome::breakdown);
    }
  }
}

TEST_CASE("a preconditioner of any size takes the steps of one of size 1") {
  const Exec exec;
  System system = chain(emulated ? 40 : 100);
  Diagonal plain{JacobiPreconditioner<Exec, double>(exec, system.a.matrix())};
  struct Scaled {
    Diagonal& of;
    double by;
    void apply(const Exec& exec, const ConstSolverVector<Exec, double>& b,
               const SolverVector<Exec, double>& x) {
      of.apply(exec, b, x);
      heddle::vectors::scale(exec, by, x);
    }
  };
  const auto iterations = [&]<class Solver>(std::type_identity<Solver>, double by) {
    Solver solver(exec, system.a.n, {});
    Scaled m{plain, by};
    const Kokkos::View<double*, Space> x("heddle::test::x", system.b.extent(0));
    const KrylovResult result = solver.solve(exec, system.a, system.b, x, m);
    CHECK_MESSAGE(result.converged(), name(result.outcome));
    CHECK(relative_residual(system.a, system.b, x) < 1.1e-8);
    return result.iterations;
  };
  for (const double by : {1e-290, 1e-160, 1e-12, 1e12, 1e155, 1e290}) {
    CAPTURE(by);
    const std::type_identity<CgSolver<Exec, double>> cg;
    CHECK(std::abs(iterations(cg, by) - iterations(cg, 1)) <= 1);
    if (by < 1e-200 || by > 1e200) continue;
    iterations(std::type_identity<GmresSolver<Exec, double>>(), by);
    iterations(std::type_identity<BicgstabSolver<Exec, double>>(), by);
  }
}

TEST_CASE("bicgstab begins anew in place of a breakdown, and counts it") {
  const auto restarts = [](System system) {
    const KrylovResult result = solve_by("bicgstab", system, {}).result;
    CHECK_MESSAGE(result.converged(), name(result.outcome));
    return result.restarts;
  };
  // SciPy's nonsymposdef: rho gets close to zero.
  std::vector<double> values(100), b;
  for (std::size_t i = 0; i < 10; ++i) {
    values[i * 11] = 2;
    if (i > 0) values[i * 11 - 1] = -1;
    b.push_back(static_cast<double>(i));
  }
  restarts(dense(values, b));
  // rho is zero after an iteration; shadow . v is zero; one after the other.
  CHECK(restarts(dense({2, 1, 1, 0, 1, 0, -2, 2, 2}, {2, 2, 0})) == 1);
  CHECK(restarts(dense({2, 2, -2, -2, -1, 0, 1, -2, -1}, {0, 2, 0})) == 1);
  CHECK(restarts(dense({0, 1, -1, 2, 1, 0, -1, 1, -2}, {-1, -1, 0})) == 2);
  // A rotation by 90 degrees: shadow . v is zero in the first iteration.
  System turn = dense({0, 1, -1, 0}, {1, 1});
  CHECK(solve_by("bicgstab", turn, {}).result.outcome == Outcome::breakdown);
}

TEST_CASE("a claim that fails by little is no limit of accuracy") {
  if (emulated) return;  // hundreds of solves
  constexpr int n = 400;
  std::vector<int> row_ptr{0}, col_idx;
  std::vector<float> values;
  for (int i = 0; i < n; ++i) {
    for (int j = std::max(0, i - 1); j <= std::min(n - 1, i + 1); ++j) {
      col_idx.push_back(j);
      values.push_back(i == j ? 2.f : -1.f);
    }
    row_ptr.push_back(static_cast<int>(col_idx.size()));
  }
  auto a = plain_operator<Exec>(row_ptr, col_idx, values);
  const auto b = right_hand_side<float>(n);
  for (double tolerance = 0.3; tolerance > 0.1; tolerance *= 0.9) {
    CAPTURE(tolerance);
    KrylovOptions options{.relative_tolerance = tolerance, .max_iterations = 20000};
    GmresSolver<Exec, float> gmres(Exec(), n, restarted_after(2, options));
    const Kokkos::View<float*, Space> x("heddle::test::x", n);
    CHECK(gmres.solve(Exec(), a, b, x).converged());
  }
}

}  // namespace heddle::test
