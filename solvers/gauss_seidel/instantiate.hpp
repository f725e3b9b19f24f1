// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../formats/compiled.hpp"
#include "core.hpp"
#ifdef HEDDLE_DEFINITIONS
#include "definitions.hpp"
#endif

/// What the compiled part (compiled.hpp) holds of Gauss-Seidel: all that a plan does, for a scalar.
#define HEDDLE_GAUSS_SEIDEL_INSTANCES(EXTERN, SCALAR) \
  HEDDLE_EACH_SPACE(HEDDLE_GAUSS_SEIDEL_INSTANCES_ON, EXTERN, SCALAR)
#define HEDDLE_GAUSS_SEIDEL_INSTANCES_ON(EXTERN, SCALAR, EXEC) \
  HEDDLE_GAUSS_SEIDEL_INSTANCE(EXTERN, SCALAR, int, EXEC)      \
  HEDDLE_GAUSS_SEIDEL_INSTANCE(EXTERN, SCALAR, std::int64_t, EXEC)
#define HEDDLE_GAUSS_SEIDEL_INSTANCE(EXTERN, SCALAR, OFFSET, EXEC)     \
  HEDDLE_GAUSS_SEIDEL_INSTANCE_OF(EXTERN, EXEC, ::heddle::EveryFormat, \
                                  HEDDLE_MATRIX(SCALAR, OFFSET, EXEC))
#define HEDDLE_GAUSS_SEIDEL_INSTANCE_OF(EXTERN, EXEC, LIST, ...)                               \
  EXTERN template class heddle::detail::GaussSeidelPlanCore<EXEC, __VA_ARGS__>;                \
  EXTERN template std::unique_ptr<::heddle::detail::gauss_seidel::Executor<EXEC, __VA_ARGS__>> \
  heddle::detail::gauss_seidel::make_split<EXEC, __VA_ARGS__, LIST>(                           \
      const EXEC&, const __VA_ARGS__&, const ::heddle::GaussSeidelOptions&);

HEDDLE_EACH_COMPILED_SCALAR(HEDDLE_GAUSS_SEIDEL_INSTANCES, HEDDLE_EXTERN)
