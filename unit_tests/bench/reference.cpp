// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../../testing/reference.hpp"

#include <doctest/doctest.h>

#include <limits>

#include "../../perf_tests/bench/common/load.hpp"

using namespace heddle::bench;
namespace test = heddle::test;

namespace {

/// A generated matrix, x, and the y that a plain loop computes.
template <class S>
struct Problem {
  HostStorage<S, int> storage;
  test::HostColumns<S> x, before, y;

  explicit Problem(const char* text, S alpha = S(1), S beta = S(0))
      : storage(load<S, int>({text, true}, 3).matrix),
        x(test::random_columns<S>(storage.columns(), 2, 4)),
        before(test::random_columns<S>(storage.rows(), 2, 5)),
        y("heddle::test::y", storage.rows(), 2) {
    compute(alpha, beta);
  }

  void compute(S alpha = S(1), S beta = S(0)) {
    const auto A = storage.matrix();
    for (int k = 0; k < 2; ++k) {
      for (int i = 0; i < A.rows(); ++i) {
        S sum(0);
        for (int j = A.row_ptr()(i); j < A.row_ptr()(i + 1); ++j) {
          sum += A.values()(j) * x(A.col_idx()(j), k);
        }
        y(i, k) = beta == S(0) ? alpha * sum : alpha * sum + beta * before(i, k);
      }
    }
  }

  double error(S alpha = S(1), S beta = S(0)) const {
    const auto product = test::reference_product(heddle::Op::none, storage.matrix(), x);
    return test::error_over_bound(test::scaled(alpha, product, beta, before), y);
  }
};

}  // namespace

TEST_CASE_TEMPLATE("a plain loop is right", S, float, double, Kokkos::complex<float>,
                   Kokkos::complex<double>) {
  for (const char* text : {"hub:3000", "rmat:9", "dense:200", "hypersparse:100,10"}) {
    CAPTURE(text);
    CHECK(Problem<S>(text).error() <= 1);
    CHECK(Problem<S>(text, S(-1.5), S(0.5)).error(S(-1.5), S(0.5)) <= 1);
  }
}

TEST_CASE_TEMPLATE("a lost entry, a wrong beta and a NaN are seen", S, float, double,
                   Kokkos::complex<float>) {
  Problem<S> lost("dense:200");
  lost.y(17, 1) -= lost.storage.values()(17 * 200 + 5) * lost.x(5, 1);
  CHECK(lost.error() > 1);

  CHECK(Problem<S>("grid2d:9", S(1), S(0.5)).error(S(1), S(0)) > 1);

  Problem<S> unwritten("grid2d:9");
  unwritten.y(3, 0) = S(std::numeric_limits<float>::quiet_NaN());
  CHECK(unwritten.error() == std::numeric_limits<double>::infinity());

  Problem<S> touched("hypersparse:100,10");
  bool empty_row_seen = false;
  for (int i = 0; i < 100 && !empty_row_seen; ++i) {
    if (touched.y(i, 0) != S(0)) continue;
    touched.y(i, 0) = S(1e-30f);
    empty_row_seen = true;
  }
  CHECK(touched.error() > 1);
}

TEST_CASE_TEMPLATE("infinite and NaN entries are held to their rows", S, float, double,
                   Kokkos::complex<float>) {
  using Real = heddle::RealOf<S>;
  const Real infinity = std::numeric_limits<Real>::infinity();
  const Real nan = std::numeric_limits<Real>::quiet_NaN();
  for (const Real special : {infinity, -infinity, nan}) {
    Problem<S> problem("grid2d:9");
    problem.storage.values()(100) = S(special);
    problem.compute();
    CHECK(problem.error() <= 1);
    int row = 0;
    while (problem.storage.row_ptr()(row + 1) <= 100) ++row;
    const S right = problem.y(row, 0);
    problem.y(row, 0) = S(1);
    CHECK(problem.error() > 1);
    problem.y(row, 0) = right;
    problem.y(row + 1, 0) = right;
    CHECK(problem.error() > 1);
  }
}

TEST_CASE("infinities keep their sign, and of both signs make NaN") {
  const double infinity = std::numeric_limits<double>::infinity();
  Problem<double> problem("dense:9");
  problem.x(5, 0) = 1;
  problem.x(6, 0) = 1;
  problem.storage.values()(3 * 9 + 5) = infinity;
  problem.compute();
  CHECK(problem.error() <= 1);
  problem.y(3, 0) = -infinity;
  CHECK(problem.error() > 1);
  problem.storage.values()(3 * 9 + 6) = -infinity;
  CHECK(problem.error() > 1);
  problem.compute();
  CHECK(std::isnan(problem.y(3, 0)));
  CHECK(problem.error() <= 1);
}

TEST_CASE("where a sum may overflow on the way, an infinity or NaN is right, and so is the sum") {
  Problem<float> problem("dense:9");
  for (int j = 0; j < 9; ++j) {
    problem.x(j, 0) = 1;
    problem.storage.values()(3 * 9 + j) = (j % 2 ? -1.f : 1.f) * 3e38f;
  }
  problem.compute();
  CHECK(problem.error() <= 1);
  for (const float y : {HUGE_VALF, -HUGE_VALF, std::numeric_limits<float>::quiet_NaN()}) {
    problem.y(3, 0) = y;
    CHECK(problem.error() <= 1);
  }
  problem.y(2, 0) = HUGE_VALF;
  CHECK(problem.error() > 1);
}

TEST_CASE("a zero alpha or beta keeps out what it would multiply") {
  Problem<double> problem("grid2d:9");
  problem.storage.values()(100) = std::numeric_limits<double>::infinity();
  Kokkos::deep_copy(problem.y, 0.0);
  CHECK(problem.error(0, 0) == 0);
  test::fill_with_poison(problem.before);
  problem.compute();
  CHECK(problem.error() <= 1);
}
