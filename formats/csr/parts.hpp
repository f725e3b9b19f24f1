// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <heddle/backends/memory.hpp>
#include <heddle/core/types.hpp>

namespace heddle::csr {

/// Sums that tiles leave for each other, one a tile and each of Columns columns. The value is its
/// own flag: a place holds a NaN that no sum is left as until the sum arrives, and again once it is
/// taken. So neither side orders other memory, and a hand-over costs one store and one load.
///
/// Idea: polling the value itself, from synchronization-free triangular solves.
template <Scalar Acc, int Columns>
struct Parts {
  using Word = RealOf<Acc>;
  static constexpr int words_a_sum = static_cast<int>(sizeof(Acc) / sizeof(Word));
  static constexpr int words_a_tile = words_a_sum * Columns;

  Word* words = nullptr;

  KOKKOS_FORCEINLINE_FUNCTION void clear(std::int64_t tile) const {
    for (int i = 0; i < words_a_tile; ++i) words[tile * words_a_tile + i] = empty();
  }

  KOKKOS_FORCEINLINE_FUNCTION void leave(std::int64_t tile, int column, const Acc& sum) const {
    Word* to = place(tile, column);
    if constexpr (is_complex<Acc>) {
      backends::post(to, sayable(sum.real()));
      backends::post(to + 1, sayable(sum.imag()));
    } else {
      backends::post(to, sayable(sum));
    }
  }

  /// Takes the sums that tiles first, first + stride, ... below `stop` leave, and adds them up in
  /// this order.
  KOKKOS_FORCEINLINE_FUNCTION Acc take_all(int first, int stop, int stride, int column) const {
    Acc sum(0);
    for (int tile = first; tile < stop; tile += stride) sum += take(tile, column);
    return sum;
  }

 private:
  using Bits = std::conditional_t<sizeof(Word) == 4, std::uint32_t, std::uint64_t>;
  KOKKOS_FORCEINLINE_FUNCTION Word* place(std::int64_t tile, int column) const {
    return words + tile * words_a_tile + column * words_a_sum;
  }
  /// The bits of a quiet NaN that arithmetic does not make by itself.
  KOKKOS_FORCEINLINE_FUNCTION static constexpr Bits empty_bits() {
    return static_cast<Bits>(sizeof(Word) == 4 ? 0x7fc0c5a1u : 0x7ff8c5a1c5a1c5a1u);
  }
  KOKKOS_FORCEINLINE_FUNCTION static Word empty() { return Kokkos::bit_cast<Word>(empty_bits()); }
  KOKKOS_FORCEINLINE_FUNCTION static bool is_empty(Word word) {
    return Kokkos::bit_cast<Bits>(word) == empty_bits();
  }
  /// The same number, but never the bits that stand for no number.
  KOKKOS_FORCEINLINE_FUNCTION static Word sayable(Word word) {
    return is_empty(word) ? Kokkos::bit_cast<Word>(static_cast<Bits>(empty_bits() + 1)) : word;
  }
  KOKKOS_FORCEINLINE_FUNCTION Acc take(std::int64_t tile, int column) const {
    Word* from = place(tile, column);
    if constexpr (is_complex<Acc>) {
      const Word real = take_word(from);
      return Acc(real, take_word(from + 1));
    } else {
      return take_word(from);
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION static Word take_word(Word* from) {
    const Word word = backends::collect(from, [](Word seen) { return !is_empty(seen); });
    backends::post(from, empty());
    return word;
  }
};

}  // namespace heddle::csr
