// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "spmv_check.hpp"

namespace heddle::test {

namespace {

/// Rows over many tiles, so that several columns are handed over from tile to tile.
Pattern huge_rows() {
  return random_pattern("huge rows", 5, 12, 30000,
                        [](std::int64_t i) { return i % 2 ? 9000 : 100; });
}

/// Rank 2, every scheme: the same columns as one by one. The plan expects so many.
template <class T, class Layout, class LayoutOfY>
void columns_agree_on(const Pattern& pattern, int columns, int expected) {
  using S = typename T::Scalar;
  const typename T::Exec exec;
  const auto A = to_device<T>(exec, pattern);
  for (const Op op : {Op::none, Op::transpose}) {
    const auto rows = static_cast<std::size_t>(A.host.rows());
    const auto width = static_cast<std::size_t>(A.host.columns());
    const auto x = random_columns<S, Layout>(op == Op::none ? width : rows, columns, 3);
    const auto y = random_columns<S, LayoutOfY>(op == Op::none ? rows : width, columns, 4);
    const S beta = columns % 2 ? S(0) : S(-0.5);
    if (beta == S(0)) fill_with_poison(y);
    const auto x_device = copy_to<typename T::Space>(x);
    const auto reference = reference_spmv(op, S(2), A.host.matrix(), x, beta, y);
    for (const Scheme& scheme : spmv_schemes<typename T::Exec>()) {
      const SpmvPlan plan(
          exec, A.matrix(),
          {.scheme = scheme, .columns = {expected}, .transpose = Transpose::stored});
      const auto y_device = copy_to<typename T::Space>(y);
      plan.apply(exec, op, S(2), x_device, beta, y_device);
      exec.fence("heddle::test::applied");
      const std::string problem = mismatch(reference, to_host(y_device));
      CHECK_MESSAGE(problem.empty(), A.name, ", ", scheme.to_string(), ", ", name(op), ", ",
                    columns, " columns: ", problem);
    }
  }
}

template <class T, class Layout, class LayoutOfY = Layout>
void columns_agree(int columns, int expected = 1) {
  std::vector<Pattern> patterns = test_patterns();
  std::erase_if(patterns, [&](const Pattern& pattern) {
    return pattern.nonzeros() * columns > 200000 && columns > 5;
  });
  if (columns == 3 || columns == 24) patterns.push_back(huge_rows());
  for (const Pattern& pattern : patterns) {
    columns_agree_on<T, Layout, LayoutOfY>(pattern, columns, expected);
  }
}

template <class T, class Layout>
void all_counts_agree() {
  SUBCASE("up to three columns") {
    for (const int columns : {1, 2, 3}) columns_agree<T, Layout>(columns);
  }
  SUBCASE("up to eight columns") {
    for (const int columns : {4, 5, 8}) columns_agree<T, Layout>(columns);
  }
  SUBCASE("many columns") {
    for (const int columns : {9, 24, 64}) columns_agree<T, Layout>(columns);
  }
}

}  // namespace

using ColumnTypes = Every<std::tuple<double>, UsualIndices>;

TEST_CASE_TEMPLATE_DEFINE("SpMM agrees with the oracle: columns contiguous", T, spmm_left) {
  all_counts_agree<T, Kokkos::LayoutLeft>();
}
TEST_CASE_TEMPLATE_APPLY(spmm_left, ColumnTypes);

TEST_CASE_TEMPLATE_DEFINE("SpMM agrees with the oracle: rows contiguous", T, spmm_right) {
  all_counts_agree<T, Kokkos::LayoutRight>();
}
TEST_CASE_TEMPLATE_APPLY(spmm_right, ColumnTypes);

TEST_CASE_TEMPLATE_DEFINE("SpMM agrees with the oracle: one of each", T, spmm_mixed) {
  columns_agree<T, Kokkos::LayoutLeft, Kokkos::LayoutRight>(5);
  columns_agree<T, Kokkos::LayoutRight, Kokkos::LayoutLeft>(8);
}
TEST_CASE_TEMPLATE_APPLY(spmm_mixed, ColumnTypes);

TEST_CASE_TEMPLATE_DEFINE("SpMM agrees with the oracle: as many columns as expected", T,
                          spmm_expected) {
  SUBCASE("three") { columns_agree<T, Kokkos::LayoutLeft>(3, 3); }
  SUBCASE("more come") { columns_agree<T, Kokkos::LayoutLeft>(9, 4); }
  SUBCASE("fewer come") { columns_agree<T, Kokkos::LayoutLeft, Kokkos::LayoutRight>(5, 64); }
  SUBCASE("twenty-four") { columns_agree<T, Kokkos::LayoutLeft>(24, 24); }
  SUBCASE("forty") { columns_agree<T, Kokkos::LayoutLeft>(40, 40); }
  SUBCASE("six side by side") { columns_agree<T, Kokkos::LayoutRight>(6, 6); }
}
TEST_CASE_TEMPLATE_APPLY(spmm_expected, ColumnTypes);

TEST_CASE_TEMPLATE_DEFINE("SpMM agrees with the oracle: other scalars", T, spmm_scalars) {
  SUBCASE("three apart") { columns_agree<T, Kokkos::LayoutLeft>(3); }
  SUBCASE("four apart as expected") { columns_agree<T, Kokkos::LayoutLeft>(4, 4); }
  SUBCASE("six side by side") { columns_agree<T, Kokkos::LayoutRight>(6); }
  SUBCASE("twenty-four side by side") { columns_agree<T, Kokkos::LayoutRight>(24); }
}
using OtherTypes =
    Every<std::tuple<float, Kokkos::complex<float>, Kokkos::complex<double>>, UsualIndices>;
TEST_CASE_TEMPLATE_APPLY(spmm_scalars, OtherTypes);

// On a CPU plain loops pack columns only there.
TEST_CASE_TEMPLATE_DEFINE("SpMM agrees with the oracle: x beyond the caches of two threads", T,
                          spmm_large) {
  using Left = Kokkos::LayoutLeft;
  const Pattern wide =
      random_pattern("wide", 6, 2000, 12500, [](std::int64_t i) { return i % 180; });
  columns_agree_on<T, Left, Left>(wide, 64, 64);
}
using LargeTypes = Every<std::tuple<double, Kokkos::complex<double>>, UsualIndices>;
TEST_CASE_TEMPLATE_APPLY(spmm_large, LargeTypes);

namespace {

/// x and y in the middle of larger views, whose other entries must stay as they are.
template <class T, class Layout>
void middle_agrees() {
  using S = typename T::Scalar;
  const typename T::Exec exec;
  const auto A = to_device<T>(exec, test_patterns().back());
  const auto rows = static_cast<std::size_t>(A.host.rows());
  const auto width = static_cast<std::size_t>(A.host.columns());
  constexpr std::size_t guard = 5;
  const auto x_all = random_columns<S, Layout>(width + 2 * guard, 11, 3);
  const auto y_all = random_columns<S, Layout>(rows + 2 * guard, 11, 4);
  const auto x_device = copy_to<typename T::Space>(x_all);
  const auto y_device = copy_to<typename T::Space>(y_all);
  const std::pair<std::size_t, std::size_t> taken(2, 8);
  const auto middle = [&](const auto& all, std::size_t n) {
    return Kokkos::subview(all, std::pair(guard, guard + n), taken);
  };
  const auto reference = reference_spmv(Op::none, S(1), A.host.matrix(), middle(x_all, width), S(1),
                                        middle(y_all, rows));
  for (const Scheme& scheme : spmv_schemes<typename T::Exec>()) {
    Kokkos::deep_copy(y_device, y_all);
    const SpmvPlan plan(exec, A.matrix(), {.scheme = scheme});
    plan.apply(exec, S(1), middle(x_device, width), S(1), middle(y_device, rows));
    exec.fence("heddle::test::applied");
    const auto result = to_host(y_device);
    CHECK(mismatch(reference, middle(result, rows)) == "");
    bool others_untouched = true;
    for (std::size_t i = 0; i < rows + 2 * guard; ++i) {
      for (std::size_t k = 0; k < 11; ++k) {
        const bool inside = i >= guard && i < guard + rows && k >= taken.first && k < taken.second;
        others_untouched = others_untouched && (inside || result(i, k) == y_all(i, k));
      }
    }
    CHECK(others_untouched);
  }
}

}  // namespace

TEST_CASE_TEMPLATE_DEFINE("SpMM takes the middle of larger views", T, spmm_strided) {
  middle_agrees<T, Kokkos::LayoutLeft>();
  middle_agrees<T, Kokkos::LayoutRight>();
}
using StridedTypes = Every<std::tuple<float, Kokkos::complex<double>>, UsualIndices>;
TEST_CASE_TEMPLATE_APPLY(spmm_strided, StridedTypes);

namespace {

/// Every seventh row begins with an infinite entry, which must make it infinite and no other row.
template <class T, class Layout>
void infinity_stays(int columns) {
  using S = typename T::Scalar;
  const typename T::Exec exec;
  const auto host = make_matrix<S, typename T::Ordinal, typename T::Offset>(random_pattern(
      "irregular", 3, 700, 900, [](std::int64_t i) { return i == 70 ? 800 : i % 60; }));
  const auto rows = static_cast<std::size_t>(host.rows());
  const auto infinite = [&](std::size_t i) {
    return i % 7 == 0 && host.row_ptr()(i) < host.row_ptr()(i + 1);
  };
  for (std::size_t i = 0; i < rows; ++i) {
    if (infinite(i)) host.values()(host.row_ptr()(i)) = std::numeric_limits<S>::infinity();
  }
  const auto device = host.template copy_to<typename T::Space>(exec);
  const Kokkos::View<S**, Layout, typename T::Space> x("x", host.columns(), columns);
  const Kokkos::View<S**, Layout, typename T::Space> y("y", rows, columns);
  Kokkos::deep_copy(x, S(1));
  for (const Scheme& scheme : spmv_schemes<typename T::Exec>()) {
    for (const int expected : {1, columns}) {
      const SpmvPlan plan(exec, device.matrix(), {.scheme = scheme, .columns = {expected}});
      plan.apply(exec, S(1), x, S(0), y);
      exec.fence("heddle::test::applied");
      const auto result = to_host(y);
      bool stays = true;
      for (std::size_t i = 0; i < rows; ++i) {
        for (int c = 0; c < columns; ++c) {
          const S got = result(i, static_cast<std::size_t>(c));
          stays = stays && (infinite(i) ? std::isinf(got) : std::isfinite(got));
        }
      }
      CHECK_MESSAGE(stays, scheme.to_string(), ", ", columns, " columns, ", expected, " expected");
    }
  }
}

}  // namespace

TEST_CASE_TEMPLATE_DEFINE("an infinite entry stays in its row", T, infinite_entries) {
  for (const int columns : {1, 3, 8, 12, 40}) {
    infinity_stays<T, Kokkos::LayoutLeft>(columns);
    infinity_stays<T, Kokkos::LayoutRight>(columns);
  }
}
using InfiniteTypes = Every<std::tuple<float, double>, UsualIndices>;
TEST_CASE_TEMPLATE_APPLY(infinite_entries, InfiniteTypes);

}  // namespace heddle::test
