// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Macros.hpp>
#include <cstdint>

namespace heddle::backends {

/// The lanes of a team of one thread: one lane, which receives what it sends.
struct HostLanes {
  static constexpr int max_width = 1;
  static constexpr bool bounds_by_waves = false;  ///< see resident_bound

  KOKKOS_FORCEINLINE_FUNCTION static int thread() { return 0; }
  KOKKOS_FORCEINLINE_FUNCTION static void barrier() {}

  template <int W>
  KOKKOS_FORCEINLINE_FUNCTION static int lane() {
    return 0;
  }
  template <int W, class T>
  KOKKOS_FORCEINLINE_FUNCTION static T shuffle(T value, int) {
    return value;
  }
  template <int W, class T>
  KOKKOS_FORCEINLINE_FUNCTION static T shuffle_up(T value, int) {
    return value;
  }
  template <int W, class T>
  KOKKOS_FORCEINLINE_FUNCTION static T shuffle_down(T value, int) {
    return value;
  }
  template <int W, class T>
  KOKKOS_FORCEINLINE_FUNCTION static T shuffle_xor(T value, int) {
    return value;
  }
  template <int W, class T>
  KOKKOS_FORCEINLINE_FUNCTION static T shuffle_xor_together(T value, int) {
    return value;
  }
  template <int W>
  KOKKOS_FORCEINLINE_FUNCTION static std::uint64_t ballot(bool vote) {
    return vote ? 1 : 0;
  }
  template <int W>
  KOKKOS_FORCEINLINE_FUNCTION static void sync() {}
};

}  // namespace heddle::backends
