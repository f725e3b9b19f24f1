// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

namespace heddle::backends {

/// The lanes of a HIP wavefront of 64, W at a time. Threads numbers the threads of a team.
template <class Threads>
struct HipLanes {
  static constexpr int max_width = 64;
  static constexpr bool bounds_by_waves = true;  ///< see resident_bound

  /// This thread's place in the team.
  KOKKOS_FORCEINLINE_FUNCTION static int thread() {
    KOKKOS_IF_ON_DEVICE((return static_cast<int>(Threads::thread());))
    KOKKOS_IF_ON_HOST((return 0;))
  }
  /// All threads of the team wait for each other.
  KOKKOS_FORCEINLINE_FUNCTION static void barrier() { KOKKOS_IF_ON_DEVICE((__syncthreads();)) }
  /// The fence is needed: a wavefront does not wait at s_barrier until its own stores reach the L2,
  /// and the release of another wavefront does not wait for them (docs/design/devices.md).
  KOKKOS_FORCEINLINE_FUNCTION static void barrier_to_publish() {
    KOKKOS_IF_ON_DEVICE((__builtin_amdgcn_fence(__ATOMIC_RELEASE, "agent"); __syncthreads();))
  }

  template <int W>
  KOKKOS_FORCEINLINE_FUNCTION static int lane() {
    KOKKOS_IF_ON_DEVICE((return static_cast<int>(Threads::thread() % W);))
    KOKKOS_IF_ON_HOST((return 0;))
  }

  template <int W, class T>
  KOKKOS_FORCEINLINE_FUNCTION static T shuffle(T value, int from) {
    KOKKOS_IF_ON_DEVICE(
        (return each_word(value, [=](auto word) { return __shfl(word, from, W); });))
    KOKKOS_IF_ON_HOST(((void)from; return value;))
  }

  template <int W, class T>
  KOKKOS_FORCEINLINE_FUNCTION static T shuffle_up(T value, int distance) {
    KOKKOS_IF_ON_DEVICE(
        (return each_word(value, [=](auto word) { return __shfl_up(word, distance, W); });))
    KOKKOS_IF_ON_HOST(((void)distance; return value;))
  }

  template <int W, class T>
  KOKKOS_FORCEINLINE_FUNCTION static T shuffle_down(T value, int distance) {
    KOKKOS_IF_ON_DEVICE(
        (return each_word(value, [=](auto word) { return __shfl_down(word, distance, W); });))
    KOKKOS_IF_ON_HOST(((void)distance; return value;))
  }

  template <int W, class T>
  KOKKOS_FORCEINLINE_FUNCTION static T shuffle_xor(T value, int bits) {
    KOKKOS_IF_ON_DEVICE(
        (return each_word(value, [=](auto word) { return exchange<W>(word, bits); });))
    KOKKOS_IF_ON_HOST(((void)bits; return value;))
  }

  template <int W, class T>
  KOKKOS_FORCEINLINE_FUNCTION static T shuffle_xor_together(T value, int bits) {
    return shuffle_xor<W>(value, bits);
  }

  template <int W>
  KOKKOS_FORCEINLINE_FUNCTION static std::uint64_t ballot(bool vote) {
    KOKKOS_IF_ON_DEVICE((return (__ballot(vote) >> first<W>()) & mask<W>();))
    KOKKOS_IF_ON_HOST((return vote ? 1 : 0;))
  }

  /// A wavefront runs in step; the fence keeps the compiler from moving memory accesses across.
  template <int W>
  KOKKOS_FORCEINLINE_FUNCTION static void sync() {
    KOKKOS_IF_ON_DEVICE(
        (__builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "wavefront"); __builtin_amdgcn_wave_barrier();))
  }

 private:
#ifdef __HIP_DEVICE_COMPILE__
  template <int W>
  __device__ static unsigned first() {
    return (Threads::thread() % 64) / W * W;
  }
  template <int W>
  __device__ static std::uint64_t mask() {
    if constexpr (W == 64) {
      return ~std::uint64_t{0};
    } else {
      return (std::uint64_t{1} << W) - 1;
    }
  }
  /// If the compiler knows `bits`, as in a sum, near lanes exchange registers directly (DPP) or by
  /// a fixed swizzle; otherwise, and between the halves of a wavefront, by computed addresses.
  template <int W, class T>
  __device__ static T exchange(T word, int bits) {
    if (__builtin_constant_p(bits)) {
      switch (bits) {
        case 1: return each_half(word, move_in_row<0xb1>);   // quad_perm:[1,0,3,2]
        case 2: return each_half(word, move_in_row<0x4e>);   // quad_perm:[2,3,0,1]
        case 4: return each_half(word, swizzle<0x101f>);     // xor 4 within 32 lanes
        case 8: return each_half(word, move_in_row<0x128>);  // row_ror:8 within 16 lanes
        case 16: return each_half(word, swizzle<0x401f>);    // xor 16 within 32 lanes
      }
    }
    return __shfl_xor(word, bits, W);
  }
  template <int Control>
  __device__ static int move_in_row(int half) {
    return __builtin_amdgcn_mov_dpp(half, Control, 0xf, 0xf, true);
  }
  template <int Pattern>
  __device__ static int swizzle(int half) {
    return __builtin_amdgcn_ds_swizzle(half, Pattern);
  }
  /// The hardware moves 32 bits at a time.
  template <class T, class Move>
  __device__ static T each_half(T word, Move move) {
    struct Halves {
      int half[sizeof(T) / sizeof(int)];
    };
    auto halves = __builtin_bit_cast(Halves, word);
    for (int& half : halves.half) half = move(half);
    return __builtin_bit_cast(T, halves);
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
