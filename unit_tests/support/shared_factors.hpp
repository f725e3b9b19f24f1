// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Incomplete factors on an emulated device: shared_solvers.cpp compiles them once for all programs
// of its width. Elsewhere Heddle's compiled part has them.
#pragma once

#include <heddle/ilu.hpp>

#include "../../testing/backends.hpp"

#ifdef HEDDLE_EMULATED
#define HEDDLE_SHARED_FACTORS_OF(EXTERN, ROW, KEPT) \
  HEDDLE_FACTORS_INSTANCE(EXTERN, ROW, double, KEPT, int, ::heddle::test::DefaultDevice)
#define HEDDLE_SHARED_FACTORS(EXTERN)                    \
  HEDDLE_SHARED_FACTORS_OF(EXTERN, EliminateRow, double) \
  HEDDLE_SHARED_FACTORS_OF(EXTERN, EliminateRow, float)  \
  HEDDLE_SHARED_FACTORS_OF(EXTERN, CholeskyRow, double)  \
  HEDDLE_SHARED_FACTORS_OF(EXTERN, CholeskyRow, float)
HEDDLE_SHARED_FACTORS(extern)
template <template <class> class Row>
inline constexpr bool heddle::detail::is_defined<heddle::detail::FactorPlan<
    heddle::test::DefaultDevice, HEDDLE_MATRIX(double, int, heddle::test::DefaultDevice), Row>> =
    true;
#endif
