// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bounds and polynomials of Chebyshev iteration; test_krylov_table.cpp has the promises of every
// method.
#include "../../../solvers/krylov/chebyshev_definitions.hpp"
#include "../../../solvers/krylov/polynomial.hpp"
#include "../../support/krylov_methods.hpp"

namespace heddle::test {

namespace krylov = heddle::detail::krylov;

namespace {

constexpr int side = emulated ? 8 : 30;

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

/// Number of vectors that a pass reads, and writes.
template <int... I, class... V>
int touched(
    const heddle::detail::vectors::OperandList<std::integer_sequence<int, I...>, V...>& all) {
  using heddle::detail::vectors::OperandAt;
  return (0 + ... +
          (static_cast<const OperandAt<I, V>&>(all).operand.loads +
           static_cast<const OperandAt<I, V>&>(all).operand.stores));
}

struct OtherPreconditioner {};

}  // namespace

TEST_CASE("a step moves the vectors that its passes read and write") {
  const ChebyshevSolver<Exec, double> solver(Exec(), 10, within({1, 2}));
  const auto check = [&]<class M>(const M& preconditioner) {
    constexpr auto how = krylov::how_with<M>();
    krylov::ChebyshevStep<double, how, false> step{};
    int vectors = touched(step.operands(0));
    if (how == krylov::Preconditioned::by_operator) {
      krylov::ChebyshevDirection<double, how> direction{};
      direction.old = 1;
      vectors += touched(direction.operands(0));
    }
    CAPTURE(static_cast<int>(how));
    CHECK(solver.moved_bytes(0, preconditioner) == 80.0 * vectors);
  };
  check(NoPreconditioner());
  check(JacobiPreconditioner<Exec, double>());
  check(OtherPreconditioner());
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
  auto a = star(side, 4.5);
  const JacobiPreconditioner<Exec, double> jacobi(exec, a.matrix());
  Together together{a.matrix()};
  ChebyshevPreconditioner<Exec, double, Together> polynomial(exec, together, jacobi,
                                                             {0.5 / 4.5, 8.5 / 4.5}, 2);
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

}  // namespace heddle::test
