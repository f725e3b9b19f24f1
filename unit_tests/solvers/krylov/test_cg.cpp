// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conjugate gradients with several right-hand sides. What each method promises of one is in
// test_krylov_table.cpp.
#include "../../support/krylov_methods.hpp"

namespace heddle::test {

namespace {

constexpr int side = emulated ? 12 : 40;

}  // namespace

TEST_CASE("right-hand sides are independent, and each ends by itself") {
  const Exec exec;
  auto a = laplacian<Exec, double>(side, 10);
  const auto n = static_cast<std::size_t>(a.n);
  const Kokkos::View<double**, Kokkos::LayoutRight, Space> b("heddle::test::b", n, 10),
      x("heddle::test::x", n, 10);
  CgSolver<Exec, double> single(exec, a.n), several(exec, a.n, {.vectors = 10});
  JacobiPreconditioner<Exec, double> jacobi(exec, a.matrix());
  const auto easy = right_hand_side<double>(a.n, 5);
  for (int c = 0; c < 10; ++c) {
    const auto column = Kokkos::subview(b, Kokkos::ALL, c);
    if (c == 3) continue;  // zeros: converged at once
    const auto of_column = right_hand_side<double>(a.n, static_cast<std::uint64_t>(c));
    Kokkos::deep_copy(column, of_column);
    if (c == 7) {
      const Kokkos::View<double*, Space> product("heddle::test::product", n);
      a.apply(exec, easy, product);
      exec.fence("heddle::test::product");
      Kokkos::deep_copy(column, product);
    }
  }
  exec.fence("heddle::test::made");
  // Column 7 starts at its solution.
  Kokkos::deep_copy(Kokkos::subview(x, Kokkos::ALL, 7), easy);
  const KrylovResult worst = several.solve(exec, a, b, x, jacobi);
  CHECK(worst.converged());
  CHECK(several.results()[3].iterations == 0);
  const Kokkos::View<double*, Space> alone("heddle::test::alone", n), of("heddle::test::of", n);
  for (int c = 0; c < 10; ++c) {
    CAPTURE(c);
    Kokkos::deep_copy(of, Kokkos::subview(b, Kokkos::ALL, c));
    Kokkos::deep_copy(alone, 0.0);
    if (c == 7) continue;
    const KrylovResult result = single.solve(exec, a, of, alone, jacobi);
    CHECK(std::abs(result.iterations - several.results()[static_cast<std::size_t>(c)].iterations) <=
          1);
    Kokkos::deep_copy(of, Kokkos::subview(x, Kokkos::ALL, c));
    const auto together = to_host(of);
    const auto apart = to_host(alone);
    double difference = 0;
    for (std::size_t i = 0; i < n; ++i) {
      difference = std::max(difference, std::fabs(together(i) - apart(i)));
    }
    CHECK(difference < 1e-4);
  }
}

TEST_CASE("there are as many results as right-hand sides, and NaN is the worst of them") {
  const Exec exec;
  auto a = star(side, 4.1);
  const auto n = static_cast<std::size_t>(a.n);
  const Kokkos::View<double**, Kokkos::LayoutLeft, Space> b("heddle::test::b", n, 3),
      x("heddle::test::x", n, 3), two_b("heddle::test::b", n, 2), two_x("heddle::test::x", n, 2);
  Kokkos::deep_copy(b, 1.0);
  Kokkos::deep_copy(Kokkos::subview(b, std::size_t{2}, 1), std::nan(""));
  CgSolver<Exec, double> cg(a.n, {.vectors = 3});
  CHECK(cg.results().size() == 3);
  CHECK(cg.solve(exec, a, b, x).outcome == Outcome::not_a_number);
  CHECK(cg.results()[0].converged());
  CHECK(cg.results()[1].outcome == Outcome::not_a_number);
  CHECK(cg.results()[2].converged());
  CHECK_THROWS_WITH_AS(cg.solve(a, two_b, two_x), doctest::Contains("3 right-hand sides"), Error);
}

}  // namespace heddle::test
