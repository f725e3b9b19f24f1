// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <type_traits>

#include "host/avx2_register.hpp"
#include "plain_register.hpp"

namespace heddle::backends {

/// Whether this compiler, for this architecture, has registers of four T for functions marked
/// HEDDLE_SIMD_FUNCTION. Whether the processor has them too, only supports(Simd) knows.
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

/// Four numbers of type T in one register of a CPU, and what can be done with them, for kernels
/// whose lanes lie along a row. Functions that use the words are marked HEDDLE_SIMD_FUNCTION and
/// called only where supports(Simd::loads). Where there is no such register the words work on an
/// array, so that the kernels compile everywhere.
///
/// `n` counts entries from the first. gather and load_each read from[indices[0]], from[indices[1]],
/// ..., by one instruction and one by one. A register of double loads floats too.
template <class T>
using SimdRegister = typename detail::SimdRegisterOf<T, has_simd_registers<T>>::type;

}  // namespace heddle::backends
