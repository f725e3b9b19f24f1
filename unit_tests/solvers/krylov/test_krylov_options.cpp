// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Effects of the options of Krylov methods, and their results.
#include <heddle/bicgstab.hpp>
#include <heddle/cg.hpp>
#include <heddle/chebyshev.hpp>
#include <heddle/gmres.hpp>

#include "../../support/krylov.hpp"
#ifdef HEDDLE_EMULATED  // elsewhere the compiled part has them
#include "../../../solvers/krylov/bicgstab_definitions.hpp"
#include "../../../solvers/krylov/cg_definitions.hpp"
#include "../../../solvers/krylov/chebyshev_definitions.hpp"
#include "../../../solvers/krylov/gmres_definitions.hpp"
#endif

namespace heddle::test {

namespace {

constexpr int side = emulated ? 8 : 30;
constexpr SpectrumBounds of_laplacian = {0.01, 2};

template <class S>
Kokkos::View<S*, Space> vector(std::int64_t n) {
  return Kokkos::View<S*, Space>("heddle::test::vector", static_cast<std::size_t>(n));
}

/// An operator that may be const and temporary: its apply is const.
struct ConstOperator {
  PlainOperator<Exec, double> of;

  std::int64_t rows() const { return of.rows(); }
  std::int64_t columns() const { return of.columns(); }
  template <class X, class Y>
  void apply(const Exec& exec, const X& x, const Y& y) const {
    PlainOperator<Exec, double>(of).apply(exec, x, y);
  }
};

/// A solver as a member that is made later.
template <class Solver>
struct Simulation {
  Solver solver;
};

/// Calls use(type, valid options) for every solver.
template <class Use>
void with_every_solver(const Use& use) {
  use(std::type_identity<CgSolver<Exec, double>>(), KrylovOptions());
  use(std::type_identity<GmresSolver<Exec, double>>(), restarted_after(7));
  use(std::type_identity<BicgstabSolver<Exec, double>>(), KrylovOptions());
  use(std::type_identity<ChebyshevSolver<Exec, double>>(), within(of_laplacian));
}

// The deduced scalar is that of a matrix, or double without one.
static_assert(std::same_as<decltype(CgSolver(Exec(), 1)), CgSolver<Exec, double>>);
static_assert(
    std::same_as<decltype(GmresSolver(Exec(), 1, {.restart = 2})), GmresSolver<Exec, double>>);
static_assert(std::same_as<decltype(BicgstabSolver(Exec(), 1)), BicgstabSolver<Exec, double>>);
static_assert(std::same_as<decltype(ChebyshevSolver(Exec(), 1, KrylovOptions())),
                           ChebyshevSolver<Exec, double>>);
using SomeMatrix = CsrMatrix<float, int, int, Space>;
static_assert(std::same_as<decltype(JacobiPreconditioner(Exec(), SomeMatrix())),
                           JacobiPreconditioner<Exec, float>>);
static_assert(std::same_as<decltype(BlockJacobiPreconditioner(Exec(), SomeMatrix(), 2)),
                           BlockJacobiPreconditioner<Exec, float>>);

}  // namespace

TEST_CASE("an option that a solver does not take is an error that names both") {
  struct Case {
    const char* option;
    KrylovOptions options;
    std::vector<std::string> takes;  ///< solvers with the option
  };
  const Case cases[] = {
      {"restart", {.restart = 5}, {"GmresSolver"}},
      {"bounds", {.bounds = of_laplacian}, {"ChebyshevSolver"}},
      {"scheme", {.scheme = Scheme("cg/launches")}, {"CgSolver"}},
      {"vectors", {.vectors = 2}, {"CgSolver"}},
      {"recompute_every",
       {.recompute_every = 5},
       {"CgSolver", "BicgstabSolver", "ChebyshevSolver"}},
  };
  const auto check = [&]<class Solver>(std::type_identity<Solver>, const std::string& name,
                                       KrylovOptions needs) {
    CAPTURE(name);
    for (const Case& of : cases) {
      CAPTURE(std::string(of.option));
      KrylovOptions options = of.options;
      if (needs.bounds) options.bounds = needs.bounds;
      const auto make = [&] { Solver(Exec(), 4, options); };
      if (std::ranges::count(of.takes, name) > 0) {
        CHECK_NOTHROW(make());
      } else {
        CHECK_THROWS_WITH_AS(make(), doctest::Contains(name.c_str()), Error);
        CHECK_THROWS_WITH_AS(
            make(), doctest::Contains((std::string("options.") + of.option).c_str()), Error);
      }
    }
  };
  check(std::type_identity<CgSolver<Exec, double>>(), "CgSolver", {});
  check(std::type_identity<GmresSolver<Exec, double>>(), "GmresSolver", {});
  check(std::type_identity<BicgstabSolver<Exec, double>>(), "BicgstabSolver", {});
  check(std::type_identity<ChebyshevSolver<Exec, double>>(), "ChebyshevSolver",
        within(of_laplacian));
  CHECK_THROWS_WITH_AS((ChebyshevSolver<Exec, double>(4, {})),
                       doctest::Contains("needs options.bounds"), Error);
  const auto without_size = [](auto type, const KrylovOptions& options) {
    using Solver = typename decltype(type)::type;
    CHECK_THROWS_WITH_AS(Solver(-1, options), doctest::Contains("is for -1 unknowns"), Error);
  };
  without_size(std::type_identity<CgSolver<Exec, double>>(), {});
  without_size(std::type_identity<GmresSolver<Exec, double>>(), {});
  without_size(std::type_identity<BicgstabSolver<Exec, double>>(), {});
  without_size(std::type_identity<ChebyshevSolver<Exec, double>>(), within(of_laplacian));
  for (const int vectors : {0, -1}) {
    CHECK_THROWS_WITH_AS((CgSolver<Exec, double>(4, {.vectors = vectors})),
                         doctest::Contains("options.vectors"), Error);
  }
}

TEST_CASE("restart is where gmres begins a cycle, 30 where nothing is said") {
  const Exec exec;
  auto a = laplacian<Exec, double>(side);
  const auto b = right_hand_side<double>(a.n);
  const auto solve = [&](const KrylovOptions& options) {
    GmresSolver<Exec, double> gmres(exec, a.n, options);
    const auto x = vector<double>(a.n);
    a.applies = 0;
    const KrylovResult result = gmres.solve(exec, a, b, x);
    return std::make_tuple(result.iterations, a.applies, gmres.bytes());
  };
  KrylovOptions options;
  options.max_iterations = 64;
  options.relative_tolerance = 0;
  options.zero_guess = true;
  options.check_every = 64;
  const auto [most, products, bytes] = solve(restarted_after(4, options));
  CHECK(most == 64);
  CHECK(products == 64 + 16);  // b - A x after each cycle
  CHECK(std::get<1>(solve(restarted_after(16, options))) == 64 + 4);
  CHECK(solve(options) == solve(restarted_after(30, options)));
  CHECK(std::get<2>(solve(options)) > bytes);
}

TEST_CASE("a solver can be made empty, is an error then, and is assigned") {
  const Exec exec;
  auto a = laplacian<Exec, double>(side);
  const auto b = right_hand_side<double>(a.n);
  with_every_solver([&]<class Solver>(std::type_identity<Solver>, const KrylovOptions& options) {
    Simulation<Solver> simulation;
    Solver& solver = simulation.solver;
    const auto x = vector<double>(a.n), y = vector<double>(a.n);
    const auto empty = doctest::Contains("on an object that is empty");
    CHECK_THROWS_WITH_AS(solver.solve(exec, a, b, x), empty, Error);
    CHECK_THROWS_WITH_AS(solver.results(), empty, Error);
    CHECK_THROWS_WITH_AS(solver.results(exec), empty, Error);
    CHECK_THROWS_WITH_AS(solver.history(exec), empty, Error);
    CHECK_THROWS_WITH_AS(solver.moved_bytes(a), empty, Error);
    CHECK(solver.bytes() == 0);
    Solver moved = std::move(solver);
    CHECK_THROWS_WITH_AS(moved.solve(exec, a, b, x), empty, Error);
    simulation.solver = Solver(exec, a.n, options);
    CHECK(solver.solve(exec, a, b, x).iterations > 0);
    Solver(exec, a.n, options).solve(exec, a, b, y);
    exec.fence("heddle::test::solved");
    CHECK(bits_of(x) == bits_of(y));
  });
  JacobiPreconditioner<Exec, double> jacobi;
  BlockJacobiPreconditioner<Exec, double> blocks;
  const auto empty = doctest::Contains("on an object that is empty");
  const auto x = vector<double>(a.n);
  CHECK_THROWS_WITH_AS(jacobi.apply(b, x), empty, Error);
  CHECK_THROWS_WITH_AS(jacobi.update_values(a.matrix()), empty, Error);
  CHECK_THROWS_WITH_AS(jacobi.check_values(), empty, Error);
  CHECK_THROWS_WITH_AS(jacobi.bad_row(), empty, Error);
  CHECK_THROWS_WITH_AS(blocks.apply(b, x), empty, Error);
  CHECK_THROWS_WITH_AS(blocks.update_values(a.matrix()), empty, Error);
  CHECK_THROWS_WITH_AS(blocks.check_values(), empty, Error);
  CHECK_THROWS_WITH_AS(blocks.bad_row(), empty, Error);
  CgSolver<Exec, double> none;
  CHECK_THROWS_WITH_AS(none.scheme(), empty, Error);
}

TEST_CASE("operators may be const and temporary, and the default instance needs no name") {
  const Exec exec;
  auto a = laplacian<Exec, double>(side, 10);
  const auto b = right_hand_side<double>(a.n);
  const ConstOperator constant{a};
  const JacobiPreconditioner<Exec, double> jacobi(a.matrix());
  with_every_solver([&]<class Solver>(std::type_identity<Solver>, const KrylovOptions& options) {
    Solver solver(exec, a.n, options), unnamed(a.n, options);
    const auto plain = vector<double>(a.n), with = vector<double>(a.n);
    JacobiPreconditioner<Exec, double> named(exec, a.matrix());
    solver.solve(exec, a, b, plain);
    solver.solve(exec, a, b, with, named);
    exec.fence("heddle::test::solved");
    const auto same = [&](const auto& expected, const auto& solve) {
      const auto x = vector<double>(a.n);
      CHECK(solve(x).iterations > 0);
      Exec().fence("heddle::test::solved");
      exec.fence("heddle::test::solved");
      CHECK(bits_of(x) == bits_of(expected));
    };
    same(plain, [&](const auto& x) { return solver.solve(exec, constant, b, x); });
    same(plain, [&](const auto& x) { return solver.solve(exec, ConstOperator{a}, b, x); });
    same(plain, [&](const auto& x) { return unnamed.solve(a, b, x); });
    same(with, [&](const auto& x) { return solver.solve(exec, constant, b, x, jacobi); });
    same(with, [&](const auto& x) {
      return unnamed.solve(ConstOperator{a}, b, x, JacobiPreconditioner<Exec, double>(a.matrix()));
    });
  });
  CgSolver<Exec, double> cg(exec, a.n, {.scheme = Scheme("cg/one-team")});
  const auto x = vector<double>(a.n);
  CHECK(cg.solve(exec, with_rows(a, a.matrix()), b, x).converged());
}

TEST_CASE("where no check has seen a good x, the guess is what is left") {
  const Exec exec;
  auto a = laplacian<Exec, double>(side);
  const auto b = right_hand_side<double>(a.n);
  const auto first = Kokkos::subview(b, std::size_t{0});
  Kokkos::deep_copy(first, std::numeric_limits<double>::quiet_NaN());
  with_every_solver([&]<class Solver>(std::type_identity<Solver>, const KrylovOptions& options) {
    const auto x = vector<double>(a.n), guess = vector<double>(a.n);
    Kokkos::deep_copy(x, 3.0);
    Kokkos::deep_copy(guess, 3.0);
    CHECK(Solver(exec, a.n, options).solve(exec, a, b, x).outcome == Outcome::not_a_number);
    CHECK(bits_of(x) == bits_of(guess));
  });
}

TEST_CASE("of several right-hand sides there are as many results, and b has as many columns") {
  const Exec exec;
  auto a = laplacian<Exec, double>(side);
  const auto n = static_cast<std::size_t>(a.n);
  CgSolver<Exec, double> cg(a.n, {.vectors = 3});
  CHECK(cg.results().size() == 3);
  const Kokkos::View<double**, Kokkos::LayoutLeft, Space> two("heddle::test::b", n, 2),
      x("heddle::test::x", n, 2);
  CHECK_THROWS_WITH_AS(cg.solve(a, two, x), doctest::Contains("3 right-hand sides"), Error);
}

TEST_CASE("what is set and has no effect is an error") {
  const Exec exec;
  KrylovOptions never;
  never.check_every = 0;
  KrylovOptions with_callback = never, with_time = never;
  with_callback.callback = [](int, double) { return true; };
  with_time.max_seconds = 1;
  CHECK_THROWS_WITH_AS((CgSolver<Exec, double>(exec, 4, with_callback)),
                       doctest::Contains("options.callback has no effect"), Error);
  CHECK_THROWS_WITH_AS((GmresSolver<Exec, double>(exec, 4, with_time)),
                       doctest::Contains("options.max_seconds has no effect"), Error);
  CHECK_THROWS_WITH_AS((BicgstabSolver<Exec, double>(exec, 4, {.divergence_factor = 1})),
                       doctest::Contains("divergence_factor"), Error);
  CgSolver<Exec, double> without(exec, 4);
  CHECK_THROWS_WITH_AS(without.history(exec), doctest::Contains("history"), Error);
}

TEST_CASE("the callback sees the first and the last state, and what it decided stays") {
  const Exec exec;
  auto a = laplacian<Exec, double>(side);
  const auto b = right_hand_side<double>(a.n);
  std::vector<std::pair<int, double>> seen;
  KrylovOptions options;
  options.check_every = 4;
  CgSolver<Exec, double> cg;
  const auto x = vector<double>(a.n), so_far = vector<double>(a.n);
  options.callback = [&](int iterations, double residual) {
    seen.emplace_back(iterations, residual);
    cg.solution_so_far(exec, so_far);
    exec.fence("heddle::test::so_far");
    CHECK(relative_residual(a, b, so_far) == doctest::Approx(residual).epsilon(1e-4));
    return true;
  };
  cg = CgSolver<Exec, double>(exec, a.n, options);
  const KrylovResult result = cg.solve(exec, a, b, x);
  REQUIRE(seen.size() > 2);
  CHECK(seen.front() == std::make_pair(0, 1.0));
  CHECK(seen.back() == std::make_pair(result.iterations, result.relative_residual()));
  options.callback = [](int iterations, double) { return iterations < 8; };
  CgSolver<Exec, double> stopped(exec, a.n, options);
  Kokkos::deep_copy(x, 0.0);
  CHECK(stopped.solve(exec, a, b, x).outcome == Outcome::stopped_by_user);
  CHECK(stopped.results(exec)[0].outcome == Outcome::stopped_by_user);
  CHECK(stopped.results(exec)[0].iterations == 8);
  CHECK(stopped.results(exec)[0].relative_residual() ==
        doctest::Approx(relative_residual(a, b, x)).epsilon(1e-6));
  options.callback = {};
  options.max_seconds = 0;
  BicgstabSolver<Exec, double> late(exec, a.n, options);
  Kokkos::deep_copy(x, 0.0);
  CHECK(late.solve(exec, a, b, x).outcome == Outcome::out_of_time);
  CHECK(late.results(exec)[0].outcome == Outcome::out_of_time);
}

TEST_CASE("of several right-hand sides NaN is the worst") {
  const Exec exec;
  auto a = laplacian<Exec, double>(side);
  const auto n = static_cast<std::size_t>(a.n);
  const Kokkos::View<double**, Kokkos::LayoutLeft, Space> b("heddle::test::b", n, 3),
      x("heddle::test::x", n, 3);
  Kokkos::deep_copy(b, 1.0);
  const auto broken = Kokkos::subview(b, std::size_t{2}, 1);
  Kokkos::deep_copy(broken, std::numeric_limits<double>::quiet_NaN());
  CgSolver<Exec, double> cg(exec, a.n, {.vectors = 3});
  const KrylovResult worst = cg.solve(exec, a, b, x);
  CHECK(worst.outcome == Outcome::not_a_number);
  CHECK(cg.results()[0].converged());
  CHECK(cg.results()[1].outcome == Outcome::not_a_number);
  CHECK(cg.results()[2].converged());
}

TEST_CASE("the history has the residuals that there are, in every solver") {
  const Exec exec;
  auto a = laplacian<Exec, double>(side);
  const auto b = right_hand_side<double>(a.n);
  KrylovOptions options;
  options.history = true;
  options.max_iterations = 1000;
  JacobiPreconditioner<Exec, double> jacobi(exec, a.matrix());
  const auto check = [&](auto&& solver, int products) {
    const auto x = vector<double>(a.n);
    const KrylovResult result = solver.solve(exec, a, b, x, jacobi);
    const std::vector<double> history = solver.history(exec);
    CHECK(result.converged());
    CHECK(std::ssize(history) == 1 + ceil_div(result.iterations, products));
    CHECK(history.front() == result.first_residual);
    CHECK(history.back() == result.residual);
    CHECK(std::ranges::all_of(history, [](double norm) { return norm > 0; }));
  };
  check(CgSolver<Exec, double>(exec, a.n, options), 1);
  check(GmresSolver<Exec, double>(exec, a.n, restarted_after(20, options)), 1);
  check(BicgstabSolver<Exec, double>(exec, a.n, options), 2);
  check(ChebyshevSolver<Exec, double>(exec, a.n, within(of_laplacian, options)), 1);
}

TEST_CASE("stagnation ends a solve by default") {
  const Exec exec;
  // A cycle of four: no entry of b - A x decreases before the fourth vector.
  auto a = grid_operator<Exec, double>(2, [](int i, int j) {
    const int next[] = {1, 3, 0, 2};
    return next[j] == i ? 1.0 : 0.0;
  });
  const auto b = vector<double>(4);
  Kokkos::deep_copy(Kokkos::subview(b, std::size_t{0}), 1.0);
  GmresSolver<Exec, double> gmres(exec, 4, {.restart = 3});
  const auto x = vector<double>(4);
  CHECK(gmres.solve(exec, a, b, x).outcome == Outcome::stagnated);
  CHECK(gmres.results()[0].iterations == 500);
}

TEST_CASE("gmres keeps no more than it can use, and names its option") {
  const Exec exec;
  const GmresSolver<Exec, double> small(exec, 10, {.restart = std::numeric_limits<int>::max()}),
      exact(exec, 10, {.restart = 10});
  CHECK(small.bytes() == exact.bytes());
  const GmresSolver<Exec, double> few(exec, 100, {.max_iterations = 5, .restart = 50}),
      five(exec, 100, {.max_iterations = 5, .restart = 5});
  CHECK(few.bytes() == five.bytes());
  const std::int64_t huge = std::int64_t{1} << 40;
  CHECK_THROWS_WITH_AS(
      (GmresSolver<Exec, double>(exec, huge, {.max_iterations = 1 << 30, .restart = 1 << 30})),
      doctest::Contains("restart = 1073741824"), OutOfMemory);
}

}  // namespace heddle::test
