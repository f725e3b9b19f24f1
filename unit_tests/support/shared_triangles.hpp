// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Triangular solves on an emulated device: shared_solvers.cpp compiles them once for all programs
// of its width. Elsewhere Heddle's compiled part has them.
#pragma once

#include <heddle/sptrsv.hpp>

#include "../../testing/backends.hpp"

#ifdef HEDDLE_EMULATED
#define HEDDLE_SHARED_TRIANGLE_CORE                                                         \
  heddle::detail::SptrsvPlanCore<::heddle::test::DefaultDevice,                             \
                                 HEDDLE_MATRIX(double, int, ::heddle::test::DefaultDevice), \
                                 double, double>
#define HEDDLE_SHARED_TRIANGLES(EXTERN) EXTERN template class HEDDLE_SHARED_TRIANGLE_CORE;
HEDDLE_SHARED_TRIANGLES(extern)
template <>
inline constexpr bool heddle::detail::is_defined<HEDDLE_SHARED_TRIANGLE_CORE> = true;
#endif
