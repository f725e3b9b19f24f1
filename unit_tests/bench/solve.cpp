// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The systems that heddle-bench solve makes of matrices, and the loops of its baselines.
#include <doctest/doctest.h>

#include "../../perf_tests/bench/common/krylov_loops.hpp"
#include "../../perf_tests/bench/common/load.hpp"
#include "../../perf_tests/bench/common/sequential.hpp"
#include "../../perf_tests/bench/solve/system.hpp"

namespace heddle::bench {

namespace {

using Off = std::int32_t;

template <Scalar S>
Loaded<S, Off> generated(const char* text, bool own_values) {
  return {generate_and_load<S, Off>(text, 1).matrix, own_values};
}

template <Scalar S>
HostStorage<S, Off> tridiagonal(const std::vector<S>& below, const std::vector<S>& above) {
  std::vector<HostRow<S>> rows(below.size() + 1);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (i > 0) rows[i].emplace_back(i - 1, below[i - 1]);
    rows[i].emplace_back(i, S(4));
    if (i + 1 < rows.size()) rows[i].emplace_back(i + 1, above[i]);
  }
  return stored<S, Off>(rows, static_cast<Index>(rows.size()));
}

template <Scalar S>
double entry(const HostStorage<S, Off>& A, Index row, Index column) {
  double sum = 0;
  for (Off k = A.row_ptr()(row); k < A.row_ptr()(row + 1); ++k) {
    if (A.col_idx()(k) == column) sum += Kokkos::real(A.values()(k));
  }
  return sum;
}

TEST_CASE("own values are taken where the method can use them") {
  const Loaded<double, Off> symmetric{tridiagonal<double>({1, -2}, {1, -2}), true};
  const Loaded<double, Off> other{tridiagonal<double>({1, -2}, {1, 2}), true};
  CHECK(make_system(symmetric, Method::cg, 0.1).values == "its own values");
  CHECK(make_system(other, Method::gmres, 0.1).values == "its own values");
  const auto system = make_system(other, Method::cg, 0.5);
  CHECK(system.values == "a symmetric Laplacian of its pattern");
  CHECK(entry(system.matrix, 0, 1) == -1);
  CHECK(entry(system.matrix, 2, 1) == -2);
  CHECK(entry(system.matrix, 1, 1) == doctest::Approx(1.5 * 3));
  const auto negative = tridiagonal<double>({1, -2}, {1, -2});
  negative.values()(0) = -4;
  CHECK(hermitian(negative));
  CHECK_FALSE(has_positive_diagonal(negative));
  CHECK_FALSE(hermitian(tridiagonal<double>({1, -2}, {1, 2})));
  using C = Kokkos::complex<double>;
  CHECK(hermitian(tridiagonal<C>({C(0, 1)}, {C(0, -1)})));
  CHECK_FALSE(hermitian(tridiagonal<C>({C(0, 1)}, {C(0, 1)})));
}

TEST_CASE("a Laplacian of a pattern that is not symmetric") {
  const auto loaded = generated<double>("rmat:6", false);
  const auto symmetric = make_system(loaded, Method::cg, 1e-2).matrix;
  CHECK(hermitian(symmetric));
  CHECK_FALSE(hermitian(make_system(loaded, Method::bicgstab, 1e-2).matrix));
  const auto empty = make_system(generated<double>("hypersparse:9,0", false), Method::cg, 1e-2);
  CHECK(entry(empty.matrix, 3, 3) == 1);
}

template <Scalar S, class Solve>
Solved solved(const HostStorage<S, Off>& A, const LoopLimits& limits, const Solve& solve) {
  SequentialKernels<S, Off> kernels(A);
  KrylovLoops<SequentialKernels<S, Off>> loops(
      kernels, [&](const auto& r, const auto& z) { kernels.axpby(S(0.25), r, S(0), z); }, limits);
  const auto b = test::random_columns<S>(static_cast<std::size_t>(A.rows()), 1, 7);
  const test::HostColumns<S> x("x", b.extent(0), 1);
  const auto column = [](const auto& columns) { return Kokkos::subview(columns, Kokkos::ALL, 0); };
  Solved result;
  for (int again = 0; again < 2; ++again) {  // no state is left of the solve before
    Kokkos::deep_copy(x, S(again));
    result = solve(loops, column(b), column(x));
    if (result.converged) CHECK(solve_error(A, b, x, limits.tolerance) <= 0.5);
  }
  return result;
}

TEST_CASE_TEMPLATE("the loops of baselines solve", S, double, Kokkos::complex<double>) {
  const auto loaded = generated<S>("grid2d:12", false);
  const auto symmetric = make_system(loaded, Method::cg, 1e-1).matrix;
  const auto other = make_system(loaded, Method::gmres, 1e-1).matrix;
  const LoopLimits limits{1e-9, 400};
  const auto cg = [](auto& loops, const auto& b, const auto& x) { return loops.cg(b, x); };
  const auto bicgstab = [](auto& loops, const auto& b, const auto& x) {
    return loops.bicgstab(b, x);
  };
  const auto gmres = [](auto& loops, const auto& b, const auto& x) { return loops.gmres(b, x, 9); };
  const auto minres = [](auto& loops, const auto& b, const auto& x) { return loops.minres(b, x); };
  const auto indefinite = make_system(loaded, Method::minres, -2e-1).matrix;
  CHECK(solved(symmetric, limits, cg).converged);
  CHECK(solved(symmetric, limits, minres).converged);
  CHECK(solved(indefinite, limits, minres).converged);
  CHECK(solved(other, limits, bicgstab).converged);
  CHECK(solved(other, limits, gmres).converged);
  const LoopLimits few{1e-9, 4};
  for (const Solved& result : {solved(symmetric, few, cg), solved(indefinite, few, minres),
                               solved(other, few, bicgstab), solved(other, few, gmres)}) {
    CHECK_FALSE(result.converged);
    CHECK(result.iterations == 4);
  }
  // Without restarts GMRES needs at most as many products as rows.
  const auto small = make_system(generated<S>("grid2d:3", false), Method::gmres, 1e-1).matrix;
  CHECK(solved(small, limits, gmres).iterations <= 9);
}

}  // namespace

}  // namespace heddle::bench
