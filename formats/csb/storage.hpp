// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../backends/loops.hpp"
#include "../common/arrays.hpp"
#include "../inspect/radix_sort.hpp"
#include "../inspect/recipe/compact.hpp"
#include "../inspect/recipe/fill_lists.hpp"
#include "../inspect/transpose.hpp"
#include "real_diagonal.hpp"
#include "view.hpp"

namespace heddle::detail::csb {

inline auto recipe_of(int beta) { return recipe::tile_rows(beta) | recipe::tile_columns(beta); }

/// Puts an entry into its list: its place in its block, if there are arrays for it, and its value.
template <Scalar S>
struct PutEntry {
  const S* from;
  std::uint16_t* local_row;
  std::uint16_t* local_column;
  S* values;

  KOKKOS_FORCEINLINE_FUNCTION void operator()(std::int64_t place, const recipe::Point& point,
                                              std::int64_t k) const {
    if (local_row) {
      local_row[place] = static_cast<std::uint16_t>(point.inner_row);
      local_column[place] = static_cast<std::uint16_t>(point.inner_column);
    }
    values[place] = from[k];
  }
};

/// Of the block at each place in the order of columns; of a triangle none of those on the diagonal.
template <Ordinal O, Offset Off>
struct EntriesByColumns {
  const Off* order;
  const Off* list_ptr;
  const O* block_row;
  const O* block_column;
  bool triangle;

  KOKKOS_FUNCTION Off operator()(std::int64_t place) const {
    const Off block = order[place];
    return triangle && block_row[block] == block_column[block]
               ? Off(0)
               : list_ptr[block + 1] - list_ptr[block];
  }
};

/// The arrays of a CSB matrix, in one allocation. The recipe: tile rows, tile columns, compact,
/// lists of entries.
template <ExecutionSpace Exec, Scalar S, Ordinal O, Offset Off>
class Storage {
 public:
  using Space = typename Exec::memory_space;
  using Matrix = CsrMatrix<S, O, Off, Space>;

  /// Counts the blocks of A with a readback and a table of one bit for each block there may be,
  /// which is freed; then one allocation, and workspaces that are freed: of some numbers a block,
  /// and where block rows are long of three offsets and more a nonzero. Waits for `exec`.
  /// Of a Hermitian matrix the diagonal is stored as real.
  Storage(const Exec& exec, const Matrix& A, int beta, bool hermitian = false)
      : beta_(beta), hermitian_(hermitian), rows_(A.rows()), columns_(A.columns()) {
    using Map = decltype(recipe_of(beta));
    const recipe::Compact<Exec, Matrix, Map> count(exec, A, recipe_of(beta));
    blocks_ = count.keys();
    block_rows_ = count.panels();
    block_columns_ = ceil_div<std::int64_t>(A.columns(), beta);
    nonzeros_ = static_cast<std::int64_t>(A.nonzeros());
    allocate(exec, count.has_long_panels());
    count.write(exec, row_panels_, block_column_);
    if (count.has_long_panels()) {
      recipe::sort_lists(exec, A, recipe_of(beta), blocks_, row_panels_, block_column_, list_ptr_,
                         source_);
    } else {
      recipe::count_lists(exec, A, recipe_of(beta), blocks_, row_panels_, block_column_, list_ptr_,
                          next_);
    }
    order_by_columns(exec);
    fill_blocks(exec, "heddle::spmv::csb_fill", A, local_row_, local_column_);
    if (hermitian_) make_diagonal_real(exec, view(), blocks_, values_);
  }

  /// New values of the same pattern: at most three launches, no wait.
  void update_values(const Exec& exec, const Matrix& A) const {
    if (source_) {
      gather_values(exec, A);
    } else {
      fill_blocks(exec, "heddle::spmv::csb_values", A, nullptr, nullptr);
    }
    if (hermitian_) make_diagonal_real(exec, view(), blocks_, values_);
  }

  View<S, O, Off> view() const {
    return {rows_,         columns_,   beta_,         list_ptr_, block_row_,
            block_column_, local_row_, local_column_, values_};
  }
  /// Of the block columns: the block at each place, the entries before it, and their first places.
  const Off* column_order() const { return column_order_; }
  const Off* column_start() const { return column_start_; }
  const Off* column_panels() const { return column_panels_; }
  /// Of the block rows, whose blocks are in order.
  const Off* row_start() const { return list_ptr_; }
  const Off* row_panels() const { return row_panels_; }

  std::int64_t blocks() const { return blocks_; }
  std::int64_t block_rows() const { return block_rows_; }
  std::int64_t block_columns() const { return block_columns_; }
  std::int64_t nonzeros() const { return nonzeros_; }
  std::size_t bytes() const { return arena_.bytes(); }

  void gather_values(const Exec& exec, const Matrix& A) const {
    gather(exec, "heddle::spmv::csb_values", values_, nonzeros_, A.values().data(), source_);
  }

  /// The row of each block, and the blocks in the order of their columns. Waits for `exec`, since a
  /// workspace goes.
  void order_by_columns(const Exec& exec) {
    each_entry(exec, "heddle::spmv::csb_block_rows", row_panels_, static_cast<O>(block_rows_),
               blocks_, PutRow<O>{block_row_});
    RadixSort<Exec, O, Off> by_column(exec, blocks_);
    by_column.sort(exec, block_column_,
                   static_cast<O>(std::max<std::int64_t>(0, block_columns_ - 1)), column_order_);
    write_starts(exec, "heddle::spmv::csb_column_panels", column_panels_, block_columns_,
                 by_column.sorted(), blocks_);
    exec.fence("heddle::spmv::csb_ordered");
  }

  /// Writes column_start, and returns how many entries a sweep by block columns takes. Of a
  /// triangle it takes no blocks on the diagonal. A readback.
  std::int64_t sweep_columns(const Exec& exec, bool triangle) const {
    const EntriesByColumns<O, Off> entries{column_order_, list_ptr_, block_row_, block_column_,
                                           triangle};
    return static_cast<std::int64_t>(running_sum_and_total<Off>(
        exec, "heddle::spmv::csb_column_start", column_start_, blocks_, entries));
  }

 private:
  void fill_blocks(const Exec& exec, const char* label, const Matrix& A, std::uint16_t* local_row,
                   std::uint16_t* local_column) const {
    recipe::fill_lists(exec, label, A, recipe_of(beta_), blocks_, row_panels_, block_column_,
                       list_ptr_, next_, source_,
                       PutEntry<S>{A.values().data(), local_row, local_column, values_});
  }

  /// In the order in which an apply reads them; the inspector's own come last.
  void allocate(const Exec& exec, bool sorted) {
    std::tie(list_ptr_, block_row_, block_column_, column_order_, column_start_, local_row_,
             local_column_, values_, row_panels_, column_panels_, next_, source_) =
        arrays<Off, O, O, Off, Off, std::uint16_t, std::uint16_t, S, Off, Off, Off, Off>(
            arena_, exec, "heddle::spmv::csb", blocks_ + 1, blocks_, blocks_, blocks_, blocks_ + 1,
            nonzeros_, nonzeros_, nonzeros_, block_rows_ + 1, block_columns_ + 1, blocks_,
            sorted ? nonzeros_ : 0);
    if (!sorted) source_ = nullptr;
  }

  int beta_;
  bool hermitian_;
  O rows_;
  O columns_;
  std::int64_t blocks_ = 0;
  std::int64_t block_rows_ = 0;
  std::int64_t block_columns_ = 0;
  std::int64_t nonzeros_ = 0;
  Arena<Space> arena_;
  Off* list_ptr_ = nullptr;
  O* block_row_ = nullptr;
  O* block_column_ = nullptr;
  Off* column_order_ = nullptr;
  Off* column_start_ = nullptr;
  std::uint16_t* local_row_ = nullptr;
  std::uint16_t* local_column_ = nullptr;
  S* values_ = nullptr;
  Off* row_panels_ = nullptr;
  Off* column_panels_ = nullptr;
  Off* next_ = nullptr;
  Off* source_ = nullptr;
};

}  // namespace heddle::detail::csb
