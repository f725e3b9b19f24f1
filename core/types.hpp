// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <concepts>
#include <cstdint>
#include <type_traits>

#include "integers.hpp"
#include "words.hpp"

namespace heddle {

/// A matrix or vector entry: float, double, or the Kokkos::complex of either.
template <class T>
concept Scalar =
    std::same_as<T, float> || std::same_as<T, double> || std::same_as<T, Kokkos::complex<float>> ||
    std::same_as<T, Kokkos::complex<double>>;

/// A row or column index: a signed integer of 32 or 64 bits.
template <class T>
concept Ordinal = std::signed_integral<T> && (sizeof(T) == 4 || sizeof(T) == 8);

/// A position among the nonzeros: an integer of 32 or 64 bits, signed or not, at least as wide as
/// the ordinal that it is used with.
template <class T>
concept Offset = std::integral<T> && (sizeof(T) == 4 || sizeof(T) == 8);

/// A Kokkos execution space, or a class derived from one, such as Portable<Exec>, which launches
/// Heddle's kernels differently.
template <class T>
concept ExecutionSpace = Kokkos::is_execution_space_v<T>;

/// The execution space for Kokkos' own policies, Views and functions: Exec itself, or the base of a
/// derived one.
template <ExecutionSpace Exec>
using KokkosSpace = typename Exec::execution_space;

/// The Kokkos instance of an execution space instance.
template <ExecutionSpace Exec>
const KokkosSpace<Exec>& kokkos_space(const Exec& exec) {
  return exec;
}

/// A policy over items first, ..., stop - 1 of a parallel_for or _reduce, counted in 64 bits. With
/// OpenMP each thread has one contiguous share, as in Heddle's own launches, so that a thread reads
/// what it has written: by default Kokkos deals smaller chunks in turn, except with g++. Threads
/// cuts evenly only by chunks of a power of two, such as the default.
template <ExecutionSpace Exec>
auto range_policy(const Exec& exec, std::int64_t first, std::int64_t stop) {
  using Space = KokkosSpace<Exec>;
  using Kokkos::Tools::Experimental::DeviceType, Kokkos::Tools::Experimental::DeviceTypeTraits;
  const Space& space = kokkos_space(exec);
  Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>> policy(space, first, stop);
  if constexpr (DeviceTypeTraits<Space>::id == DeviceType::OpenMP) {
    const std::int64_t share = stop > first ? ceil_div(stop - first, space.concurrency()) : 1;
    policy.set_chunk_size(static_cast<int>(std::min<std::int64_t>(share, 1 << 30)));
  }
  return policy;
}

/// A policy over items 0, ..., n - 1 of a parallel_for or _reduce.
template <ExecutionSpace Exec>
auto range_policy(const Exec& exec, std::int64_t n) {
  return range_policy(exec, 0, n);
}

/// A policy over items 0, ..., n - 1 of a parallel_scan, which Kokkos cuts evenly only by chunks of
/// a power of two, such as the default.
template <ExecutionSpace Exec>
auto scan_policy(const Exec& exec, std::int64_t n) {
  using Space = KokkosSpace<Exec>;
  return Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>(kokkos_space(exec), 0, n);
}

template <class T>
concept MemorySpace = Kokkos::is_memory_space_v<T>;

/// A Kokkos View of rank 1 (one vector) or 2 (each column is a vector), in any strided layout.
template <class T>
concept VectorView = Kokkos::is_view_v<T> && (T::rank() == 1 || T::rank() == 2);

/// A VectorView whose entries may be written.
template <class T>
concept WritableVectorView = VectorView<T> && !std::is_const_v<typename T::value_type>;

/// Whether T is a Kokkos::complex.
template <class T>
inline constexpr bool is_complex = false;
template <class T>
inline constexpr bool is_complex<Kokkos::complex<T>> = true;

namespace detail {
template <class T>
struct RealOf {
  using type = T;
};
template <class T>
struct RealOf<Kokkos::complex<T>> {
  using type = T;
};
}  // namespace detail

/// The real type of a scalar: T of Kokkos::complex<T>, else the scalar itself.
template <Scalar T>
using RealOf = typename detail::RealOf<T>::type;

/// The operation on a matrix: A, its transpose, its conjugate, or its conjugate transpose. For real
/// matrices conjugation has no effect.
enum class Op { none, transpose, conjugate, conjugate_transpose };

/// Whether the op transposes.
KOKKOS_INLINE_FUNCTION constexpr bool transposes(Op op) {
  return op == Op::transpose || op == Op::conjugate_transpose;
}
/// Whether the op conjugates entries.
KOKKOS_INLINE_FUNCTION constexpr bool conjugates(Op op) {
  return op == Op::conjugate || op == Op::conjugate_transpose;
}

/// The op to apply to a stored transpose: op without its transposition.
KOKKOS_INLINE_FUNCTION constexpr Op without_transpose(Op op) {
  return conjugates(op) ? Op::conjugate : Op::none;
}

template <>
inline constexpr detail::Word<Op> detail::words<Op>[] = {
    {Op::none, "none"},
    {Op::transpose, "transpose"},
    {Op::conjugate, "conjugate"},
    {Op::conjugate_transpose, "conjugate-transpose"}};

/// Whether a matrix is stored as one triangle: a symmetric or Hermitian matrix is then given by a
/// triangle with the diagonal, and the other triangle is its mirror image (or the conjugate of
/// that). The diagonal of a Hermitian matrix is real.
enum class Symmetry { none, symmetric, hermitian };

template <>
inline constexpr detail::Word<Symmetry> detail::words<Symmetry>[] = {
    {Symmetry::none, "none"},
    {Symmetry::symmetric, "symmetric"},
    {Symmetry::hermitian, "hermitian"}};

/// The complex conjugate of a scalar; a real scalar is its own.
template <Scalar T>
KOKKOS_FORCEINLINE_FUNCTION T conjugate(const T& value) {
  if constexpr (is_complex<T>) {
    return T(value.real(), -value.imag());
  } else {
    return value;
  }
}

}  // namespace heddle
