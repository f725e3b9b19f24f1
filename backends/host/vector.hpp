// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Compilers of GPUs do not know these registers, not even for the host's part of a file.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__CUDACC__) && !defined(__HIPCC__)
#define HEDDLE_HOST_VECTORS
// gcc 12 warns of its own intrinsics, which leave some registers undefined on purpose.
#ifndef __clang__
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <immintrin.h>
#ifndef __clang__
#pragma GCC diagnostic pop
#endif
#endif

#include <cstdint>
#include <cstdlib>

namespace heddle::backends {

/// Whether this processor has the registers of HostVector.
inline bool has_host_vectors() {
#ifdef HEDDLE_HOST_VECTORS
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("bmi2");
#else
  return false;
#endif
}

/// Whether kernels should use them. Asked once, when the program runs: it was compiled for any
/// processor of its architecture. AMD's gather slower than they load one by one (measured on an
/// EPYC: docs/performance.md), so there the answer is no. The environment variable
/// HEDDLE_HOST_VECTORS, 0 or 1, overrules that, but never what the processor lacks.
inline bool prefers_host_vectors() {
#ifdef HEDDLE_HOST_VECTORS
  static const bool answer = [] {
    const char* said = std::getenv("HEDDLE_HOST_VECTORS");
    if (said && *said) return has_host_vectors() && *said != '0';
    return has_host_vectors() && __builtin_cpu_is("intel");
  }();
  return answer;
#else
  return false;
#endif
}

/// N entries of type T in one register of a CPU, and what can be done with them: AVX-512, whose
/// masks let the last few entries of a row go like any others, without a branch. There are
/// HostVector<double, 8>, <float, 16> and <float, 8>. Entries outside a mask are neither read nor
/// written, and zero when loaded. A full mask costs nothing. Functions that use them are marked
/// HEDDLE_VECTOR_FUNCTION and called only where has_host_vectors().
template <class T, int N>
struct HostVector;

#ifdef HEDDLE_HOST_VECTORS

#define HEDDLE_VECTOR_FUNCTION __attribute__((target("avx512f,avx512dq,avx512vl,bmi2,fma")))
#define HEDDLE_VECTOR_WORD static inline __attribute__((always_inline)) HEDDLE_VECTOR_FUNCTION

template <>
struct HostVector<double, 8> {
  using Mask = __mmask8;
  using Indices = __m256i;
  __m512d entries;

  /// The first n entries, n from 0 to 8.
  HEDDLE_VECTOR_WORD Mask first(std::int64_t n) {
    return static_cast<Mask>(_bzhi_u32(0xff, static_cast<unsigned>(n)));
  }
  HEDDLE_VECTOR_WORD HostVector all(double value) { return {_mm512_set1_pd(value)}; }
  HEDDLE_VECTOR_WORD HostVector load(Mask mask, const double* from) {
    return {_mm512_maskz_loadu_pd(mask, from)};
  }
  HEDDLE_VECTOR_WORD void store(Mask mask, double* to, HostVector v) {
    _mm512_mask_storeu_pd(to, mask, v.entries);
  }
  HEDDLE_VECTOR_WORD Indices load_indices(Mask mask, const std::int32_t* from) {
    return _mm256_maskz_loadu_epi32(mask, from);
  }
  /// 0, stride, 2 * stride, ...
  HEDDLE_VECTOR_WORD Indices multiples(std::int32_t stride) {
    return _mm256_mullo_epi32(_mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7), _mm256_set1_epi32(stride));
  }
  /// from[indices[0]], from[indices[1]], ...
  HEDDLE_VECTOR_WORD HostVector gather(Mask mask, Indices indices, const double* from) {
    return {_mm512_mask_i32gather_pd(_mm512_setzero_pd(), mask, indices, from, 8)};
  }
  HEDDLE_VECTOR_WORD HostVector multiply(HostVector a, HostVector b) {
    return {_mm512_mul_pd(a.entries, b.entries)};
  }
  /// a * b + c
  HEDDLE_VECTOR_WORD HostVector multiply_add(HostVector a, HostVector b, HostVector c) {
    return {_mm512_fmadd_pd(a.entries, b.entries, c.entries)};
  }
  HEDDLE_VECTOR_WORD HostVector add(HostVector a, HostVector b) {
    return {_mm512_add_pd(a.entries, b.entries)};
  }
  HEDDLE_VECTOR_WORD double sum(HostVector v) { return _mm512_reduce_add_pd(v.entries); }
  /// The sums of eight vectors, side by side: far fewer steps than eight times sum.
  HEDDLE_VECTOR_WORD HostVector sums(const HostVector* v) {
    const __m512d first4 = sums_by_halves(neighbours(v[0], v[1]), neighbours(v[2], v[3]));
    const __m512d last4 = sums_by_halves(neighbours(v[4], v[5]), neighbours(v[6], v[7]));
    return {_mm512_add_pd(_mm512_shuffle_f64x2(first4, last4, 0x88),
                          _mm512_shuffle_f64x2(first4, last4, 0xdd))};
  }

 private:
  /// a0 + a1, b0 + b1, a2 + a3, b2 + b3, ...
  HEDDLE_VECTOR_WORD __m512d neighbours(HostVector a, HostVector b) {
    return _mm512_add_pd(_mm512_unpacklo_pd(a.entries, b.entries),
                         _mm512_unpackhi_pd(a.entries, b.entries));
  }
  /// The lower half of a plus the upper, then the same of b.
  HEDDLE_VECTOR_WORD __m512d sums_by_halves(__m512d a, __m512d b) {
    return _mm512_add_pd(_mm512_shuffle_f64x2(a, b, 0x44), _mm512_shuffle_f64x2(a, b, 0xee));
  }
};

template <>
struct HostVector<float, 8> {
  using Mask = __mmask8;
  using Indices = __m256i;
  __m256 entries;

  HEDDLE_VECTOR_WORD Mask first(std::int64_t n) { return HostVector<double, 8>::first(n); }
  HEDDLE_VECTOR_WORD HostVector all(float value) { return {_mm256_set1_ps(value)}; }
  HEDDLE_VECTOR_WORD HostVector load(Mask mask, const float* from) {
    return {_mm256_maskz_loadu_ps(mask, from)};
  }
  HEDDLE_VECTOR_WORD void store(Mask mask, float* to, HostVector v) {
    _mm256_mask_storeu_ps(to, mask, v.entries);
  }
  HEDDLE_VECTOR_WORD Indices multiples(std::int32_t stride) {
    return HostVector<double, 8>::multiples(stride);
  }
  HEDDLE_VECTOR_WORD HostVector gather(Mask mask, Indices indices, const float* from) {
    return {_mm256_mmask_i32gather_ps(_mm256_setzero_ps(), mask, indices, from, 4)};
  }
  HEDDLE_VECTOR_WORD HostVector multiply(HostVector a, HostVector b) {
    return {_mm256_mul_ps(a.entries, b.entries)};
  }
  HEDDLE_VECTOR_WORD HostVector multiply_add(HostVector a, HostVector b, HostVector c) {
    return {_mm256_fmadd_ps(a.entries, b.entries, c.entries)};
  }
};

template <>
struct HostVector<float, 16> {
  using Mask = __mmask16;
  using Indices = __m512i;
  __m512 entries;

  HEDDLE_VECTOR_WORD Mask first(std::int64_t n) {
    return static_cast<Mask>(_bzhi_u32(0xffff, static_cast<unsigned>(n)));
  }
  HEDDLE_VECTOR_WORD HostVector all(float value) { return {_mm512_set1_ps(value)}; }
  HEDDLE_VECTOR_WORD HostVector load(Mask mask, const float* from) {
    return {_mm512_maskz_loadu_ps(mask, from)};
  }
  HEDDLE_VECTOR_WORD Indices load_indices(Mask mask, const std::int32_t* from) {
    return _mm512_maskz_loadu_epi32(mask, from);
  }
  HEDDLE_VECTOR_WORD HostVector gather(Mask mask, Indices indices, const float* from) {
    return {_mm512_mask_i32gather_ps(_mm512_setzero_ps(), mask, indices, from, 4)};
  }
  HEDDLE_VECTOR_WORD HostVector multiply_add(HostVector a, HostVector b, HostVector c) {
    return {_mm512_fmadd_ps(a.entries, b.entries, c.entries)};
  }
  HEDDLE_VECTOR_WORD HostVector add(HostVector a, HostVector b) {
    return {_mm512_add_ps(a.entries, b.entries)};
  }
  HEDDLE_VECTOR_WORD float sum(HostVector v) { return _mm512_reduce_add_ps(v.entries); }
  HEDDLE_VECTOR_WORD HostVector<float, 8> sums(const HostVector* v) {
    const __m256 first4 = _mm256_hadd_ps(_mm256_hadd_ps(halves(v[0]), halves(v[1])),
                                         _mm256_hadd_ps(halves(v[2]), halves(v[3])));
    const __m256 last4 = _mm256_hadd_ps(_mm256_hadd_ps(halves(v[4]), halves(v[5])),
                                        _mm256_hadd_ps(halves(v[6]), halves(v[7])));
    return {_mm256_add_ps(_mm256_permute2f128_ps(first4, last4, 0x20),
                          _mm256_permute2f128_ps(first4, last4, 0x31))};
  }

 private:
  /// The lower half plus the upper.
  HEDDLE_VECTOR_WORD __m256 halves(HostVector v) {
    return _mm256_add_ps(_mm512_castps512_ps256(v.entries), _mm512_extractf32x8_ps(v.entries, 1));
  }
};

#endif

}  // namespace heddle::backends
