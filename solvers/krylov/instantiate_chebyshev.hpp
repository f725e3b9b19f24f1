// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../formats/compiled.hpp"
#include "../vectors/instantiate.hpp"
#include "chebyshev.hpp"
#include "instantiate_progress.hpp"
#ifdef HEDDLE_DEFINITIONS
#include "chebyshev_definitions.hpp"
#endif

/// What the compiled part (compiled.hpp) holds of Chebyshev's iteration, for a scalar: all but the
/// loop over an operator and a preconditioner.
#define HEDDLE_CHEBYSHEV_INSTANCES(EXTERN, SCALAR) \
  HEDDLE_EACH_SPACE(HEDDLE_CHEBYSHEV_INSTANCES_ON, EXTERN, SCALAR)
#define HEDDLE_CHEBYSHEV_INSTANCES_ON(EXTERN, SCALAR, EXEC)    \
  EXTERN template class heddle::ChebyshevSolver<EXEC, SCALAR>; \
  HEDDLE_CHEBYSHEV_PASSES(EXTERN, SCALAR, not_at_all, EXEC)    \
  HEDDLE_CHEBYSHEV_PASSES(EXTERN, SCALAR, by_diagonal, EXEC)   \
  HEDDLE_CHEBYSHEV_PASSES(EXTERN, SCALAR, by_operator, EXEC)
#define HEDDLE_CHEBYSHEV_PASSES(EXTERN, SCALAR, HOW, EXEC)                                       \
  HEDDLE_STREAM_INSTANCE(                                                                        \
      EXTERN, EXEC,                                                                              \
      heddle::detail::krylov::ChebyshevStep<SCALAR, heddle::detail::krylov::Preconditioned::HOW, \
                                            true>)                                               \
  HEDDLE_STREAM_INSTANCE(                                                                        \
      EXTERN, EXEC,                                                                              \
      heddle::detail::krylov::ChebyshevStep<SCALAR, heddle::detail::krylov::Preconditioned::HOW, \
                                            false>)                                              \
  HEDDLE_STREAM_INSTANCE(                                                                        \
      EXTERN, EXEC,                                                                              \
      heddle::detail::krylov::ChebyshevDirection<SCALAR,                                         \
                                                 heddle::detail::krylov::Preconditioned::HOW>)

HEDDLE_EACH_COMPILED_SCALAR(HEDDLE_CHEBYSHEV_INSTANCES, HEDDLE_EXTERN)
