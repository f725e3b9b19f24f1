// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "lanes.hpp"

namespace heddle::backends {

/// W consecutive lanes that own one piece of work, W a power of two: the unit a kernel is written
/// for. On a CPU W is 1, and the same source is the plain loop.
///
/// All lanes of a subwarp call a function together; other subwarps need not. T is an arithmetic
/// type or a Kokkos::complex. What each compiles to: perf_tests/results/NOTES-devices.md.
template <ExecutionSpace Exec, int W>
class Subwarp {
  using Lanes = typename Backend<Exec>::Lanes;
  static_assert(W >= 1 && (W & (W - 1)) == 0, "the width of a subwarp is a power of two");
  static_assert(W <= Lanes::max_width, "no wider than the backend's warp or wavefront");

 public:
  static constexpr int width = W;

  /// This lane's place in the subwarp, from 0 to W - 1.
  KOKKOS_FORCEINLINE_FUNCTION int lane() const { return Lanes::template lane<W>(); }

  /// The value that lane `from` passed.
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION T shuffle(T value, int from) const {
    return Lanes::template shuffle<W>(value, from);
  }
  /// The value that the lane `distance` below passed; the lowest lanes keep their own.
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION T shuffle_up(T value, int distance) const {
    return Lanes::template shuffle_up<W>(value, distance);
  }
  /// The value that the lane `distance` above passed; the highest lanes keep their own.
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION T shuffle_down(T value, int distance) const {
    return Lanes::template shuffle_down<W>(value, distance);
  }
  /// The value of the lane whose number differs in `bits` (less than W).
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION T shuffle_xor(T value, int bits) const {
    return Lanes::template shuffle_xor<W>(value, bits);
  }
  /// The value of lane `from`, for all lanes.
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION T broadcast(T value, int from) const {
    return shuffle(value, from);
  }

  /// The sum over all lanes, for all of them, in an order fixed by W alone.
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION T sum(T value) const {
    return sum_within<W>(value);
  }
  /// The sum if all subwarps of the warp or wavefront call it together; cheaper on CUDA if W < 32.
  /// With G, a power of two up to W: over the lanes that differ by multiples of G.
  template <int G = 1, class T>
  KOKKOS_FORCEINLINE_FUNCTION T sum_together(T value) const {
    for (int bits = W / 2; bits >= G; bits /= 2) {
      value += Lanes::template shuffle_xor_together<W>(value, bits);
    }
    return value;
  }
  /// The sum within aligned groups of G lanes, G a power of two up to W.
  template <int G, class T>
  KOKKOS_FORCEINLINE_FUNCTION T sum_within(T value) const {
    for (int bits = G / 2; bits > 0; bits /= 2) value += shuffle_xor(value, bits);
    return value;
  }
  /// The sum within aligned groups of `lanes` lanes, a power of two up to W that is known only at
  /// run time.
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION T sum_among(int lanes, T value) const {
    for (int bits = lanes / 2; bits > 0; bits /= 2) value += shuffle_xor(value, bits);
    return value;
  }
  /// The largest value of all lanes, for all of them.
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION T max(T value) const {
    for (int bits = W / 2; bits > 0; bits /= 2) {
      const T other = shuffle_xor(value, bits);
      value = value < other ? other : value;
    }
    return value;
  }

  /// One bit a lane, lane 0 lowest, set if its `vote` is true.
  KOKKOS_FORCEINLINE_FUNCTION std::uint64_t ballot(bool vote) const {
    return Lanes::template ballot<W>(vote);
  }
  KOKKOS_FORCEINLINE_FUNCTION bool any(bool vote) const { return ballot(vote) != 0; }
  KOKKOS_FORCEINLINE_FUNCTION bool all(bool vote) const { return ballot(!vote) == 0; }

  /// Inclusive prefix sum: over this lane and those below.
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION T inclusive_sum(T value) const {
    for (int distance = 1; distance < W; distance *= 2) {
      const T below = shuffle_up(value, distance);
      if (lane() >= distance) value += below;
    }
    return value;
  }
  /// Exclusive prefix sum: over the lanes below this one; zero in lane 0.
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION T exclusive_sum(T value) const {
    const T below = shuffle_up(inclusive_sum(value), 1);
    return lane() == 0 ? T{} : below;
  }
  /// Segmented sum: from the nearest lane at or below this one whose `head` is set, through this
  /// one. Lanes before the first head sum from lane 0. With G, a power of two up to W: over the
  /// lanes that differ by multiples of G.
  template <int G = 1, class T>
  KOKKOS_FORCEINLINE_FUNCTION T segmented_sum(T value, bool head) const {
    bool reached = head;
    for (int distance = G; distance < W; distance *= 2) {
      const T below = shuffle_up(value, distance);
      const bool below_reached = shuffle_up(static_cast<int>(reached), distance) != 0;
      if (lane() >= distance && !reached) {
        value += below;
        reached = below_reached;
      }
    }
    return value;
  }

  /// Lanes wait for each other. Each sees what the others wrote to scratch or memory before.
  KOKKOS_FORCEINLINE_FUNCTION void sync() const { Lanes::template sync<W>(); }
};

}  // namespace heddle::backends
