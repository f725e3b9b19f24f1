// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Macros.hpp>
#include <cstdint>

/// Pseudorandom numbers that are equal on all devices. Source: G. Steele, D. Lea and C. Flood,
/// "Fast splittable pseudorandom number generators", OOPSLA 2014 (SplitMix64).
namespace heddle::detail {

inline constexpr std::uint64_t golden_ratio = 0x9e3779b97f4a7c15u;

/// Mixes 64 bits, so that every bit of the result depends on all of them; 0 becomes 0.
KOKKOS_FORCEINLINE_FUNCTION constexpr std::uint64_t mixed_bits(std::uint64_t bits) {
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9u;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebu;
  return bits ^ (bits >> 31);
}
KOKKOS_FORCEINLINE_FUNCTION constexpr std::uint64_t hash_of(std::uint64_t number) {
  return mixed_bits(number + golden_ratio);
}
/// A pseudorandom number between -1 and 1 for index i.
KOKKOS_FORCEINLINE_FUNCTION constexpr double random_entry(std::int64_t i) {
  const auto bits = static_cast<std::int64_t>(hash_of(static_cast<std::uint64_t>(i)) >> 12);
  return static_cast<double>(bits) * 0x1p-51 - 1;
}

}  // namespace heddle::detail
