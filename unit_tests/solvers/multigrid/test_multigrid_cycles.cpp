// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Plain aggregation, and V, W and K cycles, beside a recursion over dense matrices on the host.
#include <heddle/cg.hpp>
#include <heddle/gmres.hpp>
#include <heddle/multigrid.hpp>
#include <heddle/vectors.hpp>

#include "../../../backends/cooperative.hpp"
#include "../../../matrices/multiply/aggregated_product.hpp"
#include "../../../solvers/krylov/gmres_definitions.hpp"
#include "../../support/multigrid.hpp"
#include "../../support/shared_formats.hpp"

namespace heddle::test {

namespace {

using Plan = MultigridOf<Exec, double>;
using Matrix = PlainOperator<Exec, double>::Matrix;
using Parts = MultigridParts<Exec, Matrix>;
using Vector = std::vector<double>;
constexpr int coarsest = emulated ? 8 : 40;
constexpr MultigridCycle cycles[] = {MultigridCycle::v, MultigridCycle::w, MultigridCycle::k};
constexpr MultigridKind kinds[] = {MultigridKind::smoothed_aggregation,
                                   MultigridKind::plain_aggregation};

/// A square or rectangular matrix on the host.
struct Dense {
  std::size_t rows = 0, columns = 0;
  Vector entries;

  Dense() = default;
  Dense(std::size_t n, std::size_t m) : rows(n), columns(m), entries(n * m, 0.0) {}
  double& operator()(std::size_t i, std::size_t j) { return entries[i * columns + j]; }
  double operator()(std::size_t i, std::size_t j) const { return entries[i * columns + j]; }

  Vector times(const Vector& x, bool transposed = false) const {
    Vector y(transposed ? columns : rows, 0.0);
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t j = 0; j < columns; ++j) {
        if (transposed) {
          y[j] += (*this)(i, j) * x[i];
        } else {
          y[i] += (*this)(i, j) * x[j];
        }
      }
    }
    return y;
  }
  /// P' A P
  Dense between(const Dense& P) const {
    Dense product(P.columns, P.columns);
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t j = 0; j < rows; ++j) {
        if ((*this)(i, j) == 0) continue;
        for (std::size_t u = 0; u < P.columns; ++u) {
          for (std::size_t v = 0; v < P.columns; ++v) {
            product(u, v) += P(i, u) * (*this)(i, j) * P(j, v);
          }
        }
      }
    }
    return product;
  }
  /// Solves by elimination; the pivots of these tests are no zeros.
  Vector solved(Vector b) const {
    Dense A = *this;
    for (std::size_t p = 0; p < rows; ++p) {
      for (std::size_t i = 0; i < rows; ++i) {
        if (i == p) continue;
        const double factor = A(i, p) / A(p, p);
        for (std::size_t j = 0; j < rows; ++j) A(i, j) -= factor * A(p, j);
        b[i] -= factor * b[p];
      }
    }
    for (std::size_t p = 0; p < rows; ++p) b[p] /= A(p, p);
    return b;
  }
};

Dense dense_of(const Matrix& A) {
  const auto n = static_cast<std::size_t>(A.rows());
  Dense dense(n, static_cast<std::size_t>(A.columns()));
  const auto row_ptr = copy_to<Kokkos::HostSpace>(A.row_ptr());
  const auto col_idx = copy_to<Kokkos::HostSpace>(A.col_idx());
  const auto values = copy_to<Kokkos::HostSpace>(A.values());
  for (std::size_t i = 0; i < n; ++i) {
    for (auto k = static_cast<std::size_t>(row_ptr(i));
         k < static_cast<std::size_t>(row_ptr(i + 1)); ++k) {
      dense(i, static_cast<std::size_t>(col_idx(k))) += values(k);
    }
  }
  return dense;
}

double dot(const Vector& x, const Vector& y) {
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) sum += x[i] * y[i];
  return sum;
}
Vector sum_of(const Vector& x, double factor, const Vector& y) {
  Vector sum = x;
  for (std::size_t i = 0; i < x.size(); ++i) sum[i] += factor * y[i];
  return sum;
}

/// Multigrid by l1-Jacobi, written down for dense matrices, with aggregates of three rows in turn.
struct Recursion {
  std::vector<Dense> A, P;
  int degree = 2;
  double correction = 1;
  MultigridCycle cycle = MultigridCycle::v;
  bool symmetric = true;
  mutable int ended = 0, went_on = 0;  ///< K cycles after one step, and after two

  Recursion(Dense finest, std::size_t coarsest_rows) {
    A.push_back(std::move(finest));
    while (A.back().rows > coarsest_rows) {
      const std::size_t n = A.back().rows;
      Dense to(n, (n + 2) / 3);
      for (std::size_t i = 0; i < n; ++i) to(i, i / 3) = 1;
      A.push_back(A.back().between(to));
      P.push_back(std::move(to));
    }
  }

  void smooth(std::size_t l, const Vector& b, Vector& x) const {
    for (int step = 0; step < degree; ++step) {
      const Vector q = A[l].times(x);
      for (std::size_t i = 0; i < b.size(); ++i) {
        double row_sum = 0;
        for (std::size_t j = 0; j < b.size(); ++j) row_sum += std::abs(A[l](i, j));
        x[i] += (b[i] - q[i]) / row_sum;
      }
    }
  }
  Vector visit(std::size_t l, const Vector& b) const {
    if (l + 1 == A.size()) return A[l].solved(b);
    Vector x(b.size(), 0.0);
    smooth(l, b, x);
    const Vector coarse = P[l].times(sum_of(b, -1, A[l].times(x)), true);
    x = sum_of(x, correction, P[l].times(solved(l + 1, coarse)));
    smooth(l, b, x);
    return x;
  }
  Vector solved(std::size_t l, const Vector& b) const {
    const Vector c = visit(l, b);
    if (l + 1 == A.size() || cycle == MultigridCycle::v) return c;
    const Vector Ac = A[l].times(c);
    if (cycle == MultigridCycle::w) return sum_of(c, 1, visit(l, sum_of(b, -1, Ac)));
    const Vector& left = symmetric ? c : Ac;
    const double a = dot(left, b) / dot(left, Ac);
    const Vector r = sum_of(b, -a, Ac);
    const Vector first = sum_of(Vector(b.size(), 0.0), a, c);
    if (std::sqrt(dot(r, r)) <= 0.25 * std::sqrt(dot(b, b))) {
      ++ended;
      return first;
    }
    ++went_on;
    // The direction d is made orthogonal to c, as Gram and Schmidt do, before its step.
    Vector d = visit(l, r);
    d = sum_of(d, -dot(left, A[l].times(d)) / dot(left, Ac), c);
    const Vector Ad = A[l].times(d);
    const Vector& second_left = symmetric ? d : Ad;
    return sum_of(first, dot(second_left, r) / dot(second_left, Ad), d);
  }
};

/// Aggregates of three rows in turn, on every level; checks the matrix of each level.
Parts threes(const std::vector<Dense>& levels) {
  Parts parts;
  parts.aggregates = [&levels](const Exec& exec, int level, const Matrix& A,
                               const Parts::Aggregates& aggregate) {
    exec.fence("heddle::test::level");
    const Dense found = dense_of(A);
    const Dense& expected = levels[static_cast<std::size_t>(level)];
    REQUIRE(found.rows == expected.rows);
    for (std::size_t e = 0; e < found.entries.size(); ++e) {
      CHECK(found.entries[e] == doctest::Approx(expected.entries[e]).epsilon(1e-13));
    }
    std::vector<int> of;
    for (int i = 0; i < A.rows(); ++i) of.push_back(i / 3);
    Kokkos::deep_copy(aggregate, copy_in<Space>(of));
    return (A.rows() + 2) / 3;
  };
  return parts;
}

Vector on_host(const Kokkos::View<double*, Space>& x) {
  const auto from = to_host(x);
  return Vector(from.data(), from.data() + from.extent(0));
}

template <class Found>
Vector vector_of(const Found& found) {
  return Vector(found.data(), found.data() + found.extent(0));
}

PlainOperator<Exec, double> path(int n, double upwind) {
  return banded<double>(n, 1, [=](int i, int j) {
    return i == j ? 2 + (i % 4 == 0 ? 0.02 : 0.01) : j > i ? -1 + upwind : -1 - upwind;
  });
}

}  // namespace

TEST_CASE("a cycle is that of a recursion over dense matrices, with new values too") {
  const Exec exec;
  constexpr int n = emulated ? 60 : 200;
  int ended = 0, went_on = 0;
  for (const double upwind : {0.0, 0.3}) {
    const auto a = path(n, upwind);
    const auto other = with_values(a, [](double value) { return value > 0 ? 1.5 * value : value; });
    for (const MultigridCycle cycle : cycles) {
      for (const std::int64_t one_launch : {0, 40}) {
        if (one_launch > 0 && !backends::has_cooperative<Exec>) continue;
        CAPTURE(upwind);
        CAPTURE(std::string(name(cycle)));
        CAPTURE(one_launch);
        const MultigridOptions options{.kind = MultigridKind::plain_aggregation,
                                       .cycle = cycle,
                                       .smoother = MultigridSmoother::l1_jacobi,
                                       .degree = 2,
                                       .coarsest_rows = 3,
                                       .one_launch_entries = one_launch};
        const Recursion first(dense_of(a.matrix()), 3), second(dense_of(other.matrix()), 3);
        Plan plan(exec, a.matrix(), threes(first.A), options);
        CHECK(plan.levels().levels.size() == first.A.size());
        CHECK(plan.is_variable() == (cycle == MultigridCycle::k));
        for (Recursion host : {first, second}) {
          host.cycle = cycle;
          host.correction = cycle == MultigridCycle::v ? 1.7 : 1;
          host.symmetric = upwind == 0;
          // Small levels in one launch run a W cycle, which this recursion has not below a K cycle.
          if (one_launch > 0 && cycle == MultigridCycle::k) continue;
          for (const bool smooth : {false, true}) {
            auto b = right_hand_side<double>(n);
            if (smooth) Kokkos::deep_copy(b, 1.0);
            const Vector found = vector_of(applied(exec, plan, b));
            CHECK(relative_difference(found, host.visit(0, on_host(b))) < 1e-11);
          }
          ended += host.ended;
          went_on += host.went_on;
          plan.update_values(exec, other.matrix());
        }
      }
    }
  }
  CHECK(ended > 0);
  CHECK(went_on > 0);
}

TEST_CASE("plain aggregation's coarse matrix is P' A P, of several vectors too") {
  const Exec exec;
  constexpr int n = 47;
  const auto a =
      banded<double>(n, 3, [](int i, int j) { return i == j ? 9 : std::sin(3 * i + j); });
  const auto other = with_values(a, [](double value) { return value * value - 1; });
  for (const int vectors : {1, 2, 3}) {
    CAPTURE(vectors);
    // Aggregates of one to seven rows; every fifth row has none.
    std::vector<int> row_ptr(1), col_idx;
    Vector values;
    for (int i = 0; i < n; ++i) {
      const int aggregate = i % 7 == 6 ? 0 : 1 + i / 7;
      for (int v = 0; v < vectors && i % 5 != 4; ++v) {
        col_idx.push_back(aggregate * vectors + v);
        values.push_back(std::cos(i + 2 * v));
      }
      row_ptr.push_back(static_cast<int>(col_idx.size()));
    }
    const auto of_rows = copy_in<Space>(row_ptr), of_columns = copy_in<Space>(col_idx);
    const auto of_values = copy_in<Space>(values);
    const Matrix P(n, 8 * vectors, of_rows, of_columns, of_values);
    heddle::detail::matrix_product::AggregatedProduct<Exec, Matrix> product(exec, a.matrix(), P,
                                                                            vectors);
    const auto check = [&](const Matrix& A) {
      const Dense expected = dense_of(A).between(dense_of(P)), found = dense_of(product.matrix());
      REQUIRE(found.entries.size() == expected.entries.size());
      for (std::size_t e = 0; e < found.entries.size(); ++e) {
        CHECK(found.entries[e] == doctest::Approx(expected.entries[e]).epsilon(1e-12));
      }
    };
    check(a.matrix());
    only_launches(exec, [&] { product.numeric(exec, other.matrix(), P); });
    exec.fence("heddle::test::new_values");
    check(other.matrix());
    const auto columns = copy_to<Kokkos::HostSpace>(product.matrix().col_idx());
    const auto starts = copy_to<Kokkos::HostSpace>(product.matrix().row_ptr());
    for (std::size_t i = 0; i + 1 < starts.extent(0); ++i) {
      for (int k = starts(i) + 1; k < starts(i + 1); ++k) {
        CHECK(columns(static_cast<std::size_t>(k)) > columns(static_cast<std::size_t>(k) - 1));
      }
    }
  }
}

TEST_CASE("a coarse entry of many terms is their sum in the documented order, bit by bit") {
  const Exec exec;
  for (const int n : {1, 7, 8, 9, 40, 300}) {
    CAPTURE(n);
    // Row 0 is full, and all rows are one aggregate.
    const auto columns = [n](int i, const auto& add) {
      for (int j = 0; j < (i == 0 ? n : 1); ++j) add(i == 0 ? j : i);
    };
    const auto a = operator_where<Exec, double>(
        n, columns, [](int i, int j) { return std::sin(1.0 + 3 * i + j); });
    std::vector<int> row_ptr(1);
    for (int i = 0; i < n; ++i) row_ptr.push_back(i + 1);
    const auto of_rows = copy_in<Space>(row_ptr);
    const auto of_columns = copy_in<Space>(std::vector<int>(static_cast<std::size_t>(n), 0));
    const auto of_values = copy_in<Space>(Vector(static_cast<std::size_t>(n), 1.0));
    const Matrix P(n, 1, of_rows, of_columns, of_values);
    const heddle::detail::matrix_product::AggregatedProduct<Exec, Matrix> product(exec, a.matrix(),
                                                                                  P, 1);
    double sums[8] = {};
    const auto terms = to_host(a.values);
    for (std::size_t t = 0; t < terms.extent(0); ++t) sums[t % 8] += terms(t);
    for (const int half : {4, 2, 1}) {
      for (int s = 0; s < half; ++s) sums[s] += sums[s + half];
    }
    REQUIRE(product.matrix().nonzeros() == 1);
    CHECK(copy_to<Kokkos::HostSpace>(product.matrix().values())(0) == sums[0]);
  }
}

TEST_CASE("V and W cycles are linear, symmetric and positive definite; iterations of all") {
  const Exec exec;
  for (const System& system : symmetric_systems<Exec, double>()) {
    CAPTURE(system.name);
    for (const MultigridKind kind : kinds) {
      int taken_by_v = 0;
      for (const MultigridCycle cycle : cycles) {
        CAPTURE(std::string(name(kind)));
        CAPTURE(std::string(name(cycle)));
        Plan plan(exec, system.matrix.matrix(),
                  {.kind = kind, .cycle = cycle, .coarsest_rows = coarsest});
        CHECK(plan.levels().kind == name(kind));
        CHECK(plan.levels().cycle == name(cycle) + std::string(" cycle"));
        CHECK(plan.symmetric());
        if (cycle != MultigridCycle::k) {
          CHECK(!plan.is_variable());
          // A W cycle's residuals lose the digits by which coefficients jump.
          const bool jumps = system.name == "jumps of a million" && cycle == MultigridCycle::w;
          const double tolerance = jumps ? 1e-7 : 1e-10;
          check_positive_definite<double>(exec, plan, tolerance);
          const auto b = right_hand_side<double>(plan.rows(), 1),
                     c = right_hand_side<double>(plan.rows(), 2);
          const Vector one = vector_of(applied(exec, plan, b)),
                       two = vector_of(applied(exec, plan, c));
          heddle::vectors::axpby(exec, 3, b, -2, c);
          const Vector both = sum_of(sum_of(Vector(one.size(), 0.0), 3, one), -2, two);
          CHECK(relative_difference(vector_of(applied(exec, plan, c)), both) < tolerance);
        }
        const int taken = iterations_with(exec, system.matrix, plan);
        CHECK(taken <= (kind == MultigridKind::plain_aggregation ? 45 : 20));
        if (cycle == MultigridCycle::v) taken_by_v = taken;
        if (cycle == MultigridCycle::k) CHECK(taken <= taken_by_v + 2);
      }
    }
  }
}

TEST_CASE("W and K cycles with every smoother, with other ones above, and with parts") {
  const Exec exec;
  constexpr int side = emulated ? 16 : 40;
  const auto a = poisson<Exec, double>(side, side, 1);
  const auto b = right_hand_side<double>(a.n);
  const auto larger = with_values(a, [](double value) { return 4 * value; });
  using enum MultigridSmoother;
  struct Row {
    const char* name;
    MultigridOptions options;
    bool own_aggregates = false, own_preconditioner = false;
  };
  const Row rows[] = {
      {"gauss_seidel", {.smoother = gauss_seidel}},
      {"block_chebyshev", {.block_size = 2, .smoother = block_chebyshev}},
      {"sweeps above polynomials", {.smoothers = {gauss_seidel, l1_jacobi}}},
      {"polynomials above sweeps", {.smoother = gauss_seidel, .smoothers = {chebyshev}}},
      {"aggregates of the user's", {}, true},
      {"a preconditioner of the user's", {}, false, true},
  };
  for (const Row& row : rows) {
    CAPTURE(row.name);
    int taken_by_v = 0;
    double moved_by_v = 0;
    for (const MultigridCycle cycle : cycles) {
      CAPTURE(std::string(name(cycle)));
      Parts parts;
      if (row.own_aggregates) {
        parts.aggregates = [](const Exec&, int, const Matrix& A, const Parts::Aggregates& of) {
          std::vector<int> threes;
          for (int i = 0; i < A.rows(); ++i) threes.push_back(i / 3);
          Kokkos::deep_copy(of, copy_in<Space>(threes));
          return (A.rows() + 2) / 3;
        };
      }
      if (row.own_preconditioner) {
        parts.preconditioner = plan_of_each_level<BlockJacobiPreconditioner<Exec, double>>(4);
      }
      MultigridOptions options = row.options;
      options.kind = MultigridKind::plain_aggregation;
      options.cycle = cycle;
      options.coarsest_rows = emulated ? 4 : 20;
      options.one_launch_entries = 0;
      Plan plan(exec, a.matrix(), parts, options);
      const auto levels = plan.levels().levels;
      REQUIRE(levels.size() > 2);
      CHECK(plan.is_variable() == (cycle == MultigridCycle::k));
      if (cycle != MultigridCycle::k) check_positive_definite<double>(exec, plan);
      const int taken = iterations_with(exec, a, plan);
      if (cycle == MultigridCycle::v) {
        taken_by_v = taken;
        moved_by_v = levels[1].moved_bytes;
      } else {
        CHECK(taken <= taken_by_v + (cycle == MultigridCycle::k ? 1 : 4));
        // The second visit, and the product before it.
        CHECK(levels[1].moved_bytes > 2 * moved_by_v);
      }
      const Vector before = vector_of(applied(exec, plan, b));
      plan.update_values(exec, larger.matrix());
      plan.check_values(exec);
      Vector after = vector_of(applied(exec, plan, b));
      for (double& entry : after) entry *= 4;
      CHECK(relative_difference(after, before) < 1e-12);
    }
  }
}

TEST_CASE("iterations of plain aggregation by size; a K cycle's hardly grow") {
  const Exec exec;
  const std::vector<int> squares = emulated ? std::vector{20, 40} : std::vector{50, 100, 200};
  std::map<std::string, std::vector<int>> taken;
  for (const int side : squares) {
    const auto a = poisson<Exec, double>(side, side, 1);
    for (const MultigridCycle cycle : cycles) {
      Plan plan(exec, a.matrix(),
                {.kind = MultigridKind::plain_aggregation,
                 .cycle = cycle,
                 .coarsest_rows = coarsest,
                 .one_launch_entries = 0});
      taken[name(cycle)].push_back(iterations_with(exec, a, plan));
      CHECK(plan.levels().operator_complexity() < 1.5);
    }
  }
  CHECK(taken["k"].back() <= taken["k"].front() + 4);
  CHECK(taken["k"].back() < taken["v"].back() + (emulated ? 1 : 0));
  CHECK(taken["v"].back() <= 30);
}

TEST_CASE("small levels in one launch run V and W cycles, also below levels with launches") {
  const Exec exec;
  if (!backends::has_cooperative<Exec>) return;
  constexpr int side = emulated ? 20 : 60;
  const auto a = poisson<Exec, double>(side, side, 1);
  const auto b = right_hand_side<double>(a.n);
  for (const MultigridKind kind : kinds) {
    for (const MultigridCycle cycle : cycles) {
      MultigridOptions options{.kind = kind, .cycle = cycle, .coarsest_rows = 5};
      options.one_launch_entries = 0;
      Plan apart(exec, a.matrix(), options);
      const auto levels = apart.levels().levels;
      REQUIRE(levels.size() > 3);
      for (std::size_t first = 0; first < levels.size(); ++first) {
        CAPTURE(first);
        CAPTURE(std::string(name(cycle)));
        options.one_launch_entries = levels[first].entries;
        Plan plan(exec, a.matrix(), options);
        if (cycle == MultigridCycle::k) {
          CHECK(plan.is_variable() == (first > 1));
          CHECK(iterations_with(exec, a, plan) <= iterations_with(exec, a, apart) + 8);
        } else {
          CHECK(relative_difference(vector_of(applied(exec, plan, b)),
                                    vector_of(applied(exec, apart, b))) < 1e-11);
        }
      }
    }
  }
}

TEST_CASE("a K cycle makes its solver flexible, or is refused") {
  const Exec exec;
  constexpr int side = emulated ? 16 : 60;
  auto a = poisson<Exec, double>(side, side, 1);
  Plan plan(exec, a.matrix(),
            {.kind = MultigridKind::plain_aggregation,
             .cycle = MultigridCycle::k,
             .coarsest_rows = coarsest / 2,
             .one_launch_entries = 0});
  REQUIRE(plan.is_variable());
  const auto b = right_hand_side<double>(a.n);
  const auto n = static_cast<std::size_t>(a.n);
  const Kokkos::View<double*, Space> x("heddle::test::x", n), y("heddle::test::y", n);
  CgSolver<Exec, double> cg(exec, a.n), flexible(exec, a.n, {.flexible = true});
  const KrylovResult one = cg.solve(exec, a, b, x, plan), two = flexible.solve(exec, a, b, y, plan);
  CHECK(one.converged());
  CHECK(one.iterations == two.iterations);
  CHECK(relative_difference(on_host(x), on_host(y)) == 0);
  // The next solve of the same solver is not flexible any more.
  Plan constant(exec, a.matrix(), {.coarsest_rows = coarsest});
  Kokkos::deep_copy(x, 0.0);
  Kokkos::deep_copy(y, 0.0);
  CHECK(cg.solve(exec, a, b, x, constant).converged());
  CHECK(CgSolver<Exec, double>(exec, a.n).solve(exec, a, b, y, constant).converged());
  CHECK(relative_difference(on_host(x), on_host(y)) == 0);
  Kokkos::deep_copy(x, 0.0);
  CHECK_THROWS_WITH_AS(GmresSolver(exec, a.n).solve(exec, a, b, x, plan),
                       doctest::Contains("multigrid differs from one apply to the next"), Error);
  CHECK(GmresSolver(exec, a.n, {.flexible = true}).solve(exec, a, b, x, plan).converged());
  CHECK(relative_residual(a, b, x) < 1.01e-8);
}

namespace {

void check_several(const Exec& exec, const PlainOperator<Exec, double>& a,
                   const MultigridOptions& options) {
  CAPTURE(name(options.cycle));
  const bool in_float = options.values == MultigridValues::single_precision;
  Plan plan(exec, a.matrix(), options);
  const auto n = static_cast<std::size_t>(a.n);
  using Columns = Kokkos::View<double**, Kokkos::LayoutLeft, Space>;
  const Columns b = copy_to<Space>(random_columns<double, Kokkos::LayoutLeft>(n, 5, 3)),
                x("heddle::test::x", n, 5);
  Kokkos::deep_copy(Kokkos::subview(b, Kokkos::ALL, 1), 1.0);  // smooth: its first steps may end
  Kokkos::deep_copy(Kokkos::subview(b, Kokkos::ALL, 3), 0.0);
  for (const bool more : {false, true}) {
    if (more) plan.reserve(exec, 5);
    only_launches(exec, [&] { plan.apply(exec, b, x); });
    const auto together = to_host(x);
    for (std::size_t v = 0; v < 5; ++v) {
      const Kokkos::View<double*, Space> own("heddle::test::own", n);
      Kokkos::deep_copy(own, Kokkos::subview(b, Kokkos::ALL, v));
      const Vector alone = vector_of(applied(exec, plan, own));
      double largest = 0, most = 0;
      for (std::size_t i = 0; i < n; ++i) {
        largest = std::max(largest, std::abs(alone[i]));
        most = std::max(most, std::abs(alone[i] - together(i, v)));
      }
      CHECK(most <= (in_float ? 1e-4 : 1e-10) * largest);
      CHECK((largest == 0) == (v == 3));
    }
  }
}

}  // namespace

TEST_CASE("several right-hand sides of W and K cycles have steps of their own, and new room") {
  const Exec exec;
  constexpr int side = emulated ? 16 : 50;
  const auto a = poisson<Exec, double>(side, side, 1);
  MultigridOptions options{.kind = MultigridKind::plain_aggregation,
                           .coarsest_rows = coarsest / 2,
                           .one_launch_entries = 0};
  options.vectors.count = 2;
  for (const MultigridCycle cycle : {MultigridCycle::w, MultigridCycle::k}) {
    options.cycle = cycle;
    check_several(exec, a, options);
  }
  if (emulated || !heddle::detail::is_compiled<Exec, Matrix>()) return;
  options.values = MultigridValues::single_precision;
  check_several(exec, a, options);
}

TEST_CASE("new values, units and bytes of plain aggregation") {
  const Exec exec;
  constexpr int side = emulated ? 16 : 50;
  const auto a = poisson<Exec, double>(side, side, 1);
  for (const MultigridCycle cycle : cycles) {
    CAPTURE(std::string(name(cycle)));
    MultigridOptions options{
        .kind = MultigridKind::plain_aggregation, .cycle = cycle, .coarsest_rows = coarsest / 2};
    Plan plan(exec, a.matrix(), options);
    const int taken = iterations_with(exec, a, plan);
    const auto b = right_hand_side<double>(a.n);
    const Vector before = vector_of(applied(exec, plan, b));
    const auto larger = with_values(a, [](double value) { return 4 * value; });
    only_launches(exec, [&] { plan.update_values(exec, larger.matrix()); });
    const Vector after = vector_of(applied(exec, plan, b));
    for (std::size_t i = 0; i < before.size(); ++i) CHECK(before[i] == 4 * after[i]);
    const auto other = weighted(a, [](int i) { return 1 + i % 7 * 0.1; });
    plan.update_values(exec, other.matrix());
    plan.check_values(exec);
    CHECK(iterations_with(exec, other, plan) <= 3 * taken);
    plan.update_values(exec, a.matrix());
    CHECK(relative_difference(vector_of(applied(exec, plan, b)), before) == 0);
    for (const double unit : {1e-12, 1e12}) {
      const auto scaled = with_values(a, [=](double value) { return unit * value; });
      Plan of_unit(exec, scaled.matrix(), options);
      CHECK(std::abs(iterations_with(exec, scaled, of_unit) - taken) <= 1);
    }
    options.max_bytes = plan.bytes();
    CHECK(Plan(exec, a.matrix(), options).bytes() <= options.max_bytes);
    --options.max_bytes;
    CHECK_THROWS_AS(Plan(exec, a.matrix(), options), Error);
  }
}

TEST_CASE("matrices without rows, of one row, and diagonal ones") {
  const Exec exec;
  for (const MultigridCycle cycle : cycles) {
    for (const int n : {0, 1, 50}) {
      for (const int coarsest_rows : {0, 500}) {
        auto a = banded<double>(n, 0, [](int i, int) { return 2.0 + i; });
        const Plan plan(exec, a.matrix(),
                        {.kind = MultigridKind::plain_aggregation,
                         .cycle = cycle,
                         .coarsest_rows = coarsest_rows});
        const auto b = right_hand_side<double>(n);
        const Vector x = vector_of(applied(exec, plan, b)), of_b = on_host(b);
        for (std::size_t i = 0; coarsest_rows > 0 && i < x.size(); ++i) {
          CHECK(x[i] == doctest::Approx(of_b[i] / (2.0 + static_cast<double>(i))));
        }
        CHECK(!plan.is_variable());
      }
    }
  }
}

TEST_CASE("nodes of several rows, whose unknowns have constants of their own") {
  const Exec exec;
  constexpr int side = emulated ? 12 : 40;
  // Two problems side by side, of which each point has an unknown.
  const auto columns = [](int i, const auto& add) {
    Star{side, side}(i / 2, [&](int k) { add(2 * k + i % 2); });
  };
  const auto a = operator_where<Exec, double>(2 * side * side, columns, [](int i, int j) {
    return i == j ? 4.0 * (1 + i % 2) : -1.0 * (1 + i % 2);
  });
  for (const MultigridCycle cycle : cycles) {
    MultigridOptions options{.kind = MultigridKind::plain_aggregation,
                             .cycle = cycle,
                             .block_size = 2,
                             .coarsest_rows = coarsest};
    Plan plan(exec, a.matrix(), options);
    CHECK(plan.levels().levels.size() > 1);
    CHECK(iterations_with(exec, a, plan) <= 30);
    const auto b = right_hand_side<double>(a.n);
    const Vector before = vector_of(applied(exec, plan, b));
    plan.update_values(exec, with_values(a, [](double value) { return 4 * value; }).matrix());
    const Vector after = vector_of(applied(exec, plan, b));
    for (std::size_t i = 0; i < before.size(); ++i) CHECK(before[i] == 4 * after[i]);
  }
}

#ifndef HEDDLE_EMULATED
TEST_CASE("plain aggregation and K cycles in single precision") {
  const Exec exec;
  if (!heddle::detail::is_compiled<Exec, Matrix>()) return;
  const auto a = poisson<Exec, double>(60, 60, 1);
  for (const MultigridCycle cycle : cycles) {
    MultigridOptions options{.kind = MultigridKind::plain_aggregation,
                             .cycle = cycle,
                             .coarsest_rows = 20,
                             .one_launch_entries = 0};
    Plan same(exec, a.matrix(), options);
    options.values = MultigridValues::single_precision;
    Plan plan(exec, a.matrix(), options);
    CHECK(plan.is_variable() == (cycle == MultigridCycle::k));
    CHECK(plan.levels().kind == "plain-aggregation");
    CHECK(iterations_with(exec, a, plan) <= iterations_with(exec, a, same) + 2);
  }
}
#endif

TEST_CASE("the automatic kind, and options without effect") {
  const Exec exec;
  constexpr int side = 20;
  const auto a = poisson<Exec, double>(side, side, 1);
  const auto kind_for = [&](int solves, int block) {
    return Plan(exec, a.matrix(),
                {.block_size = block, .coarsest_rows = 20, .expected_solves = solves})
        .levels()
        .kind;
  };
  CHECK(kind_for(0, 1) == "smoothed-aggregation");
  CHECK(kind_for(1, 1) == "smoothed-aggregation");
  CHECK(kind_for(1, 2) == "plain-aggregation");
  CHECK(kind_for(0, 2) == "smoothed-aggregation");
  CHECK(kind_for(100, 2) == "smoothed-aggregation");
  CHECK_THROWS_AS(kind_for(-1, 1), Error);
  Parts parts;
  parts.prolongation = [](const Exec&, int, const Matrix&) { return Parts::Prolongation(); };
  CHECK_THROWS_WITH_AS(Plan(exec, a.matrix(), parts, {.kind = MultigridKind::plain_aggregation}),
                       doctest::Contains("options.kind has no effect"), Error);
}

}  // namespace heddle::test
