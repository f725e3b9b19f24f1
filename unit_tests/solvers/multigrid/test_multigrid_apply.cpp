// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Applies of multigrid: several vectors, strides, quiet, recorded in graphs, with CG of blocks.
#include <heddle/cg.hpp>
#include <heddle/chebyshev.hpp>
#include <heddle/multigrid.hpp>

#include "../../support/check_replay.hpp"
#include "../../support/multigrid.hpp"
#include "../../support/shared_formats.hpp"

namespace heddle::test {

namespace {

using Plan = MultigridOf<Exec, double>;
constexpr int side = emulated ? 10 : 30;

template <class Layout>
void check_columns(const Exec& exec, Plan& plan, int count) {
  using Columns = Kokkos::View<double**, Layout, Space>;
  const auto n = static_cast<std::size_t>(plan.rows()), m = static_cast<std::size_t>(count);
  const Columns b = copy_to<Space>(random_columns<double, Layout>(n, m, 3)),
                x("heddle::test::x", n, m);
  Kokkos::deep_copy(x, std::numeric_limits<double>::quiet_NaN());  // is not read
  std::as_const(plan).apply(exec, b, x);
  const auto together = to_host(x);
  const Kokkos::View<double*, Space> one_b("heddle::test::b", n), one_x("heddle::test::x", n);
  for (std::size_t v = 0; v < m; ++v) {
    Kokkos::deep_copy(one_b, Kokkos::subview(b, Kokkos::ALL, v));
    plan.apply(exec, one_b, one_x);
    exec.fence("heddle::test::alone");
    const auto alone = to_host(one_x);
    for (std::size_t i = 0; i < n; ++i) {
      CHECK(together(i, v) == doctest::Approx(alone(i)).epsilon(1e-10));
    }
  }
}

}  // namespace

TEST_CASE("several vectors, in any layout and number") {
  const Exec exec;
  const auto a = poisson<Exec, double>(side, side, 1);
  for (const auto smoother : {MultigridSmoother::chebyshev, MultigridSmoother::gauss_seidel}) {
    for (const int room : {1, 3, 10}) {
      CAPTURE(room);
      Plan plan(exec, a.matrix(),
                {.smoother = smoother, .coarsest_rows = 20, .vectors = {.count = room}});
      for (const int count : {1, 4, 11}) {
        check_columns<Kokkos::LayoutLeft>(exec, plan, count);
        check_columns<Kokkos::LayoutRight>(exec, plan, count);
      }
    }
  }
}

TEST_CASE("applies and new values are quiet, and recorded") {
  const Exec exec;
  const auto a = poisson<Exec, double>(side, side, 1);
  const auto twice = with_values(a, [](double value) { return 2 * value; });
  const auto n = static_cast<std::size_t>(a.n);
  const Kokkos::View<double*, Space> b("heddle::test::b", n), x("heddle::test::x", n);
  for (const auto smoother : {MultigridSmoother::chebyshev, MultigridSmoother::l1_jacobi,
                              MultigridSmoother::gauss_seidel}) {
    Plan plan(exec, a.matrix(), {.smoother = smoother, .coarsest_rows = 20});
    check_quiet(exec, [&] {
      plan.apply(exec, b, x);
      plan.update_values(exec, twice.matrix());
      plan.apply(exec, b, x);
    });
    const VersionNumber before = plan.version();
    plan.update_values(exec, a.matrix());
    CHECK_FALSE(before == plan.version());
    if constexpr (can_capture<Exec>) {
      check_replay(exec, b, x, 1, [&] { plan.apply(exec, b, x); });
    }
  }
}

TEST_CASE("blocks of iterations as graphs, and by launches") {
  const Exec exec;
  const auto a = poisson<Exec, double>(side, side, 1);
  auto by_launches = a;  // which says nothing of graphs
  using Matrix = PlainOperator<Exec, double>::Matrix;
  SpmvPlan<Exec, Matrix, double, double, MultigridFormats<Exec, Matrix>> product(
      exec, a.matrix(), {.scheme = "csr/scalar", .check_overlap = false});
  Plan plan(exec, a.matrix(), {.coarsest_rows = 20});
  const auto b = right_hand_side<double>(a.n);
  const auto n = static_cast<std::size_t>(a.n);
  const Kokkos::View<double*, Space> x("heddle::test::x", n), y("heddle::test::y", n);
  KrylovOptions options;
  options.check_every = 3;
  options.zero_guess = true;
  CgSolver<Exec, double> cg(exec, a.n, options), again(exec, a.n, options);
  for (const double factor : {1.0, 2.0, 1.0}) {
    CAPTURE(factor);
    const auto other = with_values(a, [=](double value) { return factor * value; });
    by_launches.values = other.values;
    product.update_values(exec, other.matrix());
    plan.update_values(exec, other.matrix());
    const KrylovResult one = cg.solve(exec, product, b, x, plan);
    const KrylovResult two = again.solve(exec, by_launches, b, y, plan);
    CHECK(one.converged());
    CHECK(one.iterations == two.iterations);
    const auto by_graph = to_host(x), by_launch = to_host(y);
    for (std::size_t i = 0; i < n; ++i) {
      CHECK(by_graph(i) == doctest::Approx(by_launch(i)).epsilon(1e-9));
    }
  }
}

TEST_CASE("conjugate gradients of several right-hand sides, and new values from solve to solve") {
  const Exec exec;
  const auto a = poisson<Exec, double>(side, side, 1);
  using Matrix = PlainOperator<Exec, double>::Matrix;
  SpmvPlan<Exec, Matrix, double, double, MultigridFormats<Exec, Matrix>> product(exec, a.matrix());
  Plan plan(exec, a.matrix(), {.coarsest_rows = 20, .vectors = {.count = 3}});
  const auto n = static_cast<std::size_t>(a.n);
  const auto b = copy_to<Space>(random_columns<double, Kokkos::LayoutLeft>(n, 3, 5));
  const Kokkos::View<double**, Kokkos::LayoutLeft, Space> x("heddle::test::x", n, 3);
  KrylovOptions options;
  options.vectors = 3;
  options.zero_guess = true;
  CgSolver<Exec, double> cg(exec, a.n, options);
  for (const double factor : {1.0, 5.0, 0.01}) {
    CAPTURE(factor);
    const auto other = with_values(a, [=](double value) { return factor * value; });
    product.update_values(exec, other.matrix());
    plan.update_values(exec, other.matrix());
    cg.solve(exec, product, b, x, plan);
    for (const KrylovResult& result : cg.results(exec)) {
      CHECK(result.converged());
      CHECK(result.iterations <= 20);
    }
    auto system = other;
    for (std::size_t v = 0; v < 3; ++v) {
      CHECK(relative_residual(system, Kokkos::subview(b, Kokkos::ALL, v),
                              Kokkos::subview(x, Kokkos::ALL, v)) < 1.01e-8);
    }
  }
}

TEST_CASE("bounds of the spectrum of D^-1 A, and a polynomial that takes them") {
  const Exec exec;
  // Of Poisson's equation eigenvalues of D^-1 A are 1 - (cos + cos) / 2: the largest is known.
  const auto a = poisson<Exec, double>(side, side, 1);
  const double largest = 1 + std::cos(std::acos(-1.0) / (side + 1));
  const SpectrumBounds bounds = spectrum_bounds(exec, a.matrix());
  CHECK(bounds.upper >= largest);
  CHECK(bounds.upper <= 2);
  CHECK(bounds.lower == doctest::Approx(bounds.upper / 10));
  const auto scaled = weighted(a, [](int i) { return 1 + i % 7 * 0.1; });
  CHECK(spectrum_bounds(exec, scaled.matrix(), 4).upper ==
        doctest::Approx(bounds.upper).epsilon(0.1));
  using Matrix = PlainOperator<Exec, double>::Matrix;
  SpmvPlan<Exec, Matrix, double, double, MultigridFormats<Exec, Matrix>> product(exec, a.matrix());
  const JacobiPreconditioner<Exec, double> jacobi(exec, a.matrix());
  ChebyshevPreconditioner<Exec, double, decltype(product)> polynomial(exec, product, jacobi,
                                                                      bounds);
  const auto n = static_cast<std::size_t>(a.n);
  const auto b = right_hand_side<double>(a.n);
  const Kokkos::View<double*, Space> x("heddle::test::x", n), y("heddle::test::y", n);
  CgSolver<Exec, double> cg(exec, a.n);
  const KrylovResult with = cg.solve(exec, product, b, x, polynomial);
  CHECK(with.converged());
  CHECK(2 * with.iterations < cg.solve(exec, product, b, y, jacobi).iterations);
  CHECK_THROWS_AS(spectrum_bounds(exec, a.matrix(), 0.5), Error);
  const auto bad = with_values(a, [](double value) { return value == 4 ? 0 : value; });
  CHECK_THROWS_AS(spectrum_bounds(exec, bad.matrix()), Error);
}

TEST_CASE("unsigned offsets of 64 bits") {
  const Exec exec;
  const auto a = poisson<Exec, double>(side, side, 1);
  using Matrix = CsrMatrix<double, int, std::size_t, Space>;
  using Signed = SignedOffsets<Matrix>;
  std::vector<std::size_t> offsets;
  const auto row_ptr = to_host(a.row_ptr);
  for (std::size_t i = 0; i < row_ptr.extent(0); ++i) {
    offsets.push_back(static_cast<std::size_t>(row_ptr(i)));
  }
  const auto wide = copy_in<Space>(offsets);
  const auto n = static_cast<int>(a.n);
  if constexpr (heddle::detail::is_compiled<Exec, Signed>()) {
    MultigridPlan<Exec, Matrix> plan(exec, Matrix(n, n, wide, a.col_idx, a.values),
                                     {.coarsest_rows = 20});
    Plan same(exec, a.matrix(), {.coarsest_rows = 20});
    const auto b = right_hand_side<double>(a.n);
    const auto one = applied(exec, plan, b), other = applied(exec, same, b);
    for (std::size_t i = 0; i < one.extent(0); ++i) CHECK(one(i) == other(i));
  }
}

TEST_CASE("bytes and levels") {
  const Exec exec;
  const auto a = poisson<Exec, double>(side, side, 1);
  std::uint64_t allocated = 0;
  {
    const Recording recording;
    const Plan plan(exec, a.matrix(), {.coarsest_rows = 20});
    allocated = bytes_allocated(Recording::seen());
    const MultigridHierarchy all = plan.levels();
    CHECK(all.levels.front().rows == a.n);
    CHECK(all.levels.back().scheme == "dense");
    CHECK(all.grid_complexity() > 1);
    std::size_t of_levels = 0;
    for (const MultigridLevel& level : all.levels) of_levels += level.bytes;
    CHECK(of_levels < plan.bytes());
    CHECK(plan.bytes() < allocated);
    CHECK(plan.setup_seconds() > 0);
    CHECK(all.to_string().find("operator complexity 1.") != std::string::npos);
  }
}

}  // namespace heddle::test
