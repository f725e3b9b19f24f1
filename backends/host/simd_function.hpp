// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Macros.hpp>

// A program is compiled for any processor of its architecture. Functions marked
// HEDDLE_SIMD_FUNCTION are still compiled for AVX2 and FMA, and called only if cpu_traits() says
// that the processor has them; HEDDLE_SIMD_WORD marks the functions that they are made of. GPU
// compilers do not compile them, not even for a file's host part. The code for the few processors
// without AVX2 is a HEDDLE_PLAIN_INSTANCE: compiled for size, in less time.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__CUDACC__) && !defined(__HIPCC__)
#define HEDDLE_COMPILES_AVX2
#define HEDDLE_SIMD_FUNCTION __attribute__((target("avx2,fma")))
#define HEDDLE_SIMD_INSTANCE __attribute__((target("avx2,fma"), flatten))
#define HEDDLE_PLAIN_INSTANCE __attribute__((cold))
#define HEDDLE_SIMD_WORD static inline __attribute__((always_inline)) HEDDLE_SIMD_FUNCTION
#else
#define HEDDLE_SIMD_FUNCTION
#define HEDDLE_SIMD_INSTANCE
#define HEDDLE_PLAIN_INSTANCE
#define HEDDLE_SIMD_WORD static KOKKOS_FORCEINLINE_FUNCTION
#endif

// Packs are the vectors of GCC and clang. Each function maps them to the registers it is compiled
// for: SSE2 or NEON in plain functions, AVX2 in a HEDDLE_SIMD_INSTANCE.
#if defined(__GNUC__) && !defined(__CUDACC__) && !defined(__HIPCC__)
#define HEDDLE_COMPILES_PACKS
#endif

namespace heddle::backends {

/// Whether HEDDLE_SIMD_FUNCTIONs are compiled for instructions that not every processor has.
#ifdef HEDDLE_COMPILES_AVX2
inline constexpr bool compiles_simd = true;
#else
inline constexpr bool compiles_simd = false;
#endif

/// Whether a Pack of a CPU is a vector. Files that different compilers compile for one program may
/// differ in this, so templates that depend on it have it among their parameters.
#ifdef HEDDLE_COMPILES_PACKS
inline constexpr bool compiles_packs = true;
#else
inline constexpr bool compiles_packs = false;
#endif

}  // namespace heddle::backends
