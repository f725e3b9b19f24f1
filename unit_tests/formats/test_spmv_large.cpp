// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "spmv_check.hpp"

namespace heddle::test {

namespace {

/// Matrices too large for the caches, which CPUs are told to fetch ahead, and with more rows than a
/// branch predictor learns.
std::vector<Pattern> large_patterns() {
  std::vector<Pattern> all;
  all.push_back(banded_pattern("five-point", 320000, 320000, {-500, -1, 0, 1, 500}));
  all.push_back(random_pattern("steady rows", 11, 250003, 5000, [](std::int64_t) { return 6; }));
  Random lengths(12);
  all.push_back(random_pattern("surprising rows", 13, 270001, 5000,
                               [&](std::int64_t) { return 1 + lengths.below(12); }));
  Pattern nodes{"three unknowns a node", 60000, {}};
  Random columns(14);
  for (int i = 0; i < 20000; ++i) {
    nodes.rows.insert(nodes.rows.end(), 3, random_row(columns, 60000, 27 + i % 4));
  }
  all.push_back(nodes);
  return all;
}

}  // namespace

TEST_CASE_TEMPLATE_DEFINE("SpMV agrees with the oracle: matrices beyond the caches", T,
                          spmv_large) {
  using S = typename T::Scalar;
  const typename T::Exec exec;
  for (const Pattern& pattern : large_patterns()) {
    const auto A = to_device<T>(exec, pattern);
    const SpmvPlan plan(exec, A.matrix(), {.scheme = Scheme("csr", {{"adaptive"}})});
    CHECK_MESSAGE(apply_and_compare(exec, plan, A, Op::none, S(1), S(0)) == "", A.name);
    CHECK_MESSAGE(apply_and_compare(exec, plan, A, Op::none, S(2), S(-1)) == "", A.name);
  }
}
using LargeTypes = Every<std::tuple<double>, UsualIndices>;
TEST_CASE_TEMPLATE_APPLY(spmv_large, LargeTypes);

TEST_CASE_TEMPLATE_DEFINE("an infinite entry of x is felt by the rows that hold its column", T,
                          spmv_infinity) {
  using S = typename T::Scalar;
  const typename T::Exec exec;
  constexpr std::int64_t rows = 3000;
  // Row i holds column i alone, or a few more: its neighbours in memory belong to other rows.
  Pattern pattern{"few to a row", rows, {}};
  for (std::int64_t i = 0; i < rows; ++i) {
    pattern.rows.push_back({i});
    for (std::int64_t j = 1; j < i % 7 && i + j < rows; ++j) pattern.rows.back().push_back(i + j);
  }
  const auto A = to_device<T>(exec, pattern);
  for (const Scheme& scheme : spmv_schemes<typename T::Exec>()) {
    const SpmvPlan plan(exec, A.matrix(), {.scheme = scheme});
    for (const std::int64_t infinite : {std::int64_t{5}, rows / 2, rows - 1}) {
      auto x = random_vector<S>(rows, 3);
      x(static_cast<std::size_t>(infinite)) = std::numeric_limits<S>::infinity();
      const auto x_device = copy_to<typename T::Space>(x);
      const Kokkos::View<S*, typename T::Space> y("heddle::test::y", rows);
      plan.apply(exec, S(1), x_device, S(0), y);
      const auto result = to_host(y);
      for (std::int64_t i = 0; i < rows; ++i) {
        const auto& row = pattern.rows[static_cast<std::size_t>(i)];
        const bool holds = std::find(row.begin(), row.end(), infinite) != row.end();
        CHECK_MESSAGE(std::isfinite(result(static_cast<std::size_t>(i))) != holds,
                      scheme.to_string(), ", row ", i, ", x(", infinite, ") infinite");
      }
    }
  }
}
using InfinityTypes = Every<std::tuple<float, double>, UsualIndices>;
TEST_CASE_TEMPLATE_APPLY(spmv_infinity, InfinityTypes);

}  // namespace heddle::test
