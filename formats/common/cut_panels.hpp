// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../backends/launch.hpp"
#include "../../backends/unroll.hpp"

namespace heddle::detail {

/// A panel is rows that a format handles together: a block row, a slice, a tile row. A panel far
/// longer than others is cut into pieces, so that no subwarp or thread handles it alone. Each piece
/// leaves its sums as a carry-out, and a second launch adds up those of a panel.
///
/// Numbers of pieces, carry-outs and cut panels before a panel.
struct PieceCounts {
  std::int64_t pieces = 0;
  std::int64_t carries = 0;
  std::int64_t cut = 0;  ///< panels that are cut

  KOKKOS_INLINE_FUNCTION void add(const PieceCounts& other) {
    pieces += other.pieces;
    carries += other.carries;
    cut += other.cut;
  }
  /// Counts of one panel that has this number of pieces.
  KOKKOS_INLINE_FUNCTION static PieceCounts of(std::int64_t pieces) {
    return pieces > 1 ? PieceCounts{pieces, pieces, 1} : PieceCounts{1, 0, 0};
  }
};

/// A panel that is cut, and its carry-outs.
struct CutPanel {
  std::int64_t panel;
  std::int64_t first;
  std::int64_t carries;
};

/// The sums that pieces leave: the sum of vector v and row r of carry-out c is at (c * most_vectors
/// + v) * rows + r.
template <Scalar Acc>
struct Carries {
  Acc* sums = nullptr;
  int rows = 1;  ///< rows of a panel
  int most_vectors = 1;

  KOKKOS_FORCEINLINE_FUNCTION Acc* at(std::int64_t number, int vector, int row) const {
    return sums + ((number * most_vectors + vector) * rows + row);
  }
};

/// Adds up the carry-outs of cut panels, a subwarp a row: its n lanes each add up every n-th, and
/// then their sums. Deterministic: the numbers of lanes and pieces fix the order.
template <class Product, class Store>
struct FinishPanelsKernel {
  using Scratch = backends::NoScratch;
  using Acc = typename Product::accumulator_type;

  const CutPanel* cut;
  std::int64_t panels;
  Carries<Acc> carries;
  int vectors;
  Store store;  ///< (panel, row, vector, sum)

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Team& team, Scratch&) const {
    const auto subwarp = team.subwarp();
    const std::int64_t item = team.index() * Team::subwarps + team.subwarp_index();
    if (item >= panels * carries.rows) return;
    const CutPanel of = cut[item / carries.rows];
    const int row = static_cast<int>(item % carries.rows);
    for (int v = 0; v < vectors; ++v) {
      const Acc sum = subwarp.sum(part_of_lane(of, v, row, subwarp.lane(), Team::subwarp_width));
      if (subwarp.lane() == 0) store(of.panel, row, v, sum);
    }
  }

 private:
  /// Loads in flight together.
  static constexpr int batch = 8;

  KOKKOS_FORCEINLINE_FUNCTION Acc part_of_lane(const CutPanel& of, int vector, int row, int lane,
                                               int lanes) const {
    Acc sum(0);
    for (std::int64_t c = lane; c < of.carries; c += std::int64_t{batch} * lanes) {
      Acc part[batch];
      HEDDLE_UNROLL(batch)
      for (int i = 0; i < batch; ++i) {
        const std::int64_t at = c + std::int64_t{i} * lanes;
        part[i] = at < of.carries ? *carries.at(of.first + at, vector, row) : Acc(0);
      }
      HEDDLE_UNROLL(batch)
      for (int i = 0; i < batch; ++i) sum += part[i];
    }
    return sum;
  }
};

/// The second launch if panels are cut: calls store(panel, row, vector, sum) with the sum over all
/// pieces, for each row of each cut panel.
template <ExecutionSpace Exec, class Product, class Store>
void finish_panels(const Exec& exec, const char* label, const CutPanel* cut, std::int64_t panels,
                   const Carries<typename Product::accumulator_type>& carries,
                   const Product& product, const Store& store) {
  using Shape = backends::Shape<backends::max_subwarp_width<Exec>, 128>;
  constexpr int per_team = backends::has_lanes<Exec> ? 128 / Shape::subwarp_width : 1;
  backends::launch<Shape>(
      exec, label, ceil_div<std::int64_t>(panels * carries.rows, per_team),
      FinishPanelsKernel<Product, Store>{cut, panels, carries, product.x.count, store});
}

}  // namespace heddle::detail
