// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Solves that cannot end well: indefinite and singular systems, NaN and overflow, limits of
// accuracy. The outcome says so, and the residual of x is never larger than that of the guess. And
// singular systems whose nullspace the solver is given.
#include <limits>

#include "../../../solvers/krylov/gmres_definitions.hpp"  // the compiled part has no float
#include "../../support/breaking.hpp"
#include "../../support/krylov_methods.hpp"

namespace heddle::test {

namespace {

constexpr int most = 40;  // iterations, all of which are queued if the host does not check
using Vector = System::Vector;

/// A dense system; `values` are row-major.
System dense(const std::vector<double>& values, const std::vector<double>& b,
             const std::vector<double>& guess = {}) {
  const int n = static_cast<int>(b.size());
  std::vector<int> row_ptr{0}, col_idx;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) col_idx.push_back(j);
    row_ptr.push_back((i + 1) * n);
  }
  System system = system_of(plain_operator<Exec>(row_ptr, col_idx, values), {0.5, 4});
  system.b = copy_in<Space>(b);
  if (!guess.empty()) system.guess = copy_in<Space>(guess);
  return system;
}

System chain(int n, double diagonal = 2.5) {
  const auto entry = [=](int i, int j) { return i == j ? diagonal : -1; };
  return system_of(band<double>(n, entry), {0.5, 4.5});
}

constexpr int rows = emulated ? 30 : 100;

/// The Laplacian of a path without boundary values times `scale`, or of two separate paths.
PlainOperator<Exec, double> chains(int count, double scale) {
  const int length = rows / count;
  return band<double>(rows, [=](int i, int j) {
    const bool first = i % length == 0, last = i % length == length - 1;
    return i / length != j / length ? 0 : scale * (i != j ? -1 : first || last ? 1 : 2);
  });
}

using Columns = Kokkos::View<double**, Kokkos::LayoutLeft, Space>;

/// A nullspace vector for each of two chains, constant on it; the second one is scaled by 1e-200,
/// and contains a part of the first.
Columns ones_of_two_chains() {
  const Columns ones("heddle::test::nullspace", rows, 2);
  const auto host = Kokkos::create_mirror_view(ones);
  for (std::size_t i = 0; i < rows; ++i) {
    const bool in_second = i >= rows / 2;
    host(i, 0) = in_second ? 0 : 3;
    host(i, 1) = in_second ? 1e-200 : 0.5e-200;
  }
  Kokkos::deep_copy(ones, host);
  return ones;
}

/// Random entries, with this mean on each chain.
Kokkos::View<double*, Space> with_mean(int chains_of, double mean, double scale) {
  const auto b = right_hand_side<double>(rows);
  const auto host = to_host(b);
  const int length = rows / chains_of;
  for (int c = 0; c < chains_of; ++c) {
    double sum = 0;
    for (int i = 0; i < length; ++i) sum += host(static_cast<std::size_t>(c * length + i));
    for (int i = 0; i < length; ++i) {
      double& entry = host(static_cast<std::size_t>(c * length + i));
      entry = (entry - sum / length + mean) * scale;
    }
  }
  Kokkos::deep_copy(b, host);
  return b;
}

double mean_of(const Kokkos::View<double*, Space>& x) {
  const auto host = to_host(x);
  double sum = 0;
  for (std::size_t i = 0; i < host.extent(0); ++i) sum += host(i);
  return sum / rows;
}

}  // namespace

TEST_CASE("trouble is an outcome in words, and x is that of the last good iteration") {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  constexpr auto unknown = Outcome::running;  // not promised
  struct Row {
    const char* name;
    double diagonal, beside, entry;      ///< of a star on a grid, and its entry 9
    Outcome cg, any, minres, chebyshev;  ///< "any": of solvers for any A
  };
  const Row table[] = {
      {"negative definite", -4.01, -1, -1, Outcome::indefinite, unknown, unknown, unknown},
      {"indefinite", 1.5, -1, -1, Outcome::indefinite, unknown, unknown, unknown},
      {"zero", 0, 0, 0, Outcome::indefinite, Outcome::breakdown, Outcome::inconsistent,
       Outcome::iteration_limit},
      {"infinity", 4.01, -1, infinity, Outcome::not_a_number, Outcome::not_a_number,
       Outcome::not_a_number, Outcome::not_a_number},
      {"NaN", 4.01, -1, std::nan(""), Outcome::not_a_number, Outcome::not_a_number,
       Outcome::not_a_number, Outcome::not_a_number},
  };
  for (const Row& row : table) {
    CAPTURE(std::string(row.name));
    int of_launches = 0;
    for (const std::string& method : krylov_methods()) {
      CAPTURE(method);
      const auto entry = [&](int i, int j) { return i == j ? row.diagonal : row.beside; };
      System system =
          system_of(grid_operator<Exec, double>(emulated ? 12 : 40, entry), {0.01, 8.01});
      Kokkos::deep_copy(Kokkos::subview(system.a.values, 9), row.entry);
      KrylovOptions options{.max_iterations = 100};
      if (is_gmres(method)) options.restart = 10;
      const Solved solved = solve_by(method, system, options);
      const Outcome expected = is_cg(method)           ? row.cg
                               : method == "minres"    ? row.minres
                               : method == "chebyshev" ? row.chebyshev
                                                       : row.any;
      if (expected != unknown) {
        CHECK_MESSAGE(solved.result.outcome == expected, name(solved.result.outcome));
      }
      CHECK(all_finite(solved.x));
      if (method == "cg/launches") of_launches = solved.result.iterations;
      if (is_cg(method)) CHECK(std::abs(solved.result.iterations - of_launches) <= 1);
    }
  }
}

TEST_CASE("after a product with NaN x is that of what was good before") {
  const Exec exec;
  System system = chain(emulated ? 60 : 200);
  for (const std::string& method : one_of_each_solver()) {
    CAPTURE(method);
    for (const int every : {0, 10}) {
      CAPTURE(every);
      for (const int at : {2, 5, 13}) {
        CAPTURE(at);
        KrylovOptions given{
            .relative_tolerance = 1e-14, .max_iterations = most, .check_every = every};
        if (is_gmres(method)) given.restart = 8;
        const auto use = [&]<class Solver>(std::type_identity<Solver>,
                                           const KrylovOptions& options) {
          Solver solver(exec, system.a.n, options);
          system.a.applies = 0;
          Breaking<Exec> a{system.a, at};
          const Vector x("heddle::test::x", system.b.extent(0));
          solver.solve(exec, a, system.b, x);
          const KrylovResult result = solver.results(exec)[0];
          CHECK(result.outcome == Outcome::not_a_number);
          CHECK(all_finite(x));
          const double is = residual_norm(system, x);
          CHECK(is <= result.first_residual * (1 + 1e-12));
          CHECK(close(result.residual, is, 1e-6));
          // All good cycles and iterations but the last count.
          if (at == 13 && every == 10) CHECK(is < 0.9 * result.first_residual);
        };
        with_method(method, system.bounds, given, use);
      }
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
    Breaking<Exec> a{system.a, first, first + 1};
    const Vector x("heddle::test::x", system.b.extent(0));
    solver.solve(exec, a, system.b, x);
    const KrylovResult result = solver.results(exec)[0];
    CHECK(result.outcome == Outcome::not_a_number);
    const double is = residual_norm(system, x);
    CHECK(is < result.first_residual);
    CHECK(close(result.residual, is, 1e-6));
  }
}

TEST_CASE("a preconditioner of NaN leaves the guess") {
  System system = dense({2}, {1}, {0.3});
  for (const std::string& method : one_of_each_solver()) {
    CAPTURE(method);
    for (const int every : {0, 10}) {
      Breaking<Exec> m{system.a, 1, std::numeric_limits<int>::max()};
      const Solved solved =
          solve_by(method, system, {.max_iterations = most, .check_every = every}, m);
      CHECK(solved.result.outcome == Outcome::not_a_number);
      CHECK(to_host(solved.x)(0) == 0.3);
    }
  }
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
      CHECK(close(solved.result.residual, 1e200, 1e-9));
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
        CHECK(all_finite(solved.x));
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
  System system = system_of(star(size, 4));
  Kokkos::deep_copy(system.b, 1.0);
  const auto energy = [&](const auto& x) {  // x' A x / 2 - b' x, 0 at the guess
    const auto at = to_host(x);
    const Vector product("heddle::test::product", system.b.extent(0));
    system.a.apply(Exec(), x, product);
    Exec().fence("heddle::test::product");
    const auto of_x = to_host(product);
    double sum = 0;
    for (std::size_t i = 0; i < at.extent(0); ++i) sum += at(i) * (of_x(i) / 2 - 1);
    return sum;
  };
  for (const std::string& method : krylov_methods()) {
    if (!is_cg(method)) continue;
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
    if (!is_cg(method)) continue;
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

TEST_CASE("a tolerance of zero ends at the attainable accuracy, or stagnates") {
  for (const std::string& method : krylov_methods()) {
    if (!is_cg(method)) continue;
    CAPTURE(method);
    System system = system_of(star(emulated ? 12 : 40, 4.01));
    KrylovOptions options{.relative_tolerance = 0, .max_iterations = 100000};
    const Solved best = solve_by(method, system, options);
    CHECK(best.result.outcome == Outcome::attainable_accuracy);
    CHECK(best.result.iterations < 100000);
    CHECK(best.residual > 0);
    CHECK(best.residual < 1e-13 * norm(system.b));
    options.stagnation_window = 50;
    const Solved impatient = solve_by(method, system, options);
    CHECK((impatient.result.outcome == Outcome::stagnated ||
           impatient.result.outcome == Outcome::attainable_accuracy));
    CHECK(impatient.result.iterations < 100000);
  }
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

namespace {

/// A preconditioner times a number.
struct Scaled {
  Diagonal& of;
  double by;
  void apply(const Exec& exec, const ConstSolverVector<Exec, double>& b,
             const SolverVector<Exec, double>& x) {
    of.apply(exec, b, x);
    heddle::vectors::scale(exec, by, x);
  }
};

}  // namespace

TEST_CASE("a preconditioner of any size takes the steps of one of size 1") {
  System system = chain(emulated ? 40 : 100);
  Diagonal plain{JacobiPreconditioner<Exec, double>(Exec(), system.a.matrix())};
  const auto iterations = [&](const std::string& method, double by) {
    Scaled m{plain, by};
    const KrylovResult result = solve_by(method, system, {}, m).result;
    CHECK_MESSAGE(result.converged(), name(result.outcome));
    return result.iterations;
  };
  for (const double by : {1e-290, 1e-160, 1e-12, 1e12, 1e155, 1e290}) {
    CAPTURE(by);
    for (const std::string method : {"cg/launches", "cg/flexible"}) {
      CAPTURE(method);
      CHECK(std::abs(iterations(method, by) - iterations(method, 1)) <= 1);
    }
    if (by < 1e-200 || by > 1e200) continue;
    iterations("gmres", by);
    iterations("gmres/flexible", by);
    iterations("bicgstab", by);
    iterations("minres", by);
  }
}

TEST_CASE("conjugate gradients take the steps of size 1 where A M is out of range") {
  const int n = emulated ? 40 : 100;
  System of_size_1 = chain(n);
  Diagonal plain{JacobiPreconditioner<Exec, double>(Exec(), of_size_1.a.matrix())};
  for (const std::string method : {"cg/launches", "cg/flexible"}) {
    CAPTURE(method);
    const auto iterations = [&](double size) {
      System system =
          system_of(band<double>(n, [=](int i, int j) { return size * (i == j ? 2.5 : -1); }));
      Scaled m{plain, size};
      const KrylovResult result = solve_by(method, system, {}, m).result;
      CHECK_MESSAGE(result.converged(), name(result.outcome));
      return result.iterations;
    };
    const int expected = iterations(1);
    for (const double size : {1e-170, 1e160}) {
      CAPTURE(size);
      CHECK(std::abs(iterations(size) - expected) <= 1);
    }
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
  // A multiple of the identity needs half an iteration, which is one product.
  System twice = dense({2, 0, 0, 2}, {1, 3});
  CHECK(solve_by("bicgstab", twice, {}).result.iterations == 1);
  // A rotation by 90 degrees: shadow . v is zero in the first iteration.
  System turn = dense({0, 1, -1, 0}, {1, 1});
  CHECK(solve_by("bicgstab", turn, {}).result.outcome == Outcome::breakdown);
}

TEST_CASE("a claim that fails by little is no limit of accuracy") {
  if (emulated) return;  // hundreds of solves
  constexpr int n = 400;
  auto a = band<float>(n, [](int i, int j) { return i == j ? 2.f : -1.f; });
  const auto b = right_hand_side<float>(n);
  for (double tolerance = 0.3; tolerance > 0.1; tolerance *= 0.9) {
    CAPTURE(tolerance);
    KrylovOptions options{.relative_tolerance = tolerance, .max_iterations = 20000};
    GmresSolver<Exec, float> gmres(Exec(), n, restarted_after(2, options));
    const Kokkos::View<float*, Space> x("heddle::test::x", n);
    CHECK(gmres.solve(Exec(), a, b, x).converged());
  }
}

TEST_CASE("with its nullspace a singular system is solved, and b out of range is said to be") {
  const Exec exec;
  for (const double scale : {1.0, 1e-12, 1e12}) {
    CAPTURE(scale);
    for (const int count : {1, 2}) {
      CAPTURE(count);
      const auto a = chains(count, scale);
      JacobiPreconditioner<Exec, double> jacobi(exec, a.matrix());
      for (const int every : {0, 10}) {
        if (emulated && (every == 0 || scale != 1e-12)) continue;
        CAPTURE(every);
        for (const std::string& method : one_of_each_solver()) {
          CAPTURE(method);
          for (const double mean : {0.0, 1e-3}) {
            CAPTURE(mean);
            System system = system_of(a, {0.5 / rows / rows, 2});
            system.b = with_mean(count, mean, scale);
            KrylovOptions options{.max_iterations = 4000, .check_every = every};
            options.nullspace =
                count == 1 ? Nullspace::constant() : Nullspace(ones_of_two_chains());
            if (is_gmres(method)) options.restart = 20;
            const Solved solved = solve_by(method, system, options, jacobi);
            CHECK_MESSAGE(
                solved.result.outcome == (mean > 0 ? Outcome::inconsistent : Outcome::converged),
                std::string(name(solved.result.outcome)));
            CHECK(solved.residual <=
                  std::hypot(mean * scale * std::sqrt(rows), 1.1e-8 * norm(system.b)));
            CHECK(std::abs(mean_of(solved.x)) <= 1e-9 * norm(solved.x));
          }
        }
      }
    }
  }
}

TEST_CASE("without a preconditioner too, and with several right-hand sides") {
  const Exec exec;
  auto a = chains(1, 1);
  const Columns b("heddle::test::b", rows, 2), x("heddle::test::x", rows, 2);
  Kokkos::deep_copy(Kokkos::subview(b, Kokkos::ALL, 0), with_mean(1, 0, 1));
  Kokkos::deep_copy(Kokkos::subview(b, Kokkos::ALL, 1), with_mean(1, 1, 1));
  for (const std::string& method : with_several_vectors()) {
    CAPTURE(method);
    KrylovOptions of_any{.max_iterations = 4000, .vectors = 2};
    of_any.nullspace = Nullspace::constant();
    of_any.history = true;
    if (is_gmres(method)) of_any.restart = 20;
    Kokkos::deep_copy(x, 0.0);
    with_method(method, {}, of_any,
                [&]<class Solver>(std::type_identity<Solver>, const KrylovOptions& options) {
                  if constexpr (!std::same_as<Solver, ChebyshevSolver<Exec, double>>) {
                    Solver solver(exec, rows, options);
                    std::vector<Event> seen;
                    {
                      const Recording recording;
                      solver.solve(exec, a, b, x);
                      seen = Recording::seen();
                    }
                    CHECK(strangers(seen) == "");
                    CHECK(count(seen, Event::allocation) == 0);
                    const auto results = solver.results();
                    CHECK(results[0].outcome == Outcome::converged);
                    CHECK(results[1].outcome == Outcome::inconsistent);
                    CHECK(results[1].residual == doctest::Approx(std::sqrt(rows)));
                    for (const int v : {0, 1}) {
                      const auto& result = results[static_cast<std::size_t>(v)];
                      CHECK(solver.history(exec, v).back() == result.residual);
                      CHECK(solver.history(exec, v).front() == result.first_residual);
                    }
                    if constexpr (requires { solver.scheme(); })
                      CHECK(solver.scheme() == Scheme("cg/launches"));
                  }
                });
  }
}

TEST_CASE("a nullspace that cannot be taken is refused by name") {
  const Exec exec;
  auto a = MatrixWithRows(chains(1, 1));
  KrylovOptions options;
  options.nullspace = Nullspace::constant();
  options.scheme = Scheme("cg/one-team");
  CgSolver<Exec, double> pinned(exec, rows, options);
  const auto b = with_mean(1, 0, 1);
  const Kokkos::View<double*, Space> x("heddle::test::x", rows);
  CHECK_THROWS_WITH_AS(pinned.solve(exec, a, b, x), doctest::Contains("options.nullspace"), Error);
  const auto refused = [&](const Nullspace& nullspace, const char* why) {
    KrylovOptions given;
    given.nullspace = nullspace;
    CHECK_THROWS_WITH_AS((GmresSolver<Exec, double>(exec, rows, given)), doctest::Contains(why),
                         Error);
  };
  const Columns two("heddle::test::two", rows, 2), zero("heddle::test::zero", rows, 1);
  Kokkos::deep_copy(two, 1.0);
  refused(two, "vector 1 of options.nullspace");
  refused(zero, "vector 0 of options.nullspace");
  refused(right_hand_side<double>(rows + 1), "the solver is for");
  refused(Kokkos::View<float*, Space>("heddle::test::float", rows), "another scalar");
}

}  // namespace heddle::test
