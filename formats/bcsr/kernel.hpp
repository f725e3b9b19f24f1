// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../backends/launch.hpp"
#include "../../backends/launch_simd.hpp"
#include "../../backends/pack.hpp"
#include "../../backends/unroll.hpp"
#include "../../core/partition.hpp"
#include "../common/arrays.hpp"
#include "../common/cut_panels.hpp"
#include "../common/product.hpp"
#include "format.hpp"
#include "view.hpp"

namespace heddle::detail::bcsr {

/// Cuts block rows of more than `most` blocks into pieces of at most `most` blocks. A scan over
/// block rows: its last sum is the number of pieces. It also writes the pieces, once they are
/// allocated.
template <Ordinal O, Offset Off>
struct CutBlockRows {
  using value_type = PieceCounts;

  const Off* block_ptr;
  std::int64_t block_rows;
  Off most;
  Off* piece_ptr;  ///< null while counting
  BlockRowPiece<O>* piece;
  CutPanel* cut;

  KOKKOS_FUNCTION void init(PieceCounts& sum) const { sum = PieceCounts(); }
  KOKKOS_FUNCTION void join(PieceCounts& sum, const PieceCounts& other) const { sum.add(other); }
  KOKKOS_FUNCTION void operator()(std::int64_t row, PieceCounts& sum) const {
    sum.add(counts(row));
  }
  KOKKOS_FUNCTION void operator()(std::int64_t row, PieceCounts& sum, bool last) const {
    if (last) write(row, sum);
    sum.add(counts(row));
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION PieceCounts counts(std::int64_t row) const {
    const Off blocks = block_ptr[row + 1] - block_ptr[row];
    return PieceCounts::of(blocks > most ? static_cast<std::int64_t>((blocks - 1) / most) + 1 : 1);
  }
  KOKKOS_FORCEINLINE_FUNCTION void write(std::int64_t row, const PieceCounts& before) const {
    const PieceCounts here = counts(row);
    for (std::int64_t i = 0; i < here.pieces; ++i) {
      piece_ptr[before.pieces + i] = block_ptr[row] + static_cast<Off>(i) * most;
      piece[before.pieces + i] = {static_cast<O>(row),
                                  here.cut ? static_cast<O>(before.carries + i) : O(-1)};
    }
    if (here.cut) cut[before.cut] = {row, before.carries, here.carries};
    if (row == block_rows - 1) piece_ptr[before.pieces + here.pieces] = block_ptr[block_rows];
  }
};

/// The pieces of a matrix with block rows that are far longer than others, so that no subwarp or
/// thread computes such a block row alone. Empty, and without memory, if none is cut.
template <ExecutionSpace Exec, Ordinal O, Offset Off, Scalar Acc>
class BlockRowPieces {
 public:
  using Space = typename Exec::memory_space;

  BlockRowPieces() = default;

  /// Cuts block rows of more than `most` blocks of `rows` rows. One launch and a readback, which
  /// waits for `exec`; if a block row is cut, one allocation and another launch.
  BlockRowPieces(const Exec& exec, const Off* block_ptr, std::int64_t block_rows, int rows,
                 std::int64_t most)
      : carries_{nullptr, rows, tuning.most_vectors} {
    CutBlockRows<O, Off> kernel{block_ptr, block_rows, static_cast<Off>(most),
                                nullptr,   nullptr,    nullptr};
    Kokkos::parallel_reduce("heddle::spmv::bcsr_count_pieces", range_policy(exec, block_rows),
                            kernel, counts_);
    if (counts_.cut == 0) return;
    std::tie(piece_ptr_, piece_, carries_.sums, cut_) =
        arrays<Off, BlockRowPiece<O>, Acc, CutPanel>(
            arena_, exec, "heddle::spmv::bcsr_pieces", counts_.pieces + 1, counts_.pieces,
            counts_.carries * tuning.most_vectors * rows, counts_.cut);
    kernel.piece_ptr = piece_ptr_;
    kernel.piece = piece_;
    kernel.cut = cut_;
    Kokkos::parallel_scan("heddle::spmv::bcsr_cut", scan_policy(exec, block_rows), kernel);
  }

  /// `view` with these pieces.
  template <class View>
  View cut(View view) const {
    if (counts_.cut == 0) return view;
    view.pieces = counts_.pieces;
    view.piece_ptr = piece_ptr_;
    view.piece = piece_;
    return view;
  }

  const PieceCounts& counts() const { return counts_; }
  const Carries<Acc>& carries() const { return carries_; }
  const CutPanel* cut_panels() const { return cut_; }
  std::size_t bytes() const { return arena_.bytes(); }
  /// Bytes of the tables, besides block_ptr, that a pass reads.
  double read_bytes() const {
    return counts_.cut == 0
               ? 0
               : static_cast<double>(counts_.pieces) * (sizeof(Off) + sizeof(BlockRowPiece<O>));
  }

 private:
  PieceCounts counts_;
  Carries<Acc> carries_;
  Arena<Space> arena_;
  Off* piece_ptr_ = nullptr;
  BlockRowPiece<O>* piece_ = nullptr;
  CutPanel* cut_ = nullptr;
};

/// Epilogue of a piece: stores its sums to y, or as carry-outs.
template <class View, class Product>
struct BlockRowEpilogue {
  using O = typename View::ordinal_type;
  using Acc = typename Product::accumulator_type;

  View A;
  Product product;
  Carries<Acc> carries;

  KOKKOS_FORCEINLINE_FUNCTION BlockRowPiece<O> piece(std::int64_t index) const {
    return A.piece ? A.piece[index] : BlockRowPiece<O>{static_cast<O>(index), O(-1)};
  }
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const BlockRowPiece<O>& of, int row, int vector,
                                              const Acc& sum) const {
    if (of.carry >= 0) {
      *carries.at(of.carry, vector, row) = sum;
    } else {
      (*this)(std::int64_t{of.block_row}, row, vector, sum);
    }
  }
  /// Stores the sum of row `row` of a block row, unless the row is past the end of the matrix.
  KOKKOS_FORCEINLINE_FUNCTION void operator()(std::int64_t block_row, int row, int vector,
                                              const Acc& sum) const {
    const std::int64_t at = block_row * A.size.rows() + row;
    if (at < A.rows) product.store(static_cast<O>(at), vector, sum);
  }
};

/// y = alpha * A * x + beta * y for A in BCSR, on a GPU: 2^lane_bits lanes for each block row or
/// piece of one. Each lane has one row. Together they walk through the columns of the panel with
/// coalesced loads, and add up at the end.
///
/// Deterministic: the order is fixed by the number of lanes and the pieces. Holes do not change the
/// sum.
template <class View, class Product, int Batch, int Vectors>
struct Kernel {
  using Scratch = backends::NoScratch;
  using S = typename View::scalar_type;
  using O = typename View::ordinal_type;
  using Acc = typename Product::accumulator_type;
  using Pack = backends::SinglePack<Acc>;
  using Entry = backends::PackEntries<Pack, S>;

  BlockRowEpilogue<View, Product> deliver;
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
    // All lanes of the warp shuffle; those of a group that does not exist send nothing.
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
    const BlockRowPiece<O> piece = deliver.piece(index);
    for (int v = 0; v < Vectors; ++v) {
      if (v < product.x.count) deliver(piece, lane, v, sum[v].value);
    }
  }

 private:
  /// Adds columns `group`, `group` + `groups`, ... of the panel, in which this lane's row begins at
  /// place `lane`: Batch columns at a time, so that their loads are in flight together.
  KOKKOS_FORCEINLINE_FUNCTION void add_up(std::int64_t index, int group, int groups, int lane,
                                          Pack (&sum)[Vectors]) const {
    const View& A = deliver.A;
    const Product& product = deliver.product;
    const auto first = A.piece_ptr[index], end = A.piece_ptr[index + 1];
    const O* const block_col = A.block_col + first;
    const S* const values = A.values_from(first) + lane;
    const int step = groups * A.size.rows();
    // As wide as a column index, for a fast division if the size is not known.
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

/// y = alpha * A * x + beta * y for A in BCSR, on a CPU: a team is a thread, with a share of the
/// block rows (or pieces of them) that has as many blocks as the others. Packs span a block's rows.
///
/// Deterministic: in the order of the columns, with separate sums for even and odd columns of a
/// block. A pack wider than a block also reads the next column; its lanes there are dropped.
template <class View, class Product, ExecutionSpace Exec, int Vectors>
struct BlockRowsOnThreads {
  using Scratch = backends::NoScratch;
  using S = typename View::scalar_type;
  using O = typename View::ordinal_type;
  using Off = typename View::offset_type;
  using Acc = typename Product::accumulator_type;
  using Size = decltype(View::size);
  static constexpr int width = backends::Pack<Exec, Acc>::width;
  static constexpr int packs = (Size::most_rows + width - 1) / width;
  static constexpr int chains = Vectors == 1 && Size::known ? tuning.cpu_chains : 1;

  BlockRowEpilogue<View, Product> deliver;
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
    const std::int64_t left = product.x.rows - column;  // only holes beyond the last column
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
