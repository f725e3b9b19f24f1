// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Multigrid as a preconditioner: symmetric, positive definite, and nearly constant iterations.
#include <heddle/cg.hpp>
#include <heddle/gmres.hpp>
#include <heddle/ilu.hpp>
#include <heddle/multigrid.hpp>

#include "../../../matrices/scale.hpp"
#include "../../support/multigrid.hpp"
#include "../../support/shared_factors.hpp"
#include "../../support/shared_formats.hpp"
#ifdef HEDDLE_EMULATED
#include "../../../solvers/krylov/gmres_definitions.hpp"
#endif

namespace heddle::test {

namespace {

using Plan = MultigridOf<Exec, double>;

}  // namespace

TEST_CASE("the preconditioner is symmetric and positive definite, with new values too") {
  const Exec exec;
  for (const System& system : symmetric_systems<Exec, double>()) {
    CAPTURE(system.name);
    for (const auto smoother :
         {MultigridSmoother::chebyshev, MultigridSmoother::l1_jacobi,
          MultigridSmoother::gauss_seidel, MultigridSmoother::block_chebyshev}) {
      const bool pairs = smoother == MultigridSmoother::block_chebyshev && system.matrix.n % 2 == 0;
      Plan plan(exec, system.matrix.matrix(),
                {.block_size = pairs ? 2 : 1,
                 .smoother = smoother,
                 .degree = 3,
                 .coarsest_rows = emulated ? 10 : 40});
      CHECK(plan.symmetric());
      check_positive_definite<double>(exec, plan);
      const auto larger = with_values(system.matrix, [](double a) { return 4 * a; });
      const auto b = right_hand_side<double>(plan.rows());
      const auto before = applied(exec, plan, b);
      plan.update_values(exec, larger.matrix());
      plan.check_values(exec);
      check_positive_definite<double>(exec, plan);
      const auto after = applied(exec, plan, b);
      bool same = true;  // a power of two changes no rounding
      for (std::size_t i = 0; i < before.extent(0); ++i) same = same && before(i) == 4 * after(i);
      CHECK(same);
      const auto other = weighted(system.matrix, [](int i) { return 1 + i % 7 * 0.1; });
      plan.update_values(exec, other.matrix());
      check_positive_definite<double>(exec, plan);
      plan.update_values(exec, system.matrix.matrix());
      const auto again = applied(exec, plan, b);
      for (std::size_t i = 0; i < before.extent(0); ++i) same = same && before(i) == again(i);
      CHECK(same);
    }
  }
}

TEST_CASE("a matrix that is inverted whole") {
  const Exec exec;
  for (const int width : {3, 5, 11}) {
    for (const double held : {1.0, 0.0}) {
      CAPTURE(width);
      CAPTURE(held);
      auto a = exchange<Exec, double>(
          width, width, 1, [](int i, int j) { return 1.0 + (i + j) % 3; },
          [=](int i) { return i == 4 ? held : 0.0; });
      Plan plan(exec, a.matrix());
      CHECK(plan.levels().levels.size() == 1);
      const auto of = right_hand_side<double>(a.n);
      const Kokkos::View<double*, Space> b("heddle::test::b", static_cast<std::size_t>(a.n)),
          x("heddle::test::x", static_cast<std::size_t>(a.n));
      a.apply(exec, of, b);
      plan.apply(exec, b, x);
      exec.fence("heddle::test::applied");
      CHECK(relative_residual(a, b, x) < 1e-12);
    }
  }
}

TEST_CASE("a last level that is smoothed alone keeps the preconditioner symmetric") {
  const Exec exec;
  for (const auto smoother : {MultigridSmoother::chebyshev, MultigridSmoother::l1_jacobi,
                              MultigridSmoother::gauss_seidel}) {
    const auto a = poisson<Exec, double>(emulated ? 15 : 30, emulated ? 15 : 30, 1);
    for (const int levels : {1, 2}) {
      Plan plan(exec, a.matrix(), {.smoother = smoother, .coarsest_rows = 3, .max_levels = levels});
      CHECK(plan.levels().levels.back().scheme != "dense");
      check_positive_definite<double>(exec, plan);
    }
  }
}

TEST_CASE("a cycle from a level on is that of the levels below") {
  const Exec exec;
  const auto a = poisson<Exec, double>(emulated ? 20 : 40, emulated ? 20 : 40, 1);
  Plan plan(exec, a.matrix(), {.coarsest_rows = emulated ? 10 : 40});
  const auto levels = plan.levels().levels;
  REQUIRE(levels.size() > 1);
  const auto whole = applied(exec, plan, right_hand_side<double>(plan.rows()));
  for (std::size_t l = 0; l < levels.size(); ++l) {
    const auto b = right_hand_side<double>(levels[l].rows);
    const Kokkos::View<double*, Space> x("heddle::test::x", b.extent(0));
    plan.apply_from(exec, static_cast<int>(l), b, x);
    exec.fence("heddle::test::applied");
    const auto found = to_host(x);
    const auto of = to_host(b);
    double energy = 0;
    for (std::size_t i = 0; i < of.extent(0); ++i) energy += of(i) * found(i);
    CHECK(energy > 0);
    bool same = true;
    for (std::size_t i = 0; l == 0 && i < of.extent(0); ++i) same = same && whole(i) == found(i);
    CHECK(same);
  }
  const auto b = right_hand_side<double>(plan.rows());
  const auto x = right_hand_side<double>(plan.rows());
  CHECK_THROWS_AS(plan.apply_from(exec, -1, b, x), Error);
  CHECK_THROWS_AS(plan.apply_from(exec, static_cast<int>(levels.size()), b, x), Error);
  CHECK_THROWS_AS(plan.apply_from(exec, 1, b, x), Error);
}

TEST_CASE("conjugate gradients with multigrid: iterations hardly grow with the size") {
  const Exec exec;
  const std::vector<int> squares = emulated ? std::vector{20, 40} : std::vector{40, 100, 300};
  const std::vector<int> cubes = emulated ? std::vector{8, 12} : std::vector{10, 20, 40};
  for (const bool in_space : {false, true}) {
    for (const int side : in_space ? cubes : squares) {
      CAPTURE(in_space);
      CAPTURE(side);
      const auto a = poisson<Exec, double>(side, side, in_space ? side : 1);
      Plan plan(exec, a.matrix(), {.coarsest_rows = emulated ? 40 : 200});
      const std::string levels = plan.levels().to_string();
      CAPTURE(levels);
      const int taken = iterations_with(exec, a, plan);
      CHECK(taken <= 20);
      Plan by_jacobi(
          exec, a.matrix(),
          {.smoother = MultigridSmoother::l1_jacobi, .coarsest_rows = emulated ? 40 : 200});
      CHECK(iterations_with(exec, a, by_jacobi) <= 3 * taken);
      Plan by_sweeps(
          exec, a.matrix(),
          {.smoother = MultigridSmoother::gauss_seidel, .coarsest_rows = emulated ? 40 : 200});
      CHECK(iterations_with(exec, a, by_sweeps) <= 2 * taken);
      CHECK(by_sweeps.levels().levels.front().smoother == "gauss-seidel times 1");
      CHECK(plan.levels().levels.size() > 1);
      CHECK(plan.levels().operator_complexity() < 2);
    }
  }
  for (const System& system : symmetric_systems<Exec, double>()) {
    CAPTURE(system.name);
    Plan plan(exec, system.matrix.matrix(), {.coarsest_rows = emulated ? 10 : 40});
    const std::string levels = plan.levels().to_string();
    CAPTURE(levels);
    CHECK(iterations_with(exec, system.matrix, plan) <= 20);
  }
}

#ifndef HEDDLE_EMULATED
TEST_CASE("in single precision under a wider solver: definite to rounding, and as few iterations") {
  const Exec exec;
  if (!heddle::detail::is_compiled<Exec, PlainOperator<Exec, double>::Matrix>()) return;
  for (const System& system : symmetric_systems<Exec, double>()) {
    CAPTURE(system.name);
    for (const auto smoother : {MultigridSmoother::chebyshev, MultigridSmoother::gauss_seidel}) {
      MultigridOptions options{.smoother = smoother, .coarsest_rows = 40};
      Plan same(exec, system.matrix.matrix(), options);
      options.values = MultigridValues::single_precision;
      Plan plan(exec, system.matrix.matrix(), options);
      CHECK(plan.symmetric());
      CHECK(plan.rows() == system.matrix.n);
      constexpr std::size_t sums = 1 << 17;  // at most, of the norms of b
      if (plan.levels().levels.size() > 1) CHECK(plan.bytes() < same.bytes() + sums);
      check_positive_definite<double>(exec, plan, 1e-4);
      // Coefficients that jump by a million need twice the iterations.
      const int in_float = iterations_with(exec, system.matrix, plan);
      const int in_double = iterations_with(exec, system.matrix, same);
      CHECK(3 * in_float <= (system.name == "jumps of a million" ? 7 : 4) * in_double + 6);
      const auto other = weighted(system.matrix, [](int i) { return 1 + i % 7 * 0.1; });
      plan.update_values(exec, other.matrix());
      plan.check_values(exec);
      check_positive_definite<double>(exec, plan, 1e-4);
      plan.update_values(exec, system.matrix.matrix());
      const auto b = right_hand_side<double>(plan.rows());
      const auto again = applied(exec, plan, b);
      const auto first = applied(exec, Plan(exec, system.matrix.matrix(), options), b);
      bool alike = true;
      for (std::size_t i = 0; i < again.extent(0); ++i) alike = alike && again(i) == first(i);
      CHECK(alike);
    }
  }
}
#endif

TEST_CASE("27 points, whose entries are a 26th of the diagonal, are strong by default") {
  const Exec exec;
  constexpr int side = emulated ? 6 : 16;
  std::vector<int> row_ptr(1), col_idx;
  std::vector<double> values;
  for (int i = 0; i < side * side * side; ++i) {
    const int at[3] = {i % side, i / side % side, i / side / side};
    for (int step = 0; step < 27; ++step) {
      const int to[3] = {at[0] + step % 3 - 1, at[1] + step / 3 % 3 - 1, at[2] + step / 9 - 1};
      if (std::ranges::any_of(to, [](int k) { return k < 0 || k >= side; })) continue;
      col_idx.push_back((to[2] * side + to[1]) * side + to[0]);
      values.push_back(step == 13 ? 26 : -1);
    }
    row_ptr.push_back(static_cast<int>(col_idx.size()));
  }
  const auto a = plain_operator<Exec>(row_ptr, col_idx, values);
  Plan plan(exec, a.matrix(), {.coarsest_rows = 20});
  CHECK(plan.levels().levels.size() > 1);
  check_positive_definite<double>(exec, plan);
  CHECK(iterations_with(exec, a, plan) <= 12);
}

namespace {

using Matrix = PlainOperator<Exec, double>::Matrix;
using Parts = MultigridParts<Exec, Matrix>;

/// Runs body(i) for every row, as a user launches: a graph of Heddle's does not see it.
template <class Body>
void each_row(const Exec& exec, std::int64_t rows, const Body& body) {
  if constexpr (emulated) {
    heddle::detail::parallel_for(exec, "heddle::test::rows", rows, body);
  } else {
    Kokkos::parallel_for("heddle::test::rows",
                         Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, rows),
                         body);
  }
}

/// One step of damped Jacobi: x += factor D^-1 (b - q); x is zero before if q is null.
struct JacobiStep {
  using Own = MultigridLevelSmoother<Exec, Matrix>;
  Own::ConstVectors b;
  Own::Vectors x;
  const double* diagonal;
  const double* q;  ///< null: q and x are zero

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    for (std::size_t v = 0; v < x.extent(1); ++v) {
      const double of_x = q ? x(i, v) : 0, of_q = q ? q[i] : 0;
      x(i, v) = of_x + 0.6 / diagonal[i] * (b(i, v) - of_q);
    }
  }
};

/// q = A x for one vector.
struct ProductRow {
  Matrix A;
  MultigridLevelSmoother<Exec, Matrix>::Vectors x;
  double* q;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    double sum = 0;
    for (int k = A.row_ptr()(i); k < A.row_ptr()(i + 1); ++k) {
      sum += A.values()(k) * x(A.col_idx()(k), 0);
    }
    q[i] = sum;
  }
};

constexpr int edge = emulated ? 10 : 30;

struct Calls {
  int made = 0, before = 0, after = 0, updated = 0;
};

/// Damped Jacobi as a user's smoother, for one vector.
class OwnJacobi : public MultigridLevelSmoother<Exec, Matrix> {
 public:
  OwnJacobi(const Exec& exec, const Matrix& A, Calls& calls)
      : calls_(calls),
        A_(A),
        diagonal_("heddle::test::diagonal", static_cast<std::size_t>(A.rows())),
        q_("heddle::test::q", static_cast<std::size_t>(A.rows())) {
    ++calls.made;
    diagonal(exec, A, diagonal_);
  }
  void before(const Exec& exec, const ConstVectors& b, const Vectors& x) override {
    ++calls_.before;
    each_row(exec, A_.rows(), JacobiStep{b, x, diagonal_.data(), nullptr});
  }
  void after(const Exec& exec, const ConstVectors& b, const Vectors& x) override {
    ++calls_.after;
    REQUIRE(x.extent(1) == 1);
    each_row(exec, A_.rows(), ProductRow{A_, x, q_.data()});
    each_row(exec, A_.rows(), JacobiStep{b, x, diagonal_.data(), q_.data()});
  }
  void update_values(const Exec& exec, const Matrix& A) override {
    ++calls_.updated;
    A_ = A;
    diagonal(exec, A, diagonal_);
  }
  std::size_t bytes() const override { return 1000000; }

 private:
  Calls& calls_;
  Matrix A_;
  Kokkos::View<double*, Space> diagonal_, q_;
};

/// Bilinear interpolation from every second node of a grid; `empty` adds a column without entries.
Parts::Prolongation interpolation(const Exec& exec, int side, bool empty = false) {
  const int coarse = side / 2;
  std::vector<int> row_ptr(1), col_idx;
  std::vector<double> values;
  for (int i = 0; i < side * side; ++i) {
    const int y = i / side, x = i % side;
    for (int v = std::max((y + 1) / 2 - 1, 0); v <= std::min(y / 2, coarse - 1); ++v) {
      for (int u = std::max((x + 1) / 2 - 1, 0); u <= std::min(x / 2, coarse - 1); ++u) {
        col_idx.push_back(v * coarse + u);
        values.push_back((y % 2 ? 1 : 0.5) * (x % 2 ? 1 : 0.5));
      }
    }
    row_ptr.push_back(static_cast<int>(col_idx.size()));
  }
  Parts::Prolongation P(exec, side * side, coarse * coarse + empty, values.size());
  Kokkos::deep_copy(P.row_ptr(), copy_in<Space>(row_ptr));
  Kokkos::deep_copy(P.col_idx(), copy_in<Space>(col_idx));
  Kokkos::deep_copy(P.values(), copy_in<Space>(values));
  return P;
}

}  // namespace

TEST_CASE("empty braces are options, and not parts") {
  const Exec exec;
  const auto a = poisson<Exec, double>(edge, edge, 1);
  const MultigridOf<Exec, double> plan(exec, a.matrix(), {});
  CHECK(plan.rows() == edge * edge);
}

TEST_CASE("a smoother of the user's") {
  const Exec exec;
  const auto a = poisson<Exec, double>(edge, edge, 1);
  Calls calls;
  Parts parts;
  parts.smoother = [&](const Exec& on, int level, const Matrix& A) {
    CHECK(level == calls.made);
    return std::make_unique<OwnJacobi>(on, A, calls);
  };
  const MultigridOptions options{.coarsest_rows = 10};
  Plan plan(exec, a.matrix(), parts, options), chebyshev(exec, a.matrix(), options);
  const auto levels = plan.levels().levels;
  CHECK(calls.made == static_cast<int>(levels.size()) - 1);
  CHECK(levels.front().smoother == "a smoother of its own");
  CHECK(levels.back().smoother == "inverted");
  CHECK(plan.bytes() > 1000000 * static_cast<std::size_t>(calls.made));
  check_positive_definite<double>(exec, plan);
  const int iterations = iterations_with(exec, a, plan);
  CHECK(iterations <= 40);
  CHECK(iterations > iterations_with(exec, a, chebyshev));  // one step instead of two
  CHECK(calls.before == calls.after);
  CHECK(calls.before > 0);
  // New values reach the user's smoother.
  const auto b = right_hand_side<double>(a.n);
  const auto before = applied(exec, plan, b);
  const auto larger = with_values(a, [](double value) { return 4 * value; });
  plan.update_values(exec, larger.matrix());
  CHECK(calls.updated == calls.made);
  const auto after = applied(exec, plan, b);
  bool same = true;
  for (std::size_t i = 0; i < before.extent(0); ++i) same = same && before(i) == 4 * after(i);
  CHECK(same);
  // As the only smoother of a last level it stays symmetric: its adjoint is applied after it.
  Calls alone;
  parts.smoother = [&](const Exec& on, int, const Matrix& A) {
    return std::make_unique<OwnJacobi>(on, A, alone);
  };
  Plan smoothed(exec, a.matrix(), parts, {.coarsest_rows = 3, .max_levels = 1});
  check_positive_definite<double>(exec, smoothed);
  CHECK(alone.before == alone.after);

  CHECK_THROWS_AS(Plan(exec, a.matrix(), parts, {.degree = 2}), Error);
  CHECK_THROWS_AS(Plan(exec, a.matrix(), parts, {.smoother = MultigridSmoother::gauss_seidel}),
                  Error);
  parts.smoother = [](const Exec&, int, const Matrix&) { return nullptr; };
  CHECK_THROWS_WITH_AS(Plan(exec, a.matrix(), parts, options), doctest::Contains("null"), Error);
}

TEST_CASE("aggregates of the user's") {
  const Exec exec;
  const auto a = poisson<Exec, double>(edge, edge, 1);
  const int boxes = (edge + 2) / 3;
  std::vector<int> of;
  for (int i = 0; i < edge * edge; ++i) of.push_back(i / edge / 3 * boxes + i % edge / 3);
  int count = boxes * boxes;
  Parts parts;
  parts.aggregates = [&](const Exec&, int level, const Matrix& A, const Parts::Aggregates& to) {
    if (level > 0) return 0;
    CHECK(to.extent(0) == static_cast<std::size_t>(A.rows()));
    Kokkos::deep_copy(to, copy_in<Space>(of));
    return count;
  };
  const MultigridOptions options{.coarsest_rows = edge * edge / 2};
  Plan plan(exec, a.matrix(), parts, options);
  CHECK(plan.levels().levels.size() == 2);
  CHECK(plan.levels().levels.back().rows == boxes * boxes);
  check_positive_definite<double>(exec, plan);
  CHECK(iterations_with(exec, a, plan) <= 25);
  const Plan smoothed(exec, a.matrix(), parts, {.coarsest_rows = 2});
  CHECK(smoothed.levels().end.find("has no aggregates") != std::string::npos);

  count = boxes * boxes + 1;
  CHECK_THROWS_WITH_AS(Plan(exec, a.matrix(), parts, options), doctest::Contains("has no node"),
                       Error);
  count = boxes * boxes - 1;
  CHECK_THROWS_WITH_AS(Plan(exec, a.matrix(), parts, options),
                       doctest::Contains("the aggregate of node"), Error);
  CHECK_THROWS_AS(Plan(exec, a.matrix(), parts, {.values = MultigridValues::single_precision}),
                  Error);
}

TEST_CASE("prolongations of the user's") {
  const Exec exec;
  constexpr int odd = emulated ? 15 : 31;
  const auto a = poisson<Exec, double>(odd, odd, 1);
  Parts parts;
  parts.prolongation = [](const Exec& on, int level, const Matrix&) {
    return level < 2 ? interpolation(on, ((odd + 1) >> level) - 1) : Parts::Prolongation();
  };
  Plan plan(exec, a.matrix(), parts, {.coarsest_rows = 2});
  const auto levels = plan.levels().levels;
  REQUIRE(levels.size() == 3);
  CHECK(levels[1].rows == (odd / 2) * (odd / 2));
  CHECK(levels[2].rows == (odd / 4) * (odd / 4));
  CHECK(plan.levels().end.find("has no prolongation") != std::string::npos);
  check_positive_definite<double>(exec, plan);
  Plan inverted(exec, a.matrix(), parts, {.coarsest_rows = 60});
  check_positive_definite<double>(exec, inverted);
  CHECK(iterations_with(exec, a, inverted) <= 12);
  const auto b = right_hand_side<double>(a.n);
  const auto before = applied(exec, inverted, b);
  const auto larger = with_values(a, [](double value) { return 4 * value; });
  inverted.update_values(exec, larger.matrix());
  const auto after = applied(exec, inverted, b);
  bool same = true;
  for (std::size_t i = 0; i < before.extent(0); ++i) same = same && before(i) == 4 * after(i);
  CHECK(same);

  CHECK_THROWS_AS(Plan(exec, a.matrix(), b, parts), Error);
  CHECK_THROWS_AS(Plan(exec, a.matrix(), parts, {.block_size = odd}), Error);
  parts.prolongation = [](const Exec& on, int, const Matrix&) { return interpolation(on, 9); };
  CHECK_THROWS_WITH_AS(Plan(exec, a.matrix(), parts, {.coarsest_rows = 2}),
                       doctest::Contains("has 81 rows"), Error);
  parts.prolongation = [](const Exec& on, int, const Matrix&) {
    return interpolation(on, odd, true);
  };
  CHECK_THROWS_WITH_AS(Plan(exec, a.matrix(), parts, {.coarsest_rows = 2}),
                       doctest::Contains("has no entry"), Error);
}

TEST_CASE("a plan of each level as the preconditioner that it smooths with") {
  const Exec exec;
  const auto a = poisson<Exec, double>(edge, edge, 1);
  const MultigridOptions options{.coarsest_rows = 10};
  Plan chebyshev(exec, a.matrix(), options);
  const int usual = iterations_with(exec, a, chebyshev);
  const auto check = [&](const char* name, const auto& preconditioner, int most) {
    CAPTURE(name);
    Parts parts;
    parts.preconditioner = preconditioner;
    Plan plan(exec, a.matrix(), parts, options);
    const auto levels = plan.levels().levels;
    CHECK(levels.front().smoother == "chebyshev of degree 1 with a preconditioner of its own");
    CHECK(levels.back().smoother == "inverted");
    CHECK(plan.bytes() > chebyshev.bytes());
    check_positive_definite<double>(exec, plan);
    CHECK(iterations_with(exec, a, plan) <= most);
    const auto b = right_hand_side<double>(a.n);
    const auto before = applied(exec, plan, b);
    const auto larger = with_values(a, [](double value) { return 4 * value; });
    plan.update_values(exec, larger.matrix());
    plan.check_values(exec);
    const auto after = applied(exec, plan, b);
    double off = 0, largest = 0;
    for (std::size_t i = 0; i < before.extent(0); ++i) {
      off = std::max(off, std::abs(before(i) - 4 * after(i)));
      largest = std::max(largest, std::abs(before(i)));
    }
    CHECK(off <= 1e-13 * largest);
    // Several vectors at once.
    const auto n = static_cast<std::size_t>(a.n);
    const Kokkos::View<double**, Kokkos::LayoutLeft, Space> x("heddle::test::x", n, 3);
    const auto columns = copy_to<Space>(random_columns<double, Kokkos::LayoutLeft>(n, 3, 5));
    plan.reserve(exec, 3);
    plan.apply(exec, columns, x);
    exec.fence("heddle::test::applied");
    const auto several = to_host(x);
    const Kokkos::View<double*, Space> one("heddle::test::b", n);
    for (std::size_t v = 0; v < 3; ++v) {
      Kokkos::deep_copy(one, Kokkos::subview(columns, Kokkos::ALL, v));
      const auto alone = applied(exec, plan, one);
      for (std::size_t i = 0; i < n; ++i) CHECK(std::abs(alone(i) - several(i, v)) < 1e-10);
    }
  };
  using Ic = IcPlan<Exec, Matrix>;
  using Ilu = IluPlan<Exec, Matrix>;
  check("IC(0)", plan_of_each_level<Ic>(IcOptions{}), usual + 4);
  check("ILU(0)", plan_of_each_level<Ilu>(IluOptions{}), usual + 4);
  check("ILU(0) of subdomains", plan_of_each_level<Ilu>(IluOptions{.subdomains = 4}), usual + 6);
  check("block Jacobi", plan_of_each_level<BlockJacobiPreconditioner<Exec, double>>(5), 2 * usual);

  // Null leaves a level to the options.
  Parts parts;
  parts.preconditioner = [](const Exec& on, int level, const Matrix& A) {
    const auto factors = plan_of_each_level<Ic>(IcOptions{});
    return level == 0 ? factors(on, level, A) : nullptr;
  };
  Plan finest(exec, a.matrix(), parts,
              {.smoother = MultigridSmoother::l1_jacobi, .coarsest_rows = 4});
  const auto levels = finest.levels().levels;
  REQUIRE(levels.size() > 2);
  CHECK(levels[0].smoother == "chebyshev of degree 1 with a preconditioner of its own");
  CHECK(levels[1].smoother == "l1-jacobi times 2");
  check_positive_definite<double>(exec, finest);
  CHECK(iterations_with(exec, a, finest) <= 2 * usual);
  parts.smoother = [](const Exec&, int, const Matrix&) { return nullptr; };
  CHECK_THROWS_WITH_AS(Plan(exec, a.matrix(), parts, options),
                       doctest::Contains("parts.preconditioner"), Error);
}

TEST_CASE("a cycle of each level as the preconditioner: V and W cycles, while K is refused") {
  const Exec exec;
  const auto a = poisson<Exec, double>(edge, edge, 1);
  for (const auto cycle : {MultigridCycle::v, MultigridCycle::w, MultigridCycle::k}) {
    CAPTURE(name(cycle));
    const MultigridOptions inner{.kind = MultigridKind::plain_aggregation,
                                 .cycle = cycle,
                                 .coarsest_rows = 2,
                                 .one_launch_entries = 0};
    REQUIRE(Plan(exec, a.matrix(), inner).is_variable() == (cycle == MultigridCycle::k));
    Parts parts;
    parts.preconditioner = plan_of_each_level<Plan>(inner);
    const MultigridOptions options{.coarsest_rows = 10};
    if (cycle == MultigridCycle::k) {
      CHECK_THROWS_WITH_AS(Plan(exec, a.matrix(), parts, options),
                           doctest::Contains("differs from one apply to the next"), Error);
      continue;
    }
    Plan plan(exec, a.matrix(), parts, options);
    CHECK_FALSE(plan.is_variable());
    check_positive_definite<double>(exec, plan);
    CHECK(iterations_with(exec, a, plan) <= 40);
  }
}

namespace {

struct MultiplyRow {
  MultigridLevelPreconditioner<Exec, Matrix>::ConstVectors r;
  MultigridLevelPreconditioner<Exec, Matrix>::Vectors z;
  double factor;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    for (std::size_t v = 0; v < r.extent(1); ++v) z(i, v) = factor * r(i, v);
  }
};

/// z = factor r
class Multiple : public MultigridLevelPreconditioner<Exec, Matrix> {
 public:
  explicit Multiple(double factor) : factor_(factor) {}
  void apply(const Exec& exec, const ConstVectors& r, const Vectors& z) override {
    each_row(exec, static_cast<std::int64_t>(r.extent(0)), MultiplyRow{r, z, factor_});
  }
  void update_values(const Exec&, const Matrix&) override {}

 private:
  double factor_;
};

}  // namespace

TEST_CASE("a preconditioner of a level that is not definite, or not finite, is an error") {
  const Exec exec;
  const auto a = poisson<Exec, double>(edge, edge, 1);
  const auto with = [&](double factor) {
    Parts parts;
    parts.preconditioner = [=](const Exec&, int, const Matrix&) {
      return std::make_unique<Multiple>(factor);
    };
    return Plan(exec, a.matrix(), parts, {.coarsest_rows = 10});
  };
  with(0.25).check_values(exec);
  CHECK_THROWS_WITH_AS(with(-1), doctest::Contains("not positive definite"), Error);
  CHECK_THROWS_WITH_AS(with(std::nan("")), doctest::Contains("not finite"), Error);
}

TEST_CASE("factors smooth a flow, under GMRES") {
  const Exec exec;
  auto a = flow<Exec, double>(emulated ? 12 : 40);
  Parts parts;
  parts.preconditioner = plan_of_each_level<IluPlan<Exec, Matrix>>(IluOptions{});
  Plan plan(exec, a.matrix(), parts, {.coarsest_rows = 20});
  CHECK_FALSE(plan.symmetric());
  const auto b = right_hand_side<double>(a.n);
  const Kokkos::View<double*, Space> x("heddle::test::x", b.extent(0));
  GmresSolver<Exec, double> gmres(exec, a.n);
  CHECK(gmres.solve(exec, a, b, x, plan).converged());
  CHECK(relative_residual(a, b, x) < 1.01e-8);
}

TEST_CASE("a smoother for each level") {
  const Exec exec;
  const auto a = poisson<Exec, double>(edge, edge, 1);
  using enum MultigridSmoother;
  Plan plan(exec, a.matrix(),
            {.smoother = l1_jacobi, .smoothers = {gauss_seidel, chebyshev}, .coarsest_rows = 4});
  const auto levels = plan.levels().levels;
  REQUIRE(levels.size() > (emulated ? 2 : 3));
  CHECK(levels[0].smoother == "gauss-seidel times 1");
  CHECK(levels[1].smoother == "chebyshev of degree 2");
  CHECK(levels[2].smoother == (levels.size() > 3 ? "l1-jacobi times 2" : "inverted"));
  check_positive_definite<double>(exec, plan);
  CHECK(iterations_with(exec, a, plan) <= 25);
  Parts parts;
  parts.smoother = [](const Exec&, int, const Matrix&) { return nullptr; };
  CHECK_THROWS_WITH_AS(Plan(exec, a.matrix(), parts, {.smoothers = {chebyshev}}),
                       doctest::Contains("smoothers"), Error);
}

TEST_CASE("unsymmetric matrices that are inverted whole, at any Peclet number") {
  const Exec exec;
  const auto check = [&](const PlainOperator<Exec, double>& matrix) {
    auto a = matrix;
    const Plan plan(exec, a.matrix(), {.coarsest_rows = 1000});
    CHECK_FALSE(plan.symmetric());
    const auto of = right_hand_side<double>(a.n);
    const Kokkos::View<double*, Space> b("heddle::test::b", of.extent(0)),
        x("heddle::test::x", of.extent(0));
    a.apply(exec, of, b);
    plan.apply(exec, b, x);
    exec.fence("heddle::test::applied");
    CHECK(relative_residual(a, b, x) < 1e-9);
  };
  constexpr int side = emulated ? 6 : 14;
  for (const double peclet : {0.1, 2.0, 50.0, 1e4, 1e8}) {
    CAPTURE(peclet);
    // Central differences: the diagonal is of diffusion alone.
    check(grid_operator<Exec, double>(side, [=](int i, int j) {
      const double flow = (j - i) % side == 0 ? 0.7 * peclet : peclet;
      return i == j ? 4.0 : -1 + (j > i ? 0.5 : -0.5) * flow;
    }));
  }
  // No diagonal at all: rows are exchanged.
  Random random(3);
  std::vector<std::map<int, double>> rows(static_cast<std::size_t>(side * side));
  for (int i = 0; i < side * side; ++i) {
    auto& row = rows[static_cast<std::size_t>(i)];
    row[i] = 0;
    row[(i + 1) % (side * side)] = 3;
    row[(i + 5) % (side * side)] = random.scalar<double>();
  }
  check(operator_of<Exec, double>(rows));
}

}  // namespace heddle::test
