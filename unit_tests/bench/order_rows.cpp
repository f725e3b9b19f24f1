// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <cmath>

#include "../../perf_tests/bench/common/load.hpp"

namespace heddle::bench {

namespace {

template <class Storage>
std::int32_t bandwidth(const Storage& A) {
  std::int32_t widest = 0;
  for (std::int32_t i = 0; i < A.rows(); ++i) {
    for (auto k = A.row_ptr()(i); k < A.row_ptr()(i + 1); ++k) {
      widest = std::max(widest, std::abs(A.col_idx()(k) - i));
    }
  }
  return widest;
}

template <class Storage>
double sum(const Storage& A) {
  double all = 0;
  for (std::size_t k = 0; k < static_cast<std::size_t>(A.nonzeros()); ++k) {
    all += std::abs(A.values()(k));
  }
  return all;
}

}  // namespace

TEST_CASE("a matrix in another order") {
  const auto load_in = [](const std::string& order) {
    return load<double, std::int32_t>({"grid2d:20", true, order}, 1).matrix;
  };
  const auto own = load_in("");
  const auto random = load_in("random"), degree = load_in("degree");
  CHECK(bandwidth(own) == 20);
  CHECK(bandwidth(random) > 200);
  CHECK(bandwidth(in_order(random, "rcm", 1)) <= 25);
  for (const auto& other : {random, degree}) {
    CHECK(other.nonzeros() == own.nonzeros());
    CHECK(sum(other) == doctest::Approx(sum(own)));
  }
  for (std::int32_t i = 1; i < degree.rows(); ++i) {
    const auto& ptr = degree.row_ptr();
    CHECK(ptr(i) - ptr(i - 1) <= ptr(i + 1) - ptr(i));
  }
  CHECK(Source{"grid2d:20", true, "rcm"}.short_name() == "grid2d:20 in rcm");
  const HostStorage<double, std::int32_t> wide(Kokkos::DefaultHostExecutionSpace(), 2, 3, 0);
  Kokkos::deep_copy(wide.row_ptr(), 0);
  CHECK_THROWS_AS(in_order(wide, "rcm", 1), Error);
}

}  // namespace heddle::bench
