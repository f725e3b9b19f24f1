// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Types of the tests of SpMV: a list of formats, and the spaces and types of its plans.
#pragma once

#include <heddle/spmv.hpp>

#include "../backends/device.hpp"
#include "../backends/lanes.hpp"
#include "../backends/loops.hpp"
#include "backends.hpp"

namespace heddle::test {

/// Type parameter of a typed test of SpMV: the types of Types, and the formats of its plans.
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

/// Each type compiles all formats again, so dev/test uses the first and one other, in turn:
/// together they have every scalar, ordinal and offset, and every kind of backend of the build.
/// FloatType is Serial's if the build has Serial; PortableType is launched by Kokkos' team policy
/// alone.
using DoubleType = Types<DefaultDevice, double, Indices32>;
using ComplexFloatType = Types<DefaultDevice, Kokkos::complex<float>, Offsets64>;
using ComplexDoubleType =
    Types<DefaultDevice, Kokkos::complex<double>, Indices<std::int64_t, std::int64_t>>;
using FloatType = Types<std::tuple_element_t<0, Backends>, float, Indices32>;
using PortableType = Types<Portable<Kokkos::DefaultExecutionSpace>, double, Indices32>;

/// Types that a format is tested with: all if HEDDLE_FULL_TESTS is defined; one under sanitizers,
/// which compile slowly and treat all types alike, on emulated devices, and in users' tests, which
/// have no turn. The suites of SpMV and SpTRSV use TestedTypes (whose names instances.cmake lists),
/// tests of a single format or scheme FewTypes.
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

/// The formats of a list, with FewTypes, and with the k-th of TestedTypes.
template <class List>
using PlanTypes = typename detail::WithFormats<List, FewTypes>::type;
template <class List, std::size_t k>
using TestedPlanType =
    std::tuple_element_t<k, typename detail::WithFormats<List, TestedTypes>::type>;

/// The formats of a list, with one given type.
template <class List, class T>
using WithFormats =
    std::tuple_element_t<0, typename detail::WithFormats<List, std::tuple<T>>::type>;

/// The formats of a list with one type, for tests that do not depend on the type.
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
