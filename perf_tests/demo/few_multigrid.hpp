// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Multigrid over few formats, compiled once in instances/ as plans are. Its option of Gauss-Seidel
// sweeps, which the demo has no use for, is left out: half as much again to compile.
#pragma once

#include <heddle/multigrid.hpp>

#include "few_formats.hpp"

#ifndef HEDDLE_COMPILED
namespace demo {

using SystemMatrix = HEDDLE_MATRIX(double, int, Exec);
using SystemSmoother = heddle::detail::multigrid::Smoother<Exec, SystemMatrix>;

}  // namespace demo

template <>
inline std::unique_ptr<demo::SystemSmoother> heddle::detail::multigrid::make_color_sweeps(
    const demo::Exec&, const demo::SystemMatrix&, int, const heddle::MultigridOptions&) {
  throw heddle::Error("the demo's multigrid has no Gauss-Seidel sweeps",
                      "leave options.smoother as it is");
}

#define DEMO_MULTIGRID(EXTERN) HEDDLE_MULTIGRID_INSTANCE(EXTERN, demo::Exec, demo::SystemMatrix)

DEMO_MULTIGRID(extern)
#endif
