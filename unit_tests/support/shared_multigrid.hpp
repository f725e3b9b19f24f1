// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Multigrid on an emulated device: shared_multigrid.cpp compiles it once for all programs of its
// width. Elsewhere Heddle's compiled part has it.
#pragma once

#include <heddle/multigrid.hpp>

#include "../../testing/backends.hpp"

#ifdef HEDDLE_EMULATED
#define HEDDLE_SHARED_MULTIGRID_MATRIX HEDDLE_MATRIX(double, int, ::heddle::test::DefaultDevice)
#define HEDDLE_SHARED_MULTIGRID(EXTERN)                                                            \
  HEDDLE_MULTIGRID_INSTANCE(EXTERN, ::heddle::test::DefaultDevice, HEDDLE_SHARED_MULTIGRID_MATRIX) \
  HEDDLE_SPECTRUM_INSTANCE(EXTERN, ::heddle::test::DefaultDevice, HEDDLE_SHARED_MULTIGRID_MATRIX)
HEDDLE_SHARED_MULTIGRID(extern)
template <>
inline constexpr bool heddle::detail::is_defined<heddle::detail::multigrid::Hierarchy<
    heddle::test::DefaultDevice, HEDDLE_SHARED_MULTIGRID_MATRIX>> = true;
template <>
inline constexpr bool heddle::detail::is_defined<heddle::detail::spectrum::LargestEigenvalue<
    heddle::test::DefaultDevice, HEDDLE_SHARED_MULTIGRID_MATRIX>> = true;
#endif
