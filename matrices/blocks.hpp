// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../core/block_matrix.hpp"
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
  const auto sources = static_cast<std::size_t>(detail::matrix_size<Off>(entries, "entries"));
  using To = typename Exec::memory_space;
  detail::Derivation<S, O, Off, To> made;
  made.storage = CsrStorage<S, O, Off, To>(exec, B.rows(), B.columns(), entries);
  Off* source = nullptr;
  made.kept = Arena<To>(exec, "heddle::matrix::sources", arena_array(source, sources));
  made.source = source;
  if (blocks.row_ptr().extent(0) == 0) {  // row_ptr may be null without rows
    detail::fill(exec, "heddle::matrix::row_ptr", made.storage.row_ptr().data(), 1, Off(0));
  } else {
    detail::parallel_for(
        exec, "heddle::matrix::row_ptr", std::int64_t{B.rows()} + 1,
        detail::StartsOfBlockRows<Off>{blocks.row_ptr().data(), made.storage.row_ptr().data(),
                                       B.rows(), size});
    detail::each_entry(exec, "heddle::matrix::spread_blocks", blocks.row_ptr().data(),
                       blocks.rows(), static_cast<std::int64_t>(blocks.nonzeros()),
                       detail::SpreadBlock<O, Off>{blocks.row_ptr().data(), blocks.col_idx().data(),
                                                   made.storage.col_idx().data(), source, size});
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
    made_ = detail::derive<S, Off>(
        exec, static_cast<O>(A.rows() / block_size), static_cast<O>(A.columns() / block_size),
        entries_, {.add_up = true}, [&](O* row_of, O* column_of) {
          detail::list_entries(exec, A, row_of, column_of, 0, detail::BlockOf{size});
        });
    memory_ = Arena<Space>(
        exec, "heddle::matrix::blocks",
        arena_array(values_, detail::matrix_size<Off>(blocks() * size * size, "entries of blocks")),
        arena_array(place_, entries_));
    if (entries_ > 0) {
      detail::each_entry(exec, "heddle::matrix::place_in_block", A.row_ptr().data(), A.rows(),
                         entries_,
                         detail::PlaceInBlock<O>{A.col_idx().data(), place_.data(), size});
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
  std::size_t bytes() const { return made_.storage.bytes() + made_.kept.bytes() + memory_.bytes(); }

  /// Copies the values of A, which has the pattern that the blocks were made from. One launch in
  /// the order of `exec`, one thread for each block: no wait, no allocation. Repeated entries add
  /// up in their order. Throws Error if the number of entries differs.
  void update_values(const Exec& exec, const CsrMatrix<S, O, Off, Space>& A) {
    detail::check_entries(static_cast<std::int64_t>(A.nonzeros()), entries_);
    detail::parallel_for(
        exec, "heddle::matrix::fill_blocks", blocks(),
        detail::FillBlock<S, Off>{made_.first, made_.source, place_.data(), A.values().data(),
                                  values_.data(), std::int64_t{block_size_} * block_size_});
  }

 private:
  int block_size_ = 1;
  std::int64_t entries_ = 0;
  detail::Derivation<S, O, Off, Space> made_;
  Arena<Space> memory_;
  typename Arena<Space>::template Array<S> values_;
  typename Arena<Space>::template Array<std::int32_t> place_;
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
