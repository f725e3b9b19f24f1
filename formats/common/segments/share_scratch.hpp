// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

#include "../../../core/types.hpp"

/// What the teams of ShareKernel share. Raw bytes, since complex types have constructors that
/// scratch must not run.
namespace heddle::detail::segments {

/// What the subwarps of a team tell each other: the sums of their last runs, and whether these
/// began before.
template <Scalar Acc, int Threads, int Vectors>
struct ScratchOfSubwarps {
  /// No warp or wavefront is narrower than 32.
  static constexpr int subwarps = Threads / 32;

  alignas(16) unsigned char last_bytes[sizeof(Acc) * subwarps * Vectors];
  int goes_on[subwarps];

  KOKKOS_FORCEINLINE_FUNCTION Acc& last(int i) { return reinterpret_cast<Acc*>(last_bytes)[i]; }
};

/// For one vector: the products of the share, and behind them the sums of its rows.
template <Scalar Acc, int Threads, int Items>
struct ScratchOfProducts : ScratchOfSubwarps<Acc, Threads, 1> {
  static constexpr int capacity = Threads * Items;

  /// One place skipped every 16 keeps threads that read chunks of 2^n off each other's banks.
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int padded(int k) { return k + (k >> 4); }

  alignas(16) unsigned char product_bytes[sizeof(Acc) * (padded(capacity) + 1)];

  KOKKOS_FORCEINLINE_FUNCTION Acc& product(int k) {
    return reinterpret_cast<Acc*>(product_bytes)[padded(k)];
  }
};

/// For several: the nonzeros of the share, and which of its rows have any.
template <Scalar S, Ordinal O, Scalar Acc, int Threads, int Items, int Vectors>
struct ScratchOfNonzeros : ScratchOfSubwarps<Acc, Threads, Vectors> {
  static constexpr int capacity = Threads * Items;

  alignas(16) unsigned char value_bytes[sizeof(S) * capacity];
  alignas(16) unsigned char first_bytes[sizeof(Acc) * Vectors];
  O column[capacity];
  unsigned char reached[capacity];

  KOKKOS_FORCEINLINE_FUNCTION S& value(int k) { return reinterpret_cast<S*>(value_bytes)[k]; }
  /// What the share has of its first row, if another began it.
  KOKKOS_FORCEINLINE_FUNCTION Acc& first(int vector) {
    return reinterpret_cast<Acc*>(first_bytes)[vector];
  }
};

}  // namespace heddle::detail::segments
