// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Overlapping solves of one plan are found.
#include <doctest/doctest.h>

#include <functional>

#include "../../../testing/events.hpp"
#include "../../support/sptrsv_check.hpp"

namespace heddle::test {

namespace {

using Exec = Kokkos::DefaultHostExecutionSpace;
using Type = TriangleType<Exec, double, Indices32>;
using Vector = Kokkos::View<double*, Exec>;

/// Calls a function once, at the beginning of the next kernel with a given label.
class AtKernel {
 public:
  AtKernel(std::string label, std::function<void()> call)
      : before_(Kokkos::Tools::Experimental::get_callbacks()) {
    label_() = std::move(label);
    call_() = std::move(call);
    Kokkos::Tools::Experimental::set_begin_parallel_for_callback(begun);
  }
  ~AtKernel() { Kokkos::Tools::Experimental::set_callbacks(before_); }
  AtKernel(const AtKernel&) = delete;

 private:
  static std::string& label_() {
    static std::string label;
    return label;
  }
  static std::function<void()>& call_() {
    static std::function<void()> call;
    return call;
  }
  static void begun(const char* label, std::uint32_t, std::uint64_t* id) {
    *id = 0;
    if (!call_() || label_() != label) return;
    std::exchange(call_(), nullptr)();
  }

  Kokkos::Tools::Experimental::EventSet before_;
};

}  // namespace

TEST_CASE("sptrsv: a solve inside of another of the same plan is an error, if one asks") {
  const Exec exec;
  const auto A = triangle_on_device<Type>(exec, triangle_named("grid"));
  const Vector b("heddle::test::b", 2500), x("heddle::test::x", 2500), y("heddle::test::y", 2500);
  Type::Plan<> plan(exec, A.matrix(), {.check_overlap = true});
  bool found = false;
  for (int repeat = 0; repeat < 2; ++repeat) {  // the first has ended
    found = false;
    const AtKernel during("heddle::sptrsv::rows", [&] {
      CHECK_THROWS_WITH_AS(plan.apply(exec, 1.0, b, y),
                           doctest::Contains("one plan is applied twice at the same time"), Error);
      found = true;
    });
    CHECK_NOTHROW(plan.apply(exec, 1.0, b, x));
    CHECK(found);
  }
  CHECK(solve_randomly<Type>(exec, plan, A, Triangle::lower, 1, 3) <= 1);
  // A solve that is refused before it begins does not count.
  CHECK_THROWS_AS(plan.apply(exec, Op::transpose, 1.0, b, x), Error);
  CHECK_NOTHROW(plan.apply(exec, 1.0, b, x));
}

TEST_CASE("sptrsv: the check launches nothing on a CPU, and its word is labelled") {
  const Exec exec;
  const auto A = triangle_on_device<Type>(exec, triangle_named("grid"));
  const Vector x("heddle::test::x", 2500);
  const auto events = [&](bool check) {
    const Recording recording;
    Type::Plan<> plan(exec, A.matrix(), {.check_overlap = check});
    const auto before = recording.seen().size();
    plan.apply(exec, 1.0, x, x);
    CHECK(recording.seen().size() == before + 1);
    return recording.seen();
  };
  const auto without = events(false), with = events(true);
  CHECK(strangers(with) == "");
  CHECK(bytes_allocated(with, "heddle::sptrsv::busy") >= sizeof(int));
  CHECK(bytes_allocated(without, "heddle::sptrsv::busy") == 0);
}

}  // namespace heddle::test
