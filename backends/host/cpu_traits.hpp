// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

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
};

/// Queries the processor.
///
/// The numbers were measured on Xeon A and the EPYC of docs/design/cpu.md. Xeon A gathers faster
/// than it loads, prefetches well in hardware, and mispredicts 18,000 irregular rows. The EPYC
/// gathers more slowly than it loads, its hardware prefetch is disturbed by skipped columns, and it
/// predicts 30,000 irregular rows. Processors of the Xeon's maker are treated like it, all others
/// like the EPYC.
inline CpuTraits ask_cpu() {
  CpuTraits traits;
#if defined(__x86_64__) && defined(__GNUC__)
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return traits;
  traits.simd_bits = 256;
  if (__builtin_cpu_is("intel")) {
    traits.fast_gathers = true;
    traits.software_prefetch_pays = false;
    traits.predicted_rows = 16384;
  }
#endif
  return traits;
}

}  // namespace heddle::backends
