// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <limits>

#include "load.hpp"
#include "results.hpp"
#include "verify.hpp"

using namespace heddle::bench;

namespace {

/// A generated matrix, x, and the y that a plain loop makes of them.
template <class S>
struct Problem {
  HostStorage<S, int> storage;
  Kokkos::View<S**, Kokkos::LayoutLeft, Kokkos::HostSpace> x, before, y;

  explicit Problem(const char* text, S alpha = S(1), S beta = S(0))
      : storage(load<S, int>({text, true}, 3)),
        x("heddle::test::x", storage.columns(), 2),
        before("heddle::test::before", storage.rows(), 2),
        y("heddle::test::y", storage.rows(), 2) {
    Random random(4);
    fill_random(x, random);
    fill_random(before, random);
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
    return Reference<S, int>(storage.matrix(), x).error_over_bound(alpha, beta, before, y);
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

TEST_CASE("the median is in the middle") {
  CHECK(Samples{{3, 1, 2}}.median() == 2);
  CHECK(Samples{{4, 1, 2, 3}}.median() == 2.5);
  CHECK(Samples{{7}}.median() == 7);
}
