// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of format_suite.hpp: y = alpha * A * x + beta * y for one vector.
#pragma once

#include "make_plans.hpp"
#include "patterns.hpp"

namespace heddle::test {

TEST_CASE_TEMPLATE_DEFINE("products agree with the oracle, and repeat bit for bit", T,
                          suite_products) {
  using S = typename T::Scalar;
  const typename T::Exec exec;
  const TestedSchemes<T> schemes(exec);
  PlanMaker<T> make(exec);
  std::size_t turn = 0;
  for (const Pattern& pattern : all_patterns()) {
    const auto A = to_device<T>(exec, pattern);
    // alpha and beta reach every branch but alpha = 0, which has a test of its own.
    const CheckedProduct<T> products[] = {{A, Op::none, S(1), S(0)},
                                          {A, Op::conjugate, S(-1), S(1), 8},
                                          {A, Op::none, S(0.5), S(-2), 9}};
    for (const Scheme& scheme : schemes.in_turn(turn++, 3)) {
      auto plan = make(A, {.scheme = scheme});
      if (!plan) continue;
      for (const CheckedProduct<T>& product : products) {
        const std::string problem = product.problem(exec, *plan);
        CHECK_MESSAGE(problem.empty(), A.name, ", ", plan->scheme().to_string(), ", ", problem);
      }
      if (!reproducible(plan->scheme(), Op::none)) continue;
      const auto first = products[0].result(exec, *plan);
      for (int run = 0; run < 2; ++run) {
        CHECK_MESSAGE(same_bits(products[0].result(exec, *plan), first), A.name, ", ",
                      plan->scheme().to_string());
      }
    }
  }
}

TEST_CASE_TEMPLATE_DEFINE("many applies of rows over many shares repeat bit for bit", T,
                          suite_repeats) {
  using S = typename T::Scalar;
  const typename T::Exec exec;
  const TestedSchemes<T> schemes(exec);
  PlanMaker<T> make(exec);
  const Pattern patterns[] = {pattern_named("huge first and last row"), huge_rows(),
                              pattern_named("power law"), pattern_named("dense")};
  for (const Pattern& pattern : patterns) {
    const auto A = to_device<T>(exec, pattern);
    const CheckedProduct<T> product(A, Op::none, S(1), S(0));
    for (const Scheme& scheme : schemes.base()) {
      auto plan = make(A, {.scheme = scheme});
      if (!plan || !reproducible(plan->scheme(), Op::none)) continue;
      const auto first = product.result(exec, *plan);
      for (int run = 0; run < (emulated ? 5 : 20); ++run) {
        CHECK_MESSAGE(same_bits(product.result(exec, *plan), first), A.name, ", ",
                      plan->scheme().to_string());
      }
    }
  }
}

/// Without options the scheme is chosen, and runs for every pattern that the formats can store.
TEST_CASE_TEMPLATE_DEFINE("a scheme that is chosen agrees with the oracle", T, suite_chosen) {
  using S = typename T::Scalar;
  const typename T::Exec exec;
  PlanMaker<T> make(exec);
  for (const Pattern& pattern : test_patterns()) {
    const auto A = to_device<T>(exec, pattern);
    for (const std::int64_t applies : {1, 1000}) {
      auto plan = make(A, {.expected_applies = applies});
      if (!plan) continue;
      CHECK(!plan->reason().empty());
      CHECK(plan->ranking().front().scheme.format() == plan->scheme().format());
      const std::string problem = apply_and_compare(exec, *plan, A, Op::none, S(2), S(-1));
      CHECK_MESSAGE(problem.empty(), A.name, ", ", plan->scheme().to_string(), ": ", problem);
    }
  }
}

TEST_CASE_TEMPLATE_DEFINE("alpha = 0 reads neither A nor x", T, suite_alpha_zero) {
  using S = typename T::Scalar;
  const typename T::Exec exec;
  const TestedSchemes<T> schemes(exec);
  PlanMaker<T> make(exec);
  for (const char* name : {"tall", "dense", "0 x 7", "7 x 0"}) {
    const auto A = to_device<T>(exec, pattern_named(name));
    fill_with_poison(A.device.values());
    for (const Scheme& scheme : schemes.in_turn(0, 1)) {
      auto plan = make(A, {.scheme = scheme});
      if (!plan) continue;
      for (const Op op : {Op::none, Op::transpose}) {
        const Kokkos::View<S*, typename T::Space> x("heddle::test::x", A.rows_of_x(op));
        fill_with_poison(x);
        const auto y_host = random_vector<S>(A.rows_of_y(op), 3);
        for (const S beta : {S(0), S(1), S(-2)}) {
          const auto y = copy_to<typename T::Space>(y_host);
          if (beta == S(0)) fill_with_poison(y);
          plan->apply(exec, op, S(0), x, beta, y);
          exec.fence("heddle::test::applied");
          const auto result = to_host(y);
          bool right = true;
          for (std::size_t i = 0; i < result.extent(0); ++i) {
            right = right && result(i) == (beta == S(0) ? S(0) : beta * y_host(i));
          }
          CHECK_MESSAGE(right, plan->scheme().to_string(), ", ", heddle::name(op));
        }
      }
    }
  }
}

}  // namespace heddle::test
