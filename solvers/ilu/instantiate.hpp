// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../formats/compiled.hpp"
#include "factor_plan.hpp"
#ifdef HEDDLE_DEFINITIONS
#include "definitions.hpp"
#endif

/// What the compiled part (compiled.hpp) holds of incomplete factors: all that plans do, for
/// factors that are stored in the matrix's scalar; and stored in float, for a scalar of double.
#define HEDDLE_ILU_INSTANCES(EXTERN, SCALAR) \
  HEDDLE_EACH_SPACE(HEDDLE_FACTORS_INSTANCES_ON, EXTERN, EliminateRow, SCALAR, SCALAR)
#define HEDDLE_IC_INSTANCES(EXTERN, SCALAR) \
  HEDDLE_EACH_SPACE(HEDDLE_FACTORS_INSTANCES_ON, EXTERN, CholeskyRow, SCALAR, SCALAR)
#define HEDDLE_FACTORS_IN_FLOAT_INSTANCES(EXTERN, SCALAR)                      \
  HEDDLE_EACH_SPACE(HEDDLE_FACTORS_INSTANCES_ON, EXTERN, EliminateRow, SCALAR, \
                    heddle::detail::InFloat<SCALAR>)                           \
  HEDDLE_EACH_SPACE(HEDDLE_FACTORS_INSTANCES_ON, EXTERN, CholeskyRow, SCALAR,  \
                    heddle::detail::InFloat<SCALAR>)
#define HEDDLE_FACTORS_INSTANCES_ON(EXTERN, ROW, SCALAR, STORED, EXEC) \
  HEDDLE_FACTORS_INSTANCE(EXTERN, ROW, SCALAR, STORED, int, EXEC)      \
  HEDDLE_FACTORS_INSTANCE(EXTERN, ROW, SCALAR, STORED, std::int64_t, EXEC)
#define HEDDLE_FACTORS_INSTANCE(EXTERN, ROW, SCALAR, STORED, OFFSET, EXEC)             \
  EXTERN template std::unique_ptr<                                                     \
      heddle::detail::ilu::AnyFactors<EXEC, HEDDLE_MATRIX(SCALAR, OFFSET, EXEC)>>      \
  heddle::detail::ilu::make_factors<EXEC, HEDDLE_MATRIX(SCALAR, OFFSET, EXEC), STORED, \
                                    heddle::detail::ilu::ROW>(                         \
      const EXEC&, const HEDDLE_MATRIX(SCALAR, OFFSET, EXEC)&, const heddle::IluOptions&);

HEDDLE_EACH_COMPILED_SCALAR(HEDDLE_ILU_INSTANCES, HEDDLE_EXTERN)
HEDDLE_EACH_COMPILED_SCALAR(HEDDLE_IC_INSTANCES, HEDDLE_EXTERN)
HEDDLE_IF_COMPILED_DOUBLE(HEDDLE_FACTORS_IN_FLOAT_INSTANCES(HEDDLE_EXTERN, double))
HEDDLE_IF_COMPILED_CDOUBLE(HEDDLE_FACTORS_IN_FLOAT_INSTANCES(HEDDLE_EXTERN,
                                                             ::Kokkos::complex<double>))
