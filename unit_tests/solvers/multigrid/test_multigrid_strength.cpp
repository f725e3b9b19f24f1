// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Strong entries by the evolution measure, relaxed near-nullspace vectors, and when either is
// chosen.
#include <heddle/cg.hpp>
#include <heddle/multigrid.hpp>

#include "../../../matrices/scale.hpp"
#include "../../../solvers/multigrid/evolution.hpp"
#include "../../../testing/generate/systems.hpp"
#include "../../support/multigrid.hpp"
#include "../../support/shared_formats.hpp"

namespace heddle::test {

namespace {

using Plan = MultigridOf<Exec, double>;
using Operator = PlainOperator<Exec, double>;
constexpr int side = emulated ? 24 : 100;
constexpr int coarsest = emulated ? 20 : 100;
constexpr const char* by_evolution = "strong entries by the evolution measure";
constexpr const char* by_relaxation = "near-nullspace relaxed by 4 sweeps";

template <ExecutionSpace E>
PlainOperator<E, double> rotated(int n, double degrees, double weak) {
  const Assembled system = rotated_anisotropy(n, degrees, weak);
  std::vector<int> row_ptr(1), col_idx;
  for (const auto row : system.rows) {
    for (const auto j : row) col_idx.push_back(static_cast<int>(j));
    row_ptr.push_back(static_cast<int>(col_idx.size()));
  }
  return plain_operator<E>(row_ptr, col_idx, system.values);
}

/// Factors of 10^-decades to 10^decades.
std::vector<double> units_of(std::int64_t n, double decades) {
  Random random(11);
  std::vector<double> units;
  for (std::int64_t i = 0; i < n; ++i) {
    units.push_back(std::pow(10.0, decades * random.scalar<double>()));
  }
  return units;
}
Operator in_units(const Operator& a, const std::vector<double>& units) {
  return weighted(a, [&](int i) { return units[static_cast<std::size_t>(i)]; });
}

bool same_bits(const Exec& exec, const Plan& one, const Plan& other) {
  const auto b = right_hand_side<double>(one.rows());
  const auto x = applied(exec, one, b), y = applied(exec, other, b);
  bool same = true;
  for (std::size_t i = 0; i < x.extent(0); ++i) same = same && x(i) == y(i);
  return same;
}

}  // namespace

TEST_CASE("anisotropy in any direction: few iterations, and far more by magnitudes") {
  const Exec exec;
  for (const int degrees : {0, 22, 45, 67, -30}) {
    CAPTURE(degrees);
    const auto a = rotated<Exec>(side, degrees, 1e-3);
    Plan plan(exec, a.matrix(), {.coarsest_rows = coarsest});
    const std::string levels = plan.levels().to_string();
    CAPTURE(levels);
    CHECK(plan.levels().chosen == by_evolution);
    CHECK(levels.find(by_evolution) != std::string::npos);
    CHECK(plan.levels().levels.size() > 2);
    CHECK(plan.levels().operator_complexity() < 2);
    check_positive_definite<double>(exec, plan);
    const int iterations = iterations_with(exec, a, plan);
    CHECK(iterations <= (emulated ? 16 : 20));
    Plan by_magnitude(exec, a.matrix(),
                      {.strength_measure = MultigridMeasure::magnitude, .coarsest_rows = coarsest});
    CHECK(by_magnitude.levels().chosen.empty());
    CHECK(iterations_with(exec, a, by_magnitude) >= iterations * 7 / 5);
    // New values keep the aggregates; the second step of smoothing follows them.
    check_four_times(exec, a, plan);
    const auto other = rotated<Exec>(side, degrees, 0.01);
    plan.update_values(exec, other.matrix());
    check_positive_definite<double>(exec, plan);
    CHECK(iterations_with(exec, other, plan) <= 2 * iterations);
  }
}

TEST_CASE("units of A and of unknowns change no strong entry") {
  const Exec exec;
  const auto a = rotated<Exec>(side / 2, 22, 1e-3);
  const MultigridOptions options{.coarsest_rows = coarsest};
  Plan plan(exec, a.matrix(), options);
  const std::string levels = plan.levels().to_string();
  const int iterations = iterations_with(exec, a, plan);
  for (const double unit : {1e-12, 1e12, number_in_turn(1e-165, 1e155)}) {
    CAPTURE(unit);
    const auto scaled = with_values(a, [=](double value) { return unit * value; });
    Plan of_scaled(exec, scaled.matrix(), options);
    CHECK(of_scaled.levels().to_string() == levels);
    CHECK(std::abs(iterations_with(exec, scaled, of_scaled) - iterations) <= 1);
  }
  const auto units = units_of(a.n, 6);
  std::vector<double> near;
  for (const double unit : units) near.push_back(1 / unit);
  const auto vector = copy_in<Space>(near);
  const auto scaled = in_units(a, units);
  Plan of_units(exec, scaled.matrix(), vector, options);
  CHECK(of_units.levels().chosen == by_evolution);
  check_positive_definite<double>(exec, of_units, 1e-7);
  CHECK(iterations_with(exec, scaled, of_units) <= iterations + 8);
}

TEST_CASE("D A D by a constant: relaxed near-nullspace vectors") {
  const Exec exec;
  const int edge = emulated ? 7 : 20;
  const Operator systems[] = {poisson<Exec, double>(side, side, 1),
                              poisson<Exec, double>(edge, edge, edge),
                              rotated<Exec>(side, 45, 1e-3)};
  for (const Operator& a : systems) {
    const MultigridOptions options{.coarsest_rows = coarsest};
    Plan of_a(exec, a.matrix(), options);
    const int iterations = iterations_with(exec, a, of_a);
    for (const double decades : {0.5, 3.0, 6.0}) {
      CAPTURE(decades);
      for (const double unit : {1.0, number_in_turn(1e-12, 1e12)}) {
        CAPTURE(unit);
        const auto scaled = with_values(in_units(a, units_of(a.n, decades)),
                                        [=](double value) { return unit * value; });
        Plan plan(exec, scaled.matrix(), options);
        const std::string levels = plan.levels().to_string();
        CAPTURE(levels);
        CHECK(levels.find(by_relaxation) != std::string::npos);
        CHECK(plan.levels().chosen.starts_with(by_evolution) ==
              of_a.levels().chosen.starts_with(by_evolution));
        check_positive_definite<double>(exec, plan, 1e-7);
        CHECK(iterations_with(exec, scaled, plan) <= iterations + 2);
        // The plan does not know that the constant it gets is not the nullspace.
        const Kokkos::View<double*, Space> ones("heddle::test::ones",
                                                static_cast<std::size_t>(a.n));
        Kokkos::deep_copy(ones, 1.0);
        Plan of_ones(exec, scaled.matrix(), ones, options);
        CHECK(of_ones.levels().chosen.ends_with(by_relaxation));
        check_positive_definite<double>(exec, of_ones, 1e-7);
        CHECK(iterations_with(exec, scaled, of_ones) <= 3 * iterations);
        if (decades < 1) continue;
        MultigridOptions none = options;
        none.improve_candidates = 0;
        const Plan unchanged(exec, scaled.matrix(), ones, none);
        auto system = scaled;
        const Kokkos::View<double*, Space> b("heddle::test::b", ones.extent(0)),
            x("heddle::test::x", ones.extent(0));
        system.apply(exec, right_hand_side<double>(a.n), b);
        const int most = iterations_with(exec, scaled, of_ones);
        CgSolver<Exec, double> cg(exec, a.n, {.max_iterations = most});
        CHECK_FALSE(cg.solve(exec, system, b, x, unchanged).converged());
      }
    }
  }
}

TEST_CASE("more sweeps, fewer iterations; and for every smoother") {
  const Exec exec;
  const auto a =
      in_units(poisson<Exec, double>(side, side, 1), units_of(std::int64_t{side} * side, 3));
  int before = 1000;
  for (const int sweeps : {0, 2, 8}) {
    CAPTURE(sweeps);
    Plan plan(exec, a.matrix(), {.improve_candidates = sweeps, .coarsest_rows = coarsest});
    const int iterations = iterations_with(exec, a, plan);
    CHECK(iterations < before);
    before = iterations;
  }
  const auto other =
      in_units(poisson<Exec, double>(side, side, 1), units_of(std::int64_t{side} * side, 0.5));
  for (const auto smoother : {MultigridSmoother::l1_jacobi, MultigridSmoother::gauss_seidel}) {
    Plan plan(exec, other.matrix(), {.smoother = smoother, .coarsest_rows = coarsest});
    CHECK(plan.levels().chosen == by_relaxation);
    check_positive_definite<double>(exec, plan, 1e-8);
    Plan unchanged(exec, other.matrix(),
                   {.improve_candidates = 0, .smoother = smoother, .coarsest_rows = coarsest});
    CHECK(iterations_with(exec, other, plan) < iterations_with(exec, other, unchanged));
  }
}

TEST_CASE("common systems keep the bits of magnitudes and given vectors") {
  const Exec exec;
  for (const System& system : symmetric_systems<Exec, double>()) {
    CAPTURE(system.name);
    const auto& a = system.matrix;
    for (const int rows : {10, 40}) {
      const Plan plan(exec, a.matrix(), {.coarsest_rows = rows});
      const Plan before(exec, a.matrix(),
                        {.strength_measure = MultigridMeasure::magnitude,
                         .improve_candidates = 0,
                         .coarsest_rows = rows});
      CHECK(plan.levels().to_string() == before.levels().to_string());
      CHECK(same_bits(exec, plan, before));
    }
  }
}

TEST_CASE("the evolution measure and sweeps on request, on systems that need neither") {
  const Exec exec;
  for (const System& system : symmetric_systems<Exec, double>()) {
    CAPTURE(system.name);
    Plan plan(exec, system.matrix.matrix(),
              {.strength_measure = MultigridMeasure::evolution,
               .improve_candidates = 2,
               .coarsest_rows = emulated ? 10 : 40});
    const std::string levels = plan.levels().to_string();
    CAPTURE(levels);
    CHECK(levels.find(by_evolution) != std::string::npos);
    check_positive_definite<double>(exec, plan);
    // Aggregates by evolution cross jumps, and those by magnitudes do not.
    CHECK(iterations_with(exec, system.matrix, plan) <=
          (system.name == "jumps of a million" ? 90 : 30));
  }
}

TEST_CASE("plain aggregation by evolution, and of relaxed near-nullspace vectors") {
  const Exec exec;
  const MultigridOptions options{.kind = MultigridKind::plain_aggregation,
                                 .coarsest_rows = coarsest};
  const auto rotated_by_45 = rotated<Exec>(side, 45, 1e-3);
  const auto a = poisson<Exec, double>(side, side, 1);
  const auto scaled = in_units(a, units_of(a.n, 3));
  for (const bool turned : {true, false}) {
    CAPTURE(turned);
    const Operator& system = turned ? rotated_by_45 : scaled;
    Plan plan(exec, system.matrix(), options);
    CHECK(plan.levels().kind == "plain-aggregation");
    CHECK(plan.levels().chosen == (turned ? by_evolution : by_relaxation));
    CHECK(plan.levels().levels.size() > 1);
    check_positive_definite<double>(exec, plan, 1e-7);
    MultigridOptions neither = options;
    neither.strength_measure = MultigridMeasure::magnitude;
    neither.improve_candidates = 0;
    Plan unchanged(exec, system.matrix(), neither);
    CHECK(unchanged.levels().chosen.empty());
    CHECK(iterations_with(exec, system, plan) < iterations_with(exec, system, unchanged));
    check_four_times(exec, system, plan);
  }
}

TEST_CASE("columns in any order: evolution on request sorts them") {
  const Exec exec;
  const auto a = rotated<Exec>(side / 2, 45, 1e-3);
  const auto row_ptr = to_host(a.row_ptr), col_idx = to_host(a.col_idx);
  const auto entries = to_host(a.values);
  std::vector<int> starts(1), columns;
  std::vector<double> values;
  for (std::size_t i = 0; i < static_cast<std::size_t>(a.n); ++i) {
    for (int k = row_ptr(i + 1) - 1; k >= row_ptr(i); --k) {
      columns.push_back(col_idx(static_cast<std::size_t>(k)));
      values.push_back(entries(static_cast<std::size_t>(k)));
    }
    starts.push_back(static_cast<int>(columns.size()));
  }
  const auto reversed = plain_operator<Exec>(starts, columns, values);
  const MultigridOptions evolution{.strength_measure = MultigridMeasure::evolution,
                                   .coarsest_rows = coarsest};
  Plan plan(exec, reversed.matrix(), evolution);
  CHECK(same_bits(exec, plan, Plan(exec, a.matrix(), evolution)));
  const auto twice = with_values(reversed, [](double value) { return 2 * value; });
  plan.update_values(exec, twice.matrix());
  check_positive_definite<double>(exec, plan);
  CHECK(Plan(exec, reversed.matrix(), {.coarsest_rows = coarsest}).levels().chosen.empty());
}

TEST_CASE("a full row and column") {
  const Exec exec;
  const int n = emulated ? 300 : 3000;
  std::vector<std::map<int, double>> rows(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) {
    auto& row = rows[static_cast<std::size_t>(i)];
    row[i] = 3;
    for (const int j : {i - 1, i + 1}) {
      if (j >= 0 && j < n) row[j] = -1;
    }
    if (i > 1) row[0] = rows[0][i] = -0.01;
  }
  rows[0][0] = n;
  const auto a = operator_of<Exec, double>(rows);
  Plan plan(exec, a.matrix(),
            {.strength_measure = MultigridMeasure::evolution, .coarsest_rows = 10});
  check_positive_definite<double>(exec, plan);
  CHECK(iterations_with(exec, a, plan) <= 20);
}

TEST_CASE("options without an effect are errors") {
  const Exec exec;
  const auto a = poisson<Exec, double>(6, 6, 1);
  const auto throws = [&](const MultigridOptions& options, const char* words) {
    CHECK_THROWS_WITH_AS(Plan(exec, a.matrix(), options), doctest::Contains(words), Error);
  };
  throws({.improve_candidates = -2}, "options.improve_candidates is -2");
  throws({.improve_candidates = 101}, "options.improve_candidates is 101");
  throws({.strength_measure = MultigridMeasure::evolution, .block_size = 2},
         "options.strength_measure");
  const Kokkos::View<double**, Space> two("heddle::test::vectors", 36, 2);
  Kokkos::deep_copy(two, 1.0);
  CHECK_THROWS_WITH_AS(
      Plan(exec, a.matrix(), two, {.strength_measure = MultigridMeasure::evolution}),
      doctest::Contains("options.strength_measure"), Error);
  MultigridParts<Exec, Operator::Matrix> parts;
  parts.prolongation = [](const Exec& on, int, const Operator::Matrix& A) {
    return CsrStorage<double, int, int, Space>(on, A.rows(), 0, 0);
  };
  for (const MultigridOptions& options :
       {MultigridOptions{.strength_measure = MultigridMeasure::evolution},
        MultigridOptions{.improve_candidates = 1}}) {
    CHECK_THROWS_WITH_AS(Plan(exec, a.matrix(), parts, options),
                         doctest::Contains("has no effect with parts.prolongation"), Error);
  }
}

TEST_CASE_TEMPLATE_DEFINE("strong entries are those of (I - D^-1 A / bound)^2", T, measure) {
  namespace mg = heddle::detail::multigrid;
  using E = typename T::Exec;
  using SpaceOf = typename T::Space;
  using Matrix = typename PlainOperator<E, double>::Matrix;
  const E exec;
  for (const int width : {5, 9}) {  // the second matrix has a row longer than a subwarp
    CAPTURE(width);
    const auto n = static_cast<std::size_t>(width * width);
    auto a = rotated<E>(width, 30, 0.01);
    std::vector<double> dense(n * n), b, d;
    each_entry(a, [&](double value, std::size_t i, std::size_t j) { dense[i * n + j] = value; });
    if (width == 9) {
      for (std::size_t j = 0; j < n; ++j) {
        if (j == 40 || dense[40 * n + j] != 0) continue;
        dense[40 * n + j] = dense[j * n + 40] = -1e-3 * static_cast<double>(1 + j % 3);
      }
    }
    std::vector<int> row_ptr(1), col_idx;
    std::vector<double> values;
    for (std::size_t i = 0; i < n; ++i) {
      b.push_back(1 + 0.1 * static_cast<double>(i % 4));
      d.push_back(dense[i * n + i]);
      for (std::size_t j = 0; j < n; ++j) {
        if (dense[i * n + j] == 0) continue;
        col_idx.push_back(static_cast<int>(j));
        values.push_back(dense[i * n + j]);
      }
      row_ptr.push_back(static_cast<int>(col_idx.size()));
    }
    a = plain_operator<E>(row_ptr, col_idx, values);
    constexpr double bound = 2;
    // Column i of the square is what an impulse in row i becomes.
    const auto step = [&](std::size_t i, std::size_t j) {
      return (i == j ? 1.0 : 0.0) - dense[i * n + j] / (d[i] * bound);
    };
    std::vector<double> square(n * n);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        for (std::size_t l = 0; l < n; ++l) square[i * n + j] += step(i, l) * step(l, j);
      }
    }
    const auto measure_of = [&](std::size_t i, std::size_t j) {
      const double spread = square[j * n + i] * b[i] / (square[i * n + i] * b[j]);
      return spread > 1e-8 ? std::abs(1 - 1 / spread) : 1e300;
    };
    const auto least = [&](std::size_t i) {
      double of = 1e300;
      for (std::size_t j = 0; j < n; ++j) {
        if (j != i && dense[i * n + j] != 0) of = std::min(of, measure_of(i, j));
      }
      return of;
    };
    const auto vector = copy_in<SpaceOf>(b), diagonal = copy_in<SpaceOf>(d);
    const Kokkos::View<mg::SpectrumNumbers, SpaceOf> numbers("heddle::test::numbers");
    mg::SpectrumNumbers known{};
    known.bound = bound;
    Kokkos::deep_copy(numbers, known);
    const mg::StrongNodes<E, Matrix> nodes(
        exec, a.matrix(),
        mg::EvolutionMeasure<E, Matrix>(exec, a.matrix(), diagonal.data(), vector.data(),
                                        numbers.data()));
    const auto array = [](const auto* data, std::int64_t count) {
      using Type = std::remove_pointer_t<decltype(data)>;
      return to_host(Kokkos::View<Type*, SpaceOf, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(
          data, static_cast<std::size_t>(count)));
    };
    const auto marks = array(nodes.marks(), static_cast<std::int64_t>(values.size()));
    const auto strengths = array(nodes.graph().strength, nodes.graph().entries);
    std::size_t k = 0, place = 0;
    int wrong = 0, strong = 0;
    for (std::size_t i = 0; i < n; ++i) {
      for (; k < static_cast<std::size_t>(row_ptr[i + 1]); ++k) {
        const auto j = static_cast<std::size_t>(col_idx[k]);
        const double one = measure_of(i, j), other = measure_of(j, i);
        const bool is_strong = i == j || (one < 1e300 && one <= 4 * least(i)) ||
                               (other < 1e300 && other <= 4 * least(j));
        wrong += (marks(k) != 0) != is_strong;
        if (!is_strong) continue;
        ++strong;
        const double expected = 1 / (1e-12 + std::min(one, other));
        if (i != j) wrong += !(std::abs(strengths(place) - expected) < 1e-5 * expected);
        ++place;
      }
    }
    CHECK(wrong == 0);
    CHECK(strong > static_cast<int>(n));
    CHECK(strong < static_cast<int>(values.size()));
  }
}
TEST_CASE_TEMPLATE_APPLY(measure, Every<std::tuple<double>, UsualIndices, AllBackends>);

}  // namespace heddle::test
