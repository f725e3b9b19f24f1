// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two formats, so that the demo builds fast. Their plans are compiled once, in instances/; if a
// compiled part of Heddle is linked, that has them all.
#pragma once

#include <heddle/spmv.hpp>

#include "arrays.hpp"

namespace demo {

using FewFormats = heddle::Formats<heddle::CsrFormat, heddle::BcsrFormat>;

}  // namespace demo

#define DEMO_FORMAT(EXTERN, FORMAT) \
  HEDDLE_FORMAT_INSTANCE(EXTERN, heddle::FORMAT, double, int, demo::Exec)
#define DEMO_PLAN(EXTERN)                             \
  EXTERN template class heddle::detail::SpmvPlanCore< \
      demo::Exec, HEDDLE_MATRIX(double, int, demo::Exec), double, double>;
#define DEMO_PATTERN(EXTERN) HEDDLE_PATTERN_INSTANCE(EXTERN, int, int, demo::Exec)
#define DEMO_CHOICE(EXTERN)                        \
  HEDDLE_CHOICE_INSTANCES(EXTERN)                  \
  HEDDLE_RULES_INSTANCE(EXTERN, heddle::CsrFormat) \
  HEDDLE_RULES_INSTANCE(EXTERN, heddle::BcsrFormat)

#ifndef HEDDLE_COMPILED
DEMO_FORMAT(extern, CsrFormat)
DEMO_FORMAT(extern, BcsrFormat)
DEMO_PLAN(extern)
DEMO_PATTERN(extern)
DEMO_CHOICE(extern)
#endif
