// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Applies of multigrid: room for vectors, values that are kept or lag, CG in blocks, bounds.
#include <heddle/cg.hpp>
#include <heddle/chebyshev.hpp>
#include <heddle/lobpcg.hpp>
#include <heddle/multigrid.hpp>
#include <numeric>
#include <random>

#include "../../../solvers/krylov/chebyshev_definitions.hpp"
#include "../../../solvers/lobpcg/definitions.hpp"
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
  Kokkos::deep_copy(x, std::numeric_limits<double>::quiet_NaN());  // not read
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

/// Poisson's equation in a plane, with coefficient k within a disc; points are numbered row by row
/// or at random.
PlainOperator<Exec, double> disc(int width, double k, bool random) {
  std::vector<int> number(static_cast<std::size_t>(width * width));
  std::iota(number.begin(), number.end(), 0);
  std::mt19937 bits(7);
  if (random) std::shuffle(number.begin(), number.end(), bits);
  const auto conducts = [=](int i) {
    const double x = (i % width + 0.5) / width - 0.5, y = (i / width + 0.5) / width - 0.5;
    return x * x + y * y < 0.09 ? k : 1;
  };
  const auto of = [&](int i) { return number[static_cast<std::size_t>(i)]; };
  std::map<std::pair<int, int>, double> entries;
  for (int i = 0; i < width * width; ++i) {
    const int x = i % width, y = i / width;
    for (const int j : {x > 0 ? i - 1 : -1, x + 1 < width ? i + 1 : -1, y > 0 ? i - width : -1,
                        y + 1 < width ? i + width : -1}) {
      const double exchanged = j < 0 ? conducts(i) : 2 / (1 / conducts(i) + 1 / conducts(j));
      entries[{of(i), of(i)}] += exchanged;
      if (j >= 0) entries[{of(i), of(j)}] = -exchanged;
    }
  }
  std::vector<int> row_ptr(1), col_idx;
  std::vector<double> values;
  for (const auto& [place, value] : entries) {
    if (place.first >= std::ssize(row_ptr)) row_ptr.push_back(static_cast<int>(col_idx.size()));
    col_idx.push_back(place.second);
    values.push_back(value);
  }
  row_ptr.push_back(static_cast<int>(col_idx.size()));
  return plain_operator<Exec>(row_ptr, col_idx, values);
}

/// Checks that a plan that keeps its values gives the same bits whatever happens to A.
template <class Kept>
void check_kept(const Exec& exec, PlainOperator<Exec, double>& a, const Kept& plan) {
  const auto b = right_hand_side<double>(a.n);
  const auto before = applied(exec, plan, b);
  const auto own = copy_to<Kokkos::HostSpace>(a.values);
  Kokkos::deep_copy(a.values, std::numeric_limits<double>::quiet_NaN());
  const auto after = applied(exec, plan, b);
  Kokkos::deep_copy(a.values, own);
  bool same = true;
  for (std::size_t i = 0; i < before.extent(0); ++i) same = same && before(i) == after(i);
  CHECK(same);
}

template <class... F>
void check_kept_by_formats(const Exec& exec, PlainOperator<Exec, double>& a, bool random,
                           Formats<F...>) {
  using Matrix = PlainOperator<Exec, double>::Matrix;
  int tested = 0;
  (
      [&] {
        CAPTURE(F::name);
        try {
          const MultigridOptions finest{
              .coarsest_rows = 0, .max_levels = 1, .one_launch_entries = 0};
          const MultigridPlan<Exec, Matrix, Formats<F>> plan(exec, a.matrix(), finest,
                                                             Formats<F>());
          CHECK(plan.levels().levels.front().scheme.starts_with(F::name));
          check_kept(exec, a, plan);
          ++tested;
        } catch (const Refusal&) {  // too many diagonals or slots
        }
      }(),
      ...);
  CHECK(tested > 0);
  if (!random && sizeof...(F) > 1) CHECK(tested >= 6);
}

/// Number of kernels that an apply to `count` vectors launches.
int launches(const Exec& exec, const Plan& plan, int count) {
  const auto n = static_cast<std::size_t>(plan.rows()), m = static_cast<std::size_t>(count);
  using Columns = Kokkos::View<double**, Kokkos::LayoutLeft, Space>;
  const Columns b("heddle::test::b", n, m), x("heddle::test::x", n, m);
  return static_cast<int>(only_launches(exec, [&] { plan.apply(exec, b, x); }).size());
}

}  // namespace

TEST_CASE("solvers of several vectors make room for all of them") {
  const Exec exec;
  const auto a = poisson<Exec, double>(side, side, 1);
  using Matrix = PlainOperator<Exec, double>::Matrix;
  using Columns = Kokkos::View<double**, Kokkos::LayoutLeft, Space>;
  SpmvPlan<Exec, Matrix, double, double, MultigridFormats<Exec, Matrix>> product(exec, a.matrix());
  const auto n = static_cast<std::size_t>(a.n);
  const auto b = copy_to<Space>(random_columns<double, Kokkos::LayoutLeft>(n, 8, 5));
  for (const std::int64_t one_launch : {std::int64_t{-1}, std::int64_t{0}}) {
    const MultigridOptions options{.coarsest_rows = 20, .one_launch_entries = one_launch};
    for (const bool eigenvalues : {false, true}) {
      CAPTURE(eigenvalues);
      Plan plan(exec, a.matrix(), options);
      const int alone = launches(exec, plan, 1);
      CHECK(launches(exec, plan, 8) == 8 * alone);
      const auto solve = [&] {
        const Columns x = copy_to<Space>(random_columns<double, Kokkos::LayoutLeft>(n, 8, 6));
        if (eigenvalues) {
          LobpcgSolver<Exec, double> lobpcg(exec, a.n, {.count = 8, .max_iterations = 3});
          lobpcg.solve(exec, product, x, plan);
        } else {
          CgSolver<Exec, double> cg(exec, a.n, {.vectors = 8});
          CHECK(cg.solve(exec, product, b, x, plan).converged());
        }
      };
      const VersionNumber first = plan.version();
      const std::size_t bytes = plan.bytes();
      solve();
      CHECK(launches(exec, plan, 8) == alone);
      CHECK(plan.bytes() > bytes);
      CHECK_FALSE(plan.version() == first);
      const VersionNumber grown = plan.version();
      solve();
      CHECK(plan.version() == grown);
      plan.reserve(exec, 2);
      CHECK(launches(exec, plan, 8) == alone);
      check_columns<Kokkos::LayoutLeft>(exec, plan, 8);
    }
  }
}

TEST_CASE("a plan keeps its values, by every format, while the user's change") {
  const Exec exec;
  using Matrix = PlainOperator<Exec, double>::Matrix;
  for (const bool random : {false, true}) {
    CAPTURE(random);
    auto a = disc(side, 1, random);
    check_kept_by_formats(exec, a, random, MultigridFormats<Exec, Matrix>());
  }
}

TEST_CASE("values that are borrowed cost no copy, and are read later") {
  const Exec exec;
  const auto a = disc(side, 1, true);
  const auto entries = a.values.extent(0);
  Plan plan(exec, a.matrix(), {.coarsest_rows = 20});
  Plan borrows(exec, a.matrix(), {.coarsest_rows = 20, .borrow_values = true});
  CHECK(plan.bytes() - borrows.bytes() >= entries * sizeof(double));
  CHECK(plan.bytes() - borrows.bytes() < entries * sizeof(double) + 256);
  const auto b = right_hand_side<double>(a.n);
  const auto one = applied(exec, plan, b), other = applied(exec, borrows, b);
  for (std::size_t i = 0; i < one.extent(0); ++i) CHECK(one(i) == other(i));
}

TEST_CASE("a preconditioner that lags behind its matrix") {
  const Exec exec;
  constexpr int width = emulated ? 16 : 100;
  for (const bool random : {false, true}) {
    CAPTURE(random);
    auto a = disc(width, 1, random);
    Plan plan(exec, a.matrix(), {.coarsest_rows = 20});
    for (const double k : {1.0, 2.0, 4.0, 8.0}) {
      CAPTURE(k);
      Kokkos::deep_copy(a.values, disc(width, k, random).values);
      CHECK(iterations_with(exec, a, plan) <= 12 + 6 * k);
    }
  }
}

TEST_CASE("blocks of iterations as graphs, and by launches") {
  const Exec exec;
  const auto a = poisson<Exec, double>(side, side, 1);
  auto by_launches = a;  // it has no version
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
  // Eigenvalues of D^-1 A for Poisson's equation are 1 - (cos + cos) / 2: the largest is known.
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
  const auto unsymmetric = grid_operator<Exec, double>(side, [](int i, int j) {
    return i == j ? 4. : j > i ? -.5 : -1.5;
  });
  CHECK_THROWS_WITH_AS(spectrum_bounds(exec, unsymmetric.matrix()),
                       doctest::Contains("A is not symmetric"), Error);
}

TEST_CASE("bounds of the spectrum with diagonal blocks, and a polynomial that takes them") {
  const Exec exec;
  // Pairs of unknowns that are strongly coupled: blocks see it, and the diagonal does not.
  constexpr int pairs = side * side;
  const Star star{side, side, 1};
  std::vector<std::map<int, double>> rows(2 * pairs);
  for (int i = 0; i < pairs; ++i) {
    for (int r = 0; r < 2; ++r) {
      auto& row = rows[static_cast<std::size_t>(2 * i + r)];
      star(i, [&](int j) { row[2 * j + r] = i == j ? 4.0 + r : -1.0; });
      row[2 * i + r] += 100;
      row[2 * i + 1 - r] = -100;
    }
  }
  auto a = operator_of<Exec, double>(rows);
  const BlockJacobiPreconditioner<Exec, double> blocks(exec, a.matrix(), 2);
  const JacobiPreconditioner<Exec, double> jacobi(exec, a.matrix());
  // The largest eigenvalue of D^-1 A by the power method.
  const auto n = static_cast<std::size_t>(a.n);
  const Kokkos::View<double*, Space> v = right_hand_side<double>(a.n), q("heddle::test::q", n);
  double largest = 0;
  for (int step = 0; step < 400; ++step) {
    a.apply(exec, v, q);
    blocks.apply(exec, q, v);
    exec.fence("heddle::test::applied");
    const auto host = to_host(v);
    double square = 0;
    for (std::size_t i = 0; i < n; ++i) square += host(i) * host(i);
    largest = std::sqrt(square);
    heddle::vectors::scale(exec, 1 / largest, v);
  }
  const SpectrumBounds bounds = spectrum_bounds(exec, a.matrix(), 10, 2);
  CHECK(bounds.upper >= largest);
  CHECK(bounds.upper <= 1.15 * largest);
  for (const double unit : {1e-12, 1e12}) {
    const auto scaled = with_values(a, [=](double value) { return unit * value; });
    CHECK(spectrum_bounds(exec, scaled.matrix(), 10, 2).upper ==
          doctest::Approx(bounds.upper).epsilon(1e-6));
  }
  ChebyshevPreconditioner by_blocks(exec, a, blocks, bounds, 4);
  ChebyshevPreconditioner by_points(exec, a, jacobi, spectrum_bounds(exec, a.matrix()), 4);
  const auto b = right_hand_side<double>(a.n);
  const Kokkos::View<double*, Space> x("heddle::test::x", n), y("heddle::test::y", n);
  CgSolver<Exec, double> cg(exec, a.n);
  const KrylovResult with = cg.solve(exec, a, b, x, by_blocks);
  CHECK(with.converged());
  CHECK(relative_residual(a, b, x) < 1.01e-8);
  CHECK(with.iterations < cg.solve(exec, a, b, y, by_points).iterations);
  // The plan has the same polynomial.
  using Matrix = PlainOperator<Exec, double>::Matrix;
  using Product = SpmvPlan<Exec, Matrix, double, double, MultigridFormats<Exec, Matrix>>;
  const ChebyshevPlan<Exec, Matrix, Product> plan(exec, a.matrix(), bounds, 4, {}, 2);
  by_blocks.apply(exec, b, x);
  plan.apply(exec, b, y);
  exec.fence("heddle::test::applied");
  const auto one = to_host(x), other = to_host(y);
  for (std::size_t i = 0; i < n; ++i) CHECK(std::abs(one(i) - other(i)) < 1e-12);

  CHECK_THROWS_WITH_AS(spectrum_bounds(exec, a.matrix(), 10, 33),
                       doctest::Contains("the block size is 33"), Error);
  const auto singular = with_values(a, [](double value) {
    return value == 104 || value == 105 ? 100.0 : value == -1 ? 0.0 : value;
  });
  CHECK_THROWS_WITH_AS(spectrum_bounds(exec, singular.matrix(), 10, 2), doctest::Contains("row 0"),
                       Error);
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
