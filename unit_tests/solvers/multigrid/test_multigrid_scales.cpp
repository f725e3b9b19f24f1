// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whatever the unit of A, of its unknowns and of near-nullspace vectors, multigrid is the same; and
// rounding errors are not confused with small entries.
#include <heddle/cg.hpp>
#include <heddle/multigrid.hpp>
#include <limits>

#include "../../support/multigrid.hpp"
#include "../../support/shared_formats.hpp"

namespace heddle::test {

namespace {

using Plan = MultigridOf<Exec, double>;
using Operator = PlainOperator<Exec, double>;
using Vectors = Kokkos::View<double**, Kokkos::LayoutLeft, Space>;
constexpr int side = emulated ? 12 : 40;
constexpr MultigridOptions few = {.coarsest_rows = 20};

/// The matrix diag(first, M) with the mass matrix M of trilinear elements on a cube times `unit`.
Operator and_mass(const Operator& first, int edge, double unit) {
  std::vector<int> row_ptr, col_idx;
  std::vector<double> values;
  const auto rows = to_host(first.row_ptr), columns = to_host(first.col_idx);
  const auto entries = to_host(first.values);
  for (std::size_t i = 0; i < rows.extent(0); ++i) row_ptr.push_back(rows(i));
  for (std::size_t k = 0; k < columns.extent(0); ++k) {
    col_idx.push_back(columns(k));
    values.push_back(entries(k));
  }
  const auto of_line = [=](int at, int step) {
    return step != 0 ? 1.0 : at == 0 || at + 1 == edge ? 2.0 : 4.0;
  };
  for (int i = 0; i < edge * edge * edge; ++i) {
    const int at[3] = {i % edge, i / edge % edge, i / edge / edge};
    for (int s = 0; s < 27; ++s) {
      const int step[3] = {s % 3 - 1, s / 3 % 3 - 1, s / 9 - 1};
      double value = unit;
      int j = 0;
      for (int d = 2; d >= 0; --d) {
        const int to = at[d] + step[d];
        if (to < 0 || to >= edge) value = 0;
        j = j * edge + to;
        value *= of_line(at[d], step[d]);
      }
      if (value == 0) continue;
      col_idx.push_back(static_cast<int>(first.n) + j);
      values.push_back(value);
    }
    row_ptr.push_back(static_cast<int>(col_idx.size()));
  }
  return plain_operator<Exec>(row_ptr, col_idx, values);
}

}  // namespace

TEST_CASE("the unit of A changes no level and no iteration") {
  const Exec exec;
  for (const System& system : symmetric_systems<Exec, double>()) {
    CAPTURE(system.name);
    const auto n = static_cast<std::size_t>(system.matrix.n);
    const Vectors vectors("heddle::test::vectors", n, 2);
    const auto on_host = Kokkos::create_mirror_view(vectors);
    for (const bool given : {false, true}) {
      // The second vector depends on the first, and is zero in half of the rows.
      for (std::size_t i = 0; i < 2 * n; ++i) on_host(i % n, i / n) = i < 3 * n / 2 ? 1 : 0;
      Kokkos::deep_copy(vectors, on_host);
      const auto plan_of = [&](const Operator& a) {
        return given ? Plan(exec, a.matrix(), vectors, few) : Plan(exec, a.matrix(), few);
      };
      Plan plan = plan_of(system.matrix);
      const std::string levels = plan.levels().to_string();
      CAPTURE(levels);
      const int iterations = iterations_with(exec, system.matrix, plan);
      CHECK(iterations <= 25);
      for (const double unit :
           {number_in_turn(0x1p-40, 0x1p40, 0.01), number_in_turn(1e-165, 1e155)}) {
        CAPTURE(unit);
        const auto a = with_values(system.matrix, [=](double entry) { return unit * entry; });
        Plan scaled = plan_of(a);
        CHECK(scaled.levels().to_string() == levels);
        CHECK(std::abs(iterations_with(exec, a, scaled) - iterations) <= 1);
      }
    }
  }
}

TEST_CASE(
    "the unit of near-nullspace vectors counts for nothing; vectors that are none are errors") {
  const Exec exec;
  const auto a = poisson<Exec, double>(side, side, 1);
  const auto n = static_cast<std::size_t>(a.n);
  Plan plan(exec, a.matrix(), few);
  const auto b = right_hand_side<double>(a.n);
  const auto expected = applied(exec, plan, b);
  const Kokkos::View<double*, Space> vector("heddle::test::vector", n);
  for (const double size : {0x1p-540, 1.0, 0x1p530}) {
    Kokkos::deep_copy(vector, size);
    Plan of_vector(exec, a.matrix(), vector, few);
    const auto x = applied(exec, of_vector, b);
    bool same = true;
    for (std::size_t i = 0; i < n; ++i) same = same && x(i) == expected(i);
    CHECK(same);
  }
  Kokkos::deep_copy(vector, 0.0);
  CHECK_THROWS_WITH_AS(Plan(exec, a.matrix(), vector, few),
                       doctest::Contains("all near-nullspace vectors are zero"), Error);
  Kokkos::deep_copy(vector, std::numeric_limits<double>::quiet_NaN());
  CHECK_THROWS_WITH_AS(Plan(exec, a.matrix(), vector, few),
                       doctest::Contains("near-nullspace vector 0 is not finite"), Error);
}

TEST_CASE("unknowns with units of their own: with their near-nullspace as good, else honest") {
  const Exec exec;
  for (const System& system : symmetric_systems<Exec, double>()) {
    CAPTURE(system.name);
    Random random(7);
    std::vector<double> units;
    const auto n = static_cast<std::size_t>(system.matrix.n);
    const Vectors vectors("heddle::test::vectors", n, 1);
    const auto on_host = Kokkos::create_mirror_view(vectors);
    for (std::size_t i = 0; i < n; ++i) {
      units.push_back(std::pow(10.0, 6 * random.scalar<double>()));
      on_host(i, 0) = 1 / units[i];
    }
    Kokkos::deep_copy(vectors, on_host);
    auto a = weighted(system.matrix, [&](int i) { return units[static_cast<std::size_t>(i)]; });
    Plan plan(exec, a.matrix(), vectors, few);
    const std::string levels = plan.levels().to_string();
    CAPTURE(levels);
    check_positive_definite<double>(exec, plan, 1e-7);
    CHECK(iterations_with(exec, a, plan) <= 40);
    Plan without(exec, a.matrix(), few);
    const auto b = right_hand_side<double>(a.n);
    const Kokkos::View<double*, Space> x("heddle::test::x", n);
    CgSolver<Exec, double> cg(exec, a.n);
    if (cg.solve(exec, a, b, x, without).converged()) CHECK(relative_residual(a, b, x) < 1.01e-8);
  }
}

TEST_CASE("two fields of different units") {
  const Exec exec;
  const auto first = poisson<Exec, double>(side, side, 1);
  double known = 0;
  for (const double unit : {1.0, 1e-10, 1e-14}) {
    CAPTURE(unit);
    const auto a = and_mass(first, emulated ? 4 : 8, unit);
    const double bound = spectrum_bounds(exec, a.matrix()).upper;
    if (unit == 1) known = bound;
    CHECK(bound > 0.9 * known);
    Plan plan(exec, a.matrix(), few);
    check_positive_definite<double>(exec, plan);
    CHECK(iterations_with(exec, a, plan) <= 15);
  }
}

TEST_CASE("islands that hang by little have a coarse unknown") {
  const Exec exec;
  const auto island = [](int k) {
    const int x = k % side, y = k / side;
    return x % 8 >= 4 && y % 8 >= 4 ? 1 + x / 8 + side * (y / 8) : 0;
  };
  for (const double contrast : {1.0, 1e10, 1e11, 1e12}) {
    CAPTURE(contrast);
    auto a = exchange<Exec, double>(
        side, side, 1, [&](int i, int j) { return island(i) && island(j) ? contrast : 1.0; },
        [](int i) { return i % side == 0 ? 1.0 : 0.0; });
    const auto n = static_cast<std::size_t>(a.n);
    // One island moves as a whole.
    const Kokkos::View<double*, Space> x("heddle::test::x", n), b("heddle::test::b", n);
    const auto moved = Kokkos::create_mirror_view(x);
    for (std::size_t i = 0; i < n; ++i) moved(i) = island(static_cast<int>(i)) == 1 ? 1 : 0;
    Kokkos::deep_copy(x, moved);
    a.apply(exec, x, b);
    exec.fence("heddle::test::product");
    Plan plan(exec, a.matrix(), few);
    const auto solved = applied(exec, plan, b), force = to_host(b);
    double energy = 0, found = 0;
    for (std::size_t i = 0; i < n; ++i) {
      energy += moved(i) * force(i);
      found += solved(i) * force(i);
    }
    CHECK(found > 0.3 * energy);
    CHECK(found < 1.5 * energy);
  }
}

TEST_CASE("entries of all levels have a limit") {
  const Exec exec;
  // A few nodes have most of the edges.
  const int n = emulated ? 600 : 4000;
  std::vector<std::map<int, double>> rows(static_cast<std::size_t>(n));
  Random random(3);
  for (int i = 0; i < 3 * n; ++i) {
    const double u = (1 + random.scalar<double>()) / 2;
    const int from = i % n, to = std::min(n - 1, static_cast<int>(n * u * u * u * u));
    if (from == to) continue;
    rows[static_cast<std::size_t>(from)][to] = rows[static_cast<std::size_t>(to)][from] = -1;
  }
  for (int i = 0; i < n; ++i) {
    auto& row = rows[static_cast<std::size_t>(i)];
    row[i] = static_cast<double>(row.size()) + 1e-3;
  }
  const auto a = operator_of<Exec, double>(rows);
  Plan limited(exec, a.matrix(), {.coarsest_rows = 10, .max_operator_complexity = 1.5});
  CHECK(limited.levels().operator_complexity() <= 1.5);
  CHECK(limited.levels().end.find("above max_operator_complexity") != std::string::npos);
  CHECK(iterations_with(exec, a, limited) <= 60);
  Plan unlimited(exec, a.matrix(), {.coarsest_rows = 10, .max_operator_complexity = 1000});
  CHECK(unlimited.levels().operator_complexity() > 1.5);
  // An inverted level has no limit of complexity.
  Plan dense(exec, a.matrix(), {.coarsest_rows = n - 1, .max_operator_complexity = 1});
  CHECK(dense.levels().levels.back().smoother == "inverted");
  CHECK_THROWS_WITH_AS(Plan(exec, a.matrix(), {.max_operator_complexity = 0.5}),
                       doctest::Contains("options.max_operator_complexity"), Error);
}

TEST_CASE("l1-Jacobi: units and repeated entries") {
  const Exec exec;
  const MultigridOptions l1 = {.smoother = MultigridSmoother::l1_jacobi, .coarsest_rows = 20};
  const auto a = poisson<Exec, double>(side, side, 1);
  Plan plan(exec, a.matrix(), l1);
  const int iterations = iterations_with(exec, a, plan);
  // Each entry is stored as 100 a - 99 a.
  const auto row_ptr = to_host(a.row_ptr), col_idx = to_host(a.col_idx);
  const auto values = to_host(a.values);
  std::vector<int> twice_row_ptr(1), twice_col_idx;
  std::vector<double> parts;
  for (std::size_t i = 0; i < static_cast<std::size_t>(a.n); ++i) {
    for (auto k = static_cast<std::size_t>(row_ptr(i));
         k < static_cast<std::size_t>(row_ptr(i + 1)); ++k) {
      for (const double factor : {100.0, -99.0}) {
        twice_col_idx.push_back(col_idx(k));
        parts.push_back(factor * values(k));
      }
    }
    twice_row_ptr.push_back(static_cast<int>(twice_col_idx.size()));
  }
  const auto twice = plain_operator<Exec>(twice_row_ptr, twice_col_idx, parts);
  Plan of_parts(exec, twice.matrix(), l1);
  CHECK(of_parts.levels().to_string() == plan.levels().to_string());
  CHECK(iterations_with(exec, a, of_parts) == iterations);
  const auto other = with_values(twice, [](double value) { return 2 * value; });
  of_parts.update_values(exec, other.matrix());
  of_parts.check_values(exec);
  CHECK(iterations_with(exec, a, of_parts) == iterations);
}

}  // namespace heddle::test
