// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of format_suite.hpp: the events of a plan that Kokkos Tools sees.
#pragma once

#include <map>
#include <string>

#include "../events.hpp"
#include "make_plans.hpp"
#include "patterns.hpp"

namespace heddle::test {

inline std::vector<Pattern> event_patterns() {
  return {random_pattern(
              "irregular", 3, cut(2000), 9000,
              [](std::int64_t i) { return i % (emulated ? 100 : 700) == 5 ? cut(8000) : i % 7; }),
          pattern_named("dense")};
}

/// Options that together reach every executor, with and without a stored transpose.
template <class T>
std::vector<SpmvOptions> event_options(const TestedSchemes<T>& schemes) {
  std::vector<SpmvOptions> all;
  for (const Scheme& scheme : schemes.in_turn(0, 1)) {
    all.push_back({.scheme = scheme, .vectors = {9}, .ops = {Op::transpose}});
  }
  return all;
}

TEST_CASE_TEMPLATE_DEFINE(
    "events of a plan: labelled, on its instance, its bytes, and of an apply launches alone", T,
    suite_events) {
  using S = typename T::Scalar;
  const typename T::Exec exec;
  PlanMaker<T> make(exec);
  const TestedSchemes<T> schemes(exec);
  const auto instance = two_instances(exec)[1];
  const std::uint32_t here = Kokkos::Tools::Experimental::device_id(kokkos_space(instance));
  for (const Pattern& pattern : event_patterns()) {
    const auto A = to_device<T>(exec, pattern);
    const Vectors<S, typename T::Space> x(A.rows_of_x(), 9, true), y(A.rows_of_y(), 9, true),
        one_x(A.rows_of_x(), 1, true), one_y(A.rows_of_y(), 1, true);
    for (const SpmvOptions& options : event_options(schemes)) {
      if (!make(A, options)) continue;
      const Recording recording;
      typename T::template Plan<> plan(instance, A.matrix(), options, typename T::Formats());
      CAPTURE(A.name);
      CAPTURE(plan.scheme().to_string());
      const std::uint64_t held = bytes_held(recording.seen());
      const int allocations = count(recording.seen(), Event::allocation);
      CHECK(plan.bytes() <= held);
      CHECK(held <= plan.bytes() + allocations * arena_alignment_bytes);
      const auto work = [&] {
        plan.apply(instance, S(1), x.view(), S(0), y.view());
        plan.apply(instance, Op::transpose, S(1), y.view(), S(0.5), x.view());
        plan.apply(instance, S(0), x.view(), S(2), y.view());
        plan.apply(instance, S(1), one_x.view(), S(0), one_y.view());
        plan.apply(instance, Op::transpose, S(1), one_y.view(), S(0.5), one_x.view());
        plan.update_values(instance, A.matrix());
      };
      const std::size_t made = recording.seen().size();
      work();
      const std::size_t worked = recording.seen().size();
      instance.fence("heddle::test::applied");
      const std::size_t first = recording.seen().size();
      work();
      const std::vector<Event> seen = recording.seen();
      instance.fence("heddle::test::applied");
      CHECK(strangers(seen) == "");
      for (const Event& event : seen) {
        const bool ours = event.kind == Event::kernel ||
                          (event.kind == Event::fence && event.label.rfind("heddle::", 0) == 0);
        if (ours) CHECK_MESSAGE(event.device == here, event.label);
      }
      CHECK(seen.size() >= first + 5);
      // A first launch may allocate a thread's scratch, which has another label.
      for (std::size_t e = made; e < worked; ++e) {
        const bool ours = seen[e].label.rfind("heddle::", 0) == 0;
        CHECK_MESSAGE((seen[e].kind == Event::kernel || !ours), seen[e].label);
      }
      for (std::size_t e = first; e < seen.size(); ++e) {
        CHECK_MESSAGE(seen[e].kind == Event::kernel, seen[e].label);
      }
    }
  }
}

/// Number of launches of the kernel that multiplies.
inline int passes_of(const std::vector<Event>& events) {
  std::string first;
  int passes = 0;
  for (const Event& event : events) {
    const auto names = [&](const char* part) {
      return event.label.find(part) != std::string::npos;
    };
    if (event.kind != Event::kernel || names("pack") || names("scale") || names("finish")) continue;
    if (first.empty()) first = event.label;
    passes += event.label == first;
  }
  return passes;
}

TEST_CASE_TEMPLATE_DEFINE("moved bytes count the matrix once for every pass over it", T,
                          suite_passes) {
  using S = typename T::Scalar;
  constexpr int many = 100;
  const typename T::Exec exec;
  PlanMaker<T> make(exec);
  const TestedSchemes<T> schemes(exec);
  const auto A = to_device<T>(exec, pattern_named("dense"));
  for (const bool apart : {false, true}) {
    const Vectors<S, typename T::Space> x(A.rows_of_x(), many, apart),
        y(A.rows_of_y(), many, apart);
    for (const Scheme& scheme : schemes.in_turn(0, 1)) {
      auto plan = make(A, {.scheme = scheme, .vectors = {many, apart}, .check_overlap = false});
      if (!plan) continue;
      const Recording recording;
      plan->apply(exec, S(1), x.view(), S(0), y.view());
      exec.fence("heddle::test::applied");
      // Two vectors may be processed one by one, and a single one as if there were no others.
      const double three = plan->moved_bytes(Op::none, 3),
                   each = plan->moved_bytes(Op::none, 4) - three;
      const double matrix = three - 3 * each;
      CAPTURE(plan->scheme().to_string());
      CAPTURE(apart);
      CHECK(plan->moved_bytes(Op::none, many) ==
            doctest::Approx(passes_of(recording.seen()) * matrix + many * each));
    }
  }
}

/// Whether a format can store any matrix; each other format refuses one of the suite's or more.
inline bool holds_any_matrix(const Scheme& scheme) {
  constexpr std::string_view formats[] = {"csr", "coo", "gcsr", "tiled"};
  return std::ranges::find(formats, scheme.format()) != std::end(formats);
}

// Inspecting the pattern may have allocated, and has freed it.
TEST_CASE_TEMPLATE_DEFINE("who refuses has not allocated", T, suite_refusals) {
  const typename T::Exec exec;
  PlanMaker<T> make(exec);
  const TestedSchemes<T> schemes(exec);
  struct Count {
    int refused = 0, asked = 0;
  };
  std::map<std::string, Count> counts;
  for (const Pattern& pattern : test_patterns()) {
    const auto A = to_device<T>(exec, pattern);
    if (pattern.nonzeros() < 10) make(A, {});
    for (const Scheme& scheme : schemes.in_turn(0, 1)) {
      const Recording recording;
      Count& of_scheme = counts[scheme.to_string()];
      ++of_scheme.asked;
      try {
        typename T::template Plan<>(exec, A.matrix(), {.scheme = scheme}, typename T::Formats());
      } catch (const Refusal& refusal) {
        ++of_scheme.refused;
        CHECK_MESSAGE(bytes_allocated(recording.seen(), "heddle::spmv::") == 0, A.name, ", ",
                      scheme.to_string());
        CHECK(!refusal.remedy().empty());
      }
    }
  }
  // A scheme that refuses every matrix is not available for the type or the processor.
  int all = 0, some = 0;
  for (const auto& [name, of_scheme] : counts) {
    all += of_scheme.refused;
    some += of_scheme.refused < of_scheme.asked ? of_scheme.refused : 0;
  }
  const Scheme scheme = schemes.all().back();
  const bool as_expected = holds_any_matrix(scheme) ? some == 0 : all > 0;
  CHECK_MESSAGE(as_expected, all, " refusals, ", some,
                " by schemes that take others: ", scheme.to_string());
}

}  // namespace heddle::test
