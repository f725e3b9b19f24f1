// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../formats/compiled.hpp"
#include "../vectors/instantiate.hpp"
#include "bicgstab.hpp"
#include "instantiate_progress.hpp"
#ifdef HEDDLE_DEFINITIONS
#include "bicgstab_definitions.hpp"
#endif

/// What the compiled part (compiled.hpp) holds of BiCGStab, for a scalar: all but the loop over an
/// operator and a preconditioner.
#define HEDDLE_BICGSTAB_INSTANCES(EXTERN, SCALAR) \
  HEDDLE_EACH_SPACE(HEDDLE_BICGSTAB_INSTANCES_ON, EXTERN, SCALAR)
#define HEDDLE_BICGSTAB_INSTANCES_ON(EXTERN, SCALAR, EXEC)                                    \
  EXTERN template class heddle::BicgstabSolver<EXEC, SCALAR>;                                 \
  HEDDLE_STATE_INSTANCES(EXTERN, SCALAR, EXEC, heddle::detail::krylov::BicgstabState<SCALAR>) \
  HEDDLE_STREAM_INSTANCE(EXTERN, EXEC, heddle::detail::krylov::BicgstabRestart<SCALAR>)       \
  HEDDLE_STREAM_INSTANCE(EXTERN, EXEC, heddle::detail::krylov::BicgstabDirection<SCALAR>)     \
  HEDDLE_STREAM_INSTANCE(EXTERN, EXEC, heddle::detail::krylov::BicgstabAlpha<SCALAR>)         \
  HEDDLE_STREAM_INSTANCE(EXTERN, EXEC, heddle::detail::krylov::BicgstabHalf<SCALAR>)          \
  HEDDLE_STREAM_INSTANCE(EXTERN, EXEC, heddle::detail::krylov::BicgstabOmega<SCALAR>)         \
  HEDDLE_STREAM_INSTANCE(EXTERN, EXEC, heddle::detail::krylov::BicgstabUpdate<SCALAR>)

HEDDLE_EACH_COMPILED_SCALAR(HEDDLE_BICGSTAB_INSTANCES, HEDDLE_EXTERN)
