// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tests of the oracle and the matrices that other tests rely on.
#include <doctest/doctest.h>

#include <set>

#include "../../testing/matrices.hpp"
#include "../../testing/reference.hpp"

namespace test = heddle::test;
using heddle::Op;

TEST_CASE("the same seed gives the same patterns, with names of their own") {
  std::set<std::string> names;
  const auto once = test::test_patterns(3), again = test::test_patterns(3);
  REQUIRE(once.size() == again.size());
  for (std::size_t m = 0; m < once.size(); ++m) {
    CAPTURE(once[m].name);
    CHECK(names.insert(once[m].name).second);
    CHECK(once[m].rows == again[m].rows);
    CHECK(once[m].nonzeros() < 60000);
    bool in_range = true;
    for (const auto& row : once[m].rows) {
      for (const std::int64_t j : row) in_range = in_range && j >= 0 && j < once[m].columns;
    }
    CHECK(in_range);
  }
}

TEST_CASE("the reference agrees with a product done by hand") {
  //     1 0 2
  //     0 3 0    applied to (1, 2, 3) and, transposed, to (1, 2)
  using S = Kokkos::complex<float>;
  test::Pattern pattern{"by hand", 3, {{0, 2}, {1}}};
  auto storage = test::make_matrix<S, int, std::size_t>(pattern);
  storage.values()(0) = S(1, 1);
  storage.values()(1) = S(2);
  storage.values()(2) = S(3);
  test::HostVector<S> x("x", 3), y("y", 2);
  for (int i = 0; i < 3; ++i) x(i) = S(static_cast<float>(i + 1));
  y(0) = S(7, 1);
  y(1) = S(9 * 2);
  CHECK(test::mismatch(test::reference_spmv(storage.matrix(), x, y), y) ==
        "entry (1, 0) is (18,0), not (6,0) within 2.86102e-05");
  const auto doubled = test::reference_spmv(Op::none, 2.0, storage.matrix(), x, 1.0, y);
  CHECK(doubled.values[0] == test::detail::Wide(2 * 7 + 7, 2 + 1));
  CHECK(doubled.values[1] == test::detail::Wide(2 * 6 + 18, 0));
  CHECK(doubled.magnitudes[1] == 30);
  CHECK(doubled.terms[0] == 3);

  const auto adjoint =
      test::reference_spmv(Op::conjugate_transpose, 1.0, storage.matrix(), y, 0.0, x);
  CHECK(adjoint.values[0] == test::detail::Wide(8, -6));
  CHECK(adjoint.values[2] == test::detail::Wide(14, 2));
}

TEST_CASE("poison is always a mismatch, and beta zero does not read it") {
  const auto storage =
      test::make_matrix<double, int, int>(test::banded_pattern("band", 9, 9, {-1, 0, 1}));
  const auto x = test::random_columns<double, Kokkos::LayoutRight>(9, 3, 1);
  auto y = test::random_columns<double>(9, 3, 2);
  test::fill_with_poison(y);
  const auto reference = test::reference_spmv(Op::transpose, 1.0, storage.matrix(), x, 0.0, y);
  CHECK(test::mismatch(reference, y).find("26 more are wrong") != std::string::npos);
  for (std::size_t k = 0; k < 3; ++k) {
    for (std::size_t i = 0; i < 9; ++i) {
      y(i, k) = static_cast<double>(reference.values[k * 9 + i].real());
    }
  }
  CHECK(test::mismatch(reference, y) == "");
  CHECK(test::mismatch<float>(reference, y) == "");
  y(4, 1) += 1e-10;
  CHECK(test::mismatch(reference, y) != "");
  CHECK(test::mismatch<float>(reference, y) == "");
}
