// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of format_suite.hpp: a product and the dot product of its result, in one call.
#pragma once

#include "../../backends/algorithms/team_sums.hpp"
#include "../events.hpp"
#include "../vectors_check.hpp"
#include "make_plans.hpp"
#include "patterns.hpp"

namespace heddle::test {

/// A number on the device, with its value and bits on the host.
template <class T>
struct DotResult {
  using S = typename T::Scalar;
  Kokkos::View<S, typename T::Space> place{"heddle::test::dot"};

  S value() const {
    S got(0);
    Kokkos::deep_copy(got, place);
    return got;
  }
};

/// Square patterns with more rows than a group of teams has, and with a row over many teams.
inline std::vector<Pattern> dot_patterns() {
  const std::int64_t many = emulated ? 3000 : 120000;
  std::vector<Pattern> patterns{
      random_pattern("many rows", 11, many, many, [](std::int64_t i) { return 1 + i % 3; }),
      random_pattern("one huge row", 12, 500, 500,
                     [](std::int64_t i) { return i == 250 ? 480 : i % 5; }),
      banded_pattern("diagonals", 777, 777, {-31, -1, 0, 1, 40})};
  for (Pattern& pattern : test_patterns()) patterns.push_back(std::move(pattern));
  return patterns;
}

TEST_CASE_TEMPLATE_DEFINE("a product and its dot in one call, the same bits every time", T,
                          suite_dots) {
  using S = typename T::Scalar;
  using V = Kokkos::View<S*, typename T::Space>;
  const typename T::Exec exec;
  PlanMaker<T> make(exec);
  const TestedSchemes<T> schemes(exec);
  const DotResult<T> result;
  std::size_t turn = 0;
  bool made = false, any = false;
  for (const Pattern& pattern : dot_patterns()) {
    if (turn >= 3 && made && !any) break;  // the second launch is the same in all formats
    const auto A = to_device<T>(exec, pattern);
    const auto rows = static_cast<std::int64_t>(A.rows_of_y());
    const VectorWorkspace<typename T::Exec, S> ample(exec, 1, rows), scant(exec);
    // Rows of many entries are cut into more shares than the workspace can hold.
    const bool has_room = pattern.nonzeros() <= 8 * rows;
    const auto host_x = random_vector<S>(A.rows_of_x(), 3),
               old = random_vector<S>(A.rows_of_y(), 4);
    const V x = copy_to<typename T::Space>(host_x);
    for (const Scheme& scheme : schemes.in_turn(turn++, 3)) {
      auto plan = make(A, {.scheme = scheme, .check_overlap = false});
      if (!plan) continue;
      made = true;
      any = any || plan->has_dot();
      CAPTURE(A.name);
      CAPTURE(plan->scheme().to_string());
      // A first launch may allocate a thread's scratch.
      plan->apply_dot(exec, Op::none, S(1), x, S(0), V("heddle::test::y", A.rows_of_y()), ample,
                      result.place, true);
      for (const bool with_itself : {false, true}) {
        if (!with_itself && A.rows_of_x() != A.rows_of_y()) continue;
        const S alpha = with_itself ? S(0.5) : S(1), beta = with_itself ? S(-2) : S(0);
        const auto reference = reference_spmv(Op::none, alpha, A.host.matrix(), host_x, beta, old);
        std::optional<S> first;
        for (const auto* workspace : {&ample, &ample, &scant}) {
          const GuardedVector<S, typename T::Space> y(old);
          if (beta == S(0)) fill_with_poison(y.view());
          Kokkos::deep_copy(result.place, S(-7));
          int kernels = 0;
          {
            const Recording recording;
            plan->apply_dot(exec, Op::none, alpha, x, beta, y.view(), *workspace, result.place,
                            with_itself);
            kernels = count(recording.seen(), Event::kernel);
            CHECK(kernels == static_cast<int>(recording.seen().size()));
            CHECK(strangers(recording.seen()) == "");
          }
          exec.fence("heddle::test::dot");
          const auto host_y = to_host(y.view());
          CHECK(mismatch(reference, host_y) == "");
          CHECK(y.guards_untouched());
          WideSum sum;
          for (std::size_t i = 0; i < host_y.extent(0); ++i) {
            sum.add(wide_conjugate(detail::Wide(with_itself ? host_y(i) : host_x(i))) *
                    detail::Wide(host_y(i)));
          }
          const S got = result.value();
          CHECK(sum.template is<S>(got));
          if (workspace == &scant) continue;
          if (!first) first = got;
          CHECK(std::memcmp(&*first, &got, sizeof(S)) == 0);
          if (plan->has_dot() && rows > 0 && has_room) CHECK(kernels == 1);
        }
      }
    }
  }
}

}  // namespace heddle::test
