// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../formats/compiled.hpp"
#include "block_jacobi.hpp"
#include "jacobi.hpp"
#ifdef HEDDLE_DEFINITIONS
#include "../vectors/definitions.hpp"
#include "block_jacobi_definitions.hpp"
#include "jacobi_definitions.hpp"
#endif

/// What the compiled part (compiled.hpp) holds of Jacobi's preconditioner and that of blocks, for a
/// scalar.
#define HEDDLE_JACOBI_INSTANCES(EXTERN, SCALAR) \
  HEDDLE_EACH_SPACE(HEDDLE_JACOBI_INSTANCES_ON, EXTERN, SCALAR)
#define HEDDLE_JACOBI_INSTANCES_ON(EXTERN, SCALAR, EXEC)                         \
  EXTERN template class heddle::JacobiPreconditioner<EXEC, SCALAR>;              \
  EXTERN template class heddle::BlockJacobiPreconditioner<EXEC, SCALAR>;         \
  HEDDLE_JACOBI_INSTANCE(EXTERN, SCALAR, EXEC, HEDDLE_MATRIX(SCALAR, int, EXEC)) \
  HEDDLE_JACOBI_INSTANCE(EXTERN, SCALAR, EXEC, HEDDLE_MATRIX(SCALAR, std::int64_t, EXEC))
#define HEDDLE_JACOBI_INSTANCE(EXTERN, SCALAR, EXEC, ...)                                       \
  EXTERN template void heddle::detail::krylov::invert_diagonal(const EXEC&, const __VA_ARGS__&, \
                                                               SCALAR*, std::int64_t*);         \
  EXTERN template void heddle::detail::krylov::invert_diagonal_blocks(                          \
      const EXEC&, const __VA_ARGS__&, int, SCALAR*, std::int64_t*);

HEDDLE_EACH_COMPILED_SCALAR(HEDDLE_JACOBI_INSTANCES, HEDDLE_EXTERN)
