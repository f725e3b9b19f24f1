// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../core/types.hpp"
#include "memory.hpp"

namespace heddle::backends {

/// Places through which teams pass each other numbers, each of Columns values of type Acc. A value
/// is its own flag (NaN-boxing): a place holds one word for every real number, and an empty word
/// holds the bits of a quiet NaN that no number is ever posted as. So neither side orders other
/// memory, and passing a value costs one store and one load.
///
/// A place is cleared once, before its first use, and is empty again after it is collected, so that
/// the next launch finds it empty. One thread posts and one collects; the wait ends under the
/// condition of backends::await.
///
/// Idea: polling the value itself, from synchronization-free triangular solves.
template <Scalar Acc, int Columns>
struct Mailbox {
  using Word = RealOf<Acc>;
  static constexpr int words_per_value = static_cast<int>(sizeof(Acc) / sizeof(Word));
  static constexpr int words_per_place = words_per_value * Columns;

  Word* words = nullptr;  ///< words_per_place for every place

  KOKKOS_FORCEINLINE_FUNCTION void clear(std::int64_t place) const {
    for (int i = 0; i < words_per_place; ++i) words[place * words_per_place + i] = empty();
  }

  KOKKOS_FORCEINLINE_FUNCTION void post(std::int64_t place, int column, const Acc& value) const {
    Word* to = address(place, column);
    if constexpr (is_complex<Acc>) {
      backends::post(to, never_empty(value.real()));
      backends::post(to + 1, never_empty(value.imag()));
    } else {
      backends::post(to, never_empty(value));
    }
  }

  /// If `value` is not posted() yet, reads the place into it. The place keeps its value, for any
  /// number of readers. Does not wait. `value` begins as not_posted().
  KOKKOS_FORCEINLINE_FUNCTION void look(std::int64_t place, int column, Acc& value) const {
    const Word* from = address(place, column);
    if constexpr (is_complex<Acc>) {
      Word real = value.real(), imag = value.imag();
      backends::look_if(from, is_empty(real), real);
      backends::look_if(from + 1, is_empty(imag), imag);
      value = Acc(real, imag);
    } else {
      backends::look_if(from, is_empty(value), value);
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION static bool posted(const Acc& value) {
    if constexpr (is_complex<Acc>) {
      return !is_empty(value.real()) && !is_empty(value.imag());
    } else {
      return !is_empty(value);
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION static Acc not_posted() {
    if constexpr (is_complex<Acc>) {
      return Acc(empty(), empty());
    } else {
      return empty();
    }
  }

  /// Waits for the posted value, and leaves its place empty.
  KOKKOS_FORCEINLINE_FUNCTION Acc collect(std::int64_t place, int column) const {
    Word* from = address(place, column);
    if constexpr (is_complex<Acc>) {
      const Word real = collect_word(from);
      return Acc(real, collect_word(from + 1));
    } else {
      return collect_word(from);
    }
  }

  /// Collects from places first, first + stride, ... below `stop`, and adds up in this order.
  template <std::integral Place>
  KOKKOS_FORCEINLINE_FUNCTION Acc collect_all(Place first, Place stop, int stride,
                                              int column) const {
    Acc sum(0);
    for (Place place = first; place < stop; place += stride) sum += collect(place, column);
    return sum;
  }

 private:
  using Bits = std::conditional_t<sizeof(Word) == 4, std::uint32_t, std::uint64_t>;

  KOKKOS_FORCEINLINE_FUNCTION Word* address(std::int64_t place, int column) const {
    return words + place * words_per_place + column * words_per_value;
  }
  /// Bits of a NaN with a payload that arithmetic does not generate.
  KOKKOS_FORCEINLINE_FUNCTION static constexpr Bits empty_bits() {
    return static_cast<Bits>(sizeof(Word) == 4 ? 0x7fc0c5a1u : 0x7ff8c5a1c5a1c5a1u);
  }
  KOKKOS_FORCEINLINE_FUNCTION static Word empty() { return Kokkos::bit_cast<Word>(empty_bits()); }
  KOKKOS_FORCEINLINE_FUNCTION static bool is_empty(Word word) {
    return Kokkos::bit_cast<Bits>(word) == empty_bits();
  }
  /// `word`, but a NaN with the bits of empty() gets another payload.
  KOKKOS_FORCEINLINE_FUNCTION static Word never_empty(Word word) {
    return is_empty(word) ? Kokkos::bit_cast<Word>(static_cast<Bits>(empty_bits() + 1)) : word;
  }
  KOKKOS_FORCEINLINE_FUNCTION static Word collect_word(Word* from) {
    const Word word = backends::collect(from, [](Word seen) { return !is_empty(seen); });
    backends::post(from, empty());
    return word;
  }
};

}  // namespace heddle::backends
