// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Macros.hpp>
#include <cstdint>

#ifdef __HIP_DEVICE_COMPILE__
namespace heddle::backends {

/// Memory order between the threads of one HIP device, for values of 4 or 8 bytes.
struct HipMemory {
  template <class T>
  __device__ static void publish(T* place, T value) {
    __hip_atomic_store(place, value, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT);
  }
  template <class T>
  __device__ static T acquire(const T* place) {
    return __hip_atomic_load(const_cast<T*>(place), __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT);
  }
  template <class T>
  __device__ static void post(T* place, T value) {
    __hip_atomic_store(place, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
  }
  template <class T>
  __device__ static T peek(const T* place) {
    return __hip_atomic_load(const_cast<T*>(place), __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
  }
  template <class T>
  __device__ static void peek_if(const T* place, bool wanted, T& value) {
    if (wanted) value = peek(place);
  }
  __device__ static int arrive(int* counter) {
    return __hip_atomic_fetch_add(counter, 1, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT);
  }
  /// Takes a ticket by one instruction, which also resets the counter to zero after the last.
  __device__ static std::uint32_t next_ticket(std::uint32_t* next, std::uint32_t teams) {
    return atomicInc(next, teams - 1);
  }
  __device__ static void fence() { __threadfence(); }
  __device__ static void pause() { __builtin_amdgcn_s_sleep(1); }

  template <class T>
  __device__ static T load(const T* place, bool wanted) {
    return wanted ? *place : T(0);
  }
  template <class T>
  __device__ static T load_once(const T* place, bool wanted) {
    if constexpr (requires { __builtin_nontemporal_load(place); }) {
      return wanted ? __builtin_nontemporal_load(place) : T(0);
    } else {
      return load(place, wanted);
    }
  }
};

}  // namespace heddle::backends
#endif
