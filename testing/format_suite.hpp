// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All guarantees of a format of SpMV, as tests by doctest. A test program of a format is
//
//     #define HEDDLE_DEFINITIONS
//     #include <heddle/testing/format_suite.hpp>
//     #include <heddle/testing/main.hpp>
//     HEDDLE_TEST_FORMAT(mine::TileFormat);
//
// It tests the format in double on the default execution space, or if HEDDLE_EMULATED is W, on an
// emulated GPU of W lanes a warp. HEDDLE_TEST_SPMV accepts a tuple of PlanType, with other scalars,
// indices and spaces, and may be split over files, which compile in parallel.
#pragma once

#include "format_suite/dots.hpp"
#include "format_suite/events.hpp"
#include "format_suite/infinities.hpp"
#include "format_suite/ops.hpp"
#include "format_suite/plans.hpp"
#include "format_suite/products.hpp"
#include "format_suite/vectors.hpp"

#define HEDDLE_TEST_FORMAT(...) \
  HEDDLE_TEST_SPMV(std::tuple<heddle::test::OnePlanType<heddle::Formats<__VA_ARGS__>>>)

#define HEDDLE_TEST_SPMV(...)                                   \
  namespace heddle::test {                                      \
  using SuiteTypes = __VA_ARGS__;                               \
  TEST_CASE_TEMPLATE_APPLY(suite_products, SuiteTypes);         \
  TEST_CASE_TEMPLATE_APPLY(suite_repeats, SuiteTypes);          \
  TEST_CASE_TEMPLATE_APPLY(suite_chosen, SuiteTypes);           \
  TEST_CASE_TEMPLATE_APPLY(suite_alpha_zero, SuiteTypes);       \
  TEST_CASE_TEMPLATE_APPLY(suite_nan_sums, SuiteTypes);         \
  TEST_CASE_TEMPLATE_APPLY(suite_infinite_entries, SuiteTypes); \
  TEST_CASE_TEMPLATE_APPLY(suite_infinite_x, SuiteTypes);       \
  TEST_CASE_TEMPLATE_APPLY(suite_vectors, SuiteTypes);          \
  TEST_CASE_TEMPLATE_APPLY(suite_large_vectors, SuiteTypes);    \
  TEST_CASE_TEMPLATE_APPLY(suite_strided, SuiteTypes);          \
  TEST_CASE_TEMPLATE_APPLY(suite_dots, SuiteTypes);             \
  TEST_CASE_TEMPLATE_APPLY(suite_ops, SuiteTypes);              \
  TEST_CASE_TEMPLATE_APPLY(suite_ops_vectors, SuiteTypes);      \
  TEST_CASE_TEMPLATE_APPLY(suite_prepare, SuiteTypes);          \
  TEST_CASE_TEMPLATE_APPLY(suite_wider, SuiteTypes);            \
  TEST_CASE_TEMPLATE_APPLY(suite_wider_vectors, SuiteTypes);    \
  TEST_CASE_TEMPLATE_APPLY(suite_values, SuiteTypes);           \
  TEST_CASE_TEMPLATE_APPLY(suite_tells, SuiteTypes);            \
  TEST_CASE_TEMPLATE_APPLY(suite_moved_bytes, SuiteTypes);      \
  TEST_CASE_TEMPLATE_APPLY(suite_passes, SuiteTypes);           \
  TEST_CASE_TEMPLATE_APPLY(suite_predicts, SuiteTypes);         \
  TEST_CASE_TEMPLATE_APPLY(suite_side_by_side, SuiteTypes);     \
  TEST_CASE_TEMPLATE_APPLY(suite_events, SuiteTypes);           \
  TEST_CASE_TEMPLATE_APPLY(suite_refusals, SuiteTypes);         \
  }                                                             \
  static_assert(true)
