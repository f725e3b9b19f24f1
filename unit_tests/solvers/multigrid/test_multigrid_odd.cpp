// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrices that suit multigrid badly, and invalid options.
#include <heddle/cg.hpp>
#include <heddle/gmres.hpp>
#include <heddle/multigrid.hpp>
#include <limits>

#include "../../../solvers/krylov/gmres_definitions.hpp"
#include "../../support/error_of.hpp"
#include "../../support/multigrid.hpp"
#include "../../support/shared_formats.hpp"

namespace heddle::test {

namespace {

using Plan = MultigridOf<Exec, double>;
constexpr int side = emulated ? 10 : 30;
constexpr MultigridOptions few = {.coarsest_rows = 20};
constexpr double unit = number_in_turn(1, 1e-12, 1e12);  ///< scale of each matrix

/// A grid's Laplacian with this diagonal entry in row 7; 4 leaves it unchanged.
PlainOperator<Exec, double> with_diagonal(double entry) {
  return grid_operator<Exec, double>(side, [=](int i, int j) {
    return i != j ? -unit : i == 7 && entry != 4 ? entry : 4 * unit;
  });
}

/// Checks that no plan is made, by the error's words.
void refuses(const PlainOperator<Exec, double>& a, const char* words,
             const MultigridOptions& options = few) {
  CHECK_THROWS_WITH_AS(Plan(Exec(), a.matrix(), options), doctest::Contains(words), Error);
}
void says(const std::string& text, const char* words) {
  CHECK_MESSAGE(mentions(text, words), text);
}

}  // namespace

TEST_CASE("a diagonal that is zero, negative or not finite names its row") {
  const Exec exec;
  for (const double bad : {0.0, -4.0, std::numeric_limits<double>::quiet_NaN(),
                           std::numeric_limits<double>::infinity(), 1e-310}) {
    CAPTURE(bad);
    refuses(with_diagonal(bad), "row 7: the diagonal is missing, not positive");
    Plan plan(exec, with_diagonal(4).matrix(), few);
    const auto after = with_diagonal(bad);
    plan.update_values(exec, after.matrix());
    CHECK_THROWS_WITH_AS(plan.check_values(exec), doctest::Contains("row 7: the diagonal"), Error);
    if (std::isfinite(bad)) {
      const Kokkos::View<double*, Space> b("heddle::test::b", side * side),
          x("heddle::test::x", side * side);
      Kokkos::deep_copy(b, 1.0);
      plan.apply(exec, b, x);
      exec.fence("heddle::test::applied");
      const auto applied = to_host(x);
      bool finite = true;
      for (std::size_t i = 0; i < applied.extent(0); ++i)
        finite = finite && std::isfinite(applied(i));
      CHECK(finite);
    }
    const auto mended = with_diagonal(4);
    plan.update_values(exec, mended.matrix());
    plan.check_values(exec);
    check_positive_definite<double>(exec, plan);
  }
  // Row 1 is empty.
  refuses(plain_operator<Exec, double>({0, 1, 1, 2}, {0, 2}, {1.0, 1.0}),
          "row 1: the diagonal is missing");
}

TEST_CASE("NaN beside the diagonal is an error, and later one of the values") {
  const Exec exec;
  const auto nan = grid_operator<Exec, double>(side, [](int i, int j) {
    return i == j ? 4 * unit : i == 5 ? std::numeric_limits<double>::quiet_NaN() : -unit;
  });
  refuses(nan, "a value of the matrix is not finite");
  refuses(nan, "a value of the matrix is not finite", {.coarsest_rows = side * side});
  Plan plan(exec, with_diagonal(4).matrix(), few);
  plan.update_values(exec, nan.matrix());
  CHECK_THROWS_WITH_AS(plan.check_values(exec), doctest::Contains("not finite"), Error);
}

TEST_CASE("options and shapes that make no sense") {
  const Exec exec;
  const auto a = with_diagonal(4);
  refuses(a, "options.degree is -1", {.degree = -1});
  refuses(a, "options.degree is 5", {.degree = 5});
  refuses(a, "options.strength", {.strength = -1});
  refuses(a, "options.block_size is 7", {.block_size = 7});
  refuses(a, "options.coarsest_rows", {.coarsest_rows = -1});
  refuses(a, "options.max_levels", {.max_levels = 0});
  refuses(a, "options.vectors.count", {.vectors = {.count = 0}});
  const Kokkos::View<double*, Space> short_one("heddle::test::vector", 3);
  CHECK_THROWS_WITH_AS(Plan(exec, a.matrix(), short_one), doctest::Contains("near-nullspace"),
                       Error);
  const Plan plan(exec, a.matrix(), few);
  CHECK_THROWS_WITH_AS(plan.apply(exec, short_one, short_one), doctest::Contains("rows"), Error);
  using Matrix = PlainOperator<Exec, double>::Matrix;
  const Matrix oblong(4, 5, 0, copy_in<Space>(std::vector<int>(5)).data(), nullptr, nullptr);
  CHECK_THROWS_WITH_AS(Plan(exec, oblong), doctest::Contains("4 x 5"), Error);
}

TEST_CASE("one row") {
  const Exec exec;
  for (const int coarsest : {0, 10}) {
    const auto one = plain_operator<Exec, double>({0, 1}, {0}, {4.0});
    Plan of_one(exec, one.matrix(), {.coarsest_rows = coarsest});
    const auto b = right_hand_side<double>(1);
    const double is = applied(exec, of_one, b)(0) / to_host(b)(0);
    if (coarsest > 0) CHECK(is == 0.25);
    CHECK(is > 0);
  }
}

TEST_CASE("coarsening that ends says why") {
  const Exec exec;
  const auto diagonal =
      grid_operator<Exec, double>(side, [](int i, int j) { return i == j ? 2 * unit : 0.0; });
  Plan alone(exec, diagonal.matrix(), few);
  CHECK(alone.levels().levels.size() == 1);
  says(alone.levels().to_string(), "no entry beside its diagonal is strong");
  const auto a = with_diagonal(4);
  Plan two(exec, a.matrix(), {.coarsest_rows = 0, .max_levels = 2});
  CHECK(two.levels().levels.size() == 2);
  says(two.levels().to_string(), "there are max_levels");
  check_positive_definite<double>(exec, two);
  Plan down(exec, a.matrix(), {.coarsest_rows = 0});
  says(down.levels().to_string(), "smoothed alone");
  check_positive_definite<double>(exec, down);
  CHECK(iterations_with(exec, a, down) <= 20);
  // Pairs of nodes with three vectors each: no fewer unknowns.
  const Kokkos::View<double**, Kokkos::LayoutLeft, Space> three("heddle::test::vectors",
                                                                static_cast<std::size_t>(a.n), 3);
  Kokkos::deep_copy(three, 1.0);
  const auto pairs = grid_operator<Exec, double>(side, [](int i, int j) {
    return unit * (i == j ? 2.0 : i / 2 == j / 2 ? -1.0 : 0.0);
  });
  Plan stalled(exec, pairs.matrix(), three, few);
  says(stalled.levels().to_string(), "the next one would have");
  check_positive_definite<double>(exec, stalled);
}

TEST_CASE("vectors that depend on each other, and a full row") {
  const Exec exec;
  const auto a = with_diagonal(4);
  const auto n = static_cast<std::size_t>(a.n);
  const Kokkos::View<double**, Kokkos::LayoutLeft, Space> twice("heddle::test::vectors", n, 2);
  Kokkos::deep_copy(twice, 2.0);
  Plan dependent(exec, a.matrix(), twice, few);
  CHECK(dependent.levels().levels.size() > 1);
  check_positive_definite<double>(exec, dependent);
  CHECK(iterations_with(exec, a, dependent) <= 20);

  std::vector<int> row_ptr(1), col_idx;
  std::vector<double> values;
  const int m = static_cast<int>(a.n);
  for (int i = 0; i < m; ++i) {
    for (int j = 0; j < m; ++j) {
      const bool full = i == 0 || j == 0;
      if (!full && std::abs(i - j) > 1) continue;
      col_idx.push_back(j);
      values.push_back(unit * (i != j ? -1.0 : i == 0 ? m : 3.5));
    }
    row_ptr.push_back(static_cast<int>(col_idx.size()));
  }
  const auto arrow = plain_operator<Exec>(row_ptr, col_idx, values);
  Plan of_arrow(exec, arrow.matrix(), few);
  check_positive_definite<double>(exec, of_arrow);
  CHECK(iterations_with(exec, arrow, of_arrow) <= 20);
}

TEST_CASE("columns in any order, and entries that repeat") {
  const Exec exec;
  const auto a = with_diagonal(4);
  const auto row_ptr = to_host(a.row_ptr), col_idx = to_host(a.col_idx);
  const auto values = to_host(a.values);
  std::vector<int> twice_row_ptr(1), twice_col_idx;
  std::vector<double> halves;
  for (std::size_t i = 0; i < static_cast<std::size_t>(a.n); ++i) {
    for (auto k = row_ptr(i + 1) - 1; k >= row_ptr(i); --k) {
      for (int time = 0; time < 2; ++time) {
        twice_col_idx.push_back(col_idx(static_cast<std::size_t>(k)));
        halves.push_back(values(static_cast<std::size_t>(k)) / 2);
      }
    }
    twice_row_ptr.push_back(static_cast<int>(twice_col_idx.size()));
  }
  const auto twice = plain_operator<Exec>(twice_row_ptr, twice_col_idx, halves);
  Plan plan(exec, twice.matrix(), few);
  CHECK(plan.symmetric());
  CHECK(plan.levels().levels.size() > 1);
  check_positive_definite<double>(exec, plan);
  CHECK(iterations_with(exec, a, plan) <= 12);
}

TEST_CASE("a matrix that is not symmetric: refused by CG, taken by GMRES") {
  const Exec exec;
  auto a = grid_operator<Exec, double>(side, [](int i, int j) {
    return unit * (i == j ? 4.01 : j > i ? -0.7 : -1.3);
  });
  Plan plan(exec, a.matrix(), few);
  CHECK_FALSE(plan.symmetric());
  const auto b = right_hand_side<double>(a.n);
  const Kokkos::View<double*, Space> x("heddle::test::x", static_cast<std::size_t>(a.n));
  CgSolver<Exec, double> cg(exec, a.n);
  CHECK_THROWS_WITH_AS(cg.solve(exec, a, b, x, plan), doctest::Contains("multigrid"), Error);
  GmresSolver<Exec, double> gmres(exec, a.n);
  const KrylovResult plain = gmres.solve(exec, a, b, x);
  Kokkos::deep_copy(x, 0.0);
  const KrylovResult result = gmres.solve(exec, a, b, x, plan);
  CHECK(result.converged());
  CHECK(relative_residual(a, b, x) < 1.01e-8);
  CHECK(2 * result.iterations < plain.iterations);
}

TEST_CASE("whether A is symmetric follows its values, and two entries say why it is not") {
  const Exec exec;
  const auto lopsided = grid_operator<Exec, double>(side, [](int i, int j) {
    return i == j ? 4.0 : j > i ? -1.9 : -0.1;
  });
  const auto a = with_diagonal(4);
  const auto b = right_hand_side<double>(a.n);
  const Kokkos::View<double*, Space> x("heddle::test::x", static_cast<std::size_t>(a.n));
  CgSolver<Exec, double> cg(exec, a.n);
  for (const int coarsest : {20, side * side}) {
    Plan plan(exec, a.matrix(), {.coarsest_rows = coarsest});
    CHECK(plan.symmetric());
    CHECK(plan.asymmetry() == "");
    plan.update_values(exec, lopsided.matrix());
    CHECK_FALSE(plan.symmetric());
    says(plan.asymmetry(), "a(0, 1) and a(1, 0) differ by 0.45 times the diagonal");
    auto product = lopsided;
    CHECK_THROWS_WITH_AS(cg.solve(exec, product, b, x, plan), doctest::Contains("a(0, 1) and"),
                         Error);
    plan.check_values(exec);
    CHECK_FALSE(plan.symmetric());
    // The results of a plan made from these values, whose coarsest inverse is not symmetric.
    const auto updated = applied(exec, plan, b);
    const auto made = applied(exec, Plan(exec, lopsided.matrix(), {.coarsest_rows = coarsest}), b);
    bool same = true;
    for (std::size_t i = 0; coarsest > 20 && i < made.extent(0); ++i) {
      same = same && updated(i) == made(i);
    }
    CHECK(same);
    if (coarsest > 20) {
      plan.apply(exec, b, x);
      exec.fence("heddle::test::applied");
      CHECK(relative_residual(product, b, x) < 1e-10);
    }
    plan.update_values(exec, a.matrix());
    CHECK(plan.symmetric());
  }
}

TEST_CASE("a diagonal of zeros hides no asymmetry, at any scale") {
  const Exec exec;
  for (const double scale : {1.0, 1e-6, 1e-12, 1e12}) {
    CAPTURE(scale);
    const auto skew = plain_operator<Exec, double>({0, 1, 2}, {1, 0}, {scale, -scale});
    Plan plan(exec, skew.matrix());
    plan.check_values(exec);
    CHECK_FALSE(plan.symmetric());
    says(plan.asymmetry(), "a(0, 1) and a(1, 0) differ by 2 times the sums of their rows");
    const Kokkos::View<double*, Space> b("heddle::test::b", 2);
    Kokkos::deep_copy(b, 1.0);
    const auto x = applied(exec, plan, b);
    CHECK(x(0) == doctest::Approx(-1 / scale));
    CHECK(x(1) == doctest::Approx(1 / scale));
    // A row of zeros has no unit of its own.
    const auto lone = plain_operator<Exec, double>({0, 1, 3}, {0, 0, 1}, {0.0, scale, scale});
    Plan singular(exec, lone.matrix());
    CHECK_FALSE(singular.symmetric());
    says(singular.asymmetry(), "a(1, 0) and a(0, 1) differ by 1 times the sums of their rows");
  }
}

TEST_CASE("one entry of a large matrix that is not symmetric, at any scale") {
  const Exec exec;
  for (const double scale : {1.0, 1e-12, 1e12}) {
    for (const bool weights : {false, true}) {
      auto a = grid_operator<Exec, double>(side, [=](int i, int j) {
        return scale * (i == j ? 4.0 : i == 8 && j == 9 ? -1.01 : -1.0);
      });
      if (weights) a = weighted(a, [](int i) { return std::pow(10.0, i % 13 - 6); });
      const Plan plan(exec, a.matrix(), {.coarsest_rows = 0, .max_levels = 1});
      CHECK_FALSE(plan.symmetric());
      says(plan.asymmetry(), "a(8, 9) and a(9, 8) differ by 0.0025 times the diagonal");
    }
  }
}

TEST_CASE("values that were rounded to 8 digits, or to single precision, are symmetric enough") {
  const Exec exec;
  for (const double rounding : {1e-12, 1e-10, 1e-8, 1e-7, 1e-6}) {
    CAPTURE(rounding);
    auto a = grid_operator<Exec, double>(side, [=](int i, int j) {
      return i == j ? 4.01 : -1.0 + rounding * ((i * 31 + j * 17) % 13 / 6.0 - 1);
    });
    Plan plan(exec, a.matrix(), few);
    CHECK(plan.symmetric());
    CHECK(iterations_with(exec, a, plan) <= 12);
    CHECK_FALSE(Plan(exec, a.matrix(), {.coarsest_rows = 20, .symmetry_tolerance = 0}).symmetric());
  }
  CHECK_THROWS_WITH_AS(Plan(exec, with_diagonal(4).matrix(), {.symmetry_tolerance = -1}),
                       doctest::Contains("symmetry_tolerance"), Error);
}

TEST_CASE("options without effect, and near-nullspace vectors that are not finite") {
  const Exec exec;
  const auto a = with_diagonal(4);
  refuses(a, "options.one_launch_entries has no effect",
          {.smoother = MultigridSmoother::gauss_seidel, .one_launch_entries = 1000});
  const Kokkos::View<double**, Kokkos::LayoutLeft, Space> vectors("heddle::test::vectors",
                                                                  static_cast<std::size_t>(a.n), 2);
  Kokkos::deep_copy(vectors, 1.0);
  for (const double bad :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    Kokkos::deep_copy(Kokkos::subview(vectors, 7, 1), bad);
    CHECK_THROWS_WITH_AS(Plan(exec, a.matrix(), vectors, few),
                         doctest::Contains("near-nullspace vector 1 is not finite"), Error);
  }
#ifndef HEDDLE_EMULATED
  if (!heddle::detail::is_compiled<Exec, PlainOperator<Exec, double>::Matrix>()) return;
  constexpr auto single = MultigridValues::single_precision;
  refuses(a, "options.borrow_values has no effect", {.values = single, .borrow_values = true});
  // Rounding to float may raise the diagonal of a row, but not a negative one.
  const auto negative =
      plain_operator<Exec, double>({0, 2, 4}, {0, 1, 0, 1}, {-1, 100000003, 100000003, 1e9});
  refuses(negative, "row 0: the diagonal is missing, not positive", {.values = single});
  const auto good = plain_operator<Exec, double>({0, 2, 4}, {0, 1, 0, 1}, {4., 1., 1., 4.});
  Plan plan(exec, good.matrix(), {.values = single});
  plan.update_values(exec, negative.matrix());
  CHECK_THROWS_WITH_AS(plan.check_values(exec), doctest::Contains("row 0: the diagonal"), Error);
  const auto unequal = plain_operator<Exec, double>({0, 2, 4}, {0, 1, 0, 1}, {4., 1., 2., 4.});
  plan.update_values(exec, unequal.matrix());
  CHECK_FALSE(plan.symmetric());
  says(plan.asymmetry(), "a(0, 1) and a(1, 0)");
#endif
}

}  // namespace heddle::test
