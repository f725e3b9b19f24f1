// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../common/arrays.hpp"
#include "../common/cut_panels.hpp"
#include "../common/product.hpp"
#include "tuning.hpp"
#include "view.hpp"

namespace heddle::detail::bcsr {

/// Cuts block rows of more than `most` blocks into pieces of `most` at most. A scan over block
/// rows, of which the last sum is how many pieces there are, and writes them once there is room for
/// them.
template <Ordinal O, Offset Off>
struct CutKernel {
  using value_type = PieceCounts;

  const Off* block_ptr;
  std::int64_t block_rows;
  Off most;
  Off* piece_ptr;  ///< null at first
  Piece<O>* piece;
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

/// The pieces of a matrix in which a block row is far longer than others, so that no subwarp or
/// thread takes it alone. Empty, and without memory, where none is cut.
template <ExecutionSpace Exec, Ordinal O, Offset Off, Scalar Acc>
class Pieces {
 public:
  using Space = typename Exec::memory_space;

  Pieces() = default;

  /// Cuts block rows, of `rows` rows, of more than `most` blocks. One launch and a readback, which
  /// waits for `exec`; where a block row is cut one allocation and another launch.
  Pieces(const Exec& exec, const Off* block_ptr, std::int64_t block_rows, int rows,
         std::int64_t most)
      : carries_{nullptr, rows, tuning.most_vectors} {
    const auto policy = range_policy(exec, block_rows);
    CutKernel<O, Off> kernel{block_ptr, block_rows, static_cast<Off>(most),
                             nullptr,   nullptr,    nullptr};
    Kokkos::parallel_reduce("heddle::spmv::bcsr_count_pieces", policy, kernel, counts_);
    if (counts_.cut == 0) return;
    std::tie(piece_ptr_, piece_, carries_.sums, cut_) = arrays<Off, Piece<O>, Acc, CutPanel>(
        arena_, exec, "heddle::spmv::bcsr_pieces", counts_.pieces + 1, counts_.pieces,
        counts_.carries * tuning.most_vectors * rows, counts_.cut);
    kernel.piece_ptr = piece_ptr_;
    kernel.piece = piece_;
    kernel.cut = cut_;
    Kokkos::parallel_scan("heddle::spmv::bcsr_cut", policy, kernel);
  }

  /// The same matrix by these pieces.
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
  /// What a pass reads of the tables beyond block_ptr.
  double read_bytes() const {
    return counts_.cut == 0
               ? 0
               : static_cast<double>(counts_.pieces) * (sizeof(Off) + sizeof(Piece<O>));
  }

 private:
  PieceCounts counts_;
  Carries<Acc> carries_;
  Arena<Space> arena_;
  Off* piece_ptr_ = nullptr;
  Piece<O>* piece_ = nullptr;
  CutPanel* cut_ = nullptr;
};

/// Where pieces leave their sums: to y, or as carry-outs.
template <class View, class Product>
struct Delivery {
  using O = typename View::ordinal_type;
  using Acc = typename Product::accumulator_type;

  View A;
  Product product;
  Carries<Acc> carries;

  KOKKOS_FORCEINLINE_FUNCTION Piece<O> piece(std::int64_t index) const {
    return A.piece ? A.piece[index] : Piece<O>{static_cast<O>(index), O(-1)};
  }
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Piece<O>& of, int row, int vector,
                                              const Acc& sum) const {
    if (of.carry >= 0) {
      *carries.at(of.carry, vector, row) = sum;
    } else {
      (*this)(std::int64_t{of.block_row}, row, vector, sum);
    }
  }
  /// Of row `row` of a block row, which may lie behind the last of the matrix.
  KOKKOS_FORCEINLINE_FUNCTION void operator()(std::int64_t block_row, int row, int vector,
                                              const Acc& sum) const {
    const std::int64_t at = block_row * A.size.rows() + row;
    if (at < A.rows) product.store(static_cast<O>(at), vector, sum);
  }
};

}  // namespace heddle::detail::bcsr
