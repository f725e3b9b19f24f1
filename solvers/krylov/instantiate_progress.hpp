// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../formats/compiled.hpp"
#include "../vectors/instantiate.hpp"
#include "monitor.hpp"
#include "projection.hpp"
#include "residual.hpp"
#ifdef HEDDLE_DEFINITIONS
#include "../vectors/definitions.hpp"
#include "monitor_definitions.hpp"
#include "projection_definitions.hpp"
#endif

/// What the compiled part (compiled.hpp) holds of all solvers, for a scalar: of a state, and here
/// of those whose state is a Progress.
#define HEDDLE_PROGRESS_INSTANCES(EXTERN, SCALAR) \
  HEDDLE_EACH_SPACE(HEDDLE_PROGRESS_INSTANCES_ON, EXTERN, SCALAR)
#define HEDDLE_PROGRESS_INSTANCES_ON(EXTERN, SCALAR, EXEC)                \
  EXTERN template class heddle::detail::krylov::Projection<EXEC, SCALAR>; \
  HEDDLE_STATE_INSTANCES(EXTERN, SCALAR, EXEC, heddle::detail::krylov::Progress)
#define HEDDLE_STATE_INSTANCES(EXTERN, SCALAR, EXEC, ...)                                          \
  EXTERN template class heddle::detail::krylov::Monitor<EXEC, SCALAR, __VA_ARGS__>;                \
  HEDDLE_STREAM_INSTANCE(EXTERN, EXEC,                                                             \
                         heddle::detail::krylov::TrueResidual<SCALAR, __VA_ARGS__, true>)          \
  HEDDLE_STREAM_INSTANCE(EXTERN, EXEC,                                                             \
                         heddle::detail::krylov::TrueResidual<SCALAR, __VA_ARGS__, false>)         \
  HEDDLE_STREAM_INSTANCE(EXTERN, EXEC, heddle::detail::krylov::ScaleResidual<SCALAR, __VA_ARGS__>) \
  HEDDLE_STREAM_INSTANCE(EXTERN, EXEC, heddle::detail::krylov::GiveSolution<SCALAR, __VA_ARGS__>)

HEDDLE_EACH_COMPILED_SCALAR(HEDDLE_PROGRESS_INSTANCES, HEDDLE_EXTERN)
