// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace heddle::backends {

/// Numbers and facts about a CPU that kernels and cost models may use; its maker is not among them.
struct CpuTraits {
  /// Bits of the registers that Simd::loads and Simd::gathers use; 0 if the processor has none.
  int simd_bits = 0;
  /// Whether one instruction that gathers four entries beats four loads.
  bool fast_gathers = false;
  /// Whether a kernel that streams a matrix gains by prefetches of its own.
  bool software_prefetch_pays = true;
  /// Rows of irregular length that a thread's branch predictor remembers from apply to apply.
  std::int64_t predicted_rows = 65536;
  /// Whether rows of equal columns, whose values are a stream each, are read from memory together
  /// as fast as one after the other.
  bool reads_several_streams = false;
};

/// Bytes of the last-level cache as the C library reports them: of all its parts together on some
/// processors. 0 if unknown.
inline std::size_t last_level_cache_bytes() {
#ifdef _SC_LEVEL3_CACHE_SIZE
  static const long bytes = sysconf(_SC_LEVEL3_CACHE_SIZE);
  return bytes > 0 ? static_cast<std::size_t>(bytes) : 0;
#else
  return 0;
#endif
}

namespace detail {
inline std::atomic<std::size_t> assumed_core_cache_bytes = 0;  ///< 0: the processor's
}

/// For tests, whose matrices are small: sets the bytes that core_cache_bytes returns; 0: those of
/// the processor. Returns what was set before.
inline std::size_t assume_core_cache_bytes(std::size_t bytes) {
  return detail::assumed_core_cache_bytes.exchange(bytes);
}

/// Bytes of the cache that a core has to itself, its L2 cache; 1 MB if unknown.
inline std::size_t core_cache_bytes() {
  if (const std::size_t assumed = detail::assumed_core_cache_bytes) return assumed;
#ifdef _SC_LEVEL2_CACHE_SIZE
  static const long bytes = sysconf(_SC_LEVEL2_CACHE_SIZE);
  if (bytes > 0) return static_cast<std::size_t>(bytes);
#endif
  return std::size_t{1} << 20;
}

/// Traits of a processor with AVX2 and FMA, of Intel's or another maker.
///
/// The numbers were measured on Xeon A and the EPYC of docs/design/cpu.md. Xeon A gathers faster
/// than it loads, prefetches well in hardware, and mispredicts 18,000 irregular rows. The EPYC
/// gathers more slowly than it loads, its hardware prefetch is disturbed by skipped columns, and it
/// predicts 30,000 irregular rows. Processors of the Xeon's maker are treated like it, all others
/// like the EPYC; but of Xeons only such with a very large cache were measured to read several
/// streams.
inline CpuTraits traits_with_avx2(bool intel, std::size_t cache_bytes) {
  constexpr std::size_t very_large = 200'000'000;
  CpuTraits traits;
  traits.simd_bits = 256;
  if (intel) {
    traits.fast_gathers = true;
    traits.software_prefetch_pays = false;
    traits.predicted_rows = 16384;
    traits.reads_several_streams = cache_bytes >= very_large;
  }
  return traits;
}

/// Queries the processor.
inline CpuTraits ask_cpu() {
#if defined(__x86_64__) && defined(__GNUC__)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    return traits_with_avx2(__builtin_cpu_is("intel"), last_level_cache_bytes());
  }
#endif
  return {};
}

}  // namespace heddle::backends
