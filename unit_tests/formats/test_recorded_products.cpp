// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A product of each scheme, recorded in a graph and run again, gives the bits that it gives by
// launches.
#include <doctest/doctest.h>

#include <heddle/spmv.hpp>

#include "../../backends/algorithms/team_sums.hpp"
#include "../support/check_replay.hpp"
#include "../support/grid_operator.hpp"
#include "../support/shared_formats.hpp"

namespace heddle::test {

namespace {

using Exec = DefaultDevice;
using Space = Exec::memory_space;
using Matrix = PlainOperator<Exec, double>::Matrix;
using Plan = SpmvPlan<Exec, Matrix, double, double, SharedFormats>;
using Vectors2 = Kokkos::View<double**, Kokkos::LayoutLeft, Space>;

/// A five-point stencil on a grid; with `heavy` the first row is full, and some schemes cut it.
[[maybe_unused]] PlainOperator<Exec, double> matrix(bool heavy) {
  constexpr int side = 12, n = side * side;
  std::vector<int> row_ptr(1), col_idx;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      const int apart = std::abs(i - j);
      const bool star = apart == 0 || apart == side || (apart == 1 && i / side == j / side);
      if (star || (heavy && i == 0)) col_idx.push_back(j);
    }
    row_ptr.push_back(static_cast<int>(col_idx.size()));
  }
  std::vector<double> values(col_idx.size());
  for (std::size_t e = 0; e < values.size(); ++e) values[e] = 1 + 0.25 * static_cast<double>(e % 7);
  return plain_operator<Exec>(row_ptr, col_idx, values);
}

[[maybe_unused]] std::optional<Plan> plan_of(const Exec& exec, const Matrix& A,
                                             const Scheme& scheme) {
  try {
    return Plan(exec, A, {.scheme = scheme, .ops = {Op::transpose}});
  } catch (const Refusal&) {
    return std::nullopt;
  }
}

}  // namespace

TEST_CASE("products of every scheme are recorded") {
  if constexpr (can_capture<Exec>) {
    const Exec exec;
    const auto grid = matrix(false), heavy = matrix(true);
    const auto n = static_cast<std::size_t>(grid.n);
    const Kokkos::View<double*, Space> x("heddle::test::x", n), y("heddle::test::y", n);
    const Vectors2 several_x("heddle::test::x", n, 3), several_y("heddle::test::y", n, 3);
    const Kokkos::View<double*, Space> dots("heddle::test::dot", 1);
    const Kokkos::View<double, Space, Kokkos::MemoryTraits<Kokkos::Unmanaged>> dot(dots.data());
    const VectorWorkspace<Exec, double> workspace(exec, 1, grid.n);
    for (const std::string scheme : {"csr/scalar", "csr/subwarp=8", "csr/adaptive", "csr/merge",
                                     "csr/merge,search=apply", "csr/blocks", "ell", "blocked-ell",
                                     "coo", "gcsr", "hyb", "dia", "bcsr/2x2", "tiled/16", "csb"}) {
      CAPTURE(scheme);
      int planned = 0;
      for (const auto* const of : {&grid, &heavy}) {
        CAPTURE((of == &heavy));
        auto plan = plan_of(exec, of->matrix(), scheme);
        if (!plan) continue;
        ++planned;
        CHECK(plan->capturable());
        check_replay(exec, x, y, 1, [&] { plan->apply(exec, 2.0, x, 0.5, y); });
        check_replay(exec, x, y, 2, [&] { plan->apply(exec, Op::transpose, 2.0, x, 0.0, y); });
        check_replay(exec, several_x, several_y, 3,
                     [&] { plan->apply(exec, several_x, several_y); });
        check_replay(exec, x, dots, 4, [&] { plan->apply_dot(exec, x, y, workspace, dot); });
      }
      CHECK(planned > 0);
    }
  }
}

}  // namespace heddle::test
