// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The one place where tests ask which backends there are. A test over all of them:
//
//     TEST_CASE_TEMPLATE_DEFINE("row sums", T, row_sums) {
//       using Exec = typename T::Exec;
//       ...
//     }
//     TEST_CASE_TEMPLATE_APPLY(row_sums, heddle::test::Every<>);
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <tuple>
#include <utility>

#include "../backends/kokkos/portable.hpp"
#ifdef HEDDLE_EMULATED
#include "../backends/emulated/space.hpp"
#endif

namespace heddle::test {

#ifdef HEDDLE_EMULATED
inline constexpr bool emulated = true;
#else
inline constexpr bool emulated = false;
#endif

/// n, or n / 8 on an emulated device, which is small and slow.
constexpr std::int64_t cut(std::int64_t n) { return emulated ? n / 8 : n; }

template <class... T>
using JoinTuples = decltype(std::tuple_cat(std::declval<T>()...));

#ifdef HEDDLE_EMULATED
/// A program with an emulated device has no other backend.
using DefaultDevice = backends::Emulated<Kokkos::DefaultHostExecutionSpace, HEDDLE_EMULATED>;
using Backends = std::tuple<DefaultDevice>;
#else
using DefaultDevice = Kokkos::DefaultExecutionSpace;

/// Execution spaces of this build that Heddle launches on itself, as a tuple.
using Backends = JoinTuples<
#ifdef KOKKOS_ENABLE_SERIAL
    std::tuple<Kokkos::Serial>,
#endif
#ifdef KOKKOS_ENABLE_OPENMP
    std::tuple<Kokkos::OpenMP>,
#endif
#ifdef KOKKOS_ENABLE_THREADS
    std::tuple<Kokkos::Threads>,
#endif
#ifdef KOKKOS_ENABLE_CUDA
    std::tuple<Kokkos::Cuda>,
#endif
#ifdef KOKKOS_ENABLE_HIP
    std::tuple<Kokkos::HIP>,
#endif
    std::tuple<>>;
#endif

namespace detail {
template <class Execs>
struct Portables;
template <class... E>
struct Portables<std::tuple<E...>> {
  using type = std::tuple<Portable<E>...>;
};
}  // namespace detail

/// The execution spaces of Backends, launched through Kokkos' team policy.
#ifdef HEDDLE_EMULATED
using PortableBackends = std::tuple<>;
#else
using PortableBackends = typename detail::Portables<Backends>::type;
#endif
using AllBackends = JoinTuples<Backends, PortableBackends>;

/// Backends whose kernels may launch others: inside a parallel region, with fewer threads.
using NestingBackends = JoinTuples<
#if defined(KOKKOS_ENABLE_OPENMP) && !defined(HEDDLE_EMULATED)
    std::tuple<Kokkos::OpenMP>,
#endif
    std::tuple<>>;

/// Scalar types of tests: few under sanitizers, which compile slowly and treat all types alike.
#ifdef HEDDLE_SANITIZED_TESTS
using Scalars = std::tuple<double, Kokkos::complex<float>>;
#else
using Scalars = std::tuple<float, double, Kokkos::complex<float>, Kokkos::complex<double>>;
#endif

/// An ordinal type and its offset type.
template <class O, class Off>
struct Indices {
  using Ordinal = O;
  using Offset = Off;
};
#ifdef HEDDLE_SANITIZED_TESTS
using AllIndices =
    std::tuple<Indices<std::int32_t, std::int32_t>, Indices<std::int32_t, std::size_t>>;
#else
using AllIndices =
    std::tuple<Indices<std::int32_t, std::int32_t>, Indices<std::int32_t, std::int64_t>,
               Indices<std::int32_t, std::size_t>, Indices<std::int64_t, std::int64_t>>;
#endif
using UsualIndices = std::tuple<Indices<std::int32_t, std::int32_t>>;

/// Type parameter of a typed test.
template <class E, class S, class I>
struct Types {
  using Exec = E;
  using Space = typename E::memory_space;
  using Scalar = S;
  using Ordinal = typename I::Ordinal;
  using Offset = typename I::Offset;
};

namespace detail {
template <class Execs, class ScalarTypes, class IndexTypes>
struct Product;
template <class... E, class ScalarTypes, class IndexTypes>
  requires(sizeof...(E) != 1)
struct Product<std::tuple<E...>, ScalarTypes, IndexTypes> {
  using type = JoinTuples<typename Product<std::tuple<E>, ScalarTypes, IndexTypes>::type...>;
};
template <class E, class... S, class IndexTypes>
  requires(sizeof...(S) != 1)
struct Product<std::tuple<E>, std::tuple<S...>, IndexTypes> {
  using type = JoinTuples<typename Product<std::tuple<E>, std::tuple<S>, IndexTypes>::type...>;
};
template <class E, class S, class... I>
struct Product<std::tuple<E>, std::tuple<S>, std::tuple<I...>> {
  using type = std::tuple<Types<E, S, I>...>;
};
}  // namespace detail

/// One of two types that compile slowly, in the turn of dev/test; both with --full.
#ifdef HEDDLE_FULL_TESTS
template <class A, class B>
using InTurn = std::tuple<A, B>;
#else
#ifndef HEDDLE_TURN
#define HEDDLE_TURN 0
#endif
template <class A, class B>
using InTurn = std::tuple<std::tuple_element_t<HEDDLE_TURN % 2, std::tuple<A, B>>>;
#endif

/// Types<backend, scalar, indices> for every combination.
template <class ScalarTypes = Scalars, class IndexTypes = AllIndices, class Execs = Backends>
using Every = typename detail::Product<Execs, ScalarTypes, IndexTypes>::type;

}  // namespace heddle::test
