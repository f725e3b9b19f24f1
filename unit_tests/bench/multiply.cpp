// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The prolongation that heddle-bench multiply makes, and its check of products.
#include <doctest/doctest.h>

#include <cmath>

#include "../../matrices/galerkin.hpp"
#include "../../perf_tests/bench/multiply/check.hpp"
#include "../../perf_tests/bench/multiply/prolongation.hpp"

namespace heddle::bench {

namespace {

using Off = std::int32_t;
using Host = Kokkos::DefaultHostExecutionSpace;

HostStorage<double, Off> generated(const char* text) {
  const auto loaded = generate_and_load<double, Off>(text, 1).matrix;
  return add_up_repeats(Host(), loaded.matrix()).storage();
}

template <class Storage>
double error_of(const Storage& C, const Storage& A, const Storage& B) {
  return product_error(C.matrix(), static_cast<const decltype(C.matrix())*>(nullptr), A.matrix(),
                       B.matrix(), 0);
}

TEST_CASE("aggregates hold every row, and neighbours") {
  const auto A = generated("grid2d:20");
  const Aggregates aggregates = aggregate(A.matrix());
  CHECK(aggregates.count > 400 / 9);
  CHECK(aggregates.count < 400 / 3);
  for (const std::int32_t a : aggregates.of_row) CHECK((a >= 0 && a < aggregates.count));
  const auto empty = generated("hypersparse:50,0");
  CHECK(aggregate(empty.matrix()).count == 50);
}

TEST_CASE("rows of a smoothed prolongation of a Laplacian add up to what D^-1 A leaves") {
  const auto A = generated("grid2d:20");
  const auto P = smoothed_prolongation<double, Off>(A.matrix());
  for (Off i = 0; i < A.rows(); ++i) {
    double sum = 0, magnitude = 0, expected = 1;
    for (Off k = A.row_ptr()(i); k < A.row_ptr()(i + 1); ++k) magnitude += std::fabs(A.values()(k));
    for (Off k = A.row_ptr()(i); k < A.row_ptr()(i + 1); ++k)
      expected -= 2 * A.values()(k) / (3 * magnitude);
    for (Off k = P.row_ptr()(i); k < P.row_ptr()(i + 1); ++k) {
      sum += P.values()(k);
      if (k > P.row_ptr()(i)) CHECK(P.col_idx()(k - 1) < P.col_idx()(k));
    }
    CHECK(sum == doctest::Approx(expected));
  }
}

TEST_CASE("a product with a wrong value, column or entry too many is wrong") {
  const auto A = generated("rmat:8");
  const auto right = multiply(Host(), A.matrix(), A.matrix());
  CHECK(error_of(right, A, A) <= 1);
  const auto wrong_of = [&](const auto& change) {
    const auto C = right.template copy_to<Kokkos::HostSpace>(Host());
    change(C);
    return error_of(C, A, A);
  };
  const Off last = right.nonzeros() - 1;
  CHECK(wrong_of([](const auto&) {}) <= 1);
  CHECK(wrong_of([&](const auto& C) { C.values()(last) *= 1 + 1e-10; }) > 1);
  CHECK(wrong_of([&](const auto& C) { C.values()(0) = NAN; }) > 1);
  CHECK(wrong_of([&](const auto& C) { C.col_idx()(0) = C.col_idx()(1); }) > 1);
  CHECK(wrong_of([&](const auto& C) { C.col_idx()(last) = -1; }) > 1);
  CHECK(error_of(A, A, A) > 1);
}

TEST_CASE("a triple product is checked as a whole") {
  const auto A = generated("grid3d:6");
  const auto P = smoothed_prolongation<double, Off>(A.matrix());
  const auto R = transpose(Host(), P.matrix(), Op::conjugate_transpose).storage();
  const auto C = galerkin(Host(), R.matrix(), A.matrix(), P.matrix());
  const auto of_R = R.matrix();
  CHECK(product_error(C.matrix(), &of_R, A.matrix(), P.matrix(), 0) <= 1);
  C.values()(3) += 1e-6;
  CHECK(product_error(C.matrix(), &of_R, A.matrix(), P.matrix(), 0) > 1);
}

}  // namespace

}  // namespace heddle::bench
