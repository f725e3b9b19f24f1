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
