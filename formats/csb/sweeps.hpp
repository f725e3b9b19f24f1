// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <limits>
#include <string_view>

#include "../common/prediction.hpp"
#include "tuning.hpp"
#include "view.hpp"

namespace heddle::detail::csb {

/// How the mirror images of blocks beside the diagonal are added, where one triangle is stored.
enum class Sweeps {
  two,      ///< by a second sweep, which reads these blocks again
  one,      ///< by the first, in partial sums
  mixed,    ///< heavy blocks as in `one`, the others as in `two`
  atomics,  ///< by the first, with atomic additions: not reproducible
};
inline constexpr std::array<std::string_view, 4> sweep_names{"two", "one", "mixed", "atomics"};

/// The entries that a block has at least if its mirror image leaves partial sums.
struct Heavy {
  double entries = 0;
  double entries_a_column = 0;

  KOKKOS_FORCEINLINE_FUNCTION bool operator()(std::int64_t count, int width) const {
    return static_cast<double>(count) >= entries + entries_a_column * width;
  }

  static constexpr Heavy all() { return {0, 0}; }
  static constexpr Heavy none() { return {std::numeric_limits<double>::infinity(), 0}; }
};

/// Of blocks beside the diagonal: how many there are, their entries, and the columns they span.
struct BlockSums {
  std::int64_t blocks = 0;
  std::int64_t entries = 0;
  std::int64_t width = 0;

  KOKKOS_FORCEINLINE_FUNCTION void operator+=(const BlockSums& other) {
    blocks += other.blocks;
    entries += other.entries;
    width += other.width;
  }
};
/// All of them, and the heavy ones.
struct MirroredSums {
  BlockSums all;
  BlockSums heavy;
};

/// What decides between sweeps, in bytes of one apply.
struct SweepCosts {
  double entry;         ///< value and indices
  double block;         ///< tables of a block in the sweep by block columns
  double part;          ///< tables of a part, in the sweep and when it is added up
  double accumulators;  ///< a place of all vectors' sums
  double vectors;       ///< an entry of all vectors
  double rows;
  double beta;

  SweepCosts(const Sizes& sizes, int served, double matrix_rows, double block_size)
      : entry(sizes.scalar_bytes + 2.0 * sizeof(std::uint16_t)),
        block(3.0 * sizes.offset_bytes + sizes.ordinal_bytes),
        part(2.0 * sizeof(Part)),
        accumulators(served * sizes.accumulator_bytes),
        vectors(served * sizes.vector_bytes),
        rows(matrix_rows),
        beta(block_size) {}

  /// Adding up, every row of the panel looks at each part.
  double of_part() const { return part + beta * tuning.look_bytes; }

  /// Where a second reading costs more than partial sums, written and read.
  Heavy heavy() const { return {(of_part() - block) / entry, 2 * accumulators / entry}; }

  /// Of `swept` by a second sweep, which reads x again and y, and writes it, and of `partial` by
  /// partial sums, with those of the rows that wait for them.
  double of(const BlockSums& swept, const BlockSums& partial) const {
    const auto n = [](std::int64_t count) { return static_cast<double>(count); };
    const double second = swept.blocks > 0 ? 3 * vectors * rows : 0;
    const double waiting = partial.blocks > 0 ? 2 * accumulators * rows : 0;
    return n(swept.entries) * entry + n(swept.blocks) * block + second +
           n(partial.width) * 2 * accumulators + n(partial.blocks) * of_part() + waiting;
  }

  /// The sweeps that move least; partial sums of at most `most_width` places.
  Sweeps least(const MirroredSums& sums, double most_width) const {
    BlockSums light = sums.all;
    light.blocks -= sums.heavy.blocks;
    light.entries -= sums.heavy.entries;
    light.width -= sums.heavy.width;
    const double two = of(sums.all, {}), one = of({}, sums.all), mixed = of(light, sums.heavy);
    const bool one_fits = static_cast<double>(sums.all.width) <= most_width;
    const bool mixed_fits = static_cast<double>(sums.heavy.width) <= most_width;
    if (one_fits && one < two && one <= mixed) return Sweeps::one;
    return mixed_fits && mixed < two ? Sweeps::mixed : Sweeps::two;
  }
};

}  // namespace heddle::detail::csb
