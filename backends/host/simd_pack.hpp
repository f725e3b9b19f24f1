// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstring>
#include <utility>

#include "../../core/types.hpp"
#include "simd_function.hpp"

#ifdef HEDDLE_COMPILES_PACKS

namespace heddle::backends {

namespace detail {
template <class T, int Width>
struct VectorOf {
  typedef T type __attribute__((vector_size(Width * sizeof(T))));
};
template <class T, int Width>
using Vector = typename VectorOf<T, Width>::type;
}  // namespace detail

/// Bytes of a pack of real numbers, whatever the size of registers, so that a kernel does the same
/// work with any instructions.
inline constexpr int pack_bytes = 32;

/// Mask of the lanes of a SimdPack: all bits of a lane are set, or none. Bits is an integer as wide
/// as the numbers, RegisterBytes as in SimdPack.
///
/// It has a copy constructor, and so is passed in memory: functions compiled for AVX2 and others
/// would pass registers of 32 bytes differently, if a call between them was not inlined.
template <class Bits, int RegisterBytes>
struct SimdMask {
  static constexpr int width = pack_bytes / static_cast<int>(sizeof(Bits));
  static constexpr int parts = pack_bytes / RegisterBytes;
  static constexpr int in_part = width / parts;
  using Vector = detail::Vector<Bits, in_part>;
  Vector part[parts];

  SimdMask() = default;
  KOKKOS_FORCEINLINE_FUNCTION SimdMask(const SimdMask& other) { *this = other; }
  KOKKOS_FORCEINLINE_FUNCTION SimdMask& operator=(const SimdMask& other) {
    for_parts([&](int p) __attribute__((always_inline)) { part[p] = other.part[p]; });
    return *this;
  }
  /// Calls body(p) for each part, without a loop, so that parts stay in registers.
  template <class Body>
  KOKKOS_FORCEINLINE_FUNCTION static void for_parts(const Body& body) {
    body(0);
    if constexpr (parts == 2) body(1);
  }
  /// The lanes for which wanted(i) holds.
  template <class Wanted>
  KOKKOS_FORCEINLINE_FUNCTION static SimdMask where(const Wanted& wanted) {
    SimdMask mask;
    for_parts([&](int p) __attribute__((always_inline)) {
      collect(
          mask.part[p],
          [&](int i) __attribute__((always_inline)) { return wanted(p * in_part + i); },
          std::make_index_sequence<in_part>());
    });
    return mask;
  }

  KOKKOS_FORCEINLINE_FUNCTION static SimdMask first(std::int64_t n) {
    const auto most = static_cast<Bits>(n < 0 ? 0 : n < width ? n : width);
    SimdMask mask;
    for_parts([&](int p) __attribute__((always_inline)) {
      count(mask.part[p], p * in_part, std::make_index_sequence<in_part>());
      mask.part[p] = mask.part[p] < most;
    });
    return mask;
  }
  KOKKOS_FORCEINLINE_FUNCTION static SimdMask within(std::int64_t at, std::int64_t n) {
    if (at >= 0 && at + width <= n) return first(width);
    return where([&](int i) __attribute__((always_inline)) { return at + i >= 0 && at + i < n; });
  }
  /// Lanes i whose word at words[i * stride], an array of any type, differs from `word`.
  template <class Word>
  KOKKOS_FORCEINLINE_FUNCTION static SimdMask unlike(const Word* words, std::int64_t stride,
                                                     Word word) {
    const auto differs = [&](int i) __attribute__((always_inline)) {
      Word of_lane;
      std::memcpy(&of_lane, words + i * stride, sizeof of_lane);
      return of_lane != word;
    };
    if (stride != 1) return where(differs);
    SimdMask mask;
    for_parts([&](int p) __attribute__((always_inline)) {
      detail::Vector<Word, in_part> loaded;
      std::memcpy(&loaded, words + p * in_part, sizeof loaded);
      mask.part[p] = __builtin_convertvector(loaded != word, Vector);
    });
    return mask;
  }
  template <class O>
  KOKKOS_FORCEINLINE_FUNCTION static SimdMask above(const O* numbers, O bound) {
    if constexpr (sizeof(O) > sizeof(Bits)) {
      return where([&](int i) __attribute__((always_inline)) { return numbers[i] > bound; });
    } else {
      SimdMask mask;
      for_parts([&](int p) __attribute__((always_inline)) {
        detail::Vector<O, in_part> loaded;
        std::memcpy(&loaded, numbers + p * in_part, sizeof loaded);
        mask.part[p] = __builtin_convertvector(loaded > bound, Vector);
      });
      return mask;
    }
  }
  template <class O>
  KOKKOS_FORCEINLINE_FUNCTION static SimdMask above(const O* numbers, O bound,
                                                    const SimdMask& within) {
    if (within.all()) return above(numbers, bound);
    return where(
        [&](int i) __attribute__((always_inline)) { return within.lane(i) && numbers[i] > bound; });
  }
  KOKKOS_FORCEINLINE_FUNCTION friend SimdMask operator&(const SimdMask& a, const SimdMask& b) {
    SimdMask mask;
    for_parts([&](int p) __attribute__((always_inline)) { mask.part[p] = a.part[p] & b.part[p]; });
    return mask;
  }
  KOKKOS_FORCEINLINE_FUNCTION bool lane(int i) const {
    Bits lanes[in_part];  // a copy: an element of a vector in memory would keep all of it there
    std::memcpy(lanes, &part[i / in_part], sizeof lanes);
    return lanes[i % in_part] != 0;
  }
  KOKKOS_FORCEINLINE_FUNCTION bool any() const {
    std::int64_t bits = 0;
    for_words([&](std::int64_t word) __attribute__((always_inline)) { bits |= word; });
    return bits != 0;
  }
  KOKKOS_FORCEINLINE_FUNCTION bool all() const {
    std::int64_t bits = -1;
    for_words([&](std::int64_t word) __attribute__((always_inline)) { bits &= word; });
    return bits == -1;
  }

 private:
  using Words = detail::Vector<std::int64_t, RegisterBytes / 8>;

  template <class Body>
  KOKKOS_FORCEINLINE_FUNCTION void for_words(const Body& body) const {
    for_parts([&](int p) __attribute__((always_inline)) {
      const auto words = __builtin_bit_cast(Words, part[p]);
      body(words[0]);
      body(words[1]);
      if constexpr (RegisterBytes == 32) {
        body(words[2]);
        body(words[3]);
      }
    });
  }
  template <std::size_t... I>
  KOKKOS_FORCEINLINE_FUNCTION static void count(Vector& to, int from, std::index_sequence<I...>) {
    to = Vector{static_cast<Bits>(from + static_cast<int>(I))...};
  }
  template <class Wanted, std::size_t... I>
  KOKKOS_FORCEINLINE_FUNCTION static void collect(Vector& to, const Wanted& wanted,
                                                  std::index_sequence<I...>) {
    to = Vector{(wanted(static_cast<int>(I)) ? Bits(-1) : Bits(0))...};
  }
};

/// Pack of a CPU: real numbers in registers of RegisterBytes, 16 or 32. With registers that the
/// function is not compiled for, every step would go through memory. It has a copy constructor for
/// the same reason as SimdMask.
template <Scalar T, int RegisterBytes>
struct SimdPack {
  using Mask =
      SimdMask<std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>, RegisterBytes>;
  static constexpr int width = Mask::width;
  static constexpr int parts = Mask::parts;
  static constexpr int in_part = Mask::in_part;
  using Vector = detail::Vector<T, in_part>;
  Vector part[parts];

  SimdPack() = default;
  KOKKOS_FORCEINLINE_FUNCTION SimdPack(const SimdPack& other) { *this = other; }
  KOKKOS_FORCEINLINE_FUNCTION SimdPack& operator=(const SimdPack& other) {
    for_parts([&](int p) __attribute__((always_inline)) { part[p] = other.part[p]; });
    return *this;
  }
  template <class Body>
  KOKKOS_FORCEINLINE_FUNCTION static void for_parts(const Body& body) {
    Mask::for_parts(body);
  }
  /// entry(i) in each lane i, written at once: one by one, each would wait for the lane before.
  template <class Entry>
  KOKKOS_FORCEINLINE_FUNCTION static SimdPack of(const Entry& entry) {
    SimdPack v;
    for_parts([&](int p) __attribute__((always_inline)) {
      collect(
          v.part[p], [&](int i) __attribute__((always_inline)) { return entry(p * in_part + i); },
          std::make_index_sequence<in_part>());
    });
    return v;
  }

  KOKKOS_FORCEINLINE_FUNCTION static SimdPack zero() { return all(T(0)); }
  KOKKOS_FORCEINLINE_FUNCTION static SimdPack all(T value) {
    return of([&](int) __attribute__((always_inline)) { return value; });
  }
  KOKKOS_FORCEINLINE_FUNCTION T lane(int i) const {
    T lanes[in_part];  // a copy, as in SimdMask
    std::memcpy(lanes, &part[i / in_part], sizeof lanes);
    return lanes[i % in_part];
  }

  template <Scalar U>
  KOKKOS_FORCEINLINE_FUNCTION static SimdPack load(const U* from) {
    SimdPack v;
    for_parts([&](int p) __attribute__((always_inline)) {
      detail::Vector<U, in_part> loaded;
      std::memcpy(&loaded, from + p * in_part, sizeof loaded);
      v.part[p] = __builtin_convertvector(loaded, Vector);
    });
    return v;
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
    return of([&](int i) __attribute__((always_inline)) {
      return mask.lane(i) ? T(from[i * stride]) : T(0);
    });
  }
  template <Scalar U, Ordinal O>
  KOKKOS_FORCEINLINE_FUNCTION static SimdPack gather(const U* from, const O* ordinals,
                                                     std::int64_t stride = 1) {
    return of([&](int i) __attribute__((always_inline)) {
      return T(from[static_cast<std::int64_t>(ordinals[i]) * stride]);
    });
  }
  template <Scalar U, Ordinal O>
  KOKKOS_FORCEINLINE_FUNCTION static SimdPack gather(const U* from, const O* ordinals,
                                                     const Mask& mask, std::int64_t stride = 1) {
    if (mask.all()) return gather(from, ordinals, stride);
    return of([&](int i) __attribute__((always_inline)) {
      return mask.lane(i) ? T(from[static_cast<std::int64_t>(ordinals[i]) * stride]) : T(0);
    });
  }
  template <Scalar U>
  KOKKOS_FORCEINLINE_FUNCTION static void store(U* to, const SimdPack& v) {
    for_parts([&](int p) __attribute__((always_inline)) {
      const auto stored = __builtin_convertvector(v.part[p], detail::Vector<U, in_part>);
      std::memcpy(to + p * in_part, &stored, sizeof stored);
    });
  }
  template <Scalar U>
  KOKKOS_FORCEINLINE_FUNCTION static void store(U* to, const SimdPack& v, const Mask& mask) {
    if (mask.all()) return store(to, v);
    store_strided(to, 1, v, mask);
  }
  template <Scalar U>
  KOKKOS_FORCEINLINE_FUNCTION static void store_strided(U* to, std::int64_t stride,
                                                        const SimdPack& v, const Mask& mask) {
    for (int i = 0; i < width; ++i) {
      if (mask.lane(i)) to[i * stride] = U(v.lane(i));
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION static SimdPack add(const SimdPack& a, const SimdPack& b) {
    SimdPack v;
    for_parts([&](int p) __attribute__((always_inline)) { v.part[p] = a.part[p] + b.part[p]; });
    return v;
  }
  KOKKOS_FORCEINLINE_FUNCTION static SimdPack multiply(const SimdPack& a, const SimdPack& b) {
    SimdPack v;
    for_parts([&](int p) __attribute__((always_inline)) { v.part[p] = a.part[p] * b.part[p]; });
    return v;
  }
  KOKKOS_FORCEINLINE_FUNCTION static SimdPack multiply_add(const SimdPack& a, const SimdPack& b,
                                                           const SimdPack& c) {
    SimdPack v;
    for_parts([&](int p) __attribute__((always_inline)) {
      v.part[p] = a.part[p] * b.part[p] + c.part[p];
    });
    return v;
  }
  KOKKOS_FORCEINLINE_FUNCTION static SimdPack keep(const Mask& mask, const SimdPack& v) {
    return select(mask, v, zero());
  }
  KOKKOS_FORCEINLINE_FUNCTION static SimdPack select(const Mask& mask, const SimdPack& a,
                                                     const SimdPack& b) {
    using Chosen = typename Mask::Vector;
    SimdPack v;
    for_parts([&](int p) __attribute__((always_inline)) {
      const Chosen chosen = (mask.part[p] & __builtin_bit_cast(Chosen, a.part[p])) |
                            (~mask.part[p] & __builtin_bit_cast(Chosen, b.part[p]));
      v.part[p] = __builtin_bit_cast(Vector, chosen);
    });
    return v;
  }
  KOKKOS_FORCEINLINE_FUNCTION static SimdPack conjugate(const SimdPack& v) { return v; }
  KOKKOS_FORCEINLINE_FUNCTION static T sum(const SimdPack& v) {
    T sums[width];
    store(sums, v);
    for (int half = width / 2; half > 0; half /= 2) {
      for (int i = 0; i < half; ++i) sums[i] += sums[i + half];
    }
    return sums[0];
  }

 private:
  template <class Entry, std::size_t... I>
  KOKKOS_FORCEINLINE_FUNCTION static void collect(Vector& to, const Entry& entry,
                                                  std::index_sequence<I...>) {
    to = Vector{entry(static_cast<int>(I))...};
  }
};

}  // namespace heddle::backends

#endif

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
