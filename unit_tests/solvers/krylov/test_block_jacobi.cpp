// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <heddle/cg.hpp>

#include "../../../solvers/krylov/cg_definitions.hpp"
#include "../../../solvers/krylov/jacobi_definitions.hpp"
#include "../../../testing/vectors_check.hpp"
#include "../../support/krylov.hpp"

namespace heddle::test {

namespace {

/// A type with a member of a diagonal's name, and another meaning.
struct NotADiagonal {
  JacobiPreconditioner<Exec, double> jacobi;
  int applies = 0;

  auto inverse_diagonal() const { return jacobi.inverse_diagonal(); }
  template <class B, class X>
  void apply(const Exec& exec, const B& b, const X& x) {
    ++applies;
    jacobi.apply(exec, b, x);
  }
};

}  // namespace

TEST_CASE_TEMPLATE_DEFINE("block Jacobi solves with the blocks on the diagonal", T, blocks) {
  using S = typename T::Scalar;
  using E = typename T::Exec;
  using Real = RealOf<S>;
  const E exec;
  const int side = emulated ? 5 : 13;
  auto a = flow<E, S>(side);
  const auto n = static_cast<std::size_t>(a.n);
  const auto row_ptr = to_host(a.row_ptr), col_idx = to_host(a.col_idx);
  const auto values = to_host(a.values);
  for (const int size : {1, 2, 7, 32}) {
    CAPTURE(size);
    BlockJacobiPreconditioner<E, S> m(exec, a.matrix(), size);
    // B x gives b again, for several vectors.
    const auto b = random_columns<S>(n, 3, 1);
    const auto on_device = copy_to<typename T::Space>(b);
    const Kokkos::View<S**, Kokkos::LayoutLeft, typename T::Space> x("heddle::test::x", n, 3);
    fill_with_poison(x);
    m.apply(exec, on_device, x);
    exec.fence("heddle::test::applied");
    const auto solution = to_host(x);
    double worst = 0;
    for (std::size_t v = 0; v < 3; ++v) {
      for (std::size_t i = 0; i < n; ++i) {
        S sum = -b(i, v);
        for (int e = row_ptr(i); e < row_ptr(i + 1); ++e) {
          const auto at = static_cast<std::size_t>(e);
          const auto j = static_cast<std::size_t>(col_idx(at));
          const auto block = static_cast<std::size_t>(size);
          if (i / block == j / block) sum += values(at) * solution(j, v);
        }
        worst = std::max(worst, static_cast<double>(Kokkos::abs(sum)));
      }
    }
    CHECK(worst < 100 * static_cast<double>(std::numeric_limits<Real>::epsilon()));
  }
}
TEST_CASE_TEMPLATE_APPLY(blocks, VectorTypes);

TEST_CASE("blocks precondition cg, more with larger ones") {
  const Exec exec;
  auto a = laplacian<Exec, double>(emulated ? 8 : 30);
  const auto n = static_cast<std::size_t>(a.n);
  const auto b = copy_to<Space>(random_vector<double>(n, 1));
  const Kokkos::View<double*, Space> x("heddle::test::x", n);
  CgSolver<Exec, double> cg(exec, a.n, {.zero_guess = true});
  const KrylovResult plain = cg.solve(exec, a, b, x);
  BlockJacobiPreconditioner<Exec, double> m(exec, a.matrix(), emulated ? 8 : 30);
  const KrylovResult with_blocks = cg.solve(exec, a, b, x, m);
  CHECK(with_blocks.converged());
  CHECK(relative_residual(a, b, x) < 2e-8);
  CHECK(with_blocks.iterations < plain.iterations);
}

TEST_CASE("singular blocks: an error, after new values the lowest is reported and the identity") {
  const Exec exec;
  const auto diagonal = [](auto of) {
    return grid_operator<Exec, double>(4, [of](int i, int j) { return i == j ? of(i) : 0.0; });
  };
  using Blocks = BlockJacobiPreconditioner<Exec, double>;
  const auto good = diagonal([](int) { return 2.0; });
  const auto singular = diagonal([](int i) { return i == 4 || i == 5 || i >= 10 ? 0.0 : 2.0; });
  // The inverse of row 7 overflows.
  const auto tiny = diagonal([](int i) { return i == 7 ? 1e-310 : 2.0; });
  CHECK_THROWS_WITH_AS(Blocks(exec, singular.matrix(), 2),
                       doctest::Contains("row 4: the diagonal block"), Error);
  CHECK_THROWS_WITH_AS(Blocks(exec, tiny.matrix(), 4), doctest::Contains("row 4"), Error);
  Blocks m(exec, good.matrix(), 2);
  m.update_values(exec, singular.matrix());
  exec.fence("heddle::test::inverted");
  std::int64_t bad = 0;
  Kokkos::deep_copy(bad, m.bad_row());
  CHECK(bad == 5);
  CHECK_THROWS_WITH_AS(m.check_values(exec), doctest::Contains("row 4"), Error);
  const auto b = random_vector<double>(16, 1);
  const Kokkos::View<double*, Space> x("heddle::test::x", 16);
  const auto on_device = copy_to<Space>(b);
  m.apply(exec, on_device, x);
  exec.fence("heddle::test::applied");
  const auto result = to_host(x);
  CHECK(result(4) == b(4));
  CHECK(result(6) == b(6) / 2);
  m.update_values(exec, good.matrix());
  CHECK_NOTHROW(m.check_values(exec));
  for (const int size : {0, 33}) {
    const std::string words = "the block size is " + std::to_string(size);
    CHECK_THROWS_WITH_AS(Blocks(exec, good.matrix(), size), doctest::Contains(words.c_str()),
                         Error);
  }
  const auto whole = good.matrix();
  const CsrMatrix wide(whole.rows(), whole.rows() + 1, whole.row_ptr(), whole.col_idx(),
                       whole.values());
  CHECK_THROWS_WITH_AS(Blocks(exec, wide, 2), doctest::Contains("block Jacobi's matrix is 16 x 17"),
                       Error);
  CHECK_THROWS_WITH_AS((JacobiPreconditioner<Exec, double>(exec, wide)),
                       doctest::Contains("Jacobi's matrix is 16 x 17"), Error);
  CHECK_THROWS_WITH_AS(m.apply(exec, x, x), doctest::Contains("same vector"), Error);
  const auto smaller =
      grid_operator<Exec, double>(3, [](int i, int j) { return i == j ? 2.0 : 0.0; });
  CHECK_THROWS_WITH_AS(
      m.update_values(exec, smaller.matrix()),
      doctest::Contains("A is 9 x 9, and the preconditioner has 16 rows; make a new one"), Error);
}

TEST_CASE_TEMPLATE(
    "Jacobi: a diagonal without a finite reciprocal is reported, the lowest row first", S, float,
    double, Kokkos::complex<float>) {
  using Real = RealOf<S>;
  const Exec exec;
  const auto diagonal = [](Real of_6, Real of_9) {
    return grid_operator<Exec, S>(4, [=](int i, int j) {
      return i != j ? S(0) : i == 6 ? S(of_6) : i == 9 ? S(of_9) : S(2);
    });
  };
  const auto good = diagonal(Real(2), Real(4));
  JacobiPreconditioner<Exec, S> m(exec, good.matrix());
  CHECK(to_host(m.inverse_diagonal())(9) == S(Real(0.25)));
  const Real tiny = std::numeric_limits<Real>::denorm_min() * 8;
  const Real infinity = std::numeric_limits<Real>::infinity();
  for (const Real bad : {Real(0), tiny, infinity, std::numeric_limits<Real>::quiet_NaN()}) {
    CAPTURE(bad);
    const auto wrong = diagonal(bad, bad);
    CHECK_THROWS_WITH_AS((JacobiPreconditioner<Exec, S>(exec, wrong.matrix())),
                         doctest::Contains("row 6: the diagonal or its reciprocal"), Error);
    m.update_values(exec, wrong.matrix());
    CHECK_THROWS_WITH_AS(m.check_values(exec), doctest::Contains("row 6"), Error);
    std::int64_t row = 0;
    Kokkos::deep_copy(row, m.bad_row());
    CHECK(row == 7);
    CHECK(to_host(m.inverse_diagonal())(9) == S(1));
    m.update_values(exec, good.matrix());
    CHECK_NOTHROW(m.check_values(exec));
  }
  // The smallest value with a finite reciprocal is inverted.
  const auto small = diagonal(std::numeric_limits<Real>::min(), Real(2));
  m.update_values(exec, small.matrix());
  CHECK_NOTHROW(m.check_values(exec));
  const auto fewer = grid_operator<Exec, S>(3, [](int i, int j) { return i == j ? S(2) : S(0); });
  CHECK_THROWS_WITH_AS(
      m.update_values(exec, fewer.matrix()),
      doctest::Contains("A is 9 x 9, and the preconditioner has 16 rows; make a new one"), Error);
}

TEST_CASE("a diagonal is known by what it says, not by its members") {
  const Exec exec;
  auto a = laplacian<Exec, double>(emulated ? 5 : 13);
  const auto b = right_hand_side<double>(a.n);
  NotADiagonal user{JacobiPreconditioner<Exec, double>(exec, a.matrix())};
  const Kokkos::View<double*, Space> x("heddle::test::x", b.extent(0));
  CgSolver<Exec, double> cg(exec, a.n);
  CHECK(cg.solve(exec, a, b, x, user).converged());
  CHECK(user.applies > 0);
  const auto longer = right_hand_side<double>(a.n + 1);
  const std::string words = "b has " + std::to_string(a.n + 1) + " rows";
  CHECK_THROWS_WITH_AS(
      user.jacobi.apply(exec, longer,
                        Kokkos::View<double*, Space>("heddle::test::y", longer.extent(0))),
      doctest::Contains(words.c_str()), Error);
}

}  // namespace heddle::test
