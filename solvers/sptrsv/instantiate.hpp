// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../formats/compiled.hpp"
#include "core.hpp"
#include "without_plan.hpp"
#ifdef HEDDLE_DEFINITIONS
#include "definitions.hpp"
#endif

/// What the compiled part (compiled.hpp) holds of triangular solves: all that a plan does, for a
/// scalar.
#define HEDDLE_SPTRSV_INSTANCES(EXTERN, SCALAR) \
  HEDDLE_EACH_SPACE(HEDDLE_SPTRSV_INSTANCES_ON, EXTERN, SCALAR)
#define HEDDLE_SPTRSV_INSTANCES_ON(EXTERN, SCALAR, EXEC)       \
  EXTERN template class heddle::SptrsvWorkspace<EXEC, SCALAR>; \
  HEDDLE_SPTRSV_INSTANCE(EXTERN, SCALAR, int, EXEC)            \
  HEDDLE_SPTRSV_INSTANCE(EXTERN, SCALAR, std::int64_t, EXEC)
#define HEDDLE_SPTRSV_INSTANCE(EXTERN, SCALAR, OFFSET, EXEC)                                      \
  EXTERN template class heddle::detail::SptrsvPlanCore<EXEC, HEDDLE_MATRIX(SCALAR, OFFSET, EXEC), \
                                                       SCALAR, SCALAR>;                           \
  EXTERN template void heddle::detail::sptrsv::solve_without_plan(                                \
      const EXEC&, SCALAR, const HEDDLE_MATRIX(SCALAR, OFFSET, EXEC)&,                            \
      const ::heddle::Multivector<const SCALAR>&, const ::heddle::Multivector<SCALAR>&,           \
      const ::heddle::SptrsvWorkspace<EXEC, SCALAR>&, const ::heddle::SptrsvOptions&);

HEDDLE_EACH_COMPILED_SCALAR(HEDDLE_SPTRSV_INSTANCES, HEDDLE_EXTERN)
