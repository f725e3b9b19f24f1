// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../core/arena.hpp"
#include "../../core/matrix.hpp"
#include "../../core/search.hpp"
#include "../../formats/inspect/recipe/compact.hpp"
#include "../triangle/invert_blocks.hpp"
#include "block_kernels.hpp"
#include "rows.hpp"
#include "sweeps.hpp"

namespace heddle::detail::gauss_seidel {

/// A matrix divided into blocks of `size` rows and columns; the last ones may be smaller. Holds the
/// graph of its blocks, with ascending columns in each block row; and the diagonal blocks and their
/// inverses, column by column, the last one padded with ones on its diagonal.
template <ExecutionSpace Exec, class Matrix>
class BlockGraph {
 public:
  using S = typename Matrix::scalar_type;
  using O = typename Matrix::ordinal_type;
  using Off = typename Matrix::offset_type;
  using Space = typename Exec::memory_space;
  using Graph = CsrPattern<O, Off, Space>;

  /// Finds the graph, without values. Allocates, and waits for `exec`.
  BlockGraph(const Exec& exec, const Matrix& A, int size)
      : size_(size), matrix_rows_(A.rows()), rows_(ceil_div(matrix_rows_, std::int64_t{size})) {
    const auto map = recipe::tile_rows(size) | recipe::tile_columns(size);
    const recipe::Compact<Exec, Matrix, std::remove_const_t<decltype(map)>> compact(exec, A, map);
    const auto rows = static_cast<std::size_t>(rows_);
    const auto blocks = static_cast<std::size_t>(compact.keys());
    graph_ = Arena<Space>(exec, "heddle::gauss_seidel::graph", arena_array(row_ptr_, rows + 1),
                          arena_array(col_idx_, blocks));
    compact.write(exec, row_ptr_.data(), col_idx_.data());
    const std::size_t entries = rows * static_cast<std::size_t>(size * size);
    memory_ = Arena<Space>(exec, "heddle::gauss_seidel::diagonal_blocks",
                           arena_array(inverse_, entries), arena_array(diagonal_, entries));
    exec.fence("heddle::gauss_seidel::blocks");
  }

  /// Copies and inverts the diagonal blocks of a matrix of this pattern, on `exec`: no allocation,
  /// no wait. Marks in *bad the first row of the lowest block that is singular or not finite.
  void update_values(const Exec& exec, const Matrix& A, std::int64_t* bad) const {
    Kokkos::parallel_for("heddle::gauss_seidel::invert", range_policy(exec, rows_),
                         triangle::InvertBlocks<Matrix>{
                             A.row_ptr().data(), A.col_idx().data(), A.values().data(),
                             inverse_.data(), diagonal_.data(), bad, matrix_rows_, size_});
  }

  // Members of the graph.
  O rows() const { return static_cast<O>(rows_); }
  auto row_ptr() const { return row_ptr_; }
  auto col_idx() const { return col_idx_; }
  Graph graph() const { return Graph(rows_, rows_, row_ptr_, col_idx_); }
  /// Frees the graph after the inspection.
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

/// Values of the blocks at a place; repeated entries of the matrix add up. Entries of blocks that
/// the pattern does not have are left out.
template <Scalar S, Ordinal O, Offset Off>
struct UpdateBlockRow {
  SideOf<S, O, Off> from;
  BlockRowsView<S, O, Off> view;
  S* values;

  KOKKOS_FUNCTION void operator()(std::int64_t place) const {
    const int size = view.size;
    const O block = view.row(place);
    const Off begin = view.row_ptr[place], end = view.row_ptr[place + 1] - 1;
    S* const to = values + view.first_value(place);
    const auto count = static_cast<std::int64_t>(end - begin) * size * size;
    for (std::int64_t e = 0; e < count; ++e) to[e] = S(0);
    Off at = 0;
    for (int r = 0; r < view.height(block); ++r) {
      const std::int64_t row = static_cast<std::int64_t>(block) * size + r;
      for (Off k = from.row_ptr[row]; k < from.row_ptr[row + 1]; ++k) {
        const O column = from.col_idx[k] / static_cast<O>(size);
        if (!from.side.has(block, column)) continue;
        if (at == end - begin || view.col_idx[begin + at] != column) {
          at = first_not_below(view.col_idx + begin, end - begin, column);
          if (at == end - begin || view.col_idx[begin + at] != column) continue;
        }
        const auto c = static_cast<std::int64_t>(from.col_idx[k]) % size;
        to[(static_cast<std::int64_t>(at) * size + c) * size + r] += from.values[k];
      }
    }
  }
};

/// The copy of a side that BlockRowsView refers to, and the kernels of its half sweeps.
template <ExecutionSpace Exec, class Matrix>
class BlockRows {
 public:
  using matrix_type = Matrix;
  using S = typename Matrix::scalar_type;
  using O = typename Matrix::ordinal_type;
  using Off = typename Matrix::offset_type;
  using Space = typename Exec::memory_space;
  using View = BlockRowsView<S, O, Off>;
  using Source = BlockGraph<Exec, Matrix>;
  static constexpr bool are_rows = false;

  BlockRows() = default;

  /// Makes the pattern without values. Three allocations, and waits for `exec`: the number of
  /// blocks is read back. The diagonal blocks remain in `blocks`.
  BlockRows(const Exec& exec, const Source& blocks, const Side<O>& side, const RowAtPlace<O>& rows)
      : side_(side),
        pattern_(exec, blocks.rows(), entries_of<O, Off>(blocks, side, rows), nullptr,
                 std::nullopt) {
    const std::size_t off_diagonal = pattern_.entries() - static_cast<std::size_t>(blocks.rows());
    const std::size_t values =
        off_diagonal * static_cast<std::size_t>(blocks.size() * blocks.size());
    memory_ = Arena<Space>(exec, "heddle::gauss_seidel::values", arena_array(values_, values));
    view_ = {pattern_.row_ptr(), pattern_.col_idx(),   values_.data(), blocks.inverse(),
             blocks.diagonal(),  blocks.matrix_rows(), blocks.size()};
  }

  /// Copies the values of a matrix of this pattern, in the order of `exec`: one launch, no
  /// allocation, no wait.
  void update_values(const Exec& exec, const Matrix& A, heddle::RealOf<S>, std::int64_t*) {
    Kokkos::parallel_for("heddle::gauss_seidel::block_values", range_policy(exec, places()),
                         UpdateBlockRow<S, O, Off>{side_of(A, side_), view_, values_.data()});
  }

  /// use(the kernel of a half sweep), as SideRows::with_sweep.
  template <Start start, class Use>
  void with_sweep(const View& rest, const HalfSweep<S>& pass, const Use& use) const {
    with_block_size(view_.size, [&](auto size) {
      use(BlockRowsKernel<S, O, Off, start, decltype(size)::value>{view_, rest, pass});
    });
  }
  template <bool residual, class Use>
  void with_side(const HalfSweep<S>& pass, const Multivector<S>& to, const Use& use) const {
    with_block_size(view_.size, [&](auto size) {
      use(BlockSideKernel<S, O, Off, residual, decltype(size)::value>{view_, pass, to});
    });
  }

  std::int64_t places() const { return pattern_.places(); }
  const View& view() const { return view_; }
  std::size_t bytes() const { return pattern_.bytes() + memory_.bytes(); }

 private:
  Side<O> side_{};
  ordered::RowsPattern<Exec, O, Off> pattern_;
  Arena<Space> memory_;
  typename Arena<Space>::template Array<S> values_;
  View view_{};
};

/// Sweeps whose unknowns are block rows: with D_I the diagonal block of row I,
///
///     x_I = (1 - w) x_I + w D_I^-1 (b_I - the other blocks of the row times x).
template <ExecutionSpace Exec, class Matrix>
class BlockSweeps final : public Executor<Exec, Matrix> {
 public:
  using S = typename Matrix::scalar_type;
  using O = typename Matrix::ordinal_type;

  /// Makes the sweeps without values. Allocates, and waits for `exec`.
  BlockSweeps(const Exec& exec, BlockGraph<Exec, Matrix> blocks, const RowOrder<O>& order,
              const GaussSeidelOptions& options, const std::optional<Scheme>& scheme)
      : blocks_(std::move(blocks)),
        sweeps_(
            {exec, blocks_, order, blocks_.matrix_rows(), options.vectors.count, options.threads},
            options, scheme) {
    exec.fence("heddle::gauss_seidel::block_rows");
    blocks_.drop_graph();
  }

  const Scheme& scheme(bool forward) const override { return sweeps_.scheme(forward); }
  int levels(bool forward) const override { return sweeps_.levels(forward); }
  bool has(bool forward) const override { return sweeps_.has(forward); }
  std::size_t bytes() const override { return blocks_.bytes() + sweeps_.bytes(); }

  void update_values(const Exec& exec, const Matrix& A, std::int64_t* bad) override {
    blocks_.update_values(exec, A, bad);
    sweeps_.update_values(exec, A, nullptr);
  }
  void run(const Exec& exec, const SweepVectors<S>& vectors, int sweeps, bool from_zero) override {
    sweeps_.run(exec, vectors, sweeps, from_zero);
  }

 private:
  BlockGraph<Exec, Matrix> blocks_;
  Sweeps<Exec, BlockRows<Exec, Matrix>> sweeps_;
};

}  // namespace heddle::detail::gauss_seidel
