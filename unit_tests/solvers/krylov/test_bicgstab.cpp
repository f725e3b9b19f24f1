// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <heddle/bicgstab.hpp>

#include "../../../solvers/krylov/bicgstab_definitions.hpp"
#include "../../support/krylov.hpp"

namespace heddle::test {

namespace {

constexpr int side = emulated ? 8 : 30;

}  // namespace

TEST_CASE_TEMPLATE_DEFINE("bicgstab solves what is far from symmetric", T, solves) {
  using S = typename T::Scalar;
  using E = typename T::Exec;
  const E exec;
  const double tolerance = std::is_same_v<RealOf<S>, float> ? 1e-4 : 1e-10;
  auto a = flow<E, S>(side);
  const auto b = right_hand_side<S, typename T::Space>(a.n);
  KrylovOptions options;
  options.relative_tolerance = tolerance;
  JacobiPreconditioner<E, S> jacobi(exec, a.matrix());
  BicgstabSolver<E, S> bicgstab(exec, a.n, options);
  const Kokkos::View<S*, typename T::Space> x("heddle::test::x", static_cast<std::size_t>(a.n));
  const KrylovResult plain = bicgstab.solve(exec, a, b, x);
  CHECK(plain.converged());
  CHECK(relative_residual(a, b, x) < 2 * tolerance);
  Kokkos::deep_copy(x, S(0));
  CHECK(bicgstab.solve(exec, a, b, x, jacobi).converged());
  CHECK(relative_residual(a, b, x) < 2 * tolerance);
}
TEST_CASE_TEMPLATE_APPLY(solves, VectorTypes);

TEST_CASE("when the host checks changes nothing of bicgstab, not a bit") {
  const Exec exec;
  auto a = flow<Exec, double>(side);
  const auto b = right_hand_side<double>(a.n);
  std::vector<unsigned char> bits;
  for (const int every : {1, 10, 0}) {
    CAPTURE(every);
    KrylovOptions options;
    options.check_every = every;
    options.max_iterations = 200;
    BicgstabSolver<Exec, double> bicgstab(exec, a.n, options);
    const Kokkos::View<double*, Space> x("heddle::test::x", static_cast<std::size_t>(a.n));
    bicgstab.solve(exec, a, b, x);
    CHECK(bicgstab.results(exec)[0].converged());
    if (bits.empty()) bits = bits_of(x);
    CHECK(bits_of(x) == bits);
  }
}

TEST_CASE("trouble of bicgstab is a result in words") {
  const Exec exec;
  const Kokkos::View<double*, Space> x("heddle::test::x", 16);
  const auto b = right_hand_side<double>(16);
  const auto solve = [&](PlainOperator<Exec, double> a, const KrylovOptions& options = {}) {
    Kokkos::deep_copy(x, 0.0);
    BicgstabSolver<Exec, double> bicgstab(exec, 16, options);
    return bicgstab.solve(exec, a, b, x);
  };
  CHECK(solve(grid_operator<Exec, double>(4, [](int, int) { return 0.0; })).outcome ==
        Outcome::breakdown);
  CHECK(solve(grid_operator<Exec, double>(4, [](int i, int j) {
          return i == 3 && j == 3 ? std::numeric_limits<double>::infinity() : 1.0;
        })).outcome == Outcome::not_a_number);
  // A multiple of the identity needs half an iteration, which is one product.
  const KrylovResult half =
      solve(grid_operator<Exec, double>(4, [](int i, int j) { return i == j ? 2.0 : 0.0; }));
  CHECK(half.converged());
  CHECK(half.iterations == 1);
  const KrylovResult few = solve(flow<Exec, double>(4), {.max_iterations = 5});
  CHECK(few.outcome == Outcome::iteration_limit);
  CHECK(few.iterations == 4);  // whole iterations of two products
  Kokkos::deep_copy(b, 0.0);
  CHECK(solve(flow<Exec, double>(4)).iterations == 0);
}

TEST_CASE("bicgstab is quiet") {
  const Exec exec;
  auto a = flow<Exec, double>(side);
  const auto b = right_hand_side<double>(a.n);
  const Kokkos::View<double*, Space> x("heddle::test::x", static_cast<std::size_t>(a.n));
  JacobiPreconditioner<Exec, double> jacobi(exec, a.matrix());
  KrylovOptions options;
  options.check_every = 0;
  options.max_iterations = 20;
  BicgstabSolver<Exec, double> bicgstab(exec, a.n, options);
  only_launches(exec, [&] { bicgstab.solve(exec, a, b, x, jacobi); });
}

}  // namespace heddle::test
