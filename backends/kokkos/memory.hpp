// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <thread>

namespace heddle::backends {

/// Memory order between the threads of any device, by Kokkos functions: relaxed atomics, and fences
/// that order everything.
struct KokkosMemory {
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION static void publish(T* place, T value) {
    Kokkos::memory_fence();
    post(place, value);
  }
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION static T acquire(const T* place) {
    const T value = peek(place);
    Kokkos::memory_fence();
    return value;
  }
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION static void post(T* place, T value) {
    Kokkos::atomic_store(place, value);
  }
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION static T peek(const T* place) {
    return Kokkos::atomic_load(const_cast<T*>(place));
  }
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION static void peek_if(const T* place, bool wanted, T& value) {
    if (wanted) value = peek(place);
  }
  KOKKOS_FORCEINLINE_FUNCTION static int arrive(int* counter) {
    Kokkos::memory_fence();
    return Kokkos::atomic_fetch_add(counter, 1);
  }
  KOKKOS_FORCEINLINE_FUNCTION static std::uint32_t next_ticket(std::uint32_t* next,
                                                               std::uint32_t teams) {
    const std::uint32_t ticket = Kokkos::atomic_fetch_add(next, 1u);
    if (ticket == teams - 1) Kokkos::atomic_store(next, 0u);
    return ticket;
  }
  KOKKOS_FORCEINLINE_FUNCTION static void fence() { Kokkos::memory_fence(); }
  KOKKOS_FORCEINLINE_FUNCTION static void pause() {
    KOKKOS_IF_ON_HOST((std::this_thread::yield();))
  }
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION static T load(const T* place, bool wanted) {
    return wanted ? *place : T(0);
  }
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION static T load_once(const T* place, bool wanted) {
    return load(place, wanted);
  }
};

}  // namespace heddle::backends
