// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../formats/compiled.hpp"
#include "../vectors/instantiate.hpp"
#include "cg.hpp"
#include "instantiate_progress.hpp"
#ifdef HEDDLE_DEFINITIONS
#include "cg_definitions.hpp"
#endif

/// What the compiled part (compiled.hpp) holds of conjugate gradients, for a scalar: all but the
/// loop over an operator and a preconditioner.
#define HEDDLE_CG_INSTANCES(EXTERN, SCALAR) \
  HEDDLE_EACH_SPACE(HEDDLE_CG_INSTANCES_ON, EXTERN, SCALAR)
#define HEDDLE_CG_INSTANCES_ON(EXTERN, SCALAR, EXEC)                                             \
  EXTERN template class heddle::CgSolver<EXEC, SCALAR>;                                          \
  HEDDLE_STATE_INSTANCES(EXTERN, SCALAR, EXEC, heddle::detail::krylov::CgState)                  \
  HEDDLE_STREAM_INSTANCE(EXTERN, EXEC, heddle::detail::krylov::CgCurvature<SCALAR>)              \
  HEDDLE_STREAM_INSTANCE(EXTERN, EXEC, heddle::detail::krylov::CgRho<SCALAR>)                    \
  HEDDLE_CG_PASSES(EXTERN, SCALAR, not_at_all, EXEC)                                             \
  HEDDLE_CG_PASSES(EXTERN, SCALAR, by_diagonal, EXEC)                                            \
  HEDDLE_CG_PASSES(EXTERN, SCALAR, by_operator, EXEC)                                            \
  EXTERN template std::optional<::heddle::Scheme>                                                \
  heddle::detail::krylov::cg_in_one_launch<EXEC, SCALAR>(const ::heddle::Device&,                \
                                                         const std::optional<::heddle::Scheme>&, \
                                                         std::int64_t, std::int64_t);            \
  HEDDLE_CG_IN_ONE_LAUNCH(EXTERN, SCALAR, not_at_all, EXEC, HEDDLE_MATRIX(SCALAR, int, EXEC))    \
  HEDDLE_CG_IN_ONE_LAUNCH(EXTERN, SCALAR, not_at_all, EXEC,                                      \
                          HEDDLE_MATRIX(SCALAR, std::int64_t, EXEC))                             \
  HEDDLE_CG_IN_ONE_LAUNCH(EXTERN, SCALAR, by_diagonal, EXEC, HEDDLE_MATRIX(SCALAR, int, EXEC))   \
  HEDDLE_CG_IN_ONE_LAUNCH(EXTERN, SCALAR, by_diagonal, EXEC,                                     \
                          HEDDLE_MATRIX(SCALAR, std::int64_t, EXEC))
#define HEDDLE_CG_PASSES(EXTERN, SCALAR, HOW, EXEC)                                            \
  HEDDLE_STREAM_INSTANCE(                                                                      \
      EXTERN, EXEC,                                                                            \
      heddle::detail::krylov::CgRestart<SCALAR, heddle::detail::krylov::Preconditioned::HOW>)  \
  HEDDLE_STREAM_INSTANCE(                                                                      \
      EXTERN, EXEC,                                                                            \
      heddle::detail::krylov::CgResidual<SCALAR, heddle::detail::krylov::Preconditioned::HOW>) \
  HEDDLE_STREAM_INSTANCE(                                                                      \
      EXTERN, EXEC,                                                                            \
      heddle::detail::krylov::CgDirections<SCALAR, heddle::detail::krylov::Preconditioned::HOW>)
#define HEDDLE_CG_IN_ONE_LAUNCH(EXTERN, SCALAR, HOW, EXEC, ...)                     \
  EXTERN template void                                                              \
  heddle::detail::krylov::launch_cg<heddle::detail::krylov::Preconditioned::HOW>(   \
      const EXEC&, const ::heddle::Scheme&, const ::heddle::Device&,                \
      const heddle::detail::krylov::CgProblem<SCALAR, __VA_ARGS__>&,                \
      const heddle::detail::krylov::CgVectors<SCALAR*>&,                            \
      const ::heddle::VectorWorkspace<EXEC, heddle::detail::krylov::Wide<SCALAR>>&, \
      const ::heddle::backends::MeetingWords&);

HEDDLE_EACH_COMPILED_SCALAR(HEDDLE_CG_INSTANCES, HEDDLE_EXTERN)
