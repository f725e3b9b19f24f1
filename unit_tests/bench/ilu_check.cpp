// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Verdicts of heddle-bench ilu on factors that are right, and on wrong ones.
#include <doctest/doctest.h>

#include <vector>

#include "../../perf_tests/bench/common/load.hpp"
#include "../../perf_tests/bench/ilu/check.hpp"

namespace heddle::bench {

namespace {

using Off = std::int32_t;

/// A View of the values, as factors hold them.
template <class T>
Kokkos::View<T*, Kokkos::HostSpace> view(const std::vector<T>& values) {
  const Kokkos::View<T*, Kokkos::HostSpace> to("heddle::test::factors", values.size());
  for (std::size_t i = 0; i < values.size(); ++i) to(i) = values[i];
  return to;
}

}  // namespace

TEST_CASE("an entry of L that underflows is right, one that need not have is wrong") {
  const auto A = stored<double, Off>({{{0, 1e200}, {1, 0}}, {{0, 1e-200}, {1, 1e-300}}}, 2);
  const auto error = [&](const std::vector<double>& values) {
    return factor_error(
        A, HostFactors{view<Off>({0, 2, 4}), view<Index>({0, 1, 0, 1}), view(values), false},
        rounding<double>);
  };
  CHECK(error({1e200, 0, 0, 1e-300}) <= 1);
  CHECK(error({1e200, 0, 0, 2e-300}) > 1);
  CHECK(error({1e200, 0, 1e-300, 1e-300}) > 1);
  CHECK(error({1.0001e200, 0, 0, 1e-300}) > 1);
}

TEST_CASE("factors of 0 x 0 are right") {
  const auto A = stored<double, Off>(std::vector<HostRow<double>>(), 0);
  const test::HostColumns<double> none("heddle::test::none", 0, 2);
  for (const auto& row_ptr : {std::vector<Off>{0}, std::vector<Off>{}}) {
    const HostFactors factors{view(row_ptr), view<Index>({}), view<double>({}), false};
    CHECK(factor_error(A, factors, rounding<double>) == 0);
    CHECK(apply_error(factors, none, none, rounding<double>) == 0);
  }
}

}  // namespace heddle::bench
