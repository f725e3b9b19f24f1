// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>

#include "host/cpu_traits.hpp"
#include "host/simd_function.hpp"

namespace heddle::backends {

/// The CPU that this process runs on, asked at the first call.
inline const CpuTraits& cpu_traits() {
  static const CpuTraits traits = ask_cpu();
  return traits;
}

/// How a kernel uses the SIMD registers of a CPU.
enum class Simd {
  none,     ///< only as the compiler does by itself for any processor of the architecture
  loads,    ///< entries that lie scattered are loaded one by one
  gathers,  ///< they are gathered by one instruction
};

inline constexpr std::array every_simd = {Simd::none, Simd::loads, Simd::gathers};

constexpr const char* name(Simd simd) {
  switch (simd) {
    case Simd::none: return "none";
    case Simd::loads: return "loads";
    case Simd::gathers: return "gathers";
  }
  return "?";
}

/// Whether kernels of this program can use `simd` on this CPU. A file that a GPU's compiler
/// compiles holds none but plain kernels: the template parameter keeps its answer apart from that
/// of other files of the program.
template <bool Compiled = compiles_simd>
bool supports(Simd simd) {
  return simd == Simd::none || (Compiled && cpu_traits().simd_bits > 0);
}

/// What is fastest of what is supported.
template <bool Compiled = compiles_simd>
Simd best_simd() {
  if (!supports<Compiled>(Simd::loads)) return Simd::none;
  return cpu_traits().fast_gathers ? Simd::gathers : Simd::loads;
}

}  // namespace heddle::backends
