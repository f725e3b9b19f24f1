// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Formats whose inspectors, and with them their kernels, are compiled once for all test programs: a
// source a format and type, made by instances.cmake, in heddle_test_instances.
#pragma once

#include "plan_types.hpp"

namespace heddle::test {

/// F::inspect, for the types of the build. Defined by the sources that include shared_instance.hpp.
template <class F, Scalar V, Scalar Acc, ExecutionSpace Exec, class Matrix>
std::unique_ptr<SpmvExecutor<Exec, Matrix, V, Acc>> inspect_shared(
    const Inspection<Exec, Matrix>& in, const Scheme& scheme);

/// The format F, of which a program that uses it compiles no kernel.
template <class F>
struct Shared : F {
  template <Scalar V, Scalar Acc, ExecutionSpace Exec, class Matrix>
  static std::unique_ptr<SpmvExecutor<Exec, Matrix, V, Acc>> inspect(
      const Inspection<Exec, Matrix>& in, const Scheme& scheme) {
    return inspect_shared<F, V, Acc>(in, scheme);
  }
};

namespace detail {
template <class List>
struct SharedList;
template <class... F>
struct SharedList<Formats<F...>> {
  using type = Formats<Shared<F>...>;
};
}  // namespace detail

/// All formats of the library, or CSR for all of them.
#ifdef HEDDLE_TEST_CSR_ALONE
using SharedFormats = Formats<Shared<CsrFormat>>;
#else
using SharedFormats = typename detail::SharedList<AllFormats>::type;
#endif

}  // namespace heddle::test

// What plans of any formats share, for each of TestedTypes, defined by shared_plans.cpp, a type at
// a time.
#define HEDDLE_SHARED_PLAN(EXTERN, k, V, ACC)             \
  EXTERN template class detail::SpmvPlanCore<             \
      test::TestedPlanType<test::SharedFormats, k>::Exec, \
      SignedOffsets<test::TestedPlanType<test::SharedFormats, k>::Matrix>, V, ACC>;
#define HEDDLE_SHARED_PLANS_0(EXTERN) HEDDLE_SHARED_PLAN(EXTERN, 0, double, double)
#if HEDDLE_TURN == 0
#define HEDDLE_SHARED_PLANS_1(EXTERN) \
  HEDDLE_SHARED_PLAN(EXTERN, 1, Kokkos::complex<float>, Kokkos::complex<float>)
#define HEDDLE_SHARED_PLANS_2(EXTERN) \
  HEDDLE_SHARED_PLAN(EXTERN, 2, Kokkos::complex<double>, Kokkos::complex<double>)
#else
#define HEDDLE_SHARED_PLANS_1(EXTERN) HEDDLE_SHARED_PLAN(EXTERN, 1, double, double)
#define HEDDLE_SHARED_PLANS_2(EXTERN)           \
  HEDDLE_SHARED_PLAN(EXTERN, 2, float, float)   \
  HEDDLE_SHARED_PLAN(EXTERN, 2, double, double) \
  HEDDLE_SHARED_PLAN(EXTERN, 2, float, double)
#endif

namespace heddle {
#ifndef HEDDLE_FULL_TESTS  // which are too many
HEDDLE_SHARED_PLANS_0(extern)
#if !defined(HEDDLE_SANITIZED_TESTS) && !defined(HEDDLE_EMULATED)
HEDDLE_SHARED_PLANS_1(extern)
HEDDLE_SHARED_PLANS_2(extern)
#endif
#endif
}  // namespace heddle
