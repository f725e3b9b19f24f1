// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sparse factors by SuiteSparse as the last resort of a solve.
#define HEDDLE_DEFINITIONS  // the build has no instances
#include <doctest/doctest.h>

#include <heddle/solve.hpp>
#include <heddle/sparse_direct.hpp>

#include "../../../testing/backends.hpp"
#include "../../support/grid_operator.hpp"

namespace heddle::test {

namespace {

using Exec = DefaultDevice;
using Space = Exec::memory_space;

}  // namespace

TEST_CASE("a solve is given sparse factors, and new values") {
  const auto a = saddle_point<Exec>(300, 1e6), other = saddle_point<Exec>(300, 1e3);
  const auto b = copy_to<Space>(random_vector<double>(static_cast<std::size_t>(a.n), 5));
  const SolveDirect direct = direct_solver<SparseDirectPlan>(
      Exec(), a.matrix(), SparseDirectOptions{.max_bytes = 1 << 28});
  Solver solver(Exec(), a.matrix(), {.max_iterations = 200, .direct = direct});
  const Kokkos::View<double*, Space> x("heddle::test::x", b.extent(0));
  const auto check = [&](const PlainOperator<Exec, double>& of) {
    const SolveReport& report = solver.solve(Exec(), b, x);
    CAPTURE(report.to_string());
    CHECK(report.converged());
    REQUIRE(!report.attempts.empty());
    CHECK(report.attempts.back().pair == "gmres/direct");
    const auto norms = residual_norms(of, b, x);
    CHECK(norms.residual <= 1e-8 * norms.b);
  };
  check(a);
  solver.update_values(Exec(), other.matrix());
  Kokkos::deep_copy(x, 0.0);
  check(other);
}

}  // namespace heddle::test
