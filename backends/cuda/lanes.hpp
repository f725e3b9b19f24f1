// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

namespace heddle::backends {

/// The lanes of a CUDA warp, W at a time. Each function names only the lanes of its own subwarp to
/// the hardware, so subwarps of one warp may take different branches. Threads numbers the threads
/// of a team.
template <class Threads>
struct CudaLanes {
  static constexpr int max_width = 32;
  static constexpr bool bounds_by_waves = false;  ///< see resident_bound

  /// This thread's place in the team.
  KOKKOS_FORCEINLINE_FUNCTION static int thread() {
    KOKKOS_IF_ON_DEVICE((return static_cast<int>(Threads::thread());))
    KOKKOS_IF_ON_HOST((return 0;))
  }
  /// All threads of the team wait for each other.
  KOKKOS_FORCEINLINE_FUNCTION static void barrier() { KOKKOS_IF_ON_DEVICE((__syncthreads();)) }

  template <int W>
  KOKKOS_FORCEINLINE_FUNCTION static int lane() {
    KOKKOS_IF_ON_DEVICE((return static_cast<int>(Threads::thread() % W);))
    KOKKOS_IF_ON_HOST((return 0;))
  }

  template <int W, class T>
  KOKKOS_FORCEINLINE_FUNCTION static T shuffle(T value, int from) {
    KOKKOS_IF_ON_DEVICE((
        return each_word(value, [=](auto word) { return __shfl_sync(mask<W>(), word, from, W); });))
    KOKKOS_IF_ON_HOST(((void)from; return value;))
  }

  template <int W, class T>
  KOKKOS_FORCEINLINE_FUNCTION static T shuffle_up(T value, int distance) {
    KOKKOS_IF_ON_DEVICE((return each_word(value, [=](auto word) {
                                  return __shfl_up_sync(mask<W>(), word, distance, W);
                                });))
    KOKKOS_IF_ON_HOST(((void)distance; return value;))
  }

  template <int W, class T>
  KOKKOS_FORCEINLINE_FUNCTION static T shuffle_down(T value, int distance) {
    KOKKOS_IF_ON_DEVICE((return each_word(value, [=](auto word) {
                                  return __shfl_down_sync(mask<W>(), word, distance, W);
                                });))
    KOKKOS_IF_ON_HOST(((void)distance; return value;))
  }

  template <int W, class T>
  KOKKOS_FORCEINLINE_FUNCTION static T shuffle_xor(T value, int bits) {
    KOKKOS_IF_ON_DEVICE((return each_word(value, [=](auto word) {
                                  return __shfl_xor_sync(mask<W>(), word, bits, W);
                                });))
    KOKKOS_IF_ON_HOST(((void)bits; return value;))
  }

  /// All lanes of the warp call it. If a mask is not the same for all lanes, the compiler first
  /// asks which lanes share one (MATCH, REDUX, VOTE, and a branch); a constant mask avoids that.
  template <int W, class T>
  KOKKOS_FORCEINLINE_FUNCTION static T shuffle_xor_together(T value, int bits) {
    KOKKOS_IF_ON_DEVICE((return each_word(value, [=](auto word) {
                                  return __shfl_xor_sync(0xffffffffu, word, bits, W);
                                });))
    KOKKOS_IF_ON_HOST(((void)bits; return value;))
  }

  template <int W>
  KOKKOS_FORCEINLINE_FUNCTION static std::uint64_t ballot(bool vote) {
    KOKKOS_IF_ON_DEVICE((return (__ballot_sync(mask<W>(), vote) & mask<W>()) >> first<W>();))
    KOKKOS_IF_ON_HOST((return vote ? 1 : 0;))
  }

  template <int W, class T>
  KOKKOS_FORCEINLINE_FUNCTION static std::uint64_t equal_lanes(T value) {
    KOKKOS_IF_ON_DEVICE((return (__match_any_sync(mask<W>(), value) & mask<W>()) >> first<W>();))
    KOKKOS_IF_ON_HOST(((void)value; return 1;))
  }

  template <int W>
  KOKKOS_FORCEINLINE_FUNCTION static void sync() {
    KOKKOS_IF_ON_DEVICE((__syncwarp(mask<W>());))
  }

 private:
#ifdef __CUDA_ARCH__
  template <int W>
  __device__ static unsigned first() {
    return (Threads::thread() % 32) / W * W;
  }
  template <int W>
  __device__ static unsigned mask() {
    if constexpr (W == 32) {
      return 0xffffffffu;
    } else {
      return ((1u << W) - 1) << first<W>();
    }
  }
  template <class T, class Word>
  __device__ static T each_word(T value, Word word) {
    if constexpr (requires { value.real(); }) {
      return T(word(value.real()), word(value.imag()));
    } else {
      return word(value);
    }
  }
#endif
};

}  // namespace heddle::backends
