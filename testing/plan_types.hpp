// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What tests of SpMV are run for: a list of formats, and where and with which types its plans run.
#pragma once

#include <heddle/spmv.hpp>

#include "../backends/device.hpp"
#include "../backends/lanes.hpp"
#include "../backends/loops.hpp"
#include "backends.hpp"

namespace heddle::test {

/// What a typed test of SpMV is given: the types of Types, and the formats of its plans.
template <class List, class E, class S, class I>
struct PlanType : Types<E, S, I> {
  using Formats = List;
  using Matrix = CsrMatrix<S, typename I::Ordinal, typename I::Offset, typename E::memory_space>;
  template <class V = S, class Acc = V>
  using Plan = SpmvPlan<E, Matrix, V, Acc, List>;
};

namespace detail {
template <class List, class Tuple>
struct WithFormats;
template <class List, class... E, class... S, class... I>
struct WithFormats<List, std::tuple<Types<E, S, I>...>> {
  using type = std::tuple<PlanType<List, E, S, I>...>;
};
}  // namespace detail

using Indices32 = Indices<std::int32_t, std::int32_t>;
using Offsets64 = Indices<std::int32_t, std::int64_t>;

/// Each compiles all formats anew, so that dev/test takes the first and another, in turn:
/// together they have every scalar, ordinal and offset, and every kind of backend of the build.
/// FloatType is Serial's where there is Serial, PortableType is launched by Kokkos' team policy
/// alone.
using DoubleType = Types<DefaultDevice, double, Indices32>;
using ComplexFloatType = Types<DefaultDevice, Kokkos::complex<float>, Offsets64>;
using ComplexDoubleType =
    Types<DefaultDevice, Kokkos::complex<double>, Indices<std::int64_t, std::int64_t>>;
using FloatType = Types<std::tuple_element_t<0, Backends>, float, Indices32>;
using PortableType = Types<Portable<Kokkos::DefaultExecutionSpace>, double, Indices32>;

/// The types that a format is tested for; all of them where HEDDLE_FULL_TESTS is defined, and one
/// under sanitizers, whose compilers are slow and to whom memory is memory, on emulated
/// devices, and in users' tests, which know no turn. The suites of SpMV and SpTRSV take TestedTypes
/// (of which instances.cmake knows the names), what is true of a format or a scheme alone FewTypes.
#ifdef HEDDLE_FULL_TESTS
using FewTypes = Every<>;
using TestedTypes = FewTypes;
inline constexpr bool full_tests = true;
#elif defined(HEDDLE_SANITIZED_TESTS) || defined(HEDDLE_EMULATED) || !defined(HEDDLE_TURN)
using FewTypes = std::tuple<DoubleType>;
using TestedTypes = FewTypes;
inline constexpr bool full_tests = false;
#else
using FewTypes =
    std::tuple<DoubleType,
               std::tuple_element_t<HEDDLE_TURN, std::tuple<ComplexFloatType, PortableType,
                                                            ComplexDoubleType, FloatType>>>;
using TestedTypes = FewTypes;
inline constexpr bool full_tests = false;
#endif

namespace detail {
template <class T, class Tuple>
inline constexpr bool is_one_of = false;
template <class T, class... Of>
inline constexpr bool is_one_of<T, std::tuple<Of...>> = (std::is_same_v<T, Of> || ...);
}  // namespace detail
/// Whether T is one of TestedTypes, so that its formats are among the shared instances.
template <class T>
inline constexpr bool is_tested = detail::is_one_of<T, TestedTypes>;

/// With the formats of a list: FewTypes, and the k-th of TestedTypes.
template <class List>
using PlanTypes = typename detail::WithFormats<List, FewTypes>::type;
template <class List, std::size_t k>
using TestedPlanType =
    std::tuple_element_t<k, typename detail::WithFormats<List, TestedTypes>::type>;

/// With the formats of a list: a type of its own.
template <class List, class T>
using WithFormats =
    std::tuple_element_t<0, typename detail::WithFormats<List, std::tuple<T>>::type>;

/// One type alone, for what does not depend on it.
template <class List>
using OnePlanType = WithFormats<List, DoubleType>;

/// Two instances of an execution space, Portable or Kokkos' own.
template <ExecutionSpace Exec>
std::vector<Exec> two_instances(const Exec& exec) {
  std::vector<Exec> instances;
  for (const auto& part : Kokkos::Experimental::partition_space(kokkos_space(exec), 1, 1)) {
    instances.push_back(Exec(part));
  }
  return instances;
}

}  // namespace heddle::test
