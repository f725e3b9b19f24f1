// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>

#include "host/cpu_traits.hpp"
#include "host/simd_function.hpp"

namespace heddle::backends {

/// The CPU that this process runs on, queried at the first call.
inline const CpuTraits& cpu_traits() {
  static const CpuTraits traits = ask_cpu();
  return traits;
}

/// How a kernel uses the SIMD registers of a CPU.
enum class Simd {
  none,     ///< as the compiler does for any processor of the architecture
  loads,    ///< scattered entries are loaded one by one
  gathers,  ///< scattered entries are loaded by a gather instruction
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

/// Whether kernels of this program can use `simd` on this CPU. A file compiled by a GPU's compiler
/// has plain kernels only; the template parameter gives it another instance of this function than
/// other files of the program have.
template <bool Compiled = compiles_simd>
bool supports(Simd simd) {
  return simd == Simd::none || (Compiled && cpu_traits().simd_bits > 0);
}

/// The fastest supported use of SIMD.
template <bool Compiled = compiles_simd>
Simd best_simd() {
  if (!supports<Compiled>(Simd::loads)) return Simd::none;
  return cpu_traits().fast_gathers ? Simd::gathers : Simd::loads;
}

}  // namespace heddle::backends
