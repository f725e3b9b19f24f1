// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Multigrid over few formats, compiled once in instances/ as plans are. Its option of Gauss-Seidel
// sweeps would compile all formats of Heddle, so they get few, too.
#pragma once

#include <heddle/multigrid.hpp>

#include "few_formats.hpp"

#ifndef HEDDLE_COMPILED
namespace demo {

using SystemMatrix = HEDDLE_MATRIX(double, int, Exec);
using SweepsExecutor = heddle::detail::gauss_seidel::Executor<Exec, SystemMatrix>;

}  // namespace demo

template <>
std::unique_ptr<demo::SweepsExecutor>
heddle::detail::gauss_seidel::make_split<demo::Exec, demo::SystemMatrix, heddle::EveryFormat>(
    const demo::Exec& exec, const demo::SystemMatrix& A, const heddle::GaussSeidelOptions& options);

#define DEMO_SWEEPS(EXTERN) \
  EXTERN template class heddle::detail::GaussSeidelPlanCore<demo::Exec, demo::SystemMatrix>;
#define DEMO_MULTIGRID(EXTERN) HEDDLE_MULTIGRID_INSTANCE(EXTERN, demo::Exec, demo::SystemMatrix)

DEMO_SWEEPS(extern)
DEMO_MULTIGRID(extern)
#endif
