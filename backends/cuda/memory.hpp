// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Macros.hpp>
#include <cstdint>
#include <cstring>

#ifdef __CUDA_ARCH__
namespace heddle::backends {

/// Memory order between the threads of one CUDA device, for values of 4 or 8 bytes.
struct CudaMemory {
  template <class T>
  __device__ static void publish(T* place, T value) {
    static_assert(sizeof(T) == 4 || sizeof(T) == 8);
    if constexpr (sizeof(T) == 4) {
      std::uint32_t word;
      memcpy(&word, &value, 4);
      asm volatile("st.release.gpu.b32 [%0], %1;" ::"l"(place), "r"(word) : "memory");
    } else {
      std::uint64_t word;
      memcpy(&word, &value, 8);
      asm volatile("st.release.gpu.b64 [%0], %1;" ::"l"(place), "l"(word) : "memory");
    }
  }

  template <class T>
  __device__ static T acquire(const T* place) {
    static_assert(sizeof(T) == 4 || sizeof(T) == 8);
    T value;
    if constexpr (sizeof(T) == 4) {
      std::uint32_t word;
      asm volatile("ld.acquire.gpu.b32 %0, [%1];" : "=r"(word) : "l"(place) : "memory");
      memcpy(&value, &word, 4);
    } else {
      std::uint64_t word;
      asm volatile("ld.acquire.gpu.b64 %0, [%1];" : "=l"(word) : "l"(place) : "memory");
      memcpy(&value, &word, 8);
    }
    return value;
  }

  __device__ static int arrive(int* counter) {
    int before;
    asm volatile("atom.acq_rel.gpu.add.s32 %0, [%1], 1;" : "=r"(before) : "l"(counter) : "memory");
    return before;
  }

  __device__ static void fence() { __threadfence(); }
  __device__ static void pause() { __nanosleep(20); }

  /// Streams past the first-level cache, which stays free for what is read again.
  template <class T>
  __device__ static T load_once(const T* place) {
    if constexpr (sizeof(T) == 4) {
      T value;
      std::uint32_t word;
      asm("ld.global.nc.L1::no_allocate.b32 %0, [%1];" : "=r"(word) : "l"(place));
      memcpy(&value, &word, 4);
      return value;
    } else if constexpr (sizeof(T) == 8) {
      T value;
      std::uint64_t word;
      asm("ld.global.nc.L1::no_allocate.b64 %0, [%1];" : "=l"(word) : "l"(place));
      memcpy(&value, &word, 8);
      return value;
    } else {
      return *place;
    }
  }
};

}  // namespace heddle::backends
#endif
