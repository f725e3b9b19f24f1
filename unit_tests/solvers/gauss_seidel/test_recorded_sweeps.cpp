// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Triangular solves and Gauss-Seidel sweeps of every scheme, recorded in a graph: replays give the
// bits of launches.
#include <doctest/doctest.h>

#include <heddle/gauss_seidel.hpp>
#include <heddle/sptrsv.hpp>

#include "../../../solvers/sptrsv/definitions.hpp"
#include "../../support/check_replay.hpp"
#include "../../support/gauss_seidel.hpp"
#include "../../support/grid_operator.hpp"
#include "../../support/shared_formats.hpp"
#include "../../support/shared_sweeps.hpp"
#include "../../support/sptrsv_check.hpp"

namespace heddle::test {

namespace {

using Exec = DefaultDevice;
using Space = Exec::memory_space;
using Matrix = PlainOperator<Exec, double>::Matrix;
using Vector = Kokkos::View<double*, Space>;
using Columns = Kokkos::View<double**, Kokkos::LayoutLeft, Space>;
constexpr int side = 12;
constexpr std::size_t rows = side * side;

}  // namespace

TEST_CASE("triangular solves of every scheme are recorded") {
  if constexpr (can_capture<Exec>) {
    const Exec exec;
    const auto a = laplacian<Exec, double>(side, 10);
    const Vector b("heddle::test::b", rows), x("heddle::test::x", rows);
    const Columns several_b("heddle::test::b", rows, 3), several_x("heddle::test::x", rows, 3);
    auto schemes = sptrsv_samples(backends::describe(exec), 3);
    for (const Scheme& more : sptrsv_samples(backends::describe(exec), 8)) schemes.push_back(more);
    for (const Scheme& scheme : schemes) {
      CAPTURE(scheme.to_string());
      SptrsvOptions options{.ignore_outside = true};
      options.scheme = scheme;
      options.vectors = {.count = 3};
      options.ops = {Op::transpose};
      SptrsvPlan<Exec, Matrix> plan(exec, a.matrix(), options);
      check_replay(exec, b, x, 1, [&] { plan.apply(exec, 2.0, b, x); });
      check_replay(exec, b, x, 2, [&] { plan.apply(exec, Op::transpose, 1.0, b, x); });
      check_replay(exec, several_b, several_x, 3,
                   [&] { plan.apply(exec, 1.0, several_b, several_x); });
      check_replay(exec, b, x, 4, [&] { plan.apply(exec, 0.0, b, x); });
    }
  }
}

TEST_CASE("sweeps of every scheme are recorded") {
  if constexpr (can_capture<Exec>) {
    const Exec exec;
    const auto a = laplacian<Exec, double>(side, 10);
    const Vector b("heddle::test::b", rows), x("heddle::test::x", rows),
        residual("heddle::test::residual", rows);
    const auto check = [&](const GaussSeidelOptions& options) {
      CAPTURE(options.scheme->to_string());
      CAPTURE(name(options.order));
      CAPTURE(name(options.sweep));
      using Formats = SweepFormats<Exec, Matrix>;
      GaussSeidelPlan<Exec, Matrix, Formats> plan(exec, a.matrix(), options, Formats());
      check_replay(exec, b, x, 1, [&] { plan.apply(exec, b, x); });
      check_replay(exec, b, residual, 2, [&] { plan.apply(exec, b, x, residual); });
      check_replay(exec, b, x, 3, [&] { plan.relax(exec, b, x, 2); });
    };
    for (const Scheme& scheme : sweep_schemes<Exec>()) {
      for (const auto sweep : {SweepDirection::forward, SweepDirection::symmetric}) {
        GaussSeidelOptions options;
        options.sweep = sweep;
        options.scheme = scheme;
        check(options);
        if (scheme.has("split")) continue;
        options.order = GaussSeidelOrder::multicolor;
        check(options);
        options.block_size = scheme.has("hand-over") ? 1 : 3;
        check(options);
      }
    }
  }
}

}  // namespace heddle::test
