// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../core/types.hpp"
#include "memory.hpp"

namespace heddle::backends {

/// A Pack of one value: that of a lane of a GPU, or of a CPU whose SIMD the compiler does not know.
template <Scalar T>
struct SinglePack {
  static constexpr int width = 1;

  /// 32 bits, since clang passes a smaller one through memory on gfx90a.
  struct Mask {
    std::int32_t on;

    KOKKOS_FORCEINLINE_FUNCTION static Mask where(bool on) { return {on ? 1 : 0}; }
    KOKKOS_FORCEINLINE_FUNCTION static Mask first(std::int64_t n) { return where(n > 0); }
    KOKKOS_FORCEINLINE_FUNCTION static Mask within(std::int64_t at, std::int64_t n) {
      return where(static_cast<std::uint64_t>(at) < static_cast<std::uint64_t>(n));
    }
    template <class O>
    KOKKOS_FORCEINLINE_FUNCTION static Mask above(const O* numbers, O bound) {
      return where(*numbers > bound);
    }
    template <class O>
    KOKKOS_FORCEINLINE_FUNCTION static Mask above(const O* numbers, O bound, Mask within) {
      return where(within.any() && *numbers > bound);
    }
    KOKKOS_FORCEINLINE_FUNCTION friend Mask operator&(Mask a, Mask b) {
      return where(a.any() && b.any());
    }
    KOKKOS_FORCEINLINE_FUNCTION bool lane(int) const { return any(); }
    KOKKOS_FORCEINLINE_FUNCTION bool any() const { return on != 0; }
    KOKKOS_FORCEINLINE_FUNCTION bool all() const { return any(); }
  };

  T value;

  KOKKOS_FORCEINLINE_FUNCTION static SinglePack zero() { return {T(0)}; }
  KOKKOS_FORCEINLINE_FUNCTION static SinglePack all(T value) { return {value}; }
  KOKKOS_FORCEINLINE_FUNCTION T lane(int) const { return value; }

  template <Scalar U>
  KOKKOS_FORCEINLINE_FUNCTION static SinglePack load(const U* from) {
    return {T(*from)};
  }
  template <Scalar U>
  KOKKOS_FORCEINLINE_FUNCTION static SinglePack load(const U* from, Mask mask) {
    return {T(backends::load(from, mask.any()))};
  }
  template <Scalar U>
  KOKKOS_FORCEINLINE_FUNCTION static SinglePack load_once(const U* from, Mask mask) {
    return {T(backends::load_once(from, mask.any()))};
  }
  template <Scalar U>
  KOKKOS_FORCEINLINE_FUNCTION static SinglePack strided(const U* from, std::int64_t, Mask mask) {
    return load(from, mask);
  }
  template <Scalar U, Ordinal O>
  KOKKOS_FORCEINLINE_FUNCTION static SinglePack gather(const U* from, const O* ordinals,
                                                       std::int64_t stride = 1) {
    return {T(from[static_cast<std::int64_t>(*ordinals) * stride])};
  }
  template <Scalar U, Ordinal O>
  KOKKOS_FORCEINLINE_FUNCTION static SinglePack gather(const U* from, const O* ordinals, Mask mask,
                                                       std::int64_t stride = 1) {
    const auto ordinal = static_cast<std::int64_t>(backends::load(ordinals, mask.any()));
    return load(from + ordinal * stride, mask);
  }
  template <Scalar U>
  KOKKOS_FORCEINLINE_FUNCTION static void store(U* to, SinglePack v) {
    *to = U(v.value);
  }
  template <Scalar U>
  KOKKOS_FORCEINLINE_FUNCTION static void store(U* to, SinglePack v, Mask mask) {
    if (mask.any()) *to = U(v.value);
  }
  template <Scalar U>
  KOKKOS_FORCEINLINE_FUNCTION static void store_strided(U* to, std::int64_t, SinglePack v,
                                                        Mask mask) {
    store(to, v, mask);
  }

  KOKKOS_FORCEINLINE_FUNCTION static SinglePack add(SinglePack a, SinglePack b) {
    return {a.value + b.value};
  }
  KOKKOS_FORCEINLINE_FUNCTION static SinglePack multiply(SinglePack a, SinglePack b) {
    return {a.value * b.value};
  }
  KOKKOS_FORCEINLINE_FUNCTION static SinglePack multiply_add(SinglePack a, SinglePack b,
                                                             SinglePack c) {
    return {c.value + a.value * b.value};
  }
  KOKKOS_FORCEINLINE_FUNCTION static SinglePack keep(Mask mask, SinglePack v) {
    return {mask.any() ? v.value : T(0)};
  }
  KOKKOS_FORCEINLINE_FUNCTION static SinglePack select(Mask mask, SinglePack a, SinglePack b) {
    return {mask.any() ? a.value : b.value};
  }
  KOKKOS_FORCEINLINE_FUNCTION static SinglePack conjugate(SinglePack v) {
    return {heddle::conjugate(v.value)};
  }
  KOKKOS_FORCEINLINE_FUNCTION static T sum(SinglePack v) { return v.value; }
};

}  // namespace heddle::backends
