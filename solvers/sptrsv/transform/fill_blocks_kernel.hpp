// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../../backends/launch.hpp"
#include "../../triangle/ordered_triangle.hpp"
#include "blocked_view.hpp"

namespace heddle::detail::sptrsv {

/// A block whose Skeel condition number, the largest row sum of |inverse| |block|, is above this is
/// not inverted: its products would often be refused by BlocksKernel.
inline constexpr double most_skeel = 8;

/// Fills the dense block of every group that has one, a subwarp of 32 lanes a group: with the block
/// itself, a lane a row; then, if asked to and where that neither overflows nor is ill-conditioned,
/// with its inverse, a lane a column. Source: N. Higham, "Accuracy and stability of numerical
/// algorithms", chapters 8 and 14.
template <Scalar S, Offset Off, Scalar Acc, Scalar D>
struct FillBlocksKernel {
  using Scratch = backends::DynamicScratch;
  using Real = heddle::RealOf<Acc>;

  const Group* groups;
  const Off* inner_ptr;        ///< entries inside of a place's group
  const std::uint8_t* column;  ///< which row of the group each is for
  const Off* source;
  const S* values;    ///< of the user's matrix
  const D* diagonal;  ///< of each place, or null
  Acc* blocks;
  std::uint8_t* inverted;  ///< of each group: whether its inverse may be used; null for no inverses

  /// Odd, so that lanes that read down a column of scratch do not meet in one bank.
  static constexpr int stride = most_rows + 1;
  /// Entries that fit into scratch: more would leave room for fewer teams. Others are read where
  /// they are.
  static constexpr int staged_entries = 160;

  static constexpr std::size_t scratch_bytes() {
    return backends::scratch_bytes<Acc, Acc, Acc, Acc, Real, int, std::uint8_t>(
        most_rows * stride, staged_entries, most_rows, most_rows, most_rows, most_rows + 1,
        staged_entries);
  }

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Team& team, Scratch& scratch) const {
    const Group group = groups[team.index()];
    if (!group.coupled) return;
    const auto subwarp = team.subwarp();
    const int lane = subwarp.lane();
    const Staged inner = stage(subwarp, group, scratch);
    subwarp.sync();
    copy_row(group, inner, lane);
    write_row(group, inner, lane, group.first_block);
    if (!inverted) return;
    subwarp.sync();
    solve_column(group, inner, lane);
    subwarp.sync();
    const bool good = subwarp.all(lane >= group.rows || well_conditioned(inner, lane));
    if (lane == 0) inverted[team.index()] = good ? 1 : 0;
    if (good) write_row(group, inner, lane, group.first_block + block_size(group.rows));
  }

 private:
  /// What a group's rows need of each other, in scratch: so that the loop over rows, each of which
  /// waits for the one before, does not wait for memory too.
  struct Staged {
    Acc* block;
    Acc* values;
    Acc* diagonal;
    Acc* reciprocal;  ///< zero where a row divides
    Real* row_sum;    ///< what the magnitudes of each row of the block add up to
    int* begin;       ///< of each row's entries, and the end
    std::uint8_t* column;
    Off first;  ///< entry
  };

  template <class Subwarp>
  KOKKOS_FORCEINLINE_FUNCTION Staged stage(const Subwarp& subwarp, const Group& group,
                                           Scratch& scratch) const {
    Staged inner;
    inner.block = scratch.take<Acc>(most_rows * stride);
    inner.values = scratch.take<Acc>(staged_entries);
    inner.diagonal = scratch.take<Acc>(most_rows);
    inner.reciprocal = scratch.take<Acc>(most_rows);
    inner.row_sum = scratch.take<Real>(most_rows);
    inner.begin = scratch.take<int>(most_rows + 1);
    inner.column = scratch.take<std::uint8_t>(staged_entries);
    inner.first = inner_ptr[group.first];
    const int lane = subwarp.lane();
    const auto entries =
        static_cast<std::int64_t>(inner_ptr[group.first + group.rows] - inner.first);
    for (std::int64_t e = lane; e < entries && e < staged_entries; e += most_rows) {
      inner.values[e] = Acc(values[source[inner.first + e]]);
      inner.column[e] = column[inner.first + e];
    }
    if (lane < group.rows) {
      inner.diagonal[lane] = diagonal ? Acc(diagonal[group.first + lane]) : Acc(1);
      inner.reciprocal[lane] = triangle::reciprocal_or_zero(inner.diagonal[lane]);
      inner.begin[lane] = static_cast<int>(inner_ptr[group.first + lane] - inner.first);
    }
    if (lane == 0) inner.begin[group.rows] = static_cast<int>(entries);
    return inner;
  }

  KOKKOS_FORCEINLINE_FUNCTION Acc value_of(const Staged& inner, int e) const {
    return e < staged_entries ? inner.values[e] : Acc(values[source[inner.first + e]]);
  }
  KOKKOS_FORCEINLINE_FUNCTION int column_of(const Staged& inner, int e) const {
    return e < staged_entries ? inner.column[e] : column[inner.first + e];
  }

  /// Column `j` of the inverse, and the row sums.
  KOKKOS_FORCEINLINE_FUNCTION void solve_column(const Group& group, const Staged& inner,
                                                int j) const {
    for (int r = 0; r < group.rows; ++r) {
      Acc sum(r == j ? 1 : 0);
      Real magnitudes = Kokkos::abs(inner.diagonal[r]);
      for (int e = inner.begin[r]; e < inner.begin[r + 1]; ++e) {
        const Acc entry = value_of(inner, e);
        const int s = column_of(inner, e);
        magnitudes += Kokkos::abs(entry);
        if (s >= j) sum -= entry * inner.block[s * stride + j];
      }
      const Acc factor = inner.reciprocal[r];
      if (factor == Acc(0)) {
        sum /= inner.diagonal[r];
      } else {
        sum *= factor;
      }
      inner.block[r * stride + j] = r < j ? Acc(0) : sum;
      if (j == 0) inner.row_sum[r] = magnitudes;
    }
  }

  /// Whether row `r` of the inverse may be used; a NaN may not.
  KOKKOS_FORCEINLINE_FUNCTION static bool well_conditioned(const Staged& inner, int r) {
    Real condition(0);
    for (int j = 0; j <= r; ++j) {
      condition += Kokkos::abs(inner.block[r * stride + j]) * inner.row_sum[j];
    }
    return condition <= Real(most_skeel);
  }

  /// Row `r` of the block as it is.
  KOKKOS_FORCEINLINE_FUNCTION void copy_row(const Group& group, const Staged& inner, int r) const {
    if (r >= group.rows) return;
    Acc* const row = inner.block + r * stride;
    for (int j = 0; j < r; ++j) row[j] = Acc(0);
    row[r] = inner.diagonal[r];
    for (int e = inner.begin[r]; e < inner.begin[r + 1]; ++e) {
      row[column_of(inner, e)] += value_of(inner, e);
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION void write_row(const Group& group, const Staged& inner, int r,
                                             std::int64_t first) const {
    if (r >= group.rows) return;
    for (int j = 0; j <= r; ++j) {
      blocks[first + block_column(j, group.rows) + r] = inner.block[r * stride + j];
    }
  }
};

}  // namespace heddle::detail::sptrsv
