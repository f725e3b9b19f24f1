// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Macros.hpp>
#include <cstdint>
#include <cstring>
#include <type_traits>

#ifdef __CUDA_ARCH__
namespace heddle::backends {

// Each load has a predicate of its own. The compiler has seven for the whole kernel; if it chooses,
// later loads wait until earlier ones release theirs.
#define HEDDLE_LOAD_IF_WANTED(load)                                                        \
  if constexpr (sizeof(T) == 4) {                                                          \
    std::uint32_t word;                                                                    \
    asm("{ .reg .pred p; setp.ne.b32 p, %2, 0; mov.b32 %0, 0; @p " load ".b32 %0, [%1]; }" \
        : "=r"(word)                                                                       \
        : "l"(place), "r"(static_cast<int>(wanted)));                                      \
    return value<T>(word);                                                                 \
  } else if constexpr (sizeof(T) == 8) {                                                   \
    std::uint64_t word;                                                                    \
    asm("{ .reg .pred p; setp.ne.b32 p, %2, 0; mov.b64 %0, 0; @p " load ".b64 %0, [%1]; }" \
        : "=l"(word)                                                                       \
        : "l"(place), "r"(static_cast<int>(wanted)));                                      \
    return value<T>(word);                                                                 \
  } else if constexpr (sizeof(T) == 2) {                                                   \
    std::uint16_t word;                                                                    \
    asm("{ .reg .pred p; setp.ne.b32 p, %2, 0; mov.b16 %0, 0; @p " load ".b16 %0, [%1]; }" \
        : "=h"(word)                                                                       \
        : "l"(place), "r"(static_cast<int>(wanted)));                                      \
    return static_cast<T>(word);                                                           \
  } else {                                                                                 \
    return wanted ? *place : T(0);                                                         \
  }

/// Memory order between the threads of one CUDA device, for values of 4 or 8 bytes.
struct CudaMemory {
  template <class T>
  __device__ static void publish(T* place, T value) {
    if constexpr (sizeof(T) == 4) {
      asm volatile("st.release.gpu.b32 [%0], %1;" ::"l"(place), "r"(word<T>(value)) : "memory");
    } else {
      asm volatile("st.release.gpu.b64 [%0], %1;" ::"l"(place), "l"(word<T>(value)) : "memory");
    }
  }

  template <class T>
  __device__ static T acquire(const T* place) {
    Word<T> word;
    if constexpr (sizeof(T) == 4) {
      asm volatile("ld.acquire.gpu.b32 %0, [%1];" : "=r"(word) : "l"(place) : "memory");
    } else {
      asm volatile("ld.acquire.gpu.b64 %0, [%1];" : "=l"(word) : "l"(place) : "memory");
    }
    return value<T>(word);
  }

  // The clobbers order nothing on the device; they keep the compiler from moving loads that were
  // issued before a wait to their use after it.
  template <class T>
  __device__ static void post(T* place, T value) {
    if constexpr (sizeof(T) == 4) {
      asm volatile("st.relaxed.gpu.global.b32 [%0], %1;" ::"l"(place), "r"(word<T>(value))
                   : "memory");
    } else {
      asm volatile("st.relaxed.gpu.global.b64 [%0], %1;" ::"l"(place), "l"(word<T>(value))
                   : "memory");
    }
  }

  template <class T>
  __device__ static T peek(const T* place) {
    Word<T> word;
    if constexpr (sizeof(T) == 4) {
      asm volatile("ld.relaxed.gpu.global.b32 %0, [%1];" : "=r"(word) : "l"(place) : "memory");
    } else {
      asm volatile("ld.relaxed.gpu.global.b64 %0, [%1];" : "=l"(word) : "l"(place) : "memory");
    }
    return value<T>(word);
  }

  template <class T>
  __device__ static void peek_if(const T* place, bool wanted, T& value) {
    Word<T> now = word<T>(value);
    if constexpr (sizeof(T) == 4) {
      asm volatile("{ .reg .pred p; setp.ne.b32 p, %2, 0; @p ld.relaxed.gpu.global.b32 %0, [%1]; }"
                   : "+r"(now)
                   : "l"(place), "r"(static_cast<int>(wanted))
                   : "memory");
    } else {
      asm volatile("{ .reg .pred p; setp.ne.b32 p, %2, 0; @p ld.relaxed.gpu.global.b64 %0, [%1]; }"
                   : "+l"(now)
                   : "l"(place), "r"(static_cast<int>(wanted))
                   : "memory");
    }
    value = CudaMemory::value<T>(now);
  }

  __device__ static int arrive(int* counter) {
    int before;
    asm volatile("atom.release.gpu.add.s32 %0, [%1], 1;" : "=r"(before) : "l"(counter) : "memory");
    return before;
  }

  /// Takes a ticket by one instruction, which also resets the counter to zero after the last.
  __device__ static std::uint32_t next_ticket(std::uint32_t* next, std::uint32_t teams) {
    return atomicInc(next, teams - 1);
  }

  __device__ static void fence() { __threadfence(); }
  __device__ static void pause() { __nanosleep(20); }

  template <class T>
  __device__ static T load(const T* place, bool wanted) {
    HEDDLE_LOAD_IF_WANTED("ld.global")
  }

  /// Loads without allocation in the first-level cache, which stays free for reused data.
  template <class T>
  __device__ static T load_once(const T* place, bool wanted) {
    HEDDLE_LOAD_IF_WANTED("ld.global.nc.L1::no_allocate")
  }

 private:
  template <class T>
  using Word = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

  template <class T>
  __device__ static Word<T> word(T value) {
    static_assert(sizeof(T) == 4 || sizeof(T) == 8);
    Word<T> word;
    memcpy(&word, &value, sizeof(T));
    return word;
  }
  template <class T>
  __device__ static T value(Word<T> word) {
    T value;
    memcpy(&value, &word, sizeof(T));
    return value;
  }
};

#undef HEDDLE_LOAD_IF_WANTED

}  // namespace heddle::backends
#endif
