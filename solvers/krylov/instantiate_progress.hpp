// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../formats/compiled.hpp"
#include "../vectors/instantiate.hpp"
#include "monitor.hpp"
#ifdef HEDDLE_DEFINITIONS
#include "../vectors/definitions.hpp"
#include "monitor_definitions.hpp"
#endif

/// What the compiled part (compiled.hpp) holds of solvers whose state is a Progress, for a scalar.
#define HEDDLE_PROGRESS_INSTANCES(EXTERN, SCALAR) \
  HEDDLE_EACH_SPACE(HEDDLE_PROGRESS_INSTANCES_ON, EXTERN, SCALAR)
#define HEDDLE_PROGRESS_INSTANCES_ON(EXTERN, SCALAR, EXEC)                                   \
  EXTERN template class heddle::detail::krylov::Monitor<EXEC, SCALAR,                        \
                                                        heddle::detail::krylov::Progress>;   \
  HEDDLE_STREAM_INSTANCE(                                                                    \
      EXTERN, EXEC,                                                                          \
      heddle::detail::krylov::TrueResidual<SCALAR, heddle::detail::krylov::Progress, true>)  \
  HEDDLE_STREAM_INSTANCE(                                                                    \
      EXTERN, EXEC,                                                                          \
      heddle::detail::krylov::TrueResidual<SCALAR, heddle::detail::krylov::Progress, false>) \
  HEDDLE_STREAM_INSTANCE(                                                                    \
      EXTERN, EXEC,                                                                          \
      heddle::detail::krylov::ScaleResidual<SCALAR, heddle::detail::krylov::Progress>)       \
  HEDDLE_STREAM_INSTANCE(                                                                    \
      EXTERN, EXEC,                                                                          \
      heddle::detail::krylov::GiveSolution<SCALAR, heddle::detail::krylov::Progress>)

HEDDLE_EACH_COMPILED_SCALAR(HEDDLE_PROGRESS_INSTANCES, HEDDLE_EXTERN)
