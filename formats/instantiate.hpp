// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../backends/algorithms/team_sums_workspace.hpp"
#include "compiled.hpp"
#include "csr/without_plan.hpp"
#include "inspect/pattern.hpp"
#include "plan/core.hpp"
#ifdef HEDDLE_DEFINITIONS
#include "csr/apply_without_plan.hpp"
#include "definitions.hpp"
#endif

/// Instances in the compiled part besides the formats (compiled.hpp): the code of plans for a
/// scalar, for any formats; functions of a pattern only; and functions of no type. An operation
/// adds its instances here; such functions must not be inline, so not defined in a class.
#define HEDDLE_PLAN_INSTANCES(EXTERN, SCALAR) \
  HEDDLE_EACH_SPACE(HEDDLE_PLAN_INSTANCES_ON, EXTERN, SCALAR)
#define HEDDLE_PLAN_INSTANCES_ON(EXTERN, SCALAR, EXEC)         \
  EXTERN template class heddle::VectorWorkspace<EXEC, SCALAR>; \
  HEDDLE_PLAN_INSTANCE(EXTERN, SCALAR, int, EXEC)              \
  HEDDLE_PLAN_INSTANCE(EXTERN, SCALAR, std::int64_t, EXEC)
#define HEDDLE_PLAN_INSTANCE(EXTERN, SCALAR, OFFSET, EXEC)                                      \
  EXTERN template class heddle::detail::SpmvPlanCore<EXEC, HEDDLE_MATRIX(SCALAR, OFFSET, EXEC), \
                                                     SCALAR, SCALAR>;

#define HEDDLE_WITHOUT_PLAN_INSTANCES(EXTERN, SCALAR) \
  HEDDLE_EACH_SPACE(HEDDLE_WITHOUT_PLAN_INSTANCES_ON, EXTERN, SCALAR)
#define HEDDLE_WITHOUT_PLAN_INSTANCES_ON(EXTERN, SCALAR, EXEC) \
  HEDDLE_WITHOUT_PLAN_INSTANCE(EXTERN, SCALAR, int, EXEC)      \
  HEDDLE_WITHOUT_PLAN_INSTANCE(EXTERN, SCALAR, std::int64_t, EXEC)
#define HEDDLE_WITHOUT_PLAN_INSTANCE(EXTERN, SCALAR, OFFSET, EXEC)                              \
  EXTERN template void heddle::detail::csr::apply_without_plan(                                 \
      const EXEC&, ::heddle::Op, SCALAR, const HEDDLE_MATRIX(SCALAR, OFFSET, EXEC)&,            \
      const ::heddle::Multivector<const SCALAR>&, SCALAR, const ::heddle::Multivector<SCALAR>&, \
      ::heddle::RowLengths);

#define HEDDLE_PATTERN_INSTANCES(EXTERN) HEDDLE_EACH_SPACE(HEDDLE_PATTERN_INSTANCES_ON, EXTERN)
#define HEDDLE_PATTERN_INSTANCES_ON(EXTERN, EXEC) \
  HEDDLE_PATTERN_INSTANCE(EXTERN, int, int, EXEC) \
  HEDDLE_PATTERN_INSTANCE(EXTERN, int, std::int64_t, EXEC)
#define HEDDLE_PATTERN(ORDINAL, OFFSET, EXEC) \
  ::heddle::CsrPattern<ORDINAL, OFFSET, EXEC::memory_space>
#define HEDDLE_PATTERN_INSTANCE(EXTERN, ORDINAL, OFFSET, EXEC)                                  \
  EXTERN template ::heddle::RowFeatures heddle::row_features(                                   \
      const EXEC&, const HEDDLE_PATTERN(ORDINAL, OFFSET, EXEC)&, ::heddle::Check);              \
  EXTERN template void heddle::check_csr(const EXEC&,                                           \
                                         const HEDDLE_PATTERN(ORDINAL, OFFSET, EXEC)&);         \
  EXTERN template void heddle::check_columns(const EXEC&,                                       \
                                             const HEDDLE_PATTERN(ORDINAL, OFFSET, EXEC)&);     \
  EXTERN template ::heddle::PatternFeatures heddle::pattern_features(                           \
      const EXEC&, const HEDDLE_PATTERN(ORDINAL, OFFSET, EXEC)&, const ::heddle::RowFeatures&); \
  EXTERN template ::heddle::PatternFeatures heddle::pattern_features(                           \
      const EXEC&, const HEDDLE_PATTERN(ORDINAL, OFFSET, EXEC)&);                               \
  EXTERN template std::int64_t heddle::estimated_blocks(                                        \
      const EXEC&, const HEDDLE_PATTERN(ORDINAL, OFFSET, EXEC)&, int, int, std::int64_t);       \
  EXTERN template ::heddle::Features heddle::features_of(                                       \
      const EXEC&, const HEDDLE_PATTERN(ORDINAL, OFFSET, EXEC)&, const ::heddle::RowFeatures&,  \
      ::heddle::Check);                                                                         \
  EXTERN template void heddle::check_promises(                                                  \
      const EXEC&, const HEDDLE_PATTERN(ORDINAL, OFFSET, EXEC)&, const ::heddle::Promises&);

#define HEDDLE_CHOICE_INSTANCES(EXTERN)                                                    \
  EXTERN template void heddle::detail::settle(                                             \
      const ::heddle::AnyFormats&, std::vector<::heddle::RankedScheme>&, std::size_t,      \
      const ::heddle::Features&, const ::heddle::Device&, const ::heddle::ChooseOptions&); \
  EXTERN template std::vector<::heddle::RankedScheme> heddle::detail::rank(                \
      const ::heddle::AnyFormats&, const ::heddle::Features&, const ::heddle::Device&,     \
      const ::heddle::ChooseOptions&);

HEDDLE_EACH_COMPILED_SCALAR(HEDDLE_PLAN_INSTANCES, HEDDLE_EXTERN)
HEDDLE_EACH_COMPILED_SCALAR(HEDDLE_WITHOUT_PLAN_INSTANCES, HEDDLE_EXTERN)
HEDDLE_IF_COMPILED(HEDDLE_PATTERN_INSTANCES(HEDDLE_EXTERN))
HEDDLE_IF_COMPILED(HEDDLE_CHOICE_INSTANCES(HEDDLE_EXTERN))
