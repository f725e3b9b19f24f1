// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simd_pack.hpp"
#ifdef HEDDLE_COMPILES_PACKS

namespace heddle::backends {

/// Complex numbers: their real parts in one pack, their imaginary parts in another.
template <class Real, int RegisterBytes>
struct SimdPack<Kokkos::complex<Real>, RegisterBytes> {
  using T = Kokkos::complex<Real>;
  using Part = SimdPack<Real, RegisterBytes>;
  static constexpr int width = Part::width;
  using Mask = typename Part::Mask;
  Part real, imaginary;

  KOKKOS_FORCEINLINE_FUNCTION static SimdPack zero() { return {Part::zero(), Part::zero()}; }
  KOKKOS_FORCEINLINE_FUNCTION static SimdPack all(T value) {
    return {Part::all(value.real()), Part::all(value.imag())};
  }
  KOKKOS_FORCEINLINE_FUNCTION T lane(int i) const { return {real.lane(i), imaginary.lane(i)}; }

  template <Scalar U>
  KOKKOS_FORCEINLINE_FUNCTION static SimdPack load(const U* from) {
    if constexpr (std::is_same_v<U, T>) {
      SimdPack v;
      Part::for_parts([&](int p) __attribute__((always_inline)) {
        separate(v, p, reinterpret_cast<const Real*>(from), InPart());
      });
      return v;
    } else {
      return strided(from, 1, Mask::first(width));
    }
  }
  template <Scalar U>
  KOKKOS_FORCEINLINE_FUNCTION static SimdPack load(const U* from, const Mask& mask) {
    return mask.all() ? load(from) : strided(from, 1, mask);
  }
  template <Scalar U>
  KOKKOS_FORCEINLINE_FUNCTION static SimdPack load_once(const U* from, const Mask& mask) {
    return load(from, mask);
  }
  template <Scalar U>
  KOKKOS_FORCEINLINE_FUNCTION static SimdPack strided(const U* from, std::int64_t stride,
                                                      const Mask& mask) {
    if constexpr (is_complex<U>) {
      const auto* parts = reinterpret_cast<const heddle::RealOf<U>*>(from);
      return {Part::strided(parts, 2 * stride, mask), Part::strided(parts + 1, 2 * stride, mask)};
    } else {
      return {Part::strided(from, stride, mask), Part::zero()};
    }
  }
  template <Scalar U, Ordinal O>
  KOKKOS_FORCEINLINE_FUNCTION static SimdPack gather(const U* from, const O* ordinals,
                                                     std::int64_t stride = 1) {
    if constexpr (is_complex<U>) {
      const auto* parts = reinterpret_cast<const heddle::RealOf<U>*>(from);
      return {Part::gather(parts, ordinals, 2 * stride),
              Part::gather(parts + 1, ordinals, 2 * stride)};
    } else {
      return {Part::gather(from, ordinals, stride), Part::zero()};
    }
  }
  template <Scalar U, Ordinal O>
  KOKKOS_FORCEINLINE_FUNCTION static SimdPack gather(const U* from, const O* ordinals,
                                                     const Mask& mask, std::int64_t stride = 1) {
    if constexpr (is_complex<U>) {
      const auto* parts = reinterpret_cast<const heddle::RealOf<U>*>(from);
      return {Part::gather(parts, ordinals, mask, 2 * stride),
              Part::gather(parts + 1, ordinals, mask, 2 * stride)};
    } else {
      return {Part::gather(from, ordinals, mask, stride), Part::zero()};
    }
  }
  template <Scalar U>
  KOKKOS_FORCEINLINE_FUNCTION static void store(U* to, const SimdPack& v) {
    if constexpr (std::is_same_v<U, T>) {
      Part::for_parts([&](int p) __attribute__((always_inline)) {
        join(reinterpret_cast<Real*>(to), p, v, InPart());
      });
    } else {
      store_strided(to, 1, v, Mask::first(width));
    }
  }
  template <Scalar U>
  KOKKOS_FORCEINLINE_FUNCTION static void store(U* to, const SimdPack& v, const Mask& mask) {
    if (mask.all()) return store(to, v);
    store_strided(to, 1, v, mask);
  }
  template <Scalar U>
  KOKKOS_FORCEINLINE_FUNCTION static void store_strided(U* to, std::int64_t stride,
                                                        const SimdPack& v, const Mask& mask) {
    auto* parts = reinterpret_cast<heddle::RealOf<U>*>(to);
    Part::store_strided(parts, 2 * stride, v.real, mask);
    Part::store_strided(parts + 1, 2 * stride, v.imaginary, mask);
  }

  KOKKOS_FORCEINLINE_FUNCTION static SimdPack add(const SimdPack& a, const SimdPack& b) {
    return {Part::add(a.real, b.real), Part::add(a.imaginary, b.imaginary)};
  }
  KOKKOS_FORCEINLINE_FUNCTION static SimdPack multiply(const SimdPack& a, const SimdPack& b) {
    return multiply_add(a, b, zero());
  }
  KOKKOS_FORCEINLINE_FUNCTION static SimdPack multiply_add(const SimdPack& a, const SimdPack& b,
                                                           const SimdPack& c) {
    const Part minus = negative(a.imaginary);
    return {Part::multiply_add(minus, b.imaginary, Part::multiply_add(a.real, b.real, c.real)),
            Part::multiply_add(a.imaginary, b.real,
                               Part::multiply_add(a.real, b.imaginary, c.imaginary))};
  }
  KOKKOS_FORCEINLINE_FUNCTION static SimdPack keep(const Mask& mask, const SimdPack& v) {
    return {Part::keep(mask, v.real), Part::keep(mask, v.imaginary)};
  }
  KOKKOS_FORCEINLINE_FUNCTION static SimdPack select(const Mask& mask, const SimdPack& a,
                                                     const SimdPack& b) {
    return {Part::select(mask, a.real, b.real), Part::select(mask, a.imaginary, b.imaginary)};
  }
  KOKKOS_FORCEINLINE_FUNCTION static SimdPack conjugate(const SimdPack& v) {
    return {v.real, negative(v.imaginary)};
  }
  KOKKOS_FORCEINLINE_FUNCTION static T sum(const SimdPack& v) {
    return {Part::sum(v.real), Part::sum(v.imaginary)};
  }

 private:
  using InPart = std::make_index_sequence<Part::in_part>;
  using Vector = typename Part::Vector;
  static constexpr int in_part = Part::in_part;

  KOKKOS_FORCEINLINE_FUNCTION static Part negative(const Part& v) {
    Part minus;
    Part::for_parts([&](int p) __attribute__((always_inline)) { minus.part[p] = -v.part[p]; });
    return minus;
  }
  template <std::size_t... I>
  KOKKOS_FORCEINLINE_FUNCTION static void separate(SimdPack& v, int p, const Real* from,
                                                   std::index_sequence<I...>) {
    Vector low, high;
    std::memcpy(&low, from + 2 * p * in_part, sizeof low);
    std::memcpy(&high, from + (2 * p + 1) * in_part, sizeof high);
    v.real.part[p] = __builtin_shufflevector(low, high, (2 * I)...);
    v.imaginary.part[p] = __builtin_shufflevector(low, high, (2 * I + 1)...);
  }
  template <std::size_t... I>
  KOKKOS_FORCEINLINE_FUNCTION static void join(Real* to, int p, const SimdPack& v,
                                               std::index_sequence<I...>) {
    const Vector low =
        __builtin_shufflevector(v.real.part[p], v.imaginary.part[p], (I / 2 + I % 2 * in_part)...);
    const Vector high = __builtin_shufflevector(v.real.part[p], v.imaginary.part[p],
                                                (in_part / 2 + I / 2 + I % 2 * in_part)...);
    std::memcpy(to + 2 * p * in_part, &low, sizeof low);
    std::memcpy(to + (2 * p + 1) * in_part, &high, sizeof high);
  }
};

}  // namespace heddle::backends

#endif
