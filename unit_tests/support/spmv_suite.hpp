// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All that Heddle promises of a format of SpMV, as tests. The test file of a format is
//
//     #include "../support/spmv_suite.hpp"
//     HEDDLE_TEST_SPMV(heddle::test::PlanTypes<heddle::Formats<heddle::EllFormat>>);
//
// and those of one format may be split over files by their types, which compile side by side.
#pragma once

#include "spmv_suite_dots.hpp"
#include "spmv_suite_events.hpp"
#include "spmv_suite_infinities.hpp"
#include "spmv_suite_ops.hpp"
#include "spmv_suite_plans.hpp"
#include "spmv_suite_products.hpp"
#include "spmv_suite_vectors.hpp"

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
  TEST_CASE_TEMPLATE_APPLY(suite_labels, SuiteTypes);           \
  TEST_CASE_TEMPLATE_APPLY(suite_quiet, SuiteTypes);            \
  TEST_CASE_TEMPLATE_APPLY(suite_stays, SuiteTypes);            \
  TEST_CASE_TEMPLATE_APPLY(suite_bytes, SuiteTypes);            \
  TEST_CASE_TEMPLATE_APPLY(suite_refusals, SuiteTypes);         \
  }                                                             \
  static_assert(true)
