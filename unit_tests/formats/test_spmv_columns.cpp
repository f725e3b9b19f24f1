// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "spmv_check.hpp"

namespace heddle::test {

namespace {

/// Rows over many tiles, so that several columns are handed over from tile to tile.
Pattern huge_rows() {
  return random_pattern("huge rows", 5, 12, 30000,
                        [](std::int64_t i) { return i % 2 ? 9000 : 100; });
}

/// Rank 2 in one layout, every scheme: the same columns as one by one.
template <class T, class Layout>
void columns_agree(int columns) {
  using S = typename T::Scalar;
  const typename T::Exec exec;
  std::vector<Pattern> patterns = test_patterns();
  if (columns == 3) patterns.push_back(huge_rows());
  for (const Pattern& pattern : patterns) {
    if (pattern.nonzeros() * columns > 200000 && columns > 5) continue;
    const auto A = to_device<T>(exec, pattern);
    for (const Op op : {Op::none, Op::transpose}) {
      const auto rows = static_cast<std::size_t>(A.host.rows());
      const auto width = static_cast<std::size_t>(A.host.columns());
      const auto x = random_columns<S, Layout>(op == Op::none ? width : rows, columns, 3);
      const auto y = random_columns<S, Layout>(op == Op::none ? rows : width, columns, 4);
      const S beta = columns % 2 ? S(0) : S(-0.5);
      if (beta == S(0)) fill_with_poison(y);
      const auto x_device = copy_to<typename T::Space>(x);
      const auto reference = reference_spmv(op, S(2), A.host.matrix(), x, beta, y);
      for (const Scheme& scheme : spmv_schemes<typename T::Exec>()) {
        const SpmvPlan plan(exec, A.matrix(), {.scheme = scheme, .transpose = Transpose::stored});
        const auto y_device = copy_to<typename T::Space>(y);
        plan.apply(exec, op, S(2), x_device, beta, y_device);
        exec.fence("heddle::test::applied");
        const std::string problem = mismatch(reference, to_host(y_device));
        CHECK_MESSAGE(problem.empty(), A.name, ", ", scheme.to_string(), ", ", name(op), ", ",
                      columns, " columns: ", problem);
      }
    }
  }
}

}  // namespace

TEST_CASE_TEMPLATE_DEFINE("SpMM agrees with the oracle in both layouts", T, spmm) {
  for (const int columns : {1, 2, 3, 4, 5, 8, 9, 64}) {
    columns_agree<T, Kokkos::LayoutLeft>(columns);
    columns_agree<T, Kokkos::LayoutRight>(columns);
  }
}
using ColumnTypes = Every<std::tuple<double>, UsualIndices>;
TEST_CASE_TEMPLATE_APPLY(spmm, ColumnTypes);

TEST_CASE_TEMPLATE_DEFINE("SpMM takes columns out of a wider view", T, spmm_strided) {
  using S = typename T::Scalar;
  const typename T::Exec exec;
  const auto A = to_device<T>(exec, test_patterns().back());
  const auto rows = static_cast<std::size_t>(A.host.rows());
  const auto width = static_cast<std::size_t>(A.host.columns());
  const auto x_all = random_columns<S, Kokkos::LayoutRight>(width, 11, 3);
  const auto y_all = random_columns<S, Kokkos::LayoutRight>(rows, 11, 4);
  const auto x_device = copy_to<typename T::Space>(x_all);
  const auto y_device = copy_to<typename T::Space>(y_all);
  const std::pair<int, int> taken(2, 8);
  const auto host_x = Kokkos::subview(x_all, Kokkos::ALL, taken);
  const auto host_y = Kokkos::subview(y_all, Kokkos::ALL, taken);
  for (const Scheme& scheme : spmv_schemes<typename T::Exec>()) {
    Kokkos::deep_copy(y_device, y_all);
    const SpmvPlan plan(exec, A.matrix(), {.scheme = scheme});
    plan.apply(exec, S(1), Kokkos::subview(x_device, Kokkos::ALL, taken), S(1),
               Kokkos::subview(y_device, Kokkos::ALL, taken));
    exec.fence("heddle::test::applied");
    const auto reference = reference_spmv(Op::none, S(1), A.host.matrix(), host_x, S(1), host_y);
    const auto result = to_host(y_device);
    CHECK(mismatch(reference, Kokkos::subview(result, Kokkos::ALL, taken)) == "");
    bool others_untouched = true;
    for (std::size_t i = 0; i < rows; ++i) {
      for (const int k : {0, 1, 8, 9, 10}) {
        others_untouched = others_untouched && result(i, k) == y_all(i, k);
      }
    }
    CHECK(others_untouched);
  }
}
using StridedTypes = Every<std::tuple<float, Kokkos::complex<double>>, UsualIndices>;
TEST_CASE_TEMPLATE_APPLY(spmm_strided, StridedTypes);

}  // namespace heddle::test
