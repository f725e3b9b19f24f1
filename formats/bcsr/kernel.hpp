// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../backends/launch.hpp"
#include "../../backends/pack_entries.hpp"
#include "../../backends/unroll.hpp"
#include "../common/product.hpp"
#include "pieces.hpp"
#include "tuning.hpp"

namespace heddle::detail::bcsr {

/// y = alpha * A * x + beta * y for A in BCSR, on a GPU: 2^lane_bits lanes a block row, or piece of
/// one, of which a lane keeps to one row. Together they walk through the columns of the panel, so
/// that they read values side by side, and add up in the end.
///
/// Deterministic: in an order fixed by the number of lanes and the pieces. Holes do not touch the
/// sum.
template <class View, class Product, int Batch, int Vectors>
struct Kernel {
  using Scratch = backends::NoScratch;
  using S = typename View::scalar_type;
  using O = typename View::ordinal_type;
  using Acc = typename Product::accumulator_type;
  using Pack = backends::SinglePack<Acc>;
  using Entry = backends::PackEntries<Pack, S>;

  Delivery<View, Product> deliver;
  int lane_bits;

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Team& team, Scratch&) const {
    const View& A = deliver.A;
    const Product& product = deliver.product;
    const auto warp = team.subwarp();
    const int lanes = 1 << lane_bits;
    const int lane = warp.lane() & (lanes - 1);
    const int rows = A.size.rows();
    const int groups = lanes / rows;
    const int group = lane / rows;
    const std::int64_t index =
        team.index() * (Team::threads >> lane_bits) + (team.thread() >> lane_bits);
    const bool works = index < A.pieces && group < groups;
    Pack sum[Vectors];
    for (int v = 0; v < Vectors; ++v) sum[v] = Pack::zero();
    if (works) add_up(index, group, groups, lane, sum);
    // All lanes of the warp take part; those of a group that is not there hand on nothing.
    for (int count = groups; count > 1;) {
      const int half = (count + 1) / 2;
      const int partner = warp.lane() + half * rows;
      const bool has_partner = group + half < count;
      for (int v = 0; v < Vectors; ++v) {
        const Acc other = warp.shuffle(sum[v].value, has_partner ? partner : warp.lane());
        if (has_partner) sum[v].value += other;
      }
      count = half;
    }
    if (!works || group > 0) return;
    const Piece<O> piece = deliver.piece(index);
    for (int v = 0; v < Vectors; ++v) {
      if (v < product.x.count) deliver(piece, lane, v, sum[v].value);
    }
  }

 private:
  /// Columns `group`, `group` + `groups`, ... of the panel, of which this lane's row begins at
  /// place `lane`: Batch of them at a time, so that their loads are in flight together.
  KOKKOS_FORCEINLINE_FUNCTION void add_up(std::int64_t index, int group, int groups, int lane,
                                          Pack (&sum)[Vectors]) const {
    const View& A = deliver.A;
    const Product& product = deliver.product;
    const auto first = A.piece_ptr[index], end = A.piece_ptr[index + 1];
    const O* const block_col = A.block_col + first;
    const S* const values = A.values_from(first) + lane;
    const int step = groups * A.size.rows();
    // As wide as a column index, for the sake of the division where the size is not known.
    using Count = std::make_unsigned_t<O>;
    const auto width = static_cast<Count>(A.size.columns());
    const Count columns = static_cast<Count>(end - first) * width;
    std::int64_t round = 0;
    for (auto column = static_cast<Count>(group); column < columns;
         column += static_cast<Count>(Batch * groups)) {
      Entry entry[Batch];
      std::int64_t row_of_x[Batch];
      bool exists[Batch];
      HEDDLE_UNROLL(Batch)
      for (int i = 0; i < Batch; ++i) {
        const Count at = column + static_cast<Count>(i * groups);
        const Count block = at / width;
        exists[i] = at < columns;
        entry[i].load_once(values + (round + i) * step, Pack::Mask::where(exists[i]));
        if constexpr (is_complex<S>) {
          if (product.conjugate) entry[i].value = Pack::conjugate(entry[i].value);
        }
        const std::int64_t first_column =
            static_cast<std::int64_t>(backends::load(block_col + block, exists[i])) *
            A.size.columns();
        row_of_x[i] = first_column + static_cast<std::int64_t>(at - block * width);
      }
      round += Batch;
      for (int v = 0; v < Vectors; ++v) {
        const auto* x = product.x.data + (v < product.x.count ? v : 0) * product.x.vector_stride;
        Pack factor[Batch];
        HEDDLE_UNROLL(Batch)
        for (int i = 0; i < Batch; ++i) {
          factor[i] = Pack::load(x + row_of_x[i] * product.x.row_stride,
                                 Pack::Mask::where(exists[i] && row_of_x[i] < product.x.rows));
        }
        HEDDLE_UNROLL(Batch)
        for (int i = 0; i < Batch; ++i) sum[v] = entry[i].multiply_add(factor[i], sum[v]);
      }
    }
  }
};

}  // namespace heddle::detail::bcsr
