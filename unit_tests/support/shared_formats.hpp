// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Formats whose inspectors, and so their kernels, are compiled once for all test programs:
// instances.cmake makes a source for each format and type, in heddle_test_instances.
#pragma once

#include "../../formats/all_formats.hpp"
#include "../../testing/plan_types.hpp"

namespace heddle::test {

/// F::inspect, for the types of the build. Sources that include shared_instance.hpp define it.
template <class F, Scalar V, Scalar Acc, ExecutionSpace Exec, class Matrix>
std::unique_ptr<SpmvExecutor<Exec, Matrix, V, Acc>> inspect_shared(
    const Inspection<Exec, Matrix>& in, const Scheme& scheme);

/// The format F; a program that uses it compiles no kernel of it.
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

/// All formats of the library, or CSR in place of all.
#ifdef HEDDLE_TEST_CSR_ALONE
using SharedFormats = Formats<Shared<CsrFormat>>;
#else
using SharedFormats = typename detail::SharedList<AllFormats>::type;
#endif

}  // namespace heddle::test

// Common parts of plans of any formats, and of the inspection of patterns, for each of TestedTypes:
// shared_plans.cpp defines them, one type at a time, by PLAN(k, V, ACC) and PATTERN(k).
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

#ifndef HEDDLE_FULL_TESTS  // they have too many types
HEDDLE_SHARED_PLANS_0(HEDDLE_EXTERN_PLAN, HEDDLE_EXTERN_PATTERN)
#if !defined(HEDDLE_SANITIZED_TESTS) && !defined(HEDDLE_EMULATED)
HEDDLE_SHARED_PLANS_1(HEDDLE_EXTERN_PLAN, HEDDLE_EXTERN_PATTERN)
#endif
#endif
