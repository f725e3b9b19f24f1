// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../../backends/launch.hpp"
#include "blocked_view.hpp"

namespace heddle::detail::sptrsv {

/// A block whose Skeel condition number, the largest row sum of |inverse| |block|, is above this is
/// not inverted: a product with the inverse may lose so many times the precision of a substitution.
inline constexpr double most_skeel = 32;

/// Fills the dense block of every group, a subwarp of 32 lanes a group: with the inverse, a lane a
/// column, or, where that would lose precision or overflows, with the block itself.
///
/// Idea: inverted diagonal blocks, from solvers that factor by blocks. Source of the bound: N.
/// Higham, "Accuracy and stability of numerical algorithms", chapters 7 and 14.
template <Scalar S, Offset Off, Scalar Acc>
struct InvertKernel {
  using Scratch = backends::DynamicScratch;
  using Real = heddle::RealOf<Acc>;

  Group* groups;
  const Off* inner_ptr;        ///< entries inside of a place's group
  const std::uint8_t* column;  ///< which row of the group each is for
  const Off* source;
  const S* values;    ///< of the user's matrix
  const S* diagonal;  ///< of each place, or null
  Acc* blocks;
  std::uint8_t* inverted;

  /// Odd, so that lanes that read down a column of scratch do not meet in one bank.
  static constexpr int stride = most_rows + 1;
  static constexpr std::size_t scratch_bytes() {
    return backends::scratch_bytes<Acc, Real>(most_rows * stride, most_rows);
  }

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Team& team, Scratch& scratch) const {
    Acc* const block = scratch.take<Acc>(most_rows * stride);
    Real* const row_sum = scratch.take<Real>(most_rows);
    const auto subwarp = team.subwarp();
    const Group group = groups[team.index()];
    const int lane = subwarp.lane();
    solve_column(group, lane, block, row_sum);
    subwarp.sync();
    Real condition(0);
    if (lane < group.rows) {
      for (int j = 0; j <= lane; ++j) {
        condition += Kokkos::abs(block[lane * stride + j]) * row_sum[j];
      }
    }
    // Not the other way round: a NaN is no condition that an inverse would do for.
    const bool good = subwarp.all(lane >= group.rows || condition <= Real(most_skeel));
    if (!good) {
      subwarp.sync();
      copy_row(group, lane, block);
      subwarp.sync();
    }
    if (lane == 0) inverted[team.index()] = good ? 1 : 0;
    if (lane >= group.rows) return;
    Acc* const to = blocks + group.first_block + lane;
    for (int j = 0; j <= lane; ++j) to[block_column(j, group.rows)] = block[lane * stride + j];
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION Acc diagonal_of(std::int64_t place) const {
    return diagonal ? Acc(diagonal[place]) : Acc(1);
  }

  /// Column `j` of the inverse; and what the magnitudes of each row of the block add up to.
  KOKKOS_FORCEINLINE_FUNCTION void solve_column(const Group& group, int j, Acc* block,
                                                Real* row_sum) const {
    for (int r = 0; r < group.rows; ++r) {
      const std::int64_t place = group.first + r;
      Acc sum(r == j ? 1 : 0);
      Real magnitudes = Kokkos::abs(diagonal_of(place));
      for (Off k = inner_ptr[place]; k < inner_ptr[place + 1]; ++k) {
        const Acc entry(values[source[k]]);
        magnitudes += Kokkos::abs(entry);
        if (column[k] >= j) sum -= entry * block[column[k] * stride + j];
      }
      block[r * stride + j] = r < j ? Acc(0) : sum / diagonal_of(place);
      if (j == 0) row_sum[r] = magnitudes;
    }
  }

  /// Row `r` of the block as it is.
  KOKKOS_FORCEINLINE_FUNCTION void copy_row(const Group& group, int r, Acc* block) const {
    if (r >= group.rows) return;
    const std::int64_t place = group.first + r;
    for (int j = 0; j < r; ++j) block[r * stride + j] = Acc(0);
    block[r * stride + r] = diagonal_of(place);
    for (Off k = inner_ptr[place]; k < inner_ptr[place + 1]; ++k) {
      block[r * stride + column[k]] += Acc(values[source[k]]);
    }
  }
};

}  // namespace heddle::detail::sptrsv
