// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

#include "simd_function.hpp"
#ifdef HEDDLE_COMPILES_AVX2
#include <immintrin.h>

namespace heddle::backends {

/// SimdRegister of a processor with AVX2 and FMA. AVX-512 was no faster (docs/design/cpu.md).
template <class T>
struct Avx2Register;

struct Avx2Indices {
  /// Whether four indices ascend by one.
  template <class Index>
  HEDDLE_SIMD_WORD bool consecutive(const Index* indices) {
    const auto* const from = reinterpret_cast<const __m128i*>(indices);
    if constexpr (sizeof(Index) == 4) {
      const __m128i found = _mm_loadu_si128(from);
      const __m128i first = _mm_shuffle_epi32(found, 0);
      const __m128i wanted = _mm_add_epi32(first, _mm_setr_epi32(0, 1, 2, 3));
      return _mm_movemask_epi8(_mm_cmpeq_epi32(found, wanted)) == 0xffff;
    } else {
      const __m128i first_two = _mm_loadu_si128(from), last_two = _mm_loadu_si128(from + 1);
      const __m128i first = _mm_unpacklo_epi64(first_two, first_two);
      const __m128i equal =
          _mm_and_si128(_mm_cmpeq_epi64(first_two, _mm_add_epi64(first, _mm_set_epi64x(1, 0))),
                        _mm_cmpeq_epi64(last_two, _mm_add_epi64(first, _mm_set_epi64x(3, 2))));
      return _mm_movemask_epi8(equal) == 0xffff;
    }
  }
};

template <>
struct Avx2Register<double> {
  static constexpr int width = 4;
  using Mask = __m256d;
  __m256d entries;

  HEDDLE_SIMD_WORD Avx2Register all(double value) { return {_mm256_set1_pd(value)}; }
  HEDDLE_SIMD_WORD Avx2Register load(const double* from) { return {_mm256_loadu_pd(from)}; }
  HEDDLE_SIMD_WORD Avx2Register load(const float* from) {
    return {_mm256_cvtps_pd(_mm_loadu_ps(from))};
  }
  HEDDLE_SIMD_WORD void store(double* to, Avx2Register v) { _mm256_storeu_pd(to, v.entries); }
  /// Loads from[indices[0]], from[indices[1]], ... one by one.
  template <class Index>
  HEDDLE_SIMD_WORD Avx2Register load_each(const Index* indices, const double* from) {
    return four(from + indices[0], from + indices[1], from + indices[2], from + indices[3]);
  }
  /// Loads from[indices[0]], from[indices[1]], ... by one gather instruction.
  HEDDLE_SIMD_WORD Avx2Register gather(const std::int32_t* indices, const double* from) {
    const __m128i packed = _mm_loadu_si128(reinterpret_cast<const __m128i*>(indices));
    // The mask has all lanes: the form without a mask warns in GCC 12's own header.
    const __m256d every = _mm256_castsi256_pd(_mm256_set1_epi64x(-1));
    return {_mm256_mask_i32gather_pd(_mm256_setzero_pd(), from, packed, every, 8)};
  }
  /// Whether four indices ascend by one.
  template <class Index>
  HEDDLE_SIMD_WORD bool consecutive(const Index* indices) {
    return Avx2Indices::consecutive(indices);
  }
  /// Loads from[0], from[stride], from[2 * stride], ...
  HEDDLE_SIMD_WORD Avx2Register strided(const double* from, std::int64_t stride) {
    return four(from, from + stride, from + 2 * stride, from + 3 * stride);
  }
  HEDDLE_SIMD_WORD Avx2Register strided(const float* from, std::int64_t stride) {
    return {_mm256_set_pd(double{from[3 * stride]}, double{from[2 * stride]}, double{from[stride]},
                          double{from[0]})};
  }

  /// Loads the first N of from[0], from[stride], ..., N from 1 to 4, and zeros after them.
  template <int N>
  HEDDLE_SIMD_WORD Avx2Register strided_first(const double* from, std::int64_t stride) {
    if constexpr (N == 4) return strided(from, stride);
    __m128d low = _mm_load_sd(from), high = _mm_setzero_pd();
    if constexpr (N >= 2) low = _mm_loadh_pd(low, from + stride);
    if constexpr (N == 3) high = _mm_load_sd(from + 2 * stride);
    return {_mm256_set_m128d(high, low)};
  }

  /// Mask of the first n entries: none if n is negative, all if it is 4 or more. n is from -4 to 8.
  HEDDLE_SIMD_WORD Mask first(std::int64_t n) {
    return _mm256_loadu_pd(reinterpret_cast<const double*>(mask_bits + 8 - n));
  }
  /// Zero outside the mask, whatever was there, NaN included.
  HEDDLE_SIMD_WORD Avx2Register keep(Mask mask, Avx2Register v) {
    return {_mm256_and_pd(mask, v.entries)};
  }
  /// Loads the first N entries, N from 1 to 4, and zeros; memory after them is not touched.
  template <int N>
  HEDDLE_SIMD_WORD Avx2Register load_first(const double* from) {
    if constexpr (N == 1) return {_mm256_zextpd128_pd256(_mm_load_sd(from))};
    if constexpr (N == 2) return {_mm256_zextpd128_pd256(_mm_loadu_pd(from))};
    if constexpr (N == 3) {
      return {_mm256_set_m128d(_mm_load_sd(from + 2), _mm_loadu_pd(from))};
    }
    return load(from);
  }
  template <int N>
  HEDDLE_SIMD_WORD void store_first(double* to, Avx2Register v) {
    const __m128d low = _mm256_castpd256_pd128(v.entries);
    if constexpr (N == 1) _mm_store_sd(to, low);
    if constexpr (N == 2 || N == 3) _mm_storeu_pd(to, low);
    if constexpr (N == 3) _mm_store_sd(to + 2, _mm256_extractf128_pd(v.entries, 1));
    if constexpr (N == 4) store(to, v);
  }

  HEDDLE_SIMD_WORD Avx2Register add(Avx2Register a, Avx2Register b) {
    return {_mm256_add_pd(a.entries, b.entries)};
  }
  HEDDLE_SIMD_WORD Avx2Register multiply(Avx2Register a, Avx2Register b) {
    return {_mm256_mul_pd(a.entries, b.entries)};
  }
  /// a * b + c
  HEDDLE_SIMD_WORD Avx2Register multiply_add(Avx2Register a, Avx2Register b, Avx2Register c) {
    return {_mm256_fmadd_pd(a.entries, b.entries, c.entries)};
  }

  HEDDLE_SIMD_WORD double sum(Avx2Register v) {
    const __m128d halves =
        _mm_add_pd(_mm256_castpd256_pd128(v.entries), _mm256_extractf128_pd(v.entries, 1));
    return _mm_cvtsd_f64(_mm_add_sd(halves, _mm_unpackhi_pd(halves, halves)));
  }
  /// The sums of four registers, in the four lanes of one.
  HEDDLE_SIMD_WORD Avx2Register sums(const Avx2Register* v) {
    const __m256d first_two = _mm256_hadd_pd(v[0].entries, v[1].entries);
    const __m256d last_two = _mm256_hadd_pd(v[2].entries, v[3].entries);
    return {_mm256_add_pd(_mm256_permute2f128_pd(first_two, last_two, 0x20),
                          _mm256_permute2f128_pd(first_two, last_two, 0x31))};
  }
  /// Transposes four registers: entry j of register i becomes entry i of register j.
  HEDDLE_SIMD_WORD void transpose(Avx2Register* v) {
    const __m256d even01 = _mm256_unpacklo_pd(v[0].entries, v[1].entries);
    const __m256d odd01 = _mm256_unpackhi_pd(v[0].entries, v[1].entries);
    const __m256d even23 = _mm256_unpacklo_pd(v[2].entries, v[3].entries);
    const __m256d odd23 = _mm256_unpackhi_pd(v[2].entries, v[3].entries);
    v[0].entries = _mm256_permute2f128_pd(even01, even23, 0x20);
    v[1].entries = _mm256_permute2f128_pd(odd01, odd23, 0x20);
    v[2].entries = _mm256_permute2f128_pd(even01, even23, 0x31);
    v[3].entries = _mm256_permute2f128_pd(odd01, odd23, 0x31);
  }

 private:
  static constexpr std::int64_t mask_bits[16] = {-1, -1, -1, -1, -1, -1, -1, -1};

  HEDDLE_SIMD_WORD Avx2Register four(const double* a, const double* b, const double* c,
                                     const double* d) {
    return {_mm256_set_m128d(_mm_loadh_pd(_mm_load_sd(c), d), _mm_loadh_pd(_mm_load_sd(a), b))};
  }
};

template <>
struct Avx2Register<float> {
  static constexpr int width = 4;
  using Mask = __m128;
  __m128 entries;

  HEDDLE_SIMD_WORD Avx2Register all(float value) { return {_mm_set1_ps(value)}; }
  HEDDLE_SIMD_WORD Avx2Register load(const float* from) { return {_mm_loadu_ps(from)}; }
  HEDDLE_SIMD_WORD void store(float* to, Avx2Register v) { _mm_storeu_ps(to, v.entries); }
  template <class Index>
  HEDDLE_SIMD_WORD Avx2Register load_each(const Index* indices, const float* from) {
    return {_mm_setr_ps(from[indices[0]], from[indices[1]], from[indices[2]], from[indices[3]])};
  }
  HEDDLE_SIMD_WORD Avx2Register gather(const std::int32_t* indices, const float* from) {
    const __m128i packed = _mm_loadu_si128(reinterpret_cast<const __m128i*>(indices));
    const __m128 every = _mm_castsi128_ps(_mm_set1_epi32(-1));
    return {_mm_mask_i32gather_ps(_mm_setzero_ps(), from, packed, every, 4)};
  }
  template <class Index>
  HEDDLE_SIMD_WORD bool consecutive(const Index* indices) {
    return Avx2Indices::consecutive(indices);
  }
  HEDDLE_SIMD_WORD Avx2Register strided(const float* from, std::int64_t stride) {
    return {_mm_setr_ps(from[0], from[stride], from[2 * stride], from[3 * stride])};
  }

  template <int N>
  HEDDLE_SIMD_WORD Avx2Register strided_first(const float* from, std::int64_t stride) {
    return {_mm_setr_ps(from[0], N > 1 ? from[stride] : 0, N > 2 ? from[2 * stride] : 0,
                        N > 3 ? from[3 * stride] : 0)};
  }

  HEDDLE_SIMD_WORD Mask first(std::int64_t n) {
    return _mm_loadu_ps(reinterpret_cast<const float*>(mask_bits + 8 - n));
  }
  HEDDLE_SIMD_WORD Avx2Register keep(Mask mask, Avx2Register v) {
    return {_mm_and_ps(mask, v.entries)};
  }
  template <int N>
  HEDDLE_SIMD_WORD Avx2Register load_first(const float* from) {
    if constexpr (N == 1) return {_mm_load_ss(from)};
    const __m128 low = _mm_loadl_pi(_mm_setzero_ps(), reinterpret_cast<const __m64*>(from));
    if constexpr (N == 2) return {low};
    if constexpr (N == 3) return {_mm_movelh_ps(low, _mm_load_ss(from + 2))};
    return load(from);
  }
  template <int N>
  HEDDLE_SIMD_WORD void store_first(float* to, Avx2Register v) {
    if constexpr (N == 1) _mm_store_ss(to, v.entries);
    if constexpr (N == 2 || N == 3) _mm_storel_pi(reinterpret_cast<__m64*>(to), v.entries);
    if constexpr (N == 3) _mm_store_ss(to + 2, _mm_movehl_ps(v.entries, v.entries));
    if constexpr (N == 4) store(to, v);
  }

  HEDDLE_SIMD_WORD Avx2Register add(Avx2Register a, Avx2Register b) {
    return {_mm_add_ps(a.entries, b.entries)};
  }
  HEDDLE_SIMD_WORD Avx2Register multiply(Avx2Register a, Avx2Register b) {
    return {_mm_mul_ps(a.entries, b.entries)};
  }
  HEDDLE_SIMD_WORD Avx2Register multiply_add(Avx2Register a, Avx2Register b, Avx2Register c) {
    return {_mm_fmadd_ps(a.entries, b.entries, c.entries)};
  }

  HEDDLE_SIMD_WORD float sum(Avx2Register v) {
    const __m128 halves = _mm_add_ps(v.entries, _mm_movehl_ps(v.entries, v.entries));
    return _mm_cvtss_f32(_mm_add_ss(halves, _mm_shuffle_ps(halves, halves, 1)));
  }
  HEDDLE_SIMD_WORD Avx2Register sums(const Avx2Register* v) {
    return {_mm_hadd_ps(_mm_hadd_ps(v[0].entries, v[1].entries),
                        _mm_hadd_ps(v[2].entries, v[3].entries))};
  }
  HEDDLE_SIMD_WORD void transpose(Avx2Register* v) {
    _MM_TRANSPOSE4_PS(v[0].entries, v[1].entries, v[2].entries, v[3].entries);
  }

 private:
  static constexpr std::int32_t mask_bits[16] = {-1, -1, -1, -1, -1, -1, -1, -1};
};

}  // namespace heddle::backends

#endif
