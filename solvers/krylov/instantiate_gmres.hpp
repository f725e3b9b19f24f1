// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../formats/compiled.hpp"
#include "../vectors/instantiate.hpp"
#include "gmres.hpp"
#include "instantiate_progress.hpp"
#ifdef HEDDLE_DEFINITIONS
#include "gmres_definitions.hpp"
#endif

/// What the compiled part (compiled.hpp) holds of GMRES, for a scalar: all but the loop over an
/// operator and a preconditioner.
#define HEDDLE_GMRES_INSTANCES(EXTERN, SCALAR) \
  HEDDLE_EACH_SPACE(HEDDLE_GMRES_INSTANCES_ON, EXTERN, SCALAR)
#define HEDDLE_GMRES_INSTANCES_ON(EXTERN, SCALAR, EXEC) \
  EXTERN template class heddle::GmresSolver<EXEC, SCALAR>;

HEDDLE_EACH_COMPILED_SCALAR(HEDDLE_GMRES_INSTANCES, HEDDLE_EXTERN)
