// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../core/arena.hpp"
#include "../../core/matrix.hpp"
#include "../../formats/inspect/recipe/compact.hpp"
#include "../triangle/invert_blocks.hpp"

namespace heddle::detail::gauss_seidel {

/// A matrix cut into blocks of `size` rows and columns, the last ones shorter: the graph of its
/// blocks, a row for each row of blocks, whose columns ascend; and the blocks on the diagonal with
/// their inverses, column by column, the last one filled up with ones on its diagonal.
template <ExecutionSpace Exec, class Matrix>
class BlockGraph {
 public:
  using S = typename Matrix::scalar_type;
  using O = typename Matrix::ordinal_type;
  using Off = typename Matrix::offset_type;
  using Space = typename Exec::memory_space;
  using Graph = CsrPattern<O, Off, Space>;

  /// Finds the graph. Allocates, and waits for `exec`. No values yet.
  BlockGraph(const Exec& exec, const Matrix& A, int size)
      : size_(size), matrix_rows_(A.rows()), rows_(ceil_div(matrix_rows_, std::int64_t{size})) {
    const auto map = recipe::tile_rows(size) | recipe::tile_columns(size);
    const recipe::Compact<Exec, Matrix, std::remove_const_t<decltype(map)>> compact(exec, A, map);
    const auto rows = static_cast<std::size_t>(rows_);
    const auto blocks = static_cast<std::size_t>(compact.keys());
    graph_ =
        Arena<Space>(exec, "heddle::gauss_seidel::graph", arena_bytes<Off, O>(rows + 1, blocks));
    row_ptr_ = graph_.template take<Off>(rows + 1);
    col_idx_ = graph_.template take<O>(blocks);
    compact.write(exec, row_ptr_.data(), col_idx_.data());
    const std::size_t entries = rows * static_cast<std::size_t>(size * size);
    memory_ = Arena<Space>(exec, "heddle::gauss_seidel::diagonal_blocks",
                           arena_bytes<S, S>(entries, entries));
    inverse_ = memory_.template take<S>(entries);
    diagonal_ = memory_.template take<S>(entries);
    exec.fence("heddle::gauss_seidel::blocks");
  }

  /// The diagonal blocks of a matrix of the same pattern, in the order of `exec`: no allocation, no
  /// wait. The first row of the lowest that is singular or not finite is marked in *bad.
  void update_values(const Exec& exec, const Matrix& A, std::int64_t* bad) const {
    Kokkos::parallel_for("heddle::gauss_seidel::invert", range_policy(exec, rows_),
                         triangle::InvertBlocks<Matrix>{
                             A.row_ptr().data(), A.col_idx().data(), A.values().data(),
                             inverse_.data(), diagonal_.data(), bad, matrix_rows_, size_});
  }

  // Of the graph.
  O rows() const { return static_cast<O>(rows_); }
  auto row_ptr() const { return row_ptr_; }
  auto col_idx() const { return col_idx_; }
  Graph graph() const { return Graph(rows_, rows_, row_ptr_, col_idx_); }
  /// Gives its memory back, once all is inspected.
  void drop_graph() {
    graph_ = {};
    row_ptr_ = {};
    col_idx_ = {};
  }

  int size() const { return size_; }
  std::int64_t matrix_rows() const { return matrix_rows_; }
  const S* inverse() const { return inverse_.data(); }
  const S* diagonal() const { return diagonal_.data(); }
  std::size_t bytes() const { return graph_.bytes() + memory_.bytes(); }

 private:
  template <class T>
  using Array = typename Arena<Space>::template Array<T>;

  int size_;
  std::int64_t matrix_rows_, rows_;
  Arena<Space> graph_, memory_;
  Array<Off> row_ptr_;
  Array<O> col_idx_;
  Array<S> inverse_, diagonal_;
};

}  // namespace heddle::detail::gauss_seidel
