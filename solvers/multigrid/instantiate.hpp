// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../formats/compiled.hpp"
#include "core.hpp"
#ifdef HEDDLE_DEFINITIONS
#include "definitions.hpp"
#endif

/// What the compiled part (compiled.hpp) holds of multigrid: all that a plan does, for a scalar.
#define HEDDLE_MULTIGRID_INSTANCES(EXTERN, SCALAR) \
  HEDDLE_EACH_SPACE(HEDDLE_MULTIGRID_INSTANCES_ON, EXTERN, SCALAR)
#define HEDDLE_MULTIGRID_INSTANCES_ON(EXTERN, SCALAR, EXEC)                 \
  HEDDLE_MULTIGRID_INSTANCE(EXTERN, EXEC, HEDDLE_MATRIX(SCALAR, int, EXEC)) \
  HEDDLE_MULTIGRID_INSTANCE(EXTERN, EXEC, HEDDLE_MATRIX(SCALAR, std::int64_t, EXEC))
#define HEDDLE_MULTIGRID_INSTANCE(EXTERN, EXEC, ...) \
  EXTERN template class heddle::detail::MultigridPlanCore<EXEC, __VA_ARGS__>;

HEDDLE_EACH_COMPILED_SCALAR(HEDDLE_MULTIGRID_INSTANCES, HEDDLE_EXTERN)
