// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <type_traits>

#include "memory.hpp"

/// Kokkos' relaxed atomics for threads of a launch or of a Kokkos loop, on device memory or
/// scratch. They order no other accesses. On an emulated device another lane may run before each.
namespace heddle::backends {

namespace detail {
#ifdef HEDDLE_EMULATED
using AtomicTurn = EmulatedMemory::Atomic;
#else
struct AtomicTurn {
  KOKKOS_FORCEINLINE_FUNCTION explicit AtomicTurn(const void*) {}
};
#endif
}  // namespace detail

template <class T>
KOKKOS_FORCEINLINE_FUNCTION T atomic_load(const T* place) {
#ifdef HEDDLE_EMULATED
  return ThisMemory::peek(place);
#else
  return Kokkos::atomic_load(place);
#endif
}
template <class T>
KOKKOS_FORCEINLINE_FUNCTION void atomic_store(T* place, std::type_identity_t<T> value) {
  [[maybe_unused]] const detail::AtomicTurn turn(place);
  Kokkos::atomic_store(place, value);
}

template <class T>
KOKKOS_FORCEINLINE_FUNCTION void atomic_add(T* place, std::type_identity_t<T> value) {
  [[maybe_unused]] const detail::AtomicTurn turn(place);
  Kokkos::atomic_add(place, value);
}
template <class T>
KOKKOS_FORCEINLINE_FUNCTION void atomic_inc(T* place) {
  [[maybe_unused]] const detail::AtomicTurn turn(place);
  Kokkos::atomic_inc(place);
}
template <class T>
KOKKOS_FORCEINLINE_FUNCTION void atomic_min(T* place, std::type_identity_t<T> value) {
  [[maybe_unused]] const detail::AtomicTurn turn(place);
  Kokkos::atomic_min(place, value);
}
template <class T>
KOKKOS_FORCEINLINE_FUNCTION void atomic_max(T* place, std::type_identity_t<T> value) {
  [[maybe_unused]] const detail::AtomicTurn turn(place);
  Kokkos::atomic_max(place, value);
}
template <class T>
KOKKOS_FORCEINLINE_FUNCTION void atomic_or(T* place, std::type_identity_t<T> bits) {
  [[maybe_unused]] const detail::AtomicTurn turn(place);
  Kokkos::atomic_or(place, bits);
}

/// The fetch functions return the old value.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION T atomic_fetch_add(T* place, std::type_identity_t<T> value) {
  [[maybe_unused]] const detail::AtomicTurn turn(place);
  return Kokkos::atomic_fetch_add(place, value);
}
template <class T>
KOKKOS_FORCEINLINE_FUNCTION T atomic_fetch_inc(T* place) {
  [[maybe_unused]] const detail::AtomicTurn turn(place);
  return Kokkos::atomic_fetch_inc(place);
}
template <class T>
KOKKOS_FORCEINLINE_FUNCTION T atomic_fetch_max(T* place, std::type_identity_t<T> value) {
  [[maybe_unused]] const detail::AtomicTurn turn(place);
  return Kokkos::atomic_fetch_max(place, value);
}
template <class T>
KOKKOS_FORCEINLINE_FUNCTION T atomic_fetch_or(T* place, std::type_identity_t<T> bits) {
  [[maybe_unused]] const detail::AtomicTurn turn(place);
  return Kokkos::atomic_fetch_or(place, bits);
}

/// Stores `wanted` if the old value, which it returns, is `expected`.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION T atomic_compare_exchange(T* place, std::type_identity_t<T> expected,
                                                      std::type_identity_t<T> wanted) {
  [[maybe_unused]] const detail::AtomicTurn turn(place);
  return Kokkos::atomic_compare_exchange(place, expected, wanted);
}

}  // namespace heddle::backends
