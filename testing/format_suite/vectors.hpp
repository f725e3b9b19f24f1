// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of format_suite.hpp: several vectors at once, in every layout.
#pragma once

#include "make_plans.hpp"
#include "patterns.hpp"

namespace heddle::test {

/// Number of vectors, number that the plan expects, and whether x and y are column-major.
struct VectorsCase {
  int count;
  ExpectedVectors expected;
  bool x_apart;
  bool y_apart;
};

inline std::vector<VectorsCase> vectors_cases() {
  std::vector<VectorsCase> cases;
  for (const int count : {1, 2, 3, 4, 5, 8, 9, 24, 64}) {
    cases.push_back({count, {}, true, true});
    cases.push_back({count, {}, false, false});
  }
  cases.push_back({5, {}, true, false});
  cases.push_back({8, {}, false, true});
  cases.push_back({3, {3, true}, true, true});
  cases.push_back({9, {4, true}, true, true});
  cases.push_back({5, {64, true}, true, false});
  cases.push_back({24, {24, true}, true, true});
  cases.push_back({40, {40, true}, true, true});
  cases.push_back({6, {6, false}, false, false});
  cases.push_back({0, {2, true}, true, true});
  return cases;
}

template <class T>
void vectors_agree(PlanMaker<T>& make, const DeviceMatrix<T>& A, const std::vector<Scheme>& schemes,
                   const VectorsCase& which) {
  using S = typename T::Scalar;
  const typename T::Exec exec;
  const CheckedVectors<T> product(A, Op::none, S(2), which.count % 2 ? S(0) : S(-0.5),
                                  static_cast<std::size_t>(which.count), which.x_apart,
                                  which.y_apart);
  for (const Scheme& scheme : schemes) {
    auto plan = make(A, {.scheme = scheme, .vectors = which.expected});
    if (!plan) continue;
    const std::string problem = product.problem(exec, *plan);
    CHECK_MESSAGE(problem.empty(), A.name, ", ", plan->scheme().to_string(), ", ", which.count,
                  " vectors, ", which.expected.count, " expected: ", problem);
  }
}

/// Each case runs over a fifth of the patterns, and each variation over a few of those; each
/// pattern runs with every fifth case. Huge rows run with every variation.
TEST_CASE_TEMPLATE_DEFINE("multivectors agree with the oracle", T, suite_vectors) {
  const typename T::Exec exec;
  const TestedSchemes<T> schemes(exec);
  PlanMaker<T> make(exec);
  const std::vector<VectorsCase> cases = vectors_cases();
  std::vector<Pattern> patterns = test_patterns();
  patterns.push_back(huge_rows());
  for (std::size_t p = 0; p < patterns.size(); ++p) {
    const auto A = to_device<T>(exec, patterns[p]);
    for (std::size_t c = 0; c < cases.size(); ++c) {
      const bool large = patterns[p].nonzeros() * cases[c].count > (emulated ? 8000 : 200000) &&
                         cases[c].count > 5;
      const bool huge = p + 1 == patterns.size() && (cases[c].count == 3 || cases[c].count == 24);
      const bool in_turn = (p + c) % (emulated ? 20 : 5) == 0 || cases[c].count == 0 || full_tests;
      if (huge || (in_turn && !large)) {
        vectors_agree(make, A, huge ? schemes.all() : schemes.in_turn(p + c / 5, 5), cases[c]);
      }
    }
  }
}

// Whether x is large enough to be packed depends on the caches of a thread.
TEST_CASE_TEMPLATE_DEFINE("multivectors agree with the oracle: x beyond the caches", T,
                          suite_large_vectors) {
  const typename T::Exec exec;
  const TestedSchemes<T> schemes(exec);
  PlanMaker<T> make(exec);
  const Pattern patterns[] = {random_pattern("wide", 6, emulated ? 60 : 2000, 12500,
                                             [](std::int64_t i) { return i % 180; }),
                              pattern_named("dense")};
  for (const Pattern& pattern : patterns) {
    vectors_agree(make, to_device<T>(exec, pattern), schemes.base(), {64, {64, true}, true, true});
  }
}

/// x and y in the middle of larger views, whose other entries must not change.
template <class T, class Layout>
void middle_agrees(PlanMaker<T>& make, const Pattern& pattern) {
  using S = typename T::Scalar;
  const typename T::Exec exec;
  const TestedSchemes<T> schemes(exec);
  const auto A = to_device<T>(exec, pattern);
  const std::size_t rows = A.rows_of_y(), width = A.rows_of_x();
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
  for (const Scheme& scheme : schemes.in_turn(0, 1)) {
    auto plan = make(A, {.scheme = scheme});
    if (!plan) continue;
    Kokkos::deep_copy(y_device, y_all);
    plan->apply(exec, S(1), middle(x_device, width), S(1), middle(y_device, rows));
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
    CHECK_MESSAGE(others_untouched, plan->scheme().to_string());
  }
}

TEST_CASE_TEMPLATE_DEFINE("multivectors may be the middle of larger views", T, suite_strided) {
  const typename T::Exec exec;
  PlanMaker<T> make(exec);
  for (const char* name : {"dense 4 x 4 blocks", "dense"}) {
    middle_agrees<T, Kokkos::LayoutLeft>(make, pattern_named(name));
    middle_agrees<T, Kokkos::LayoutRight>(make, pattern_named(name));
  }
}

}  // namespace heddle::test
