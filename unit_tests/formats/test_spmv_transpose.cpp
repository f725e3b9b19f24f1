// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "spmv_check.hpp"

namespace heddle::test {

TEST_CASE_TEMPLATE_DEFINE("transposing applies agree with the oracle", T, transposes_agree) {
  using S = typename T::Scalar;
  const typename T::Exec exec;
  std::vector<Pattern> patterns = test_patterns();
  patterns.push_back(tile_patterns().back());
  for (const Pattern& pattern : patterns) {
    const auto A = to_device<T>(exec, pattern);
    for (const Transpose how : {Transpose::on_first_use, Transpose::stored, Transpose::atomics}) {
      const SpmvPlan plan(exec, A.matrix(), {.transpose = how});
      for (const Op op : {Op::transpose, Op::conjugate_transpose}) {
        for (const auto& [alpha, beta] : {std::pair(S(1), S(0)), std::pair(S(-2), S(0.5))}) {
          const std::string problem = apply_and_compare(exec, plan, A, op, alpha, beta);
          CHECK_MESSAGE(problem.empty(), A.name, ", ", name(op), ", way ", static_cast<int>(how),
                        ": ", problem);
        }
      }
    }
  }
}
using TransposeTypes = JoinTuples<Every<Scalars, UsualIndices>,
                                  Every<std::tuple<double>, std::tuple<Indices<int, std::size_t>>>>;
TEST_CASE_TEMPLATE_APPLY(transposes_agree, TransposeTypes);

TEST_CASE_TEMPLATE_DEFINE("transposing applies take several columns", T, transpose_columns) {
  using S = typename T::Scalar;
  const typename T::Exec exec;
  for (const Pattern& pattern : test_patterns()) {
    const auto A = to_device<T>(exec, pattern);
    for (const Transpose how : {Transpose::on_first_use, Transpose::stored, Transpose::atomics}) {
      const SpmvPlan plan(exec, A.matrix(), {.transpose = how});
      for (const int columns : {2, 6}) {
        const auto x = random_columns<S, Kokkos::LayoutRight>(
            static_cast<std::size_t>(A.host.rows()), columns, 3);
        const auto y = random_columns<S, Kokkos::LayoutRight>(
            static_cast<std::size_t>(A.host.columns()), columns, 4);
        const auto x_device = copy_to<typename T::Space>(x);
        const auto y_device = copy_to<typename T::Space>(y);
        plan.apply(exec, Op::conjugate_transpose, S(2), x_device, S(-1), y_device);
        exec.fence("heddle::test::applied");
        const auto reference =
            reference_spmv(Op::conjugate_transpose, S(2), A.host.matrix(), x, S(-1), y);
        const std::string problem = mismatch(reference, to_host(y_device));
        CHECK_MESSAGE(problem.empty(), A.name, ", way ", static_cast<int>(how), ", ", columns,
                      " columns: ", problem);
      }
    }
  }
}
using ColumnTypes = Every<std::tuple<float, Kokkos::complex<double>>, UsualIndices>;
TEST_CASE_TEMPLATE_APPLY(transpose_columns, ColumnTypes);

TEST_CASE_TEMPLATE_DEFINE("transposing applies keep sums wider than values", T, transpose_wider) {
  const typename T::Exec exec;
  using Matrix = typename DeviceMatrix<T>::Matrix;
  const auto A = to_device<T>(
      exec, random_pattern("long columns", 3, 30000, 40, [](std::int64_t i) { return i % 30; }));
  const auto x = random_vector<float>(static_cast<std::size_t>(A.host.rows()), 3);
  const HostVector<float> y("heddle::test::y", static_cast<std::size_t>(A.host.columns()));
  const auto reference = reference_spmv(Op::transpose, 1.0, A.host.matrix(), x, 0.0, y);
  const auto x_device = copy_to<typename T::Space>(x);
  const auto y_device = copy_to<typename T::Space>(y);
  const auto apply = [&](Transpose how) {
    const SpmvPlan<typename T::Exec, Matrix, float, double> plan(exec, A.matrix(),
                                                                 {.transpose = how});
    plan.apply(exec, Op::transpose, 1.0, x_device, 0.0, y_device);
    exec.fence("heddle::test::applied");
    return to_host(y_device);
  };
  // Stored: one rounding, to float, at the end. Atomics: a rounding to float at every addition.
  const auto stored = apply(Transpose::stored);
  for (std::size_t i = 0; i < stored.extent(0); ++i) {
    const auto exact = static_cast<double>(reference.values[i].real());
    CHECK(std::abs(stored(i) - exact) <= std::abs(exact) * 0x1p-23 + 1e-12);
  }
  CHECK(mismatch(reference, apply(Transpose::atomics)) == "");
}
using FloatTypes = Every<std::tuple<float>, UsualIndices>;
TEST_CASE_TEMPLATE_APPLY(transpose_wider, FloatTypes);

TEST_CASE_TEMPLATE_DEFINE("a stored transpose is bitwise reproducible", T, transpose_bitwise) {
  using S = typename T::Scalar;
  const typename T::Exec exec;
  for (const Pattern& pattern : test_patterns()) {
    const auto A = to_device<T>(exec, pattern);
    const auto x =
        copy_to<typename T::Space>(random_vector<S>(static_cast<std::size_t>(A.host.rows()), 5));
    const auto columns = static_cast<std::size_t>(A.host.columns());
    HostVector<S> first;
    for (int run = 0; run < 3; ++run) {
      const SpmvPlan plan(exec, A.matrix(), {.transpose = Transpose::stored});
      Kokkos::View<S*, typename T::Space> y("heddle::test::y", columns);
      plan.apply(exec, Op::transpose, S(1), x, S(0), y);
      exec.fence("heddle::test::applied");
      const auto result = copy_to<Kokkos::HostSpace>(y);
      if (run == 0) {
        first = result;
      } else {
        bool same = true;
        for (std::size_t i = 0; i < columns; ++i) same = same && result(i) == first(i);
        CHECK_MESSAGE(same, A.name);
      }
    }
  }
}
using BitwiseTypes = Every<std::tuple<double>, UsualIndices>;
TEST_CASE_TEMPLATE_APPLY(transpose_bitwise, BitwiseTypes);

}  // namespace heddle::test
