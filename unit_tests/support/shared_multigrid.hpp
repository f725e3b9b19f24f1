// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Multigrid on an emulated device, compiled once for all programs of its width by
// shared_multigrid.cpp. Elsewhere Heddle's compiled part has it.
#pragma once

#include <heddle/multigrid.hpp>

#include "../../testing/backends.hpp"

#ifdef HEDDLE_EMULATED
#define HEDDLE_SHARED_MULTIGRID(EXTERN)                            \
  HEDDLE_MULTIGRID_INSTANCE(EXTERN, ::heddle::test::DefaultDevice, \
                            HEDDLE_MATRIX(double, int, ::heddle::test::DefaultDevice))
HEDDLE_SHARED_MULTIGRID(extern)
template <>
inline constexpr bool heddle::detail::is_defined<heddle::detail::MultigridPlanCore<
    heddle::test::DefaultDevice, HEDDLE_MATRIX(double, int, heddle::test::DefaultDevice)>> = true;
#endif
