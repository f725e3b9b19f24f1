// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../core/block_matrix.hpp"
#include "column_bits.hpp"
#include "rearrange.hpp"

/// Matrices from and to dense blocks. Each function checks the matrix (Error, naming row and
/// entry), allocates, and waits for `exec`; new values for its result need one pass.
namespace heddle {

namespace detail {

template <Offset Off>
struct StartsOfBlockRows {
  const Off* block_ptr;
  Off* row_ptr;
  std::int64_t rows;
  std::int64_t size;

  KOKKOS_FUNCTION void operator()(std::int64_t row) const {
    const std::int64_t block_row = row / size, r = row % size;
    const auto first = static_cast<std::int64_t>(block_ptr[block_row]);
    const std::int64_t blocks =
        row == rows ? 0 : static_cast<std::int64_t>(block_ptr[block_row + 1]) - first;
    row_ptr[row] = static_cast<Off>(first * size * size + r * blocks * size);
  }
};

/// Expands block k into `size` rows of the matrix.
template <Ordinal O, Offset Off>
struct SpreadBlock {
  const Off* block_ptr;
  const O* block_col;
  O* col_idx;
  Off* source;
  std::int64_t size;

  KOKKOS_FORCEINLINE_FUNCTION void operator()(std::int64_t block_row, std::int64_t k) const {
    const auto first = static_cast<std::int64_t>(block_ptr[block_row]);
    const std::int64_t length =
        (static_cast<std::int64_t>(block_ptr[block_row + 1]) - first) * size;
    const std::int64_t column = static_cast<std::int64_t>(block_col[k]) * size;
    std::int64_t from = k * size * size;
    for (std::int64_t r = 0; r < size; ++r) {
      const std::int64_t to = first * size * size + r * length + (k - first) * size;
      for (std::int64_t c = 0; c < size; ++c, ++from) {
        col_idx[to + c] = static_cast<O>(column + c);
        source[to + c] = static_cast<Off>(from);
      }
    }
  }
};

/// Maps an entry to its block row and block column.
struct BlockOf {
  std::int64_t size;
  template <class O>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(std::int64_t, O& row, O& column) const {
    row = static_cast<O>(row / size);
    column = static_cast<O>(column / size);
  }
};

/// The place of entry k in its block.
template <Ordinal O>
struct PlaceInBlock {
  const O* col_idx;
  std::int32_t* place;
  std::int64_t size;
  KOKKOS_FORCEINLINE_FUNCTION void operator()(std::int64_t row, std::int64_t k) const {
    place[k] =
        static_cast<std::int32_t>(row % size * size + static_cast<std::int64_t>(col_idx[k]) % size);
  }
};

/// Sums up a block from its entries, in their order.
template <Scalar S, Offset Off>
struct FillBlock {
  const Off* first;  ///< null: one entry for each block
  const Off* source;
  const std::int32_t* place;
  const S* from;
  S* to;
  std::int64_t places;

  KOKKOS_FUNCTION void operator()(std::int64_t block) const {
    S* const values = to + block * places;
    for (std::int64_t p = 0; p < places; ++p) values[p] = S(0);
    const std::int64_t begin = first ? static_cast<std::int64_t>(first[block]) : block;
    const std::int64_t end = first ? static_cast<std::int64_t>(first[block + 1]) : block + 1;
    for (std::int64_t s = begin; s < end; ++s) values[place[source[s]]] += from[source[s]];
  }
};

/// Shares of whole block rows, of about equally many entries.
template <Offset Off>
struct BlockRowShares {
  RowShares<Off> rows;
  std::int64_t size;

  KOKKOS_FORCEINLINE_FUNCTION std::int64_t begin(std::int64_t share) const {
    return ceil_div(rows.begin(share), size);
  }
};

/// Lists the columns of the blocks of each block row, in ascending order, from the place of its
/// first entry on, and counts them.
template <Ordinal O, Offset Off>
struct ListBlocks {
  BlockRowShares<Off> shares;
  const O* col_idx;
  std::uint64_t* bits;  ///< of each share, zero
  std::int64_t words, words_of_share;
  O* listed;
  Off* counts;

  KOKKOS_FUNCTION void operator()(std::int64_t share) const {
    std::uint64_t* const own = bits + share * words_of_share;
    ColumnBits columns{own, own + words};
    const auto size = static_cast<O>(shares.size);
    const Off* const row_ptr = shares.rows.row_ptr;
    const std::int64_t stop = shares.begin(share + 1);
    for (std::int64_t block_row = shares.begin(share); block_row < stop; ++block_row) {
      const auto begin = static_cast<std::int64_t>(row_ptr[block_row * size]);
      const auto end = static_cast<std::int64_t>(row_ptr[(block_row + 1) * size]);
      O last = -1;
      for (std::int64_t k = begin; k < end; ++k) {
        const O column = col_idx[k] / size;
        if (column != last) columns.mark(column);
        last = column;
      }
      O* to = listed + begin;
      columns.take_all([&](std::int64_t column) { *to++ = static_cast<O>(column); });
      counts[block_row] = static_cast<Off>(to - (listed + begin));
    }
  }
};

/// Writes the columns of the blocks, and the place of each entry among the values of all blocks.
template <Ordinal O, Offset Off>
struct PlaceInBlocks {
  BlockRowShares<Off> shares;
  const O* col_idx;
  const O* listed;
  const Off* block_ptr;
  O* block_col;
  Off* block_of_column;  ///< of each share
  std::int64_t block_columns;
  Off* place;

  KOKKOS_FUNCTION void operator()(std::int64_t share) const {
    const PlaceInBlocks to = *this;  // a copy stays in registers, since no store can change it
    Off* const block_of = block_of_column + share * block_columns;
    const auto size = static_cast<O>(shares.size);
    const Off* const row_ptr = to.shares.rows.row_ptr;
    const std::int64_t stop = shares.begin(share + 1);
    for (std::int64_t block_row = shares.begin(share); block_row < stop; ++block_row) {
      const O* from = to.listed + static_cast<std::int64_t>(row_ptr[block_row * size]);
      for (Off b = to.block_ptr[block_row]; b < to.block_ptr[block_row + 1]; ++b, ++from) {
        to.block_col[b] = *from;
        block_of[*from] = b;
      }
      for (std::int64_t r = 0; r < size; ++r) {
        const std::int64_t row = block_row * size + r;
        const auto end = static_cast<std::int64_t>(row_ptr[row + 1]);
        for (auto k = static_cast<std::int64_t>(row_ptr[row]); k < end; ++k) {
          const O column = to.col_idx[k], block_column = column / size;
          const auto block = static_cast<std::int64_t>(block_of[block_column]);
          to.place[k] = static_cast<Off>((block * size + r) * size + column - block_column * size);
        }
      }
    }
  }
};

/// Sums up the blocks of a block row from its entries, in their order.
template <Scalar S, Offset Off>
struct FillBlockRow {
  const Off* block_ptr;
  const Off* row_ptr;
  const Off* place;  ///< of each entry among the values
  const S* from;
  S* to;
  std::int64_t size;

  KOKKOS_FUNCTION void operator()(std::int64_t block_row) const {
    const std::int64_t places = size * size;
    const auto stop = static_cast<std::int64_t>(block_ptr[block_row + 1]) * places;
    for (auto p = static_cast<std::int64_t>(block_ptr[block_row]) * places; p < stop; ++p) {
      to[p] = S(0);
    }
    const auto end = static_cast<std::int64_t>(row_ptr[(block_row + 1) * size]);
    for (auto k = static_cast<std::int64_t>(row_ptr[block_row * size]); k < end; ++k) {
      to[place[k]] += from[k];
    }
  }
};

}  // namespace detail

/// Expands a matrix of blocks into a CSR matrix for all other functions. Zeros in blocks are
/// entries, and rows keep the order of the blocks' columns. `update_values(exec, B.values())` sets
/// new values. A plan with the scheme bcsr/RxC stores the same blocks, and does not need this
/// matrix afterwards.
template <ExecutionSpace Exec, Scalar S, Ordinal O, Offset Off, MemorySpace Space>
DerivedCsr<Exec, S, O, Off> from_blocks(const Exec& exec, const BlockMatrix<S, O, Off, Space>& B) {
  const auto& blocks = B.blocks();
  check_csr(exec, blocks);
  const auto size = std::int64_t{B.block_size()};
  const auto entries = static_cast<std::int64_t>(B.values().extent(0));
  detail::Derivation<S, O, Off, typename Exec::memory_space> made(exec, B.rows(), B.columns(),
                                                                  entries);
  if (blocks.row_ptr().extent(0) == 0) {  // row_ptr may be null without rows
    detail::fill(exec, "heddle::matrix::row_ptr", made.storage.row_ptr().data(), 1, Off(0));
  } else {
    detail::parallel_for(
        exec, "heddle::matrix::row_ptr", std::int64_t{B.rows()} + 1,
        detail::StartsOfBlockRows<Off>{blocks.row_ptr().data(), made.storage.row_ptr().data(),
                                       B.rows(), size});
    detail::each_entry(
        exec, "heddle::matrix::spread_blocks", blocks.row_ptr().data(), blocks.rows(),
        static_cast<std::int64_t>(blocks.nonzeros()),
        detail::SpreadBlock<O, Off>{blocks.row_ptr().data(), blocks.col_idx().data(),
                                    made.storage.col_idx().data(), made.source, size});
  }
  DerivedCsr<Exec, S, O, Off> derived(std::move(made), entries, 0, {}, {}, false);
  derived.update_values(exec, B.values());
  exec.fence("heddle::matrix::derived");
  return derived;
}

/// A matrix of dense blocks that owns its arrays, made from a CSR matrix by to_blocks. A handle:
/// copies share the memory. docs/matrices.md
template <ExecutionSpace Exec, Scalar S, Ordinal O, Offset Off>
class BlockedCsr {
 public:
  using Space = typename Exec::memory_space;
  using Matrix = BlockMatrix<S, O, Off, Space>;

  /// An empty matrix, to be assigned to.
  BlockedCsr() = default;

  /// Constructor for to_blocks.
  BlockedCsr(const Exec& exec, const CsrMatrix<S, O, Off, Space>& A, int block_size)
      : block_size_(block_size), entries_(static_cast<std::int64_t>(A.nonzeros())) {
    if (block_size < 1 || A.rows() % block_size != 0 || A.columns() % block_size != 0) {
      throw Error("block_size is " + std::to_string(block_size) + ", and A is " +
                      std::to_string(A.rows()) + " x " + std::to_string(A.columns()),
                  "give a size that divides both");
    }
    const auto size = std::int64_t{block_size};
    if (!std::in_range<std::int32_t>(size * size)) {
      throw Error("block_size is " + std::to_string(block_size) + ", whose square exceeds 32 bits",
                  "give at most 46340");
    }
    check_csr(exec, A);
    if constexpr (by_rows) {
      place_by_rows(exec, A);
    } else {
      place_by_blocks(exec, A);
    }
    update_values(exec, A);
    exec.fence("heddle::matrix::derived");
  }

  /// The borrowed form; valid while this object or a copy lives, so temporaries have none. Columns
  /// of each block row ascend.
  Matrix matrix() const& { return Matrix(made_.storage.matrix(), block_size_, values_); }
  Matrix matrix() const&& = delete;
  /// Arrays for other libraries: the offsets of the block rows, the columns in units of blocks, and
  /// the values.
  auto row_ptr() const { return made_.storage.row_ptr(); }
  auto col_idx() const { return made_.storage.col_idx(); }
  auto values() const { return values_; }
  int block_size() const { return block_size_; }
  /// Number of blocks.
  std::int64_t blocks() const { return static_cast<std::int64_t>(made_.storage.nonzeros()); }
  /// Device memory that it holds, in bytes.
  std::size_t bytes() const { return made_.bytes() + memory_.bytes(); }

  /// Copies the values of A, which has the pattern that the blocks were made from. One launch in
  /// the order of `exec`, one thread for each block, on a CPU for each row of blocks: no wait, no
  /// allocation. Repeated entries add up in their order. Throws Error if the number of rows or of
  /// entries differs.
  void update_values(const Exec& exec, const CsrMatrix<S, O, Off, Space>& A) {
    detail::check_entries(static_cast<std::int64_t>(A.nonzeros()), entries_);
    const std::int64_t rows = std::int64_t{made_.storage.rows()} * block_size_;
    if (static_cast<std::int64_t>(A.rows()) != rows) {
      throw Error("the matrix has " + std::to_string(A.rows()) +
                      " rows, and its blocks were made of " + std::to_string(rows),
                  "update with a matrix of the same pattern");
    }
    const auto size = std::int64_t{block_size_};
    if constexpr (by_rows) {
      detail::parallel_for(
          exec, "heddle::matrix::fill_blocks", std::int64_t{made_.storage.rows()},
          detail::FillBlockRow<S, Off>{row_ptr().data(), A.row_ptr().data(), place_.data(),
                                       A.values().data(), values_.data(), size});
    } else {
      detail::parallel_for(
          exec, "heddle::matrix::fill_blocks", blocks(),
          detail::FillBlock<S, Off>{made_.first, made_.source, place_.data(), A.values().data(),
                                    values_.data(), size * size});
    }
  }

 private:
  /// Whether entries are added up row by row, by threads of a CPU; else block by block.
  static constexpr bool by_rows = backends::runs_on_host<Exec>;
  using Place = std::conditional_t<by_rows, Off, std::int32_t>;

  std::int64_t values_of(std::int64_t blocks) const {
    return detail::matrix_size<Off>(blocks * block_size_ * block_size_, "entries of blocks");
  }

  void place_by_rows(const Exec& exec, const CsrMatrix<S, O, Off, Space>& A) {
    const O rows = A.rows() / static_cast<O>(block_size_);
    const O columns = A.columns() / static_cast<O>(block_size_);
    const detail::BlockRowShares<Off> shares{
        {A.row_ptr().data(), A.rows(), entries_,
         detail::shares_with_keys(exec, entries_, std::int64_t{columns})},
        block_size_};
    const std::int64_t words = detail::ColumnBits::words_for(columns);
    const std::int64_t words_of_share =
        words + detail::ColumnBits::words_for(words) + 8;  // plus a cache line between shares
    const std::int64_t count = shares.rows.count;
    std::uint64_t* bits = nullptr;
    Off *block_ptr = nullptr, *block_of_column = nullptr;
    O* listed = nullptr;
    const Arena<Space> work(
        exec, "heddle::matrix::block_rows", arena_array(bits, count * words_of_share),
        arena_array(block_ptr, std::int64_t{rows} + 1),
        arena_array(block_of_column, count * columns), arena_array(listed, entries_));
    detail::fill(exec, "heddle::matrix::clear_bits", bits, count * words_of_share,
                 std::uint64_t{0});
    const O* const from = A.col_idx().data();
    detail::parallel_for(
        exec, "heddle::matrix::list_blocks", count,
        detail::ListBlocks<O, Off>{shares, from, bits, words, words_of_share, listed, block_ptr});
    const std::int64_t blocks = detail::running_sum_and_total(
        exec, "heddle::matrix::block_ptr", block_ptr, rows, detail::Terms<Off>{block_ptr});
    const std::int64_t values = values_of(blocks);
    made_.storage = CsrStorage<S, O, Off, Space>(exec, rows, columns, blocks);
    memory_ = Arena<Space>(exec, "heddle::matrix::blocks", arena_array(values_, values),
                           arena_array(place_, entries_));
    detail::copy(exec, "heddle::matrix::block_ptr", row_ptr().data(), std::int64_t{rows} + 1,
                 block_ptr);
    detail::parallel_for(
        exec, "heddle::matrix::place_in_blocks", count,
        detail::PlaceInBlocks<O, Off>{shares, from, listed, block_ptr, col_idx().data(),
                                      block_of_column, columns, place_.data()});
    exec.fence("heddle::matrix::blocks");
  }

  void place_by_blocks(const Exec& exec, const CsrMatrix<S, O, Off, Space>& A) {
    const auto size = std::int64_t{block_size_};
    made_ = detail::derive<S, Off>(
        exec, static_cast<O>(A.rows() / block_size_), static_cast<O>(A.columns() / block_size_),
        entries_, {.add_up = true}, [&](O* row_of, O* column_of) {
          detail::list_entries(exec, A, row_of, column_of, 0, detail::BlockOf{size});
        });
    memory_ =
        Arena<Space>(exec, "heddle::matrix::blocks", arena_array(values_, values_of(blocks())),
                     arena_array(place_, entries_));
    if (entries_ > 0) {
      detail::each_entry(exec, "heddle::matrix::place_in_block", A.row_ptr().data(), A.rows(),
                         entries_,
                         detail::PlaceInBlock<O>{A.col_idx().data(), place_.data(), size});
    }
  }

  int block_size_ = 1;
  std::int64_t entries_ = 0;
  detail::Derivation<S, O, Off, Space> made_;
  Arena<Space> memory_;
  typename Arena<Space>::template Array<S> values_;
  typename Arena<Space>::template Array<Place> place_;
};

/// A as dense blocks of block_size x block_size: each block that holds an entry, padded with zeros.
/// Throws Error if block_size does not divide rows and columns or exceeds 46340, or if the type of
/// offsets cannot hold the number of values.
template <ExecutionSpace Exec, Scalar S, Ordinal O, Offset Off, MemorySpace Space>
BlockedCsr<Exec, S, O, Off> to_blocks(const Exec& exec, const CsrMatrix<S, O, Off, Space>& A,
                                      int block_size) {
  return BlockedCsr<Exec, S, O, Off>(exec, A, block_size);
}

}  // namespace heddle
