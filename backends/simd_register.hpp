// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <type_traits>

#include "host/avx2_register.hpp"
#include "host/simd_function.hpp"

namespace heddle::backends {

/// SimdRegister if the compiler has no such register for T: the same functions on an array.
template <class T>
struct PlainRegister {
  static constexpr int width = 4;
  struct Mask {
    std::int64_t first;
  };
  T entries[width];

  HEDDLE_SIMD_WORD PlainRegister all(T value) { return {{value, value, value, value}}; }
  template <class From>
  HEDDLE_SIMD_WORD PlainRegister load(const From* from) {
    return strided(from, 1);
  }
  HEDDLE_SIMD_WORD void store(T* to, PlainRegister v) { store_first<width>(to, v); }
  template <class Index>
  HEDDLE_SIMD_WORD PlainRegister load_each(const Index* indices, const T* from) {
    return {{from[indices[0]], from[indices[1]], from[indices[2]], from[indices[3]]}};
  }
  HEDDLE_SIMD_WORD PlainRegister gather(const std::int32_t* indices, const T* from) {
    return load_each(indices, from);
  }
  template <class Index>
  HEDDLE_SIMD_WORD bool consecutive(const Index* indices) {
    return indices[1] - indices[0] == 1 && indices[2] - indices[1] == 1 &&
           indices[3] - indices[2] == 1;
  }
  template <class From>
  HEDDLE_SIMD_WORD PlainRegister strided(const From* from, std::int64_t stride) {
    return strided_first<width>(from, stride);
  }
  template <int N, class From>
  HEDDLE_SIMD_WORD PlainRegister strided_first(const From* from, std::int64_t stride) {
    PlainRegister v = all(T(0));
    for (int i = 0; i < N; ++i) v.entries[i] = static_cast<T>(from[i * stride]);
    return v;
  }

  HEDDLE_SIMD_WORD Mask first(std::int64_t n) { return {n}; }
  HEDDLE_SIMD_WORD PlainRegister keep(Mask mask, PlainRegister v) {
    for (int i = 0; i < width; ++i) v.entries[i] = i < mask.first ? v.entries[i] : T(0);
    return v;
  }
  template <int N>
  HEDDLE_SIMD_WORD PlainRegister load_first(const T* from) {
    return strided_first<N>(from, 1);
  }
  template <int N>
  HEDDLE_SIMD_WORD void store_first(T* to, PlainRegister v) {
    for (int i = 0; i < N; ++i) to[i] = v.entries[i];
  }

  HEDDLE_SIMD_WORD PlainRegister add(PlainRegister a, PlainRegister b) {
    for (int i = 0; i < width; ++i) a.entries[i] += b.entries[i];
    return a;
  }
  HEDDLE_SIMD_WORD PlainRegister multiply(PlainRegister a, PlainRegister b) {
    for (int i = 0; i < width; ++i) a.entries[i] *= b.entries[i];
    return a;
  }
  HEDDLE_SIMD_WORD PlainRegister multiply_add(PlainRegister a, PlainRegister b, PlainRegister c) {
    return add(multiply(a, b), c);
  }

  HEDDLE_SIMD_WORD T sum(PlainRegister v) {
    return (v.entries[0] + v.entries[2]) + (v.entries[1] + v.entries[3]);
  }
  HEDDLE_SIMD_WORD PlainRegister sums(const PlainRegister* v) {
    return {{sum(v[0]), sum(v[1]), sum(v[2]), sum(v[3])}};
  }
  HEDDLE_SIMD_WORD void transpose(PlainRegister* v) {
    for (int i = 0; i < width; ++i) {
      for (int j = 0; j < i; ++j) {
        const T entry = v[i].entries[j];
        v[i].entries[j] = v[j].entries[i];
        v[j].entries[i] = entry;
      }
    }
  }
};

/// Whether this compiler, for this architecture, has registers of four T for functions marked
/// HEDDLE_SIMD_FUNCTION. supports(Simd) says whether the processor has them too.
template <class T>
inline constexpr bool has_simd_registers =
    compiles_simd && (std::is_same_v<T, float> || std::is_same_v<T, double>);

namespace detail {
template <class T, bool InHardware>
struct SimdRegisterOf {
  using type = PlainRegister<T>;
};
#ifdef HEDDLE_COMPILES_AVX2
template <class T>
struct SimdRegisterOf<T, true> {
  using type = Avx2Register<T>;
};
#endif
}  // namespace detail

/// Four numbers of type T in one register of a CPU, and its operations, for kernels whose lanes are
/// distributed along a row. Functions that use them are marked HEDDLE_SIMD_FUNCTION and called only
/// if supports(Simd::loads). If there is no such register the operations work on an array, so that
/// the kernels compile everywhere.
///
/// `n` counts entries from the first. gather and load_each read from[indices[0]], from[indices[1]],
/// ..., by one instruction and one by one; consecutive says whether the indices ascend by one. A
/// register of double loads floats too.
template <class T>
using SimdRegister = typename detail::SimdRegisterOf<T, has_simd_registers<T>>::type;

}  // namespace heddle::backends
