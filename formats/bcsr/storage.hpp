// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../common/arrays.hpp"
#include "../common/refusal.hpp"
#include "../inspect/recipe/compact.hpp"
#include "../inspect/recipe/fill_values.hpp"
#include "pieces.hpp"
#include "predict.hpp"
#include "view.hpp"

namespace heddle::detail::bcsr {

inline auto recipe_of(const BlockShape& shape) {
  return recipe::tile_rows(shape.rows) | recipe::tile_columns(shape.columns);
}

/// The arrays of a BCSR matrix, in one allocation. The recipe: tile rows, tile columns, compact.
template <ExecutionSpace Exec, Scalar S, Ordinal O, Offset Off, Scalar Acc>
class Storage {
 public:
  using Space = typename Exec::memory_space;
  using Matrix = CsrMatrix<S, O, Off, Space>;

  /// Counts the blocks of A, with two readbacks and a workspace of an offset for each nonzero,
  /// which is freed; then one allocation and three launches. Throws Refusal, before that
  /// allocation, if there is too much fill-in.
  Storage(const Exec& exec, const Matrix& A, const BlockShape& shape)
      : shape_(shape), rows_(A.rows()) {
    using Map = decltype(recipe_of(shape));
    const recipe::Compact<Exec, Matrix, Map> count(exec, A, recipe_of(shape));
    blocks_ = count.keys();
    block_rows_ = count.panels();
    const std::string refusal =
        too_much_fill_in(static_cast<double>(blocks_), shape, static_cast<double>(A.nonzeros()));
    if (!refusal.empty()) throw Refusal("bcsr: " + refusal, "take csr, which holds any matrix");
    std::tie(block_ptr_, block_col_, values_) = arrays<Off, O, S>(
        arena_, exec, "heddle::spmv::bcsr", block_rows_ + 1, blocks_, places() + read_beyond);
    count.write(exec, block_ptr_, block_col_);
    update_values(exec, A);
  }

  /// New values of the same pattern: one launch, no wait.
  void update_values(const Exec& exec, const Matrix& A) {
    const recipe::BlocksByColumns layout{shape_.rows, shape_.columns, block_rows_ * shape_.rows};
    recipe::fill_values(exec, "heddle::spmv::bcsr_fill", A, recipe_of(shape_), block_ptr_,
                        block_col_, layout, values_, recipe::Holes());
  }

  /// Cuts block rows of more than `most` blocks; see Pieces.
  void cut(const Exec& exec, std::int64_t most) {
    pieces_ = Pieces<Exec, O, Off, Acc>(exec, block_ptr_, block_rows_, shape_.rows, most);
  }
  const Pieces<Exec, O, Off, Acc>& pieces() const { return pieces_; }

  template <class Size>
  View<S, O, Off, Size> view(const Size& size) const {
    return pieces_.cut(View<S, O, Off, Size>{size, rows_, static_cast<O>(block_rows_),
                                             static_cast<Off>(blocks_), block_ptr_, block_col_,
                                             values_, block_rows_, block_ptr_, nullptr});
  }
  const BlockShape& shape() const { return shape_; }
  std::int64_t blocks() const { return blocks_; }
  std::int64_t block_rows() const { return block_rows_; }
  std::size_t places() const {
    return static_cast<std::size_t>(blocks_) * static_cast<std::size_t>(shape_.places());
  }
  std::size_t bytes() const { return arena_.bytes() + pieces_.bytes(); }
  double read_bytes() const {
    return static_cast<double>(places()) * sizeof(S) + static_cast<double>(blocks_) * sizeof(O) +
           static_cast<double>(block_rows_ + 1) * sizeof(Off) + pieces_.read_bytes();
  }
  double carried_bytes() const {
    return static_cast<double>(pieces_.counts().carries) * shape_.rows * 2 * sizeof(Acc);
  }

 private:
  /// Values that a pack of a CPU reads behind the last block, at most.
  static constexpr std::size_t read_beyond = 8;

  BlockShape shape_;
  O rows_;
  std::int64_t blocks_ = 0;
  std::int64_t block_rows_ = 0;
  Arena<Space> arena_;
  Off* block_ptr_ = nullptr;
  O* block_col_ = nullptr;
  S* values_ = nullptr;
  Pieces<Exec, O, Off, Acc> pieces_;
};

}  // namespace heddle::detail::bcsr
