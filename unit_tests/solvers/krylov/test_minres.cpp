// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// MINRES on indefinite and singular systems, and on saddle points; test_krylov_table.cpp has the
// promises of every method.
#include "../../support/krylov_methods.hpp"

namespace heddle::test {

namespace {

constexpr int side = emulated ? 8 : 20;
using Vector = System::Vector;
using Columns = Kokkos::View<double**, Kokkos::LayoutLeft, Space>;
using Weights = PlainOperator<Exec, double>;

/// A diagonal matrix of entry(i).
template <class Entry>
Weights diagonal(int n, const Entry& entry) {
  return band<double>(n, [&](int i, int j) { return i == j ? entry(i) : 0.0; });
}
Weights weights(int n) {
  return diagonal(n, [](int i) { return 0.5 + i % 7 / 4.0; });
}

/// The Laplacian of a grid without boundary values.
System neumann() {
  const auto inside = [](int i) { return i > 0 && i < side - 1 ? 2.0 : 1.0; };
  return system_of(grid_operator<Exec, double>(
      side, [&](int i, int j) { return i == j ? inside(i / side) + inside(i % side) : -1.0; }));
}

/// b minus `part` of its mean.
void take_mean_out_of(System& system, double part) {
  const auto host = to_host(system.b);
  double mean = 0;
  for (std::size_t i = 0; i < host.extent(0); ++i) mean += host(i) / double(host.extent(0));
  for (std::size_t i = 0; i < host.extent(0); ++i) host(i) -= part * mean;
  Kokkos::deep_copy(system.b, host);
}

/// The norm of A M (b - A x).
template <class... M>
double slope(System& system, const Vector& x, M&... m) {
  const Vector r("heddle::test::r", x.extent(0)), z("heddle::test::z", x.extent(0));
  system.a.apply(Exec(), x, r);
  heddle::vectors::axpby(Exec(), 1, system.b, -1, r);
  (m.apply(Exec(), r, z), ...);
  system.a.apply(Exec(), sizeof...(M) > 0 ? z : r, sizeof...(M) > 0 ? r : z);
  return norm(sizeof...(M) > 0 ? r : z);
}

/// ((D, B'), (B, 0)) with a diagonal D and rows e_2k - e_2k+1 of B; M is ((D, 0), (0, B D^-1
/// B'))^-1.
struct Saddle {
  static double entry(int i) { return 1 + 10.0 * (i % 9); }
  static PlainOperator<Exec, double> matrix(int pairs) {
    const int n = 2 * pairs;
    std::vector<int> row_ptr{0}, col_idx;
    std::vector<double> values;
    const auto add_row = [&](int first, double of_first, int second, double of_second) {
      col_idx.insert(col_idx.end(), {first, second});
      values.insert(values.end(), {of_first, of_second});
      row_ptr.push_back(static_cast<int>(col_idx.size()));
    };
    for (int i = 0; i < n; ++i) add_row(i, entry(i), n + i / 2, i % 2 ? -1 : 1);
    for (int k = 0; k < pairs; ++k) add_row(2 * k, 1, 2 * k + 1, -1);
    return plain_operator<Exec>(row_ptr, col_idx, values);
  }
  static double inverse(int n, int i) {
    if (i < n) return 1 / entry(i);
    const int k = i - n;
    return 1 / (1 / entry(2 * k) + 1 / entry(2 * k + 1));
  }

  explicit Saddle(int pairs)
      : system(system_of(matrix(pairs))),
        m(diagonal(3 * pairs, [=](int i) { return inverse(2 * pairs, i); })) {}

  System system;
  Weights m;
};

}  // namespace

TEST_CASE("minres solves indefinite systems, with and without a preconditioner") {
  for (const double shift : {0.5, 1.0, 2.5}) {
    CAPTURE(shift);
    System system = system_of(star(side, 4 - shift));
    Weights m = weights(static_cast<int>(system.a.n));
    const double target = 1.01e-8 * norm(system.b);
    for (const int every : {0, 10}) {
      CAPTURE(every);
      const KrylovOptions options{.max_iterations = 3000, .check_every = every};
      const Solved plain = solve_by("minres", system, options);
      CHECK_MESSAGE(plain.result.converged(), name(plain.result.outcome));
      CHECK(plain.residual <= target);
      const Solved with = solve_by("minres", system, options, m);
      CHECK_MESSAGE(with.result.converged(), name(with.result.outcome));
      CHECK(with.residual <= target);
    }
  }
}

TEST_CASE("the residuals of minres are the smallest ones, as those of gmres") {
  System system = system_of(star(side, 3));
  KrylovOptions options{.relative_tolerance = 1e-4, .history = true};
  const auto minres = solve_by("minres", system, options).history;
  options.restart = 300;
  const auto gmres = solve_by("gmres", system, options).history;
  REQUIRE(minres.size() > 20);
  REQUIRE(gmres.size() > 20);
  for (std::size_t i = 0; i < 20; ++i) CHECK(close(minres[i], gmres[i], 1e-6));
}

TEST_CASE("minres solves a singular system whose b is in the range") {
  System system = neumann();
  take_mean_out_of(system, 1);
  Weights m = weights(static_cast<int>(system.a.n));
  for (const int every : {0, 10}) {
    const KrylovOptions options{.max_iterations = 800, .check_every = every};
    CHECK(solve_by("minres", system, options).result.converged());
    CHECK(solve_by("minres", system, options, m).result.converged());
  }
}

TEST_CASE("of a b out of the range minres leaves a least-squares solution, and says so") {
  System grid = neumann();
  take_mean_out_of(grid, -1);
  // Eigenvalues of both signs, three zeros, and a condition of 100.
  const int n = emulated ? 40 : 300;
  System mixed = system_of(diagonal(
      n, [&](int i) { return i < 3 ? 0 : (i % 2 ? -1 : 1) * std::pow(0.01, i / double(n)); }));
  for (System* const system : {&grid, &mixed}) {
    CAPTURE(system == &grid);
    Weights m = weights(static_cast<int>(system->a.n));
    for (const int every : {0, 1, 10}) {
      CAPTURE(every);
      const KrylovOptions options{.max_iterations = 2000, .check_every = every};
      const Solved plain = solve_by("minres", *system, options);
      CHECK_MESSAGE(plain.result.outcome == Outcome::inconsistent, name(plain.result.outcome));
      CHECK(slope(*system, plain.x) <= 1e-6 * largest(system->a) * plain.residual);
      CHECK(plain.residual < 0.99 * norm(system->b));
      CHECK(norm(plain.x) < 1e4 * norm(system->b));
      const Solved with = solve_by("minres", *system, options, m);
      CHECK_MESSAGE(with.result.outcome == Outcome::inconsistent, name(with.result.outcome));
      CHECK(slope(*system, with.x, m) <= 1e-6 * largest(system->a) * with.residual);
    }
  }
}

TEST_CASE(
    "b of ones, which a Laplacian without boundary values maps to zero, is at its best at once") {
  System system = neumann();
  Kokkos::deep_copy(system.b, 1.0);
  const Solved solved = solve_by("minres", system, {});
  CHECK(solved.result.outcome == Outcome::inconsistent);
  CHECK(norm(solved.x) == 0);
}

TEST_CASE("b that A maps to zero but for rounding is at its best at once") {
  // A path with weights of 0.1 and 0.2: A b is (0, 2^-55, 0).
  constexpr double first = 0.1, second = 0.2, between[] = {first, first + second, second};
  System system = system_of(band<double>(3, [&](int i, int j) {
    return i == j ? between[i] : std::min(i, j) == 0 ? -first : -second;
  }));
  Kokkos::deep_copy(system.b, 1.0);
  for (const double guess : {0.0, 3.0}) {
    CAPTURE(guess);
    Kokkos::deep_copy(system.guess, guess);
    for (const int every : {0, 1, 10}) {
      CAPTURE(every);
      const Solved solved = solve_by("minres", system, {.check_every = every});
      CHECK_MESSAGE(solved.result.outcome == Outcome::inconsistent, name(solved.result.outcome));
      for (const double x : {to_host(solved.x)(0), to_host(solved.x)(2)}) CHECK(x == guess);
      CHECK(solved.result.residual == doctest::Approx(std::sqrt(3)));
    }
  }
}

TEST_CASE("the smallest residual in the norm of M is left even if the guess has a smaller 2-norm") {
  System system = system_of(band<double>(2, [](int i, int j) { return i == j ? 1.0 : -1.0; }));
  Kokkos::deep_copy(system.b, 1.0);
  Weights m = diagonal(2, [](int i) { return i == 0 ? 1.0 : 4.0; });
  for (const int every : {0, 1, 10}) {
    CAPTURE(every);
    const Solved solved = solve_by("minres", system, {.check_every = every}, m);
    CHECK_MESSAGE(solved.result.outcome == Outcome::inconsistent, name(solved.result.outcome));
    const auto x = to_host(solved.x);
    CHECK(x(0) == doctest::Approx(0.2));
    CHECK(x(1) == doctest::Approx(0.8));
    CHECK(solved.residual > solved.first);
  }
}

TEST_CASE("from a least-squares solution minres ends at once, and says again what it is") {
  // For about half of these b the norm of the residual rises, in its last digit.
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    CAPTURE(seed);
    System system = neumann();
    system.b = right_hand_side<double>(system.a.n, seed);
    take_mean_out_of(system, -1);
    const Solved first = solve_by("minres", system, {.max_iterations = 2000});
    REQUIRE(first.result.outcome == Outcome::inconsistent);
    system.guess = first.x;
    for (const int every : {0, 10}) {
      CAPTURE(every);
      const Solved again = solve_by("minres", system, {.max_iterations = 99, .check_every = every});
      CHECK_MESSAGE(again.result.outcome == Outcome::inconsistent, name(again.result.outcome));
      CHECK(again.result.iterations < 20);
      CHECK(close(again.residual, first.residual, 1e-12));
    }
  }
}

TEST_CASE("an ill-conditioned system is not said to be inconsistent") {
  const int n = emulated ? 40 : 200;
  for (const double condition : {1e4, 1e6, 1e8}) {
    CAPTURE(condition);
    System system = system_of(diagonal(
        n, [&](int i) { return (i % 2 ? -1 : 1) * std::pow(condition, -i / double(n - 1)); }));
    const Solved solved = solve_by("minres", system, {.max_iterations = 500});
    CHECK(solved.result.outcome != Outcome::inconsistent);
  }
}

TEST_CASE("with the inverse of both diagonal blocks minres solves a saddle point in three steps") {
  Saddle saddle(emulated ? 10 : 100);
  const Solved with = solve_by("minres", saddle.system, {.relative_tolerance = 1e-10}, saddle.m);
  CHECK(with.result.converged());
  CHECK(with.result.iterations <= 3);
  const Solved plain = solve_by("minres", saddle.system, {.max_iterations = 3000});
  CHECK(plain.result.converged());
  CHECK(plain.result.iterations > 10);
}

TEST_CASE("a preconditioner that is not positive definite is an outcome of minres") {
  System system = system_of(star(side, 3));
  const int n = static_cast<int>(system.a.n);
  Weights mixed = diagonal(n, [](int i) { return i % 5 ? 1.0 : -1.0; });
  Weights negative = diagonal(n, [](int) { return -1.0; });
  Weights zero = diagonal(n, [](int) { return 0.0; });
  for (Weights* const m : {&mixed, &negative, &zero}) {
    const Solved solved = solve_by("minres", system, {.max_iterations = 400}, *m);
    CHECK_MESSAGE(solved.result.outcome == Outcome::indefinite, name(solved.result.outcome));
  }
}

TEST_CASE("minres takes the same steps at any scale of A and of M") {
  const auto iterations = [](double of_a, double of_m) {
    System system = system_of(
        grid_operator<Exec, double>(side, [=](int i, int j) { return of_a * (i == j ? 3 : -1); }));
    Weights m =
        diagonal(static_cast<int>(system.a.n), [=](int i) { return of_m * (0.5 + i % 7 / 4.0); });
    const KrylovResult result = solve_by("minres", system, {.max_iterations = 3000}, m).result;
    CHECK_MESSAGE(result.converged(), name(result.outcome));
    return result.iterations;
  };
  const int plain = iterations(1, 1);
  for (const double of_a : {0x1p-500, 0x1p-40, 0x1p500}) {
    for (const double of_m : {0x1p-400, 1.0, 0x1p400}) {
      if (emulated && of_a != of_m * 0x1p100) continue;
      CAPTURE(of_a);
      CAPTURE(of_m);
      CHECK(iterations(of_a, of_m) == plain);
    }
  }
}

TEST_CASE("right-hand sides of minres are independent, and each ends by itself") {
  System system = system_of(star(side, 3));
  Weights m = weights(static_cast<int>(system.a.n));
  const Columns b("heddle::test::b", system.b.extent(0), 3), x("heddle::test::x", b.extent(0), 3);
  for (const int v : {0, 2}) {  // the one between is zero
    const auto of = right_hand_side<double>(system.a.n, static_cast<std::uint64_t>(v) + 1);
    Kokkos::deep_copy(Kokkos::subview(b, Kokkos::ALL, v), of);
  }
  MinresSolver<Exec, double> minres(Exec(), system.a.n, {.max_iterations = 3000, .vectors = 3});
  CHECK(minres.solve(system.a, b, x, m).converged());
  CHECK(minres.results()[1].iterations == 0);
  const Vector of("heddle::test::of", b.extent(0));
  for (const int v : {0, 1, 2}) {
    CAPTURE(v);
    Kokkos::deep_copy(system.b, Kokkos::subview(b, Kokkos::ALL, v));
    Kokkos::deep_copy(of, Kokkos::subview(x, Kokkos::ALL, v));
    CHECK(residual_norm(system, of) <= 1.01e-8 * norm(system.b));
    const Solved alone = solve_by("minres", system, {.max_iterations = 3000}, m);
    const int together = minres.results()[static_cast<std::size_t>(v)].iterations;
    CHECK(std::abs(alone.result.iterations - together) <= 3);
  }
}

}  // namespace heddle::test
