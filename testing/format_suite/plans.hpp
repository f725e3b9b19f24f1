// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of format_suite.hpp: guarantees of a format's plans other than correct products.
#pragma once

#include "make_plans.hpp"
#include "patterns.hpp"

namespace heddle::test {

/// After values change, and until update_values, a plan may give the result of the old values or of
/// the new ones; afterwards it gives the bits of a fresh plan.
TEST_CASE_TEMPLATE_DEFINE("new values need no new plan", T, suite_values) {
  using S = typename T::Scalar;
  const typename T::Exec exec;
  const TestedSchemes<T> schemes(exec);
  PlanMaker<T> make(exec);
  std::size_t turn = 0;
  for (const char* name :
       {"power law", "one huge row", "unsorted columns with duplicates", "dense", "0 x 7"}) {
    const Pattern pattern = pattern_named(name);
    const auto before = to_device<T>(exec, pattern, 1);
    const auto after = to_device<T>(exec, pattern, 2);
    const CheckedProduct<T> old_products[] = {{before, Op::none, S(1), S(0)},
                                              {before, Op::transpose, S(1), S(0)}};
    const CheckedProduct<T> new_products[] = {{after, Op::none, S(1), S(0)},
                                              {after, Op::transpose, S(1), S(0)}};
    for (const Scheme& scheme : schemes.in_turn(turn++, 3)) {
      const auto A = to_device<T>(exec, pattern, 1);
      auto plan = make(A, {.scheme = scheme, .ops = {Op::transpose}});
      if (!plan) continue;
      Kokkos::deep_copy(A.device.values(), after.device.values());
      for (int i = 0; i < 2; ++i) {
        const bool either = old_products[i].problem(exec, *plan).empty() ||
                            new_products[i].problem(exec, *plan).empty();
        CHECK_MESSAGE(either, name, ", ", plan->scheme(new_products[i].op()).to_string());
      }
      SpmvOptions pinned{.scheme = plan->scheme(), .ops = {Op::transpose}};
      if (!T::Formats::applies(Op::transpose, plan->scheme())) {
        pinned.transposed_scheme = plan->scheme(Op::transpose);
      }
      auto fresh = make(after, pinned);
      REQUIRE(fresh);
      // update_values from the same arrays with new values, and from other arrays.
      for (const auto* values : {&A, &after}) {
        plan->update_values(exec, values->matrix());
        for (const CheckedProduct<T>& product : new_products) {
          const Op op = product.op();
          const std::string problem = product.problem(exec, *plan);
          CHECK_MESSAGE(problem.empty(), name, ", ", plan->scheme(op).to_string(), ", ", problem);
          if (!reproducible(plan->scheme(op), op)) continue;
          CHECK(same_bits(product.result(exec, *plan), product.result(exec, *fresh)));
        }
      }
    }
  }
}

TEST_CASE_TEMPLATE_DEFINE("a plan moves, and tells of itself", T, suite_tells) {
  using S = typename T::Scalar;
  const typename T::Exec exec;
  const TestedSchemes<T> schemes(exec);
  PlanMaker<T> make(exec);
  const auto A = to_device<T>(exec, pattern_named("dense"));
  const auto B = to_device<T>(exec, pattern_named("1 x 1"));
  for (const Scheme& scheme : schemes.in_turn(0, 1)) {
    auto plan = make(A, {.scheme = scheme});
    auto other = make(B, {.scheme = scheme});
    if (!plan || !other) continue;
    const Scheme printed = plan->scheme();
    const std::size_t bytes = plan->bytes();
    CHECK(printed.format() == scheme.format());
    for (const SchemeTerm& term : scheme.terms()) {
      CHECK(std::count(printed.terms().begin(), printed.terms().end(), term) == 1);
    }
    const double setup_seconds = plan->setup_seconds();
    auto moved = std::move(*plan);
    CHECK(moved.scheme() == printed);
    CHECK(moved.setup_seconds() == setup_seconds);
    CHECK(moved.bytes() == bytes);
    CHECK(apply_and_compare(exec, moved, A, Op::none, S(1), S(0)) == "");
    *other = std::move(moved);
    CHECK(other->scheme() == printed);
    CHECK(apply_and_compare(exec, *other, A, Op::none, S(1), S(0)) == "");
  }
}

/// Every value of A, x and y is read at least once; a format saves only indices. Only the user's
/// arrays and what the plan keeps are read, and what it keeps is written at most once: the sums
/// that shares pass on. A scatter also reads y, which it has scaled, and packing doubles x.
TEST_CASE_TEMPLATE_DEFINE("the bytes that a plan moves are plausible", T, suite_moved_bytes) {
  using S = typename T::Scalar;
  const typename T::Exec exec;
  const TestedSchemes<T> schemes(exec);
  PlanMaker<T> make(exec);
  for (const char* name : {"dense", "power law", "tridiagonal", "0 x 0"}) {
    const auto A = to_device<T>(exec, pattern_named(name));
    const auto x = static_cast<double>(A.rows_of_x() * sizeof(S));
    const auto y = static_cast<double>(A.rows_of_y() * sizeof(S));
    const auto values = static_cast<double>(A.host.nonzeros()) * sizeof(S);
    const auto borrowed = static_cast<double>(A.host.bytes());
    for (const Scheme& scheme : schemes.in_turn(0, 1)) {
      auto plan = make(A, {.scheme = scheme, .vectors = {4, true}, .ops = {Op::transpose}});
      if (!plan) continue;
      for (const Op op : {Op::none, Op::conjugate, Op::transpose, Op::conjugate_transpose}) {
        const double once = plan->moved_bytes(op);
        CHECK(once >= values + x + y);
        CHECK(once <= borrowed + 2 * static_cast<double>(plan->bytes()) + 3 * (x + y));
        CHECK(plan->moved_bytes(op, 4) >= once + 3 * (x + y));
        CHECK(plan->moved_bytes(op, 1, true) >= once + (transposes(op) ? x : y));
      }
    }
  }
}

/// The prediction of a scheme and its inspector agree on what is refused.
TEST_CASE_TEMPLATE_DEFINE("what is predicted to be possible can be made, and nothing else", T,
                          suite_predicts) {
  using S = typename T::Scalar;
  const typename T::Exec exec;
  PlanMaker<T> make(exec);
  const Device device = backends::describe(exec);
  const Sizes sizes{sizeof(S), sizeof(typename T::Ordinal), sizeof(typename T::Offset), sizeof(S),
                    sizeof(S)};
  for (const Pattern& pattern : test_patterns()) {
    const auto A = to_device<T>(exec, pattern);
    const auto matrix = A.matrix();
    const Features features = features_of(exec, matrix, row_features(exec, matrix));
    for (const Scheme& scheme : T::Formats::candidates(features, device)) {
      const Prediction prediction = T::Formats::predict(scheme, features, device, sizes);
      const bool made = make(A, {.scheme = scheme}).has_value();
      CHECK_MESSAGE(made == prediction.possible(), A.name, ", ", scheme.to_string(), ": ",
                    prediction.refusal);
      if (!made) continue;
      CHECK(prediction.seconds > 0);
      CHECK(prediction.moved_bytes >= 0);
      CHECK(!prediction.reason.empty());
    }
  }
}

TEST_CASE_TEMPLATE_DEFINE("two plans run side by side on two instances", T, suite_side_by_side) {
  using S = typename T::Scalar;
  const typename T::Exec exec;
  const TestedSchemes<T> schemes(exec);
  PlanMaker<T> make(exec);
  const auto instances = two_instances(exec);
  const std::pair<Pattern, Pattern> pairs[] = {
      {pattern_named("huge first and last row"), pattern_named("power law")},
      {pattern_named("dense"), pattern_named("1 x 1")}};
  for (const auto& [first, second] : pairs) {
    const auto A = to_device<T>(exec, first), B = to_device<T>(exec, second);
    const auto xa = random_vector<S>(A.rows_of_x(), 3), xb = random_vector<S>(B.rows_of_x(), 4);
    const auto xa_device = copy_to<typename T::Space>(xa),
               xb_device = copy_to<typename T::Space>(xb);
    const Kokkos::View<S*, typename T::Space> ya("heddle::test::ya", A.rows_of_y());
    const Kokkos::View<S*, typename T::Space> yb("heddle::test::yb", B.rows_of_y());
    const auto reference_a = reference_spmv(A.host.matrix(), xa, to_host(ya));
    const auto reference_b = reference_spmv(B.host.matrix(), xb, to_host(yb));
    for (const Scheme& scheme : schemes.base()) {
      auto plan_a = make(A, {.scheme = scheme}), plan_b = make(B, {.scheme = scheme});
      if (!plan_a || !plan_b) continue;
      fill_with_poison(ya);
      fill_with_poison(yb);
      exec.fence("heddle::test::ready");
      for (int run = 0; run < 20; ++run) {
        plan_a->apply(instances[0], S(1), xa_device, S(0), ya);
        plan_b->apply(instances[1], S(1), xb_device, S(0), yb);
      }
      for (const auto& instance : instances) instance.fence("heddle::test::applied");
      CHECK(mismatch(reference_a, to_host(ya)) == "");
      CHECK(mismatch(reference_b, to_host(yb)) == "");
    }
  }
}

}  // namespace heddle::test
