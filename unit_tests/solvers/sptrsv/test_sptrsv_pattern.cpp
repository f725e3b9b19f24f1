// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// New values with another pattern of the same size.
#include <doctest/doctest.h>

#include "../../support/sptrsv_check.hpp"

namespace heddle::test {

namespace {

using Type = OneTriangleType;
using Exec = Type::Exec;
using Plan = Type::Plan<>;

std::vector<double> solved(const Exec& exec, Plan& plan, std::size_t n, Op op) {
  const auto b = copy_to<Type::Space>(random_vector<double>(n, 3));
  const Kokkos::View<double*, Type::Space> x("heddle::test::x", n);
  plan.apply(exec, op, 1.0, b, x);
  exec.fence("heddle::test::solved");
  const auto host = to_host(x);
  return std::vector<double>(host.data(), host.data() + n);
}

}  // namespace

TEST_CASE(
    "sptrsv: another pattern writes nowhere outside, and is told where patterns are compared") {
  const Exec exec;
  const std::int64_t rows = emulated ? 70 : 300;
  const Pattern band = lower_band("band", rows, {1, 2, 9});
  const Pattern same_row_ptr = lower_pattern("shifted", rows, [](std::int64_t i) {
    std::vector<std::int64_t> row;
    for (const std::int64_t distance : {1, 2, 9}) {
      if (distance <= i) row.push_back(i - (distance == 9 ? 8 : distance));
    }
    return row;
  });
  for (const Triangle triangle : {Triangle::lower, Triangle::upper}) {
    const auto turned = [&](const Pattern& p) {
      return triangle == Triangle::lower ? p : reversed(p);
    };
    const auto A = triangle_on_device<Type>(exec, turned(band));
    const auto n = static_cast<std::size_t>(A.host.rows());
    for (const Pattern& other : {crowded(band, false), same_row_ptr}) {
      const auto B = triangle_on_device<Type>(exec, turned(other));
      CAPTURE(B.name);
      for (const Scheme& scheme : sptrsv_samples(backends::describe(exec), 3)) {
        CAPTURE(scheme.to_string());
        for (const Diagonal diagonal : {Diagonal::stored, Diagonal::unit}) {
          SptrsvOptions options{.triangle = triangle,
                                .diagonal = diagonal,
                                .scheme = scheme,
                                .ops = {Op::transpose},
                                .threads = 2};
          options.check_pattern = false;
          Plan silent(exec, A.matrix(), options);
          const auto forward = solved(exec, silent, n, Op::none);
          const auto transposed = solved(exec, silent, n, Op::transpose);
          silent.update_values(exec, B.matrix());
          silent.update_values(exec, A.matrix());
          CHECK(solved(exec, silent, n, Op::none) == forward);
          CHECK(solved(exec, silent, n, Op::transpose) == transposed);
          options.check_pattern = true;
          Plan plan(exec, A.matrix(), options);
          CHECK_THROWS_WITH_AS(plan.update_values(exec, B.matrix()),
                               doctest::Contains("make a new SptrsvPlan"), Error);
          CHECK_NOTHROW(plan.update_values(exec, A.matrix()));
          CHECK(solved(exec, plan, n, Op::none) == forward);
        }
      }
    }
  }
}

TEST_CASE("sptrsv: an op is not prepared from a pattern with other entries in the triangle") {
  const Exec exec;
  const Pattern band = lower_band("band", 90, {1, 2, 9});
  const auto A = triangle_on_device<Type>(exec, reversed(band));  // an empty lower triangle
  const auto B = triangle_on_device<Type>(exec, band);
  Plan plan(exec, A.matrix(), {.ignore_outside = true, .check_pattern = false});
  plan.update_values(exec, B.matrix());
  CHECK_THROWS_WITH_AS(plan.prepare(exec, Op::transpose),
                       doctest::Contains("make a new SptrsvPlan"), Error);
  CHECK_NOTHROW(plan.update_values(exec, A.matrix()));
  CHECK_NOTHROW(plan.prepare(exec, Op::transpose));
  CHECK_NOTHROW(plan.prepare(Op::transpose));
}

}  // namespace heddle::test
