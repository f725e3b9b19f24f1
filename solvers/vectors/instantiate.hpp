// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../formats/compiled.hpp"
#include "dots.hpp"
#include "inner_products.hpp"
#include "updates.hpp"
#ifdef HEDDLE_DEFINITIONS
#include "definitions.hpp"
#endif

/// What the compiled part (compiled.hpp) holds of operations on vectors: their launches, for a
/// scalar in which is added up too.
#define HEDDLE_VECTORS_INSTANCES(EXTERN, SCALAR) \
  HEDDLE_EACH_SPACE(HEDDLE_VECTORS_INSTANCES_ON, EXTERN, SCALAR)
#define HEDDLE_STREAM_INSTANCE(EXTERN, EXEC, ...)                            \
  EXTERN template void heddle::detail::vectors::stream(                      \
      const EXEC&, const char*, std::int64_t, int, bool, const __VA_ARGS__&, \
      const ::heddle::VectorWorkspace<EXEC, typename __VA_ARGS__::accumulator_type>*);
#define HEDDLE_VECTORS_INSTANCES_ON(EXTERN, SCALAR, EXEC)                                          \
  HEDDLE_STREAM_INSTANCE(EXTERN, EXEC, heddle::vectors::passes::Axpby<SCALAR, SCALAR>)             \
  HEDDLE_STREAM_INSTANCE(EXTERN, EXEC, heddle::vectors::passes::Advance<SCALAR, SCALAR>)           \
  HEDDLE_STREAM_INSTANCE(EXTERN, EXEC, heddle::vectors::passes::Dot<SCALAR, SCALAR>)               \
  HEDDLE_STREAM_INSTANCE(EXTERN, EXEC, heddle::vectors::passes::Norm<SCALAR, SCALAR, false, true>) \
  HEDDLE_STREAM_INSTANCE(EXTERN, EXEC,                                                             \
                         heddle::vectors::passes::Norm<SCALAR, SCALAR, false, false>)              \
  HEDDLE_STREAM_INSTANCE(EXTERN, EXEC, heddle::vectors::passes::Norm<SCALAR, SCALAR, true, true>)  \
  HEDDLE_PRODUCTS_INSTANCE(EXTERN, SCALAR, SCALAR, EXEC)
#define HEDDLE_PRODUCTS_INSTANCE(EXTERN, SCALAR, SUM, EXEC)                              \
  EXTERN template void heddle::detail::vectors::launch_inner_products(                   \
      const EXEC&, const ::heddle::Multivector<const SCALAR>&,                           \
      const ::heddle::Multivector<const SCALAR>&,                                        \
      const heddle::detail::vectors::SmallMatrix<SUM>&,                                  \
      const heddle::detail::team_sums::Partials<SUM>&);                                  \
  EXTERN template void heddle::detail::vectors::launch_combinations(                     \
      const EXEC&, const ::heddle::Multivector<const SCALAR>&,                           \
      const heddle::detail::vectors::SmallMatrix<const SUM>&,                            \
      const ::heddle::Multivector<SCALAR>&, const heddle::detail::vectors::Factor<SUM>&, \
      const heddle::detail::vectors::Factor<SUM>&, const int*);

HEDDLE_EACH_COMPILED_SCALAR(HEDDLE_VECTORS_INSTANCES, HEDDLE_EXTERN)
