// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <concepts>
#include <cstddef>

#include "../core/integers.hpp"

namespace heddle::backends {

/// The Scratch of a kernel without scratch.
struct NoScratch {};

/// Every array of dynamic scratch starts at a multiple of this.
inline constexpr std::size_t scratch_alignment_bytes = 16;

/// Bytes of dynamic scratch for arrays of `counts` elements of types T..., one count a type.
template <class... T, std::convertible_to<std::size_t>... Count>
KOKKOS_FORCEINLINE_FUNCTION constexpr std::size_t scratch_bytes(Count... counts) {
  static_assert(sizeof...(T) == sizeof...(Count), "one count for each type");
  return (std::size_t{0} + ... +
          (ceil_div(sizeof(T) * static_cast<std::size_t>(counts), scratch_alignment_bytes) *
           scratch_alignment_bytes));
}

/// The Scratch of a kernel whose scratch is sized at launch: the team's bytes, uninitialized. All
/// threads take the same arrays in the same order, together no more than the bytes of the launch.
class DynamicScratch {
 public:
  KOKKOS_FORCEINLINE_FUNCTION DynamicScratch(void* data, std::size_t bytes)
      : next_(static_cast<std::byte*>(data)), left_(bytes) {}

  /// The next `count` elements of type T; no constructor is run.
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION T* take(std::size_t count) {
    static_assert(alignof(T) <= scratch_alignment_bytes);
    const std::size_t bytes = scratch_bytes<T>(count);
    KOKKOS_IF_ON_HOST((KOKKOS_ASSERT(bytes <= left_);))
    T* const array = reinterpret_cast<T*>(next_);
    next_ += bytes;
    left_ -= bytes;
    return array;
  }
  /// Bytes that are not taken yet.
  KOKKOS_FORCEINLINE_FUNCTION std::size_t bytes() const { return left_; }

 private:
  std::byte* next_;
  std::size_t left_;
};

template <class Kernel>
inline constexpr bool has_dynamic_scratch = std::same_as<typename Kernel::Scratch, DynamicScratch>;

}  // namespace heddle::backends
