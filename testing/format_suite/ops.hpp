// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of format_suite.hpp: transposing and conjugating ops, native to a scheme or prepared.
#pragma once

#include "make_plans.hpp"
#include "patterns.hpp"

namespace heddle::test {

/// Options for transposing ops: the automatic choice, one base scheme for the stored transpose, in
/// turn, and every scheme that transposes natively.
template <class T>
std::vector<SpmvOptions> ways_to_transpose(const TestedSchemes<T>& schemes, std::size_t turn) {
  const std::vector<Op> both{Op::transpose, Op::conjugate_transpose};
  std::vector<SpmvOptions> ways(1);
  ways[0].ops = both;
  const auto& base = schemes.base();
  const auto add = [&](const Scheme& scheme) {
    ways.push_back({.scheme = scheme, .transposed_scheme = scheme, .ops = both});
  };
  add(base[turn % base.size()]);
  for (const Scheme& scheme : schemes.in_turn(0, 1)) {
    if (T::Formats::applies(Op::transpose, scheme)) add(scheme);
  }
  return ways;
}

TEST_CASE_TEMPLATE_DEFINE("transposing applies agree with the oracle", T, suite_ops) {
  using S = typename T::Scalar;
  const typename T::Exec exec;
  const TestedSchemes<T> schemes(exec);
  PlanMaker<T> make(exec);
  std::vector<Pattern> patterns = test_patterns();
  patterns.push_back(share_patterns().back());
  for (std::size_t p = 0; p < patterns.size(); ++p) {
    const auto A = to_device<T>(exec, patterns[p]);
    const CheckedProduct<T> products[] = {{A, Op::transpose, S(1), S(0)},
                                          {A, Op::conjugate_transpose, S(-2), S(0.5), 8},
                                          {A, Op::conjugate_transpose, S(1), S(1), 9}};
    for (const SpmvOptions& way : ways_to_transpose(schemes, p)) {
      auto plan = make(A, way);
      if (!plan) continue;
      for (const CheckedProduct<T>& product : products) {
        const std::string problem = product.problem(exec, *plan);
        CHECK_MESSAGE(problem.empty(), A.name, ", ", plan->scheme(product.op()).to_string(), ", ",
                      problem);
      }
    }
  }
}

TEST_CASE_TEMPLATE_DEFINE("transposing applies take several vectors", T, suite_ops_vectors) {
  using S = typename T::Scalar;
  const typename T::Exec exec;
  const TestedSchemes<T> schemes(exec);
  PlanMaker<T> make(exec);
  const std::vector<Pattern> patterns = test_patterns();
  for (std::size_t p = 0; p < patterns.size(); ++p) {
    const auto A = to_device<T>(exec, patterns[p]);
    const std::size_t count = p % 2 ? 2 : 6;
    const Op op = p % 3 ? Op::conjugate_transpose : Op::transpose;
    const CheckedVectors<T> product(A, op, S(2), S(-1), count, p % 5 == 0, p % 7 == 0);
    for (const SpmvOptions& way : ways_to_transpose(schemes, p)) {
      auto plan = make(A, way);
      if (!plan) continue;
      const std::string problem = product.problem(exec, *plan);
      CHECK_MESSAGE(problem.empty(), A.name, ", ", plan->scheme(op).to_string(), ", ", name(op),
                    ", ", count, " vectors: ", problem);
    }
  }
}

TEST_CASE_TEMPLATE_DEFINE("an op is native, prepared, or an error that names prepare", T,
                          suite_prepare) {
  using S = typename T::Scalar;
  const typename T::Exec exec;
  const TestedSchemes<T> schemes(exec);
  PlanMaker<T> make(exec);
  const auto A = to_device<T>(exec, pattern_named("dense"));
  const CheckedProduct<T> product(A, Op::transpose, S(1), S(0));
  for (const Scheme& scheme : schemes.in_turn(0, 1)) {
    auto plan = make(A, {.scheme = scheme});
    if (!plan) continue;
    const std::size_t before = plan->bytes();
    const double setup_seconds = plan->setup_seconds();
    const bool native = T::Formats::applies(Op::transpose, plan->scheme());
    if (!native) {
      CHECK_THROWS_WITH_AS(product.problem(exec, *plan), doctest::Contains("prepare(exec, op)"),
                           Error);
      CHECK_THROWS_AS((void)plan->scheme(Op::transpose), Error);
    }
    for (int again = 0; again < 2; ++again) plan->prepare(exec, Op::transpose);
    CHECK(product.problem(exec, *plan) == "");
    CHECK(apply_and_compare(exec, *plan, A, Op::none, S(1), S(0)) == "");
    CHECK((plan->bytes() > before) == !native);
    if (!native) CHECK(plan->setup_seconds() > setup_seconds);
    CHECK((plan->scheme(Op::transpose) == plan->scheme() || !native));
  }
}

/// A stored transpose rounds once, to float, at the end. A native one may round at every addition.
TEST_CASE_TEMPLATE_DEFINE("sums may be kept wider than values", T, suite_wider) {
  if constexpr (std::is_same_v<typename T::Scalar, float>) {
    const typename T::Exec exec;
    const TestedSchemes<T> schemes(exec);
    PlanMaker<T> make(exec);
    const Pattern patterns[] = {
        pattern_named("one huge row"), pattern_named("dense"),
        random_pattern("long columns", 3, cut(30000), 40, [](std::int64_t i) { return i % 30; })};
    for (const Pattern& pattern : patterns) {
      const auto A = to_device<T>(exec, pattern);
      for (const Op op : {Op::none, Op::transpose}) {
        const auto x = random_vector<float>(A.rows_of_x(op), 3);
        const HostVector<float> y("heddle::test::y", A.rows_of_y(op));
        const auto reference = reference_spmv(op, 1.0, A.host.matrix(), x, 0.0, y);
        const auto x_device = copy_to<typename T::Space>(x);
        const auto y_device = copy_to<typename T::Space>(y);
        for (const Scheme& scheme : schemes.in_turn(0, 2)) {
          SpmvOptions options{.scheme = scheme};
          if (transposes(op)) options.ops = {op};
          auto plan = make.template operator()<float, double>(A, options);
          if (!plan) continue;
          plan->apply(exec, op, 1.0, x_device, 0.0, y_device);
          exec.fence("heddle::test::applied");
          const auto result = to_host(y_device);
          if (!reproducible(plan->scheme(op), op)) {
            CHECK(mismatch(reference, result) == "");
            continue;
          }
          double worst = 0;  // in units of half the last place of a float
          for (std::size_t i = 0; i < result.extent(0); ++i) {
            const auto exact = static_cast<double>(reference.values[i].real());
            const double off = std::abs(result(i) - exact) - 1e-12;
            worst = std::max(worst, off / (std::abs(exact) * 0x1p-23 + 1e-30));
          }
          CHECK_MESSAGE(worst <= 1, A.name, ", ", plan->scheme(op).to_string());
        }
      }
    }
  }
}

TEST_CASE_TEMPLATE_DEFINE("vectors may be wider than values", T, suite_wider_vectors) {
  if constexpr (std::is_same_v<typename T::Scalar, float>) {
    const typename T::Exec exec;
    const TestedSchemes<T> schemes(exec);
    PlanMaker<T> make(exec);
    for (const Pattern& pattern : {pattern_named("one huge row"), pattern_named("dense")}) {
      const auto A = to_device<T>(exec, pattern);
      const auto x = random_vector<double>(A.rows_of_x(), 3);
      const HostVector<double> y("heddle::test::y", A.rows_of_y());
      const auto reference = reference_spmv(A.host.matrix(), x, y);
      const auto x_device = copy_to<typename T::Space>(x);
      const auto y_device = copy_to<typename T::Space>(y);
      for (const Scheme& scheme : schemes.in_turn(0, 2)) {
        auto plan = make.template operator()<double>(A, {.scheme = scheme});
        if (!plan) continue;
        plan->apply(exec, 1.0, x_device, 0.0, y_device);
        exec.fence("heddle::test::applied");
        CHECK(mismatch<double>(reference, to_host(y_device)) == "");
      }
    }
  }
}

}  // namespace heddle::test
