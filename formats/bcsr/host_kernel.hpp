// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../backends/launch_simd.hpp"
#include "../../backends/pack_entries.hpp"
#include "../../core/partition.hpp"
#include "pieces.hpp"
#include "tuning.hpp"

namespace heddle::detail::bcsr {

/// The same on a CPU: a team is a thread, which takes a share of the block rows (or pieces of them)
/// of as many blocks as the other shares, and packs lie across the rows of a block.
///
/// Deterministic: in the order of the columns, those of even and of odd place in the block apart.
/// A pack wider than a block reads into the column behind; what its lanes there add up is dropped.
template <class View, class Product, ExecutionSpace Exec, int Vectors>
struct HostKernel {
  using Scratch = backends::NoScratch;
  using S = typename View::scalar_type;
  using O = typename View::ordinal_type;
  using Off = typename View::offset_type;
  using Acc = typename Product::accumulator_type;
  using Size = decltype(View::size);
  static constexpr int width = backends::Pack<Exec, Acc>::width;
  static constexpr int packs = (Size::most_rows + width - 1) / width;
  static constexpr int chains = Vectors == 1 && Size::known ? tuning.cpu_chains : 1;

  Delivery<View, Product> deliver;
  int shares;

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Team& team, Scratch&) const {
    using Pack = backends::Pack<Team, Acc>;
    const View& A = deliver.A;
    const Product& product = deliver.product;
    const std::int64_t last = first_piece(team.index() + 1);
    for (std::int64_t index = first_piece(team.index()); index < last; ++index) {
      Pack sum[chains][Vectors][packs];
      for (int c = 0; c < chains; ++c) {
        for (int v = 0; v < Vectors; ++v) {
          for (int p = 0; p < packs; ++p) sum[c][v][p] = Pack::zero();
        }
      }
      for (Off block = A.piece_ptr[index]; block < A.piece_ptr[index + 1]; ++block) {
        add_block(block, sum);
      }
      const auto piece = deliver.piece(index);
      const std::int64_t row = static_cast<std::int64_t>(piece.block_row) * A.size.rows();
      const std::int64_t rows = row + A.size.rows() < A.rows ? A.size.rows() : A.rows - row;
      for (int p = 0; p < packs; ++p) {
        for (int v = 0; v < Vectors; ++v) {
          if (v >= product.x.count || p * width >= rows) continue;
          for (int c = 1; c < chains; ++c) sum[0][v][p] = Pack::add(sum[0][v][p], sum[c][v][p]);
          if (piece.carry >= 0) {
            for (int i = 0; i < width && p * width + i < rows; ++i) {
              deliver(piece, p * width + i, v, sum[0][v][p].lane(i));
            }
          } else {
            store_pack(product, row + p * width, v, sum[0][v][p],
                       Pack::Mask::first(rows - p * width));
          }
        }
      }
    }
  }

 private:
  template <class Pack>
  KOKKOS_FORCEINLINE_FUNCTION void add_block(Off block, Pack (&sum)[chains][Vectors][packs]) const {
    const View& A = deliver.A;
    const Product& product = deliver.product;
    const int rows = A.size.rows();
    const S* values = A.values_from(block);
    const std::int64_t column = static_cast<std::int64_t>(A.block_col[block]) * A.size.columns();
    const std::int64_t left = product.x.rows - column;  // beyond the last column there are holes
    const auto all = Pack::Mask::first(width);
    for (int c = 0; c < A.size.columns(); ++c, values += rows) {
      for (int p = 0; p < packs && p * width < rows; ++p) {
        backends::PackEntries<Pack, S> entries;
        entries.load_once(values + p * width, all);
        if constexpr (is_complex<S>) {
          if (product.conjugate) entries.value = Pack::conjugate(entries.value);
        }
        for (int v = 0; v < Vectors; ++v) {
          const auto* x = &product.x(column + c, v < product.x.count ? v : 0);
          auto& to = sum[c % chains][v][p];
          to = entries.multiply_add(Pack::all(Acc(backends::load(x, c < left))), to);
        }
      }
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION std::int64_t first_piece(std::int64_t share) const {
    const View& A = deliver.A;
    const std::int64_t steps =
        merge_path_steps(A.pieces, static_cast<std::int64_t>(A.blocks), tuning.row_steps);
    if (share == shares) return A.pieces;
    return merge_path_cut(A.piece_ptr, A.pieces, A.blocks, steps * share / shares, tuning.row_steps)
        .row;
  }
};

}  // namespace heddle::detail::bcsr
