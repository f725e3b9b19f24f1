// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../formats/compiled.hpp"
#include "core.hpp"

/// What the compiled part (compiled.hpp) holds of triangular solves: all that a plan does, for a
/// scalar.
#define HEDDLE_SPTRSV_INSTANCES(EXTERN, SCALAR) \
  HEDDLE_EACH_SPACE(HEDDLE_SPTRSV_INSTANCES_ON, EXTERN, SCALAR)
#define HEDDLE_SPTRSV_INSTANCES_ON(EXTERN, SCALAR, EXEC) \
  HEDDLE_SPTRSV_INSTANCE(EXTERN, SCALAR, int, EXEC)      \
  HEDDLE_SPTRSV_INSTANCE(EXTERN, SCALAR, std::int64_t, EXEC)
#define HEDDLE_SPTRSV_INSTANCE(EXTERN, SCALAR, OFFSET, EXEC)                                      \
  EXTERN template class heddle::detail::SptrsvPlanCore<EXEC, HEDDLE_MATRIX(SCALAR, OFFSET, EXEC), \
                                                       SCALAR, SCALAR>;

HEDDLE_EACH_COMPILED_SCALAR(HEDDLE_SPTRSV_INSTANCES, HEDDLE_EXTERN)
