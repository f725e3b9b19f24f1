// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <heddle/cg.hpp>
#include <heddle/chebyshev.hpp>

#include "../../../solvers/krylov/cg_definitions.hpp"
#include "../../../solvers/krylov/chebyshev_definitions.hpp"
#include "../../support/krylov.hpp"

namespace heddle::test {

namespace {

constexpr int side = emulated ? 8 : 30;

/// Bounds for a grid's Laplacian with 4.5 on the diagonal, from Gershgorin circles.
constexpr SpectrumBounds plain_bounds = {0.5, 8.5};
constexpr SpectrumBounds jacobi_bounds = {0.5 / 4.5, 8.5 / 4.5};

template <class E, class S>
PlainOperator<E, S> shifted_laplacian() {
  using Real = RealOf<S>;
  return grid_operator<E, S>(side, [](int i, int j) {
    if (i == j) return S(Real(4.5));
    if constexpr (is_complex<S>) {
      return S(Real(0.6), Real(i < j ? 0.8 : -0.8));
    } else {
      return S(-1);
    }
  });
}

/// An operator for several vectors, which records how many it was given.
struct Together {
  PlainOperator<Exec, double>::Matrix matrix;
  std::vector<int> products = {};
  static constexpr bool takes_several_vectors = true;

  std::int64_t rows() const { return matrix.rows(); }
  std::int64_t columns() const { return matrix.columns(); }
  static VersionNumber version() { return NoPreconditioner::version(); }
  template <class X, class Y>
  void apply(const Exec& exec, const X& x, const Y& y) {
    products.push_back(static_cast<int>(y.rank() == 2 ? y.extent(1) : 1));
    for (int j = 0; j < products.back(); ++j) {
      const auto at = static_cast<std::size_t>(j) * y.extent(0);
      using Row = PlainOperator<Exec, double>::Row;
      Kokkos::parallel_for("heddle::test::product", range_policy(exec, rows()),
                           Row{matrix.row_ptr().data(), matrix.col_idx().data(),
                               matrix.values().data(), x.data() + at, y.data() + at});
    }
  }
};

}  // namespace

TEST_CASE_TEMPLATE_DEFINE("Chebyshev solves within the bounds of the spectrum", T, solves) {
  using S = typename T::Scalar;
  using E = typename T::Exec;
  const E exec;
  const double tolerance = std::is_same_v<RealOf<S>, float> ? 1e-4 : 1e-10;
  auto a = shifted_laplacian<E, S>();
  const auto b = right_hand_side<S, typename T::Space>(a.n);
  KrylovOptions options;
  options.relative_tolerance = tolerance;
  const Kokkos::View<S*, typename T::Space> x("heddle::test::x", static_cast<std::size_t>(a.n));
  ChebyshevSolver<E, S> chebyshev(exec, a.n, within(plain_bounds, options));
  const KrylovResult plain = chebyshev.solve(exec, a, b, x);
  CHECK(plain.converged());
  CHECK(relative_residual(a, b, x) < 2 * tolerance);
  JacobiPreconditioner<E, S> jacobi(exec, a.matrix());
  ChebyshevSolver<E, S> with_jacobi(exec, a.n, within(jacobi_bounds, options));
  Kokkos::deep_copy(x, S(0));
  const KrylovResult diagonal = with_jacobi.solve(exec, a, b, x, jacobi);
  CHECK(diagonal.converged());
  CHECK(diagonal.iterations == plain.iterations);  // the diagonal is constant
  CHECK(relative_residual(a, b, x) < 2 * tolerance);
}
TEST_CASE_TEMPLATE_APPLY(solves, VectorTypes);

TEST_CASE("a preconditioner as an operator takes the same steps") {
  const Exec exec;
  auto a = shifted_laplacian<Exec, double>();
  const auto b = right_hand_side<double>(a.n);
  const auto n = static_cast<std::size_t>(a.n);
  const Kokkos::View<double*, Space> x("heddle::test::x", n), y("heddle::test::y", n);
  JacobiPreconditioner<Exec, double> jacobi(exec, a.matrix());
  Diagonal user{JacobiPreconditioner<Exec, double>(exec, a.matrix())};
  ChebyshevSolver<Exec, double> chebyshev(exec, a.n, within(jacobi_bounds, {.zero_guess = true}));
  const KrylovResult inside = chebyshev.solve(exec, a, b, x, jacobi);
  const KrylovResult outside = chebyshev.solve(exec, a, b, y, user);
  CHECK(inside.converged());
  CHECK(inside.iterations == outside.iterations);
  const auto one = to_host(x), other = to_host(y);
  for (std::size_t i = 0; i < n; ++i) CHECK(one(i) == doctest::Approx(other(i)).epsilon(1e-10));
  user.is_symmetric = false;
  CHECK_THROWS_WITH_AS(chebyshev.solve(exec, a, b, x, user), doctest::Contains("is not symmetric"),
                       Error);
}

TEST_CASE("bounds that are one number, and bounds that are wrong") {
  const Exec exec;
  auto a = grid_operator<Exec, double>(4, [](int i, int j) { return i == j ? 3.0 : 0.0; });
  const auto b = right_hand_side<double>(16);
  const Kokkos::View<double*, Space> x("heddle::test::x", 16);
  ChebyshevSolver<Exec, double> exact(exec, 16, within({3, 3}, {.check_every = 1}));
  const KrylovResult result = exact.solve(exec, a, b, x);
  CHECK(result.converged());
  CHECK(result.iterations == 1);
  Kokkos::deep_copy(x, 0.0);
  ChebyshevSolver<Exec, double> wrong(exec, 16, within({0.1, 1}, {.max_iterations = 5000}));
  const KrylovResult diverged = wrong.solve(exec, a, b, x);
  CHECK(diverged.outcome == Outcome::diverged);
  CHECK(diverged.residual <= diverged.first_residual);  // the best x is returned
  CHECK_THROWS_WITH_AS((ChebyshevSolver<Exec, double>(exec, 16, within({2, 1}))),
                       doctest::Contains("the bounds are 2"), Error);
  CHECK_THROWS_WITH_AS((ChebyshevSolver<Exec, double>(exec, 16, within({0, 1}))),
                       doctest::Contains("the bounds are 0"), Error);
}

TEST_CASE("a polynomial preconditions cg") {
  const Exec exec;
  auto a = laplacian<Exec, double>(side);
  const auto b = right_hand_side<double>(a.n);
  const auto n = static_cast<std::size_t>(a.n);
  const Kokkos::View<double*, Space> x("heddle::test::x", n);
  JacobiPreconditioner<Exec, double> jacobi(exec, a.matrix());
  CgSolver<Exec, double> cg(exec, a.n, {.zero_guess = true});
  const KrylovResult plain = cg.solve(exec, a, b, x);
  using Polynomial = ChebyshevPreconditioner<Exec, double, PlainOperator<Exec, double>>;
  CHECK_THROWS_WITH_AS(Polynomial(exec, a, jacobi, {0.1, 2}, -1),
                       doctest::Contains("the degree is -1"), Error);
  for (const int degree : {0, 1, 4}) {
    CAPTURE(degree);
    Polynomial polynomial(exec, a, jacobi, {0.1, 2}, degree);
    fill_with_poison(x);
    const KrylovResult result = cg.solve(exec, a, b, x, polynomial);
    CHECK(result.converged());
    CHECK(relative_residual(a, b, x) < 2e-8);
    CHECK(result.iterations <= plain.iterations + 1);
    if (degree == 4) CHECK(2 * result.iterations < plain.iterations);
  }
}

TEST_CASE("several vectors of a polynomial go together, as far as memory is reserved") {
  const Exec exec;
  auto a = shifted_laplacian<Exec, double>();
  const JacobiPreconditioner<Exec, double> jacobi(exec, a.matrix());
  Together together{a.matrix()};
  ChebyshevPreconditioner<Exec, double, Together> polynomial(exec, together, jacobi, jacobi_bounds,
                                                             2);
  static_assert(heddle::detail::krylov::takes_several_vectors<decltype(polynomial)>());
  const auto n = static_cast<std::size_t>(a.n);
  constexpr std::size_t columns = 5;
  const auto check = [&]<class Layout>(Layout, const std::vector<int>& at_once) {
    const Kokkos::View<double**, Layout, Space> b("heddle::test::b", n, columns),
        x("heddle::test::x", n, columns);
    const auto host = Kokkos::create_mirror_view(b);
    for (std::size_t j = 0; j < columns; ++j) {
      const auto numbers = random_vector<double>(n, 5 + j);
      for (std::size_t i = 0; i < n; ++i) host(i, j) = numbers[i];
    }
    Kokkos::deep_copy(b, host);
    fill_with_poison(x);
    together.products.clear();
    polynomial.apply(exec, b, x);
    exec.fence("heddle::test::applied");
    CHECK(together.products == at_once);
    const auto several = to_host(x);
    const Kokkos::View<double*, Space> from("heddle::test::b", n), to("heddle::test::x", n);
    for (std::size_t j = 0; j < columns; ++j) {
      Kokkos::deep_copy(from, Kokkos::subview(b, Kokkos::ALL, j));
      polynomial.apply(exec, from, to);
      exec.fence("heddle::test::applied");
      const auto one = to_host(to);
      // A product with several vectors may sum in another order.
      for (std::size_t i = 0; i < n; ++i) CHECK(std::abs(one(i) - several(i, j)) <= 1e-12);
    }
  };
  check(Kokkos::LayoutLeft(), {1, 1, 1, 1, 1, 1, 1, 1, 1, 1});
  const VersionNumber before = polynomial.version();
  const std::size_t bytes = polynomial.bytes();
  polynomial.reserve(exec, 3);
  CHECK_FALSE(polynomial.version() == before);  // recorded launches use the old memory
  CHECK(polynomial.bytes() > 2 * bytes);
  check(Kokkos::LayoutLeft(), {3, 3, 2, 2});
  check(Kokkos::LayoutRight(), {3, 3, 2, 2});
  const VersionNumber reserved = polynomial.version();
  polynomial.reserve(exec, 2);
  CHECK(polynomial.version() == reserved);
  const Kokkos::View<double*, Space> shorter("heddle::test::b", n - 1);
  CHECK_THROWS_WITH_AS(polynomial.apply(exec, shorter, shorter), doctest::Contains("rows"), Error);
}

TEST_CASE("Chebyshev is quiet") {
  const Exec exec;
  auto a = shifted_laplacian<Exec, double>();
  const auto b = right_hand_side<double>(a.n);
  const Kokkos::View<double*, Space> x("heddle::test::x", static_cast<std::size_t>(a.n));
  JacobiPreconditioner<Exec, double> jacobi(exec, a.matrix());
  KrylovOptions options;
  options.check_every = 0;
  options.max_iterations = 20;
  ChebyshevSolver<Exec, double> chebyshev(exec, a.n, within(jacobi_bounds, options));
  const auto seen = only_launches(exec, [&] { chebyshev.solve(exec, a, b, x, jacobi); });
  // x in, product, r, its scale, on; d; after: product, its residual, x out
  CHECK(count(seen, Event::kernel) == 9 + 2 * 20);
}

}  // namespace heddle::test
