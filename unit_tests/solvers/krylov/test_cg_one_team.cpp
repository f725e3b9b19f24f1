// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conjugate gradients in one launch: cg/one-team and cg/one-cluster.
#include <heddle/cg.hpp>
#include <heddle/gmres.hpp>

#include "../../../solvers/krylov/cg_definitions.hpp"
#include "../../../solvers/krylov/gmres_definitions.hpp"
#include "../../support/krylov.hpp"

namespace heddle::test {

namespace {

constexpr int side = emulated ? 12 : 40;
const Scheme one_team("cg/one-team"), one_cluster("cg/one-cluster"), launches("cg/launches");

template <ExecutionSpace E>
bool has_clusters() {
  return heddle::backends::describe(E()).most_teams_per_cluster > 0;
}
/// Schemes of one launch that a device has.
template <ExecutionSpace E>
std::vector<Scheme> of_one_launch() {
  std::vector<Scheme> schemes{one_team};
  if (has_clusters<E>()) schemes.push_back(one_cluster);
  return schemes;
}

/// An operator whose rows a kernel can compute.
template <ExecutionSpace E, class S>
struct WithRows : PlainOperator<E, S> {
  explicit WithRows(PlainOperator<E, S> plain) : PlainOperator<E, S>(std::move(plain)) {}
  auto csr() const { return std::optional(this->matrix()); }
};

KrylovOptions pinned(const Scheme& scheme) {
  KrylovOptions options;
  options.scheme = scheme;
  return options;
}

WithRows<Exec, double> star(int size, double diagonal) {
  return WithRows<Exec, double>(
      grid_operator<Exec, double>(size, [=](int i, int j) { return i == j ? diagonal : -1.0; }));
}

Kokkos::View<double*, Space> vector(std::int64_t n) {
  return Kokkos::View<double*, Space>("heddle::test::vector", static_cast<std::size_t>(n));
}

}  // namespace

TEST_CASE_TEMPLATE_DEFINE("one launch takes the steps of many", T, takes_steps) {
  using S = typename T::Scalar;
  using E = typename T::Exec;
  const E exec;
  const bool is_float = std::is_same_v<RealOf<S>, float>;
  // Kokkos' team policies have less scratch than the device.
  const bool fits = !heddle::backends::has_lanes<E> ||
                    heddle::detail::krylov::one_team_scratch_bytes<S>(side * side) <=
                        heddle::backends::describe(exec).scratch_bytes;
  WithRows<E, S> a(laplacian<E, S>(fits ? side : side / 2, 100));
  const auto b = right_hand_side<S, typename T::Space>(a.n);
  const Kokkos::View<S*, typename T::Space> x("heddle::test::x", static_cast<std::size_t>(a.n));
  JacobiPreconditioner<E, S> jacobi(exec, a.matrix());
  for (const bool with_jacobi : {false, true}) {
    CAPTURE(with_jacobi);
    int iterations = 0;
    auto schemes = of_one_launch<E>();
    schemes.insert(schemes.begin(), launches);
    for (const Scheme& scheme : schemes) {
      KrylovOptions options = pinned(scheme);
      options.relative_tolerance = is_float ? 1e-4 : 1e-10;
      options.zero_guess = true;
      CgSolver<E, S> cg(exec, a.n, options);
      fill_with_poison(x);  // a guess of zero is not read
      a.applies = 0;
      const KrylovResult result =
          with_jacobi ? cg.solve(exec, a, b, x, jacobi) : cg.solve(exec, a, b, x);
      CHECK(cg.scheme() == scheme);
      CHECK((a.applies == 0) == (scheme != launches));
      CHECK(result.converged());
      CHECK(relative_residual(a, b, x) < 2 * *options.relative_tolerance);
      if (iterations == 0) iterations = result.iterations;
      CHECK(std::abs(result.iterations - iterations) <= (is_float ? 4 : 2));
    }
  }
}
TEST_CASE_TEMPLATE_APPLY(takes_steps, VectorTypes);

TEST_CASE("in one launch, too, when the host checks changes nothing, not a bit") {
  const Exec exec;
  for (const Scheme& scheme : of_one_launch<Exec>()) {
    CAPTURE(scheme.to_string());
    auto a = star(side, 4.1);
    const auto b = right_hand_side<double>(a.n), guess = right_hand_side<double>(a.n, 7);
    std::vector<unsigned char> bits;
    int iterations = 0;
    for (const int every : {1, 7, 1000, 0}) {
      CAPTURE(every);
      KrylovOptions options = pinned(scheme);
      options.check_every = every;
      options.max_iterations = 300;
      options.recompute_every = 9;
      CgSolver<Exec, double> cg(exec, a.n, options);
      const auto x = vector(a.n);
      Kokkos::deep_copy(x, guess);
      std::vector<Event> seen;
      {
        const Recording recording;
        cg.solve(exec, a, b, x);
        seen = Recording::seen();
      }
      CHECK(strangers(seen) == "");
      CHECK(count(seen, Event::allocation) == 0);
      if (every == 0) {
        CHECK(count(seen, Event::kernel) == 1);  // a whole solve
        CHECK(count(seen, Event::copy) == 0);
        CHECK(cg.results()[0].outcome == Outcome::running);  // without a check
      }
      const KrylovResult result = cg.results(exec)[0];
      CHECK(result.converged());
      CHECK(relative_residual(a, b, x) < 2e-8);
      if (bits.empty()) {
        bits = bits_of(x);
        iterations = result.iterations;
      }
      CHECK(bits_of(x) == bits);
      CHECK(result.iterations == iterations);
    }
  }
}

TEST_CASE("trouble in one launch is that of many") {
  const Exec exec;
  const auto b = right_hand_side<double>(side * side);
  const auto outcome = [&](WithRows<Exec, double> a, KrylovOptions options) {
    std::vector<KrylovResult> results;
    auto schemes = of_one_launch<Exec>();
    schemes.insert(schemes.begin(), launches);
    for (const Scheme& scheme : schemes) {
      options.scheme = scheme;
      const auto x = vector(a.n);
      CgSolver<Exec, double> cg(exec, a.n, options);
      results.push_back(cg.solve(exec, a, b, x));
      CHECK(std::isfinite(to_host(x)(0)));  // x of the last good iteration
    }
    for (const KrylovResult& result : results) {
      CHECK(results[0].outcome == result.outcome);
      CHECK(std::abs(results[0].iterations - result.iterations) <= 1);
    }
    return results[1];
  };
  CHECK(outcome(star(side, -4.01), {}).outcome == Outcome::indefinite);
  CHECK(outcome(star(side, 1.5), {}).outcome == Outcome::indefinite);
  auto infinite = star(side, 4.01);
  Kokkos::deep_copy(Kokkos::subview(infinite.values, 9), std::numeric_limits<double>::infinity());
  CHECK(outcome(infinite, {}).outcome == Outcome::not_a_number);
  const KrylovResult few = outcome(star(side, 4.01), {.max_iterations = 3});
  CHECK(few.outcome == Outcome::iteration_limit);
  CHECK(few.iterations == 3);
  CHECK(outcome(star(side, 4.01), {.max_iterations = 0}).iterations == 0);
  CgSolver<Exec, double> impatient(exec, side * side,
                                   {.relative_tolerance = 0,
                                    .max_iterations = 100000,
                                    .stagnation_window = 50,
                                    .scheme = one_team});
  auto a = star(side, 4.01);
  const auto x = vector(a.n);
  const KrylovResult stagnated = impatient.solve(exec, a, b, x);
  CHECK((stagnated.outcome == Outcome::stagnated ||
         stagnated.outcome == Outcome::attainable_accuracy));
  CHECK(stagnated.iterations < 100000);
}

TEST_CASE("a team of a cluster leaves after others have read what lies in its scratch") {
  // A solve that ends in its first iteration: teams read the sums of others last. Each launch on an
  // emulated device has another order of lanes.
  const Exec exec;
  if (!has_clusters<Exec>()) return;
  const auto b = right_hand_side<double>(side * side);
  auto a = star(side, -4.01);
  const auto x = vector(a.n);
  CgSolver<Exec, double> cg(exec, a.n, pinned(one_cluster));
  for (int k = 0; k < 20; ++k) CHECK(cg.solve(exec, a, b, x).outcome == Outcome::indefinite);
}

TEST_CASE("rows of a cluster: each in the run of one team") {
  using heddle::detail::krylov::ClusterRows;
  for (const std::int64_t rows : {1, 31, 32, 33, 257, 4096, 58000, 232000}) {
    for (const int teams : {1, 2, 4, 8}) {
      CAPTURE(rows);
      CAPTURE(teams);
      const ClusterRows of_teams(rows, teams);
      CHECK(of_teams.first(teams) >= rows);
      CHECK((of_teams.are_exact(rows) || rows / teams > 14528));  // floats that scratch holds
      if (!of_teams.are_exact(rows)) continue;
      bool right = true;
      for (std::int64_t i = 0; i < rows; ++i) {
        const int team = of_teams.team_of(i);
        right = right && team == i / of_teams.share && team < teams;
      }
      CHECK(right);
    }
  }
}

TEST_CASE("one team keeps the history that the launches keep") {
  const Exec exec;
  auto a = star(side, 4.1);
  const auto b = right_hand_side<double>(a.n);
  KrylovOptions options = pinned(one_team);
  options.history = true;
  CgSolver<Exec, double> cg(exec, a.n, options);
  options.scheme = launches;
  CgSolver<Exec, double> other(exec, a.n, options);
  const KrylovResult result = cg.solve(exec, a, b, vector(a.n));
  other.solve(exec, a, b, vector(a.n));
  const std::vector<double> history = cg.history(exec), of_launches = other.history(exec);
  for (int i = 0; i < result.iterations / 2; ++i) {
    CHECK(history[static_cast<std::size_t>(i)] ==
          doctest::Approx(of_launches[static_cast<std::size_t>(i)]).epsilon(1e-6));
  }
  CHECK(std::ssize(history) == result.iterations + 1);
  CHECK(result.residual == history.back());
}

TEST_CASE("in one launch: no rows, one row, an arrow with a row of all columns") {
  const Exec exec;
  for (const Scheme& scheme : of_one_launch<Exec>()) {
    for (const int size : {0, 1, 5}) {
      CAPTURE(scheme.to_string());
      CAPTURE(size);
      auto a = star(size, 4.1);
      CgSolver<Exec, double> cg(exec, a.n, pinned(scheme));
      const auto b = vector(a.n), x = vector(a.n);
      CHECK(cg.solve(exec, a, b, x).iterations == 0);  // zeros converge at once
      Kokkos::deep_copy(b, 1.0);
      CHECK(cg.solve(exec, a, b, x).converged());
      CHECK(cg.solve(exec, a, b, x).iterations <= 2);  // from the solution
    }
  }
  // Row 0 is full, every other row has its own column and column 0; the last row only its own.
  const int n = emulated ? 300 : 3000;
  std::vector<int> begin{0}, column;
  std::vector<double> value;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      const bool edge = (i == 0 || j == 0) && i != n - 1 && j != n - 1;
      if (i != j && !edge) continue;
      column.push_back(j);
      value.push_back(i == j ? (i == 0 ? n : 2.0 + i % 5) : -0.5);
    }
    begin.push_back(static_cast<int>(column.size()));
  }
  WithRows<Exec, double> arrow{plain_operator<Exec, double>(begin, column, value)};
  const auto b = right_hand_side<double>(n);
  JacobiPreconditioner<Exec, double> jacobi(exec, arrow.matrix());
  for (const Scheme& scheme : of_one_launch<Exec>()) {
    CAPTURE(scheme.to_string());
    const auto x = vector(n);
    CgSolver<Exec, double> cg(exec, n, pinned(scheme));
    CHECK(cg.solve(exec, arrow, b, x, jacobi).converged());
    CHECK(relative_residual(arrow, b, x) < 1e-7);
  }
}

TEST_CASE("one team or one cluster is chosen where it is expected to be the fastest") {
  const Exec exec;
  const auto chosen = [&](auto& a, auto& m) {
    CgSolver<Exec, double> cg(exec, a.n);
    cg.solve(exec, a, right_hand_side<double>(a.n), vector(a.n), m);
    return cg.scheme();
  };
  NoPreconditioner none;
  auto small = star(8, 4.1);
  CHECK(chosen(small, none) == one_team);
  auto medium = star(45, 30);
  if (has_clusters<Exec>()) CHECK(chosen(medium, none) == one_cluster);
  auto large = star(emulated ? 250 : 200, 30);  // more than a cluster's scratch holds
  const bool one_thread = !backends::has_lanes<Exec> && exec.concurrency() == 1;
  CHECK(chosen(large, none) == (one_thread ? one_team : launches));
  PlainOperator<Exec, double> without_rows = star(8, 4.1);
  CHECK(chosen(without_rows, none) == launches);
  Diagonal user{JacobiPreconditioner<Exec, double>(exec, small.matrix())};
  CHECK(chosen(small, user) == launches);
}

TEST_CASE("an operator beside its matrix shows it to one team") {
  const Exec exec;
  PlainOperator<Exec, double> a = star(8, 4.1);
  auto both = with_rows(a, a.matrix());
  REQUIRE(both.csr().has_value());
  CHECK(both.csr()->values().data() == a.values.data());
  const auto b = right_hand_side<double>(a.n);
  const auto x = vector(a.n);
  CgSolver<Exec, double> cg(exec, a.n);
  CHECK(cg.solve(exec, both, b, x).converged());
  CHECK(cg.scheme() == one_team);
  CHECK(a.applies == 0);
  CHECK(relative_residual(a, b, x) < 2e-8);
  Diagonal user{JacobiPreconditioner<Exec, double>(exec, a.matrix())};
  CHECK(cg.solve(exec, both, b, x, user).converged());  // launches: the operator applies A
  CHECK(a.applies > 0);
  PlainOperator<Exec, double> other = star(9, 4.1);
  CHECK_THROWS_WITH_AS(with_rows(a, other.matrix()),
                       doctest::Contains("the operator is 64 x 64, and the matrix 81 x 81"), Error);
}

TEST_CASE("one team refuses by name what it does not take") {
  const Exec exec;
  auto a = star(4, 4.1);
  const auto b = right_hand_side<double>(16);
  const auto x = vector(16);
  CgSolver<Exec, double> cg(exec, 16, pinned(one_team));
  PlainOperator<Exec, double> without_rows = a;
  CHECK_THROWS_WITH_AS(cg.solve(exec, without_rows, b, x), doctest::Contains("A has no csr()"),
                       Error);
  Diagonal user{JacobiPreconditioner<Exec, double>(exec, a.matrix())};
  CHECK_THROWS_WITH_AS(cg.solve(exec, a, b, x, user),
                       doctest::Contains("cg/one-team cannot solve this system"), Error);
  CHECK_THROWS_WITH_AS((CgSolver<Exec, double>(exec, 16, pinned(Scheme("cg/two-teams")))),
                       doctest::Contains("pin cg/launches, cg/one-team or cg/one-cluster"), Error);
  if (!has_clusters<Exec>()) {
    CgSolver<Exec, double> without(exec, 16, pinned(one_cluster));
    CHECK_THROWS_WITH_AS(without.solve(exec, a, b, x),
                         doctest::Contains("cg/one-cluster cannot solve this system"), Error);
  }
  CHECK_THROWS_WITH_AS((GmresSolver<Exec, double>(exec, 16, pinned(one_team))),
                       doctest::Contains("options.scheme has no effect on GmresSolver"), Error);
}

}  // namespace heddle::test
