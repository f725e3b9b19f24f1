// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conjugate gradients in one launch, cg/one-team and cg/one-cluster: what is theirs beside the
// promises of every method in test_krylov_table.cpp.
#include "../../../solvers/krylov/cg_definitions.hpp"
#include "../../support/krylov_methods.hpp"

namespace heddle::test {

namespace {

constexpr int side = emulated ? 12 : 40;
const Scheme one_team("cg/one-team"), one_cluster("cg/one-cluster"), launches("cg/launches");

bool has_clusters() { return heddle::backends::describe(Exec()).most_teams_per_cluster > 0; }

MatrixWithRows<Exec, double> star_with_rows(int size, double diagonal) {
  return MatrixWithRows<Exec, double>(star(size, diagonal));
}

Kokkos::View<double*, Space> vector(std::int64_t n) {
  return Kokkos::View<double*, Space>("heddle::test::vector", static_cast<std::size_t>(n));
}

}  // namespace

TEST_CASE("a team of a cluster leaves after others have read what lies in its scratch") {
  // A solve that ends in its first iteration: teams read the sums of others last. Each launch on an
  // emulated device has another order of lanes.
  const Exec exec;
  if (!has_clusters()) return;
  const auto b = right_hand_side<double>(side * side);
  auto a = star_with_rows(side, -4.01);
  const auto x = vector(a.n);
  CgSolver<Exec, double> cg(exec, a.n, {.scheme = one_cluster});
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

TEST_CASE("one launch takes the steps of many: an arrow with a row of all columns") {
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
  System arrow = system_of(plain_operator<Exec, double>(begin, column, value));
  JacobiPreconditioner<Exec, double> jacobi(Exec(), arrow.a.matrix());
  int of_launches = 0;
  for (const std::string& method : krylov_methods()) {
    if (!is_cg(method)) continue;
    CAPTURE(method);
    for (const int every : {10, 0}) {
      const Solved solved = solve_by(method, arrow, {.check_every = every}, jacobi);
      CHECK(solved.result.converged());
      if (of_launches == 0) of_launches = solved.result.iterations;
      CHECK(std::abs(solved.result.iterations - of_launches) <= 1);
    }
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
  auto small = star_with_rows(8, 4.1);
  CHECK(chosen(small, none) == one_team);
  auto medium = star_with_rows(45, 30);
  if (has_clusters()) CHECK(chosen(medium, none) == one_cluster);
  auto large = star_with_rows(emulated ? 250 : 200, 30);  // more than a cluster's scratch holds
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
  auto a = star_with_rows(4, 4.1);
  const auto b = right_hand_side<double>(16);
  const auto x = vector(16);
  CgSolver<Exec, double> cg(exec, 16, {.scheme = one_team});
  PlainOperator<Exec, double> without_rows = a;
  CHECK_THROWS_WITH_AS(cg.solve(exec, without_rows, b, x), doctest::Contains("A has no csr()"),
                       Error);
  Diagonal user{JacobiPreconditioner<Exec, double>(exec, a.matrix())};
  CHECK_THROWS_WITH_AS(cg.solve(exec, a, b, x, user),
                       doctest::Contains("cg/one-team cannot solve this system"), Error);
  CHECK_THROWS_WITH_AS((CgSolver<Exec, double>(exec, 16, {.scheme = Scheme("cg/two-teams")})),
                       doctest::Contains("pin cg/launches, cg/one-team or cg/one-cluster"), Error);
  if (!has_clusters()) {
    CgSolver<Exec, double> without(exec, 16, {.scheme = one_cluster});
    CHECK_THROWS_WITH_AS(without.solve(exec, a, b, x),
                         doctest::Contains("cg/one-cluster cannot solve this system"), Error);
  }
}

}  // namespace heddle::test
