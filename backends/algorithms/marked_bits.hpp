// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <bit>

#include "../atomics.hpp"
#include "../lanes.hpp"
#include "../loops.hpp"

namespace heddle::detail {

/// A table of bits that the threads of one launch mark, in several copies, a power of two: if most
/// threads mark the same few words, those of different copies do not collide.
struct MarkedBits {
  std::uint32_t* first;
  std::int64_t words;  ///< words of one copy
  std::int64_t copies;

  /// Marks a bit in one copy, chosen by the last argument, which neighbouring threads share.
  KOKKOS_FORCEINLINE_FUNCTION void mark(std::int64_t word, int bit, std::int64_t who) const {
    std::uint32_t* const place = first + (who & (copies - 1)) * words + word;
    const std::uint32_t mask = std::uint32_t{1} << bit;
    // Most bits are marked already, so that threads seldom write.
    if ((backends::atomic_load(place) & mask) == 0) backends::atomic_fetch_or(place, mask);
  }
};

/// Number of copies of a table of `words` words. CPU: 1. GPU: up to 32, at most 8 MB together,
/// which fit into its cache, and at most one for each 1024 marks.
template <ExecutionSpace Exec>
std::int64_t copies_of_bits(std::int64_t words, std::int64_t marks) {
  if constexpr (!backends::has_lanes<Exec>) return 1;
  constexpr std::int64_t most_words = (8 << 20) / sizeof(std::uint32_t);
  const std::int64_t fit = most_words / std::max<std::int64_t>(1, words);
  const std::int64_t copies = std::clamp<std::int64_t>(std::min(fit, marks / 1024), 1, 32);
  return static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(copies)));
}

/// Combines one word of all copies in the first by a bitwise OR, and counts its bits.
struct UniteBits {
  MarkedBits bits;

  KOKKOS_FUNCTION void operator()(std::int64_t w, std::int64_t& sum) const {
    std::uint32_t all = bits.first[w];
    for (std::int64_t i = 1; i < bits.copies; ++i) all |= bits.first[i * bits.words + w];
    if (bits.copies > 1) bits.first[w] = all;
    sum += popcount(all);
  }
};

/// Combines all copies in the first, and returns the number of marked bits. One launch and one
/// readback, which waits for `exec`.
template <ExecutionSpace Exec>
std::int64_t unite_and_count(const Exec& exec, const char* label, const MarkedBits& bits) {
  std::int64_t marked = 0;
  Kokkos::parallel_reduce(label, range_policy(exec, bits.words), UniteBits{bits}, marked);
  return marked;
}

}  // namespace heddle::detail
