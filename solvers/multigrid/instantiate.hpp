// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../formats/compiled.hpp"
#include "core.hpp"
#ifdef HEDDLE_DEFINITIONS
#include "definitions.hpp"
#endif

/// What the compiled part (compiled.hpp) holds of multigrid: all that a plan does, for a scalar.
#define HEDDLE_MULTIGRID_INSTANCES(EXTERN, SCALAR) \
  HEDDLE_EACH_SPACE(HEDDLE_MULTIGRID_INSTANCES_ON, EXTERN, SCALAR)
#define HEDDLE_MULTIGRID_INSTANCES_ON(EXTERN, SCALAR, EXEC)                 \
  HEDDLE_MULTIGRID_INSTANCE(EXTERN, EXEC, HEDDLE_MATRIX(SCALAR, int, EXEC)) \
  HEDDLE_MULTIGRID_INSTANCE(EXTERN, EXEC, HEDDLE_MATRIX(SCALAR, std::int64_t, EXEC))
#define HEDDLE_MULTIGRID_INSTANCE(EXTERN, EXEC, ...) \
  EXTERN template class heddle::detail::MultigridPlanCore<EXEC, __VA_ARGS__>;
/// The same of hierarchies in float, for a scalar of twice the size.
#define HEDDLE_MULTIGRID_IN_FLOAT_INSTANCES(EXTERN, SCALAR) \
  HEDDLE_EACH_SPACE(HEDDLE_MULTIGRID_IN_FLOAT_INSTANCES_ON, EXTERN, SCALAR)
#define HEDDLE_MULTIGRID_IN_FLOAT_INSTANCES_ON(EXTERN, SCALAR, EXEC)                 \
  HEDDLE_MULTIGRID_IN_FLOAT_INSTANCE(EXTERN, EXEC, HEDDLE_MATRIX(SCALAR, int, EXEC)) \
  HEDDLE_MULTIGRID_IN_FLOAT_INSTANCE(EXTERN, EXEC, HEDDLE_MATRIX(SCALAR, std::int64_t, EXEC))
#define HEDDLE_MULTIGRID_IN_FLOAT_INSTANCE(EXTERN, EXEC, ...)                                     \
  EXTERN template std::unique_ptr<heddle::detail::multigrid::HierarchyInFloat<EXEC, __VA_ARGS__>> \
  heddle::detail::multigrid::make_in_float<EXEC, __VA_ARGS__>(                                    \
      const EXEC&, const __VA_ARGS__&,                                                            \
      const ::heddle::Multivector<const typename __VA_ARGS__::scalar_type>&,                      \
      const ::heddle::MultigridOptions&);

HEDDLE_EACH_COMPILED_SCALAR(HEDDLE_MULTIGRID_INSTANCES, HEDDLE_EXTERN)
HEDDLE_IF_COMPILED_DOUBLE(HEDDLE_MULTIGRID_IN_FLOAT_INSTANCES(HEDDLE_EXTERN, double))
HEDDLE_IF_COMPILED_CDOUBLE(HEDDLE_MULTIGRID_IN_FLOAT_INSTANCES(HEDDLE_EXTERN,
                                                               ::Kokkos::complex<double>))
