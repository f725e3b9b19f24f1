// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// New values with another pattern of the same size.
#include "../../support/gauss_seidel_check.hpp"
#include "../../support/shared_formats.hpp"
#include "../../support/triangles.hpp"

namespace heddle::test {

namespace {

using Type = FirstSweepType;
using Exec = Type::Exec;

std::vector<double> swept(const Exec& exec, Type::Plan& plan, std::size_t n) {
  const auto b = copy_to<Type::Space>(random_vector<double>(n, 3));
  const Kokkos::View<double*, Type::Space> x("heddle::test::x", n);
  plan.apply(exec, b, x);
  plan.relax(exec, b, x);
  exec.fence("heddle::test::swept");
  const auto host = to_host(x);
  return std::vector<double>(host.data(), host.data() + n);
}

/// A band on both sides of the diagonal.
Pattern band(std::int64_t n, std::int64_t far) {
  Pattern pattern{"band", n, {}};
  for (std::int64_t i = 0; i < n; ++i) {
    std::vector<std::int64_t> row;
    for (const std::int64_t j : {i - far, i - 1, i, i + 1, i + far}) {
      if (j >= 0 && j < n) row.push_back(j);
    }
    pattern.rows.push_back(row);
  }
  return pattern;
}

void check_other_patterns(GaussSeidelOptions options) {
  const Exec exec;
  const std::int64_t n = emulated ? 40 : 90;
  const auto A = triangle_on_device<OneTriangleType>(exec, band(n, 7));
  const Pattern crowd = crowded(band(n, 7), true);
  for (const Pattern& other : {crowd, reversed(crowd), band(n, 7)}) {
    auto B = triangle_on_device<OneTriangleType>(exec, other);
    // The band has another column in a row, and the row pointer of A.
    if (other.name == "band") Kokkos::deep_copy(Kokkos::subview(B.device.col_idx(), 1), 3);
    CAPTURE(B.name);
    options.check_pattern = false;
    Type::Plan silent(exec, A.matrix(), options, Type::List());
    const auto before = swept(exec, silent, static_cast<std::size_t>(n));
    silent.update_values(exec, B.matrix());
    silent.update_values(exec, A.matrix());
    CHECK(swept(exec, silent, static_cast<std::size_t>(n)) == before);
    options.check_pattern = true;
    Type::Plan plan(exec, A.matrix(), options, Type::List());
    CHECK_THROWS_WITH_AS(plan.update_values(exec, B.matrix()),
                         doctest::Contains("make a new GaussSeidelPlan"), Error);
    CHECK_NOTHROW(plan.update_values(exec, A.matrix()));
    CHECK(swept(exec, plan, static_cast<std::size_t>(n)) == before);
  }
}

}  // namespace

TEST_CASE("another pattern writes nowhere outside, and is told where patterns are compared") {
  for (const Scheme& scheme : sweep_schemes<Exec>()) {
    CAPTURE(scheme.to_string());
    for (const SweepDirection sweep : every_sweep) {
      CAPTURE(std::string(name(sweep)));
      check_other_patterns({.sweep = sweep, .scheme = scheme, .threads = 2});
      if (scheme.has("split")) continue;
      check_other_patterns(
          {.sweep = sweep, .order = GaussSeidelOrder::multicolor, .scheme = scheme, .threads = 2});
    }
  }
}

TEST_CASE("the same of blocks") {
  for (const Scheme& scheme : block_schemes<Exec>()) {
    CAPTURE(scheme.to_string());
    for (const int size : {2, 3, 8}) {
      CAPTURE(size);
      check_other_patterns({.block_size = size, .scheme = scheme, .threads = 2});
    }
  }
}

}  // namespace heddle::test
