// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../core/arena.hpp"
#include "../common/product.hpp"
#include "view.hpp"

namespace heddle::detail::bcsr {

/// Vectors of one launch at most, and rows of a block: the number of sums of a piece that are
/// carried out.
inline constexpr int most_carried = 8 * 8;

/// Cuts block rows of more than `most` blocks into pieces of `most` at most. A scan over block
/// rows, of which the last sum is how many pieces there are, and writes them once there is room for
/// them.
template <Ordinal O, Offset Off>
struct CutKernel {
  struct Counts {
    std::int64_t pieces;
    std::int64_t carries;
  };
  using value_type = Counts;

  const Off* block_ptr;
  std::int64_t block_rows;
  Off most;
  Off* piece_ptr;  ///< null at first
  Piece<O>* piece;
  O* piece_of_carry;

  KOKKOS_FUNCTION void init(Counts& sum) const { sum = {0, 0}; }
  KOKKOS_FUNCTION void join(Counts& sum, const Counts& other) const {
    sum.pieces += other.pieces;
    sum.carries += other.carries;
  }
  KOKKOS_FUNCTION void operator()(std::int64_t row, Counts& sum) const { add(row, sum); }
  KOKKOS_FUNCTION void operator()(std::int64_t row, Counts& sum, bool last) const {
    if (last) write(row, sum);
    add(row, sum);
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t pieces_of(std::int64_t row) const {
    const Off blocks = block_ptr[row + 1] - block_ptr[row];
    return blocks > most ? static_cast<std::int64_t>((blocks - 1) / most) + 1 : 1;
  }
  KOKKOS_FORCEINLINE_FUNCTION void add(std::int64_t row, Counts& sum) const {
    const std::int64_t pieces = pieces_of(row);
    sum.pieces += pieces;
    sum.carries += pieces > 1 ? pieces : 0;
  }
  KOKKOS_FORCEINLINE_FUNCTION void write(std::int64_t row, const Counts& before) const {
    const std::int64_t pieces = pieces_of(row);
    for (std::int64_t i = 0; i < pieces; ++i) {
      const std::int64_t p = before.pieces + i;
      const std::int64_t carry = pieces > 1 ? before.carries + i : -1;
      piece_ptr[p] = block_ptr[row] + static_cast<Off>(i) * most;
      piece[p] = {static_cast<O>(row), static_cast<O>(carry)};
      if (carry >= 0) piece_of_carry[carry] = static_cast<O>(p);
    }
    if (row == block_rows - 1) piece_ptr[before.pieces + pieces] = block_ptr[block_rows];
  }
};

/// The pieces of a matrix in which a block row is far longer than others, so that no subwarp or
/// thread takes it alone. Empty, and without memory, where none is cut.
template <ExecutionSpace Exec, Ordinal O, Offset Off, Scalar Acc>
class Pieces {
 public:
  using Space = typename Exec::memory_space;

  Pieces() = default;

  /// Cuts block rows of more than `most` blocks. One launch and a readback, which waits for `exec`;
  /// where a block row is cut one allocation and another launch.
  Pieces(const Exec& exec, const Off* block_ptr, std::int64_t block_rows, std::int64_t most) {
    using Kernel = CutKernel<O, Off>;
    const auto rows = range_policy(exec, block_rows);
    Kernel cut{block_ptr, block_rows, static_cast<Off>(most), nullptr, nullptr, nullptr};
    typename Kernel::Counts counts{0, 0};
    Kokkos::parallel_reduce("heddle::spmv::bcsr_count_pieces", rows, cut, counts);
    carries_ = counts.carries;
    if (carries_ == 0) return;
    pieces_ = counts.pieces;
    const auto pieces = static_cast<std::size_t>(pieces_);
    const auto carries = static_cast<std::size_t>(carries_);
    arena_ = Arena<Space>(
        exec, "heddle::spmv::bcsr_pieces",
        arena_bytes<Off, Piece<O>, Acc, O>(pieces + 1, pieces, carries * most_carried, carries));
    piece_ptr_ = cut.piece_ptr = arena_.template take<Off>(pieces + 1).data();
    piece_ = cut.piece = arena_.template take<Piece<O>>(pieces).data();
    carried_ = arena_.template take<Acc>(carries * most_carried).data();
    piece_of_carry_ = cut.piece_of_carry = arena_.template take<O>(carries).data();
    Kokkos::parallel_scan("heddle::spmv::bcsr_cut", rows, cut);
  }

  /// The same matrix by these pieces.
  template <class View>
  View cut(View view) const {
    if (carries_ == 0) return view;
    view.pieces = pieces_;
    view.piece_ptr = piece_ptr_;
    view.piece = piece_;
    return view;
  }

  std::int64_t carries() const { return carries_; }
  Acc* carried() const { return carried_; }
  const O* piece_of_carry() const { return piece_of_carry_; }
  std::size_t bytes() const { return arena_.bytes(); }
  /// What a pass reads of the tables beyond block_ptr.
  double read_bytes() const {
    return static_cast<double>(pieces_) * (sizeof(Off) + sizeof(Piece<O>));
  }

 private:
  std::int64_t pieces_ = 0;
  std::int64_t carries_ = 0;
  Arena<Space> arena_;
  const Off* piece_ptr_ = nullptr;
  const Piece<O>* piece_ = nullptr;
  Acc* carried_ = nullptr;
  const O* piece_of_carry_ = nullptr;
};

/// Where pieces leave their sums: to y, or as carry-outs.
template <class View, class Product>
struct Delivery {
  using O = typename View::ordinal_type;
  using Acc = typename Product::accumulator_type;

  View A;
  Product product;
  Acc* carried;

  KOKKOS_FORCEINLINE_FUNCTION Piece<O> piece(std::int64_t index) const {
    return A.piece ? A.piece[index] : Piece<O>{static_cast<O>(index), O(-1)};
  }
  KOKKOS_FORCEINLINE_FUNCTION Acc& carry(O number, int row, int vector) const {
    return carried[static_cast<std::int64_t>(number) * most_carried + vector * 8 + row];
  }
  /// Of row `row` of the piece's block row, which may lie behind the last of the matrix.
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Piece<O>& of, int row, int vector,
                                              const Acc& sum) const {
    if (of.carry >= 0) {
      carry(of.carry, row, vector) = sum;
      return;
    }
    const std::int64_t at = static_cast<std::int64_t>(of.block_row) * A.size.rows() + row;
    if (at < A.rows) product.store(static_cast<O>(at), vector, sum);
  }
};

/// The second launch where block rows are cut: an item a row of a carry-out, of which that of the
/// first piece adds up those of all pieces, in order.
template <class Delivery>
struct FinishKernel {
  using O = typename Delivery::O;
  using Acc = typename Delivery::Acc;

  Delivery deliver;
  std::int64_t carries;
  const O* piece_of_carry;

  KOKKOS_FUNCTION void operator()(std::int64_t item) const {
    const int rows = deliver.A.size.rows();
    const std::int64_t first = item / rows;
    const int row = static_cast<int>(item - first * rows);
    const O block_row = block_row_of(first);
    if (first > 0 && block_row_of(first - 1) == block_row) return;
    for (int v = 0; v < deliver.product.x.count; ++v) {
      Acc sum = deliver.carry(static_cast<O>(first), row, v);
      for (std::int64_t c = first + 1; c < carries && block_row_of(c) == block_row; ++c) {
        sum += deliver.carry(static_cast<O>(c), row, v);
      }
      deliver(Piece<O>{block_row, O(-1)}, row, v, sum);
    }
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION O block_row_of(std::int64_t carry) const {
    return deliver.A.piece[piece_of_carry[carry]].block_row;
  }
};

}  // namespace heddle::detail::bcsr
