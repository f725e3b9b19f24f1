// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Formats whose inspectors, and with them their kernels, are compiled once for all test programs: a
// source a format and type, made by instances.cmake, in heddle_test_instances.
#pragma once

#include "../../formats/all_formats.hpp"
#include "../../testing/plan_types.hpp"

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

// What plans of any formats share, for each of TestedTypes, and what looks at their patterns:
// defined by shared_plans.cpp, a type at a time. PLAN(k, V, ACC) and PATTERN(k) say what to do with
// them.
#define HEDDLE_SHARED_PLANS_0(PLAN, PATTERN) PLAN(0, double, double) PATTERN(0)
#if HEDDLE_TURN == 0
#define HEDDLE_SHARED_PLANS_1(PLAN, PATTERN) \
  PLAN(1, Kokkos::complex<float>, Kokkos::complex<float>) PATTERN(1)
#elif HEDDLE_TURN == 1
#define HEDDLE_SHARED_PLANS_1(PLAN, PATTERN) PLAN(1, double, double) PATTERN(1)
#elif HEDDLE_TURN == 2
#define HEDDLE_SHARED_PLANS_1(PLAN, PATTERN) \
  PLAN(1, Kokkos::complex<double>, Kokkos::complex<double>) PATTERN(1)
#else
#define HEDDLE_SHARED_PLANS_1(PLAN, PATTERN) \
  PLAN(1, float, float) PLAN(1, double, double) PLAN(1, float, double) PATTERN(1)
#endif
#define HEDDLE_SHARED_CORE(k, V, ACC)                             \
  heddle::detail::SpmvPlanCore<heddle::test::SharedType<k>::Exec, \
                               heddle::SignedOffsets<heddle::test::SharedType<k>::Matrix>, V, ACC>
#define HEDDLE_EXTERN_PLAN(k, V, ACC)                  \
  extern template class HEDDLE_SHARED_CORE(k, V, ACC); \
  template <>                                          \
  inline constexpr bool heddle::detail::is_defined<HEDDLE_SHARED_CORE(k, V, ACC)> = true;
#define HEDDLE_SHARED_PATTERN(EXTERN, k)                                \
  HEDDLE_PATTERN_INSTANCE(EXTERN, heddle::test::SharedType<k>::Ordinal, \
                          heddle::test::SharedType<k>::Offset, heddle::test::SharedType<k>::Exec)
#define HEDDLE_EXTERN_PATTERN(k) HEDDLE_SHARED_PATTERN(extern, k)

namespace heddle::test {
template <std::size_t k>
using SharedType = TestedPlanType<SharedFormats, k>;
}  // namespace heddle::test

#ifndef HEDDLE_FULL_TESTS  // whose types are too many
HEDDLE_SHARED_PLANS_0(HEDDLE_EXTERN_PLAN, HEDDLE_EXTERN_PATTERN)
#if !defined(HEDDLE_SANITIZED_TESTS) && !defined(HEDDLE_EMULATED)
HEDDLE_SHARED_PLANS_1(HEDDLE_EXTERN_PLAN, HEDDLE_EXTERN_PATTERN)
#endif
#endif
