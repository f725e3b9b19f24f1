// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compact.hpp"
#include "fill_values.hpp"

namespace heddle::recipe {

/// The arrays of a format of dense blocks, for its kernels: block b of panel p, with key_ptr[p] <=
/// b < key_ptr[p + 1], has outer column keys[b], and holds A(b, r, c) at its inner row r and inner
/// column c. These count within the block, from 0 and below layout.inner_rows and
/// layout.inner_columns: after tile_rows(2) row 7 of the matrix is inner row 1 of panel 3. Other
/// indices read beyond the array; builds with asserts abort.
template <Scalar S, Ordinal O, class Layout>
struct BlocksView {
  O rows;
  O columns;
  std::int64_t panels;
  std::int64_t blocks;
  const std::int64_t* key_ptr;
  const O* keys;
  Layout layout;
  const S* values;

  KOKKOS_FORCEINLINE_FUNCTION const S& operator()(std::int64_t block, std::int64_t row,
                                                  std::int64_t column) const {
    KOKKOS_ASSERT(0 <= row && row < layout.inner_rows);
    KOKKOS_ASSERT(0 <= column && column < layout.inner_columns);
    return values[layout(block, row, column)];
  }
};

/// A complete inspector of dense blocks, for formats whose arrays need nothing special: Compact,
/// one allocation, fill_values. Keys must fit the matrix's ordinals.
template <ExecutionSpace Exec, class Matrix, class Map, class Layout = BlocksByColumns>
class StoredBlocks {
 public:
  using S = typename Matrix::scalar_type;
  using O = typename Matrix::ordinal_type;
  using Space = typename Exec::memory_space;

  /// Waits for `exec` and throws as Compact does; `label` names the allocation.
  StoredBlocks(const Exec& exec, const Matrix& A, const Map& map, const char* label,
               Repeats repeats = Repeats::add_up)
      : map_(map) {
    const Compact<Exec, Matrix, Map> compact(exec, A, map, repeats);
    const Extents extents = compact.extents();
    const std::int64_t slots = compact.keys() * extents.inner_rows * extents.inner_columns;
    arena_ = Arena<Space>(exec, label, arena_array(key_ptr_, compact.panels() + 1),
                          arena_array(keys_, compact.keys()), arena_array(values_, slots));
    view_ = {A.rows(),
             A.columns(),
             compact.panels(),
             compact.keys(),
             key_ptr_,
             keys_,
             Layout{extents.inner_rows, extents.inner_columns, extents.rows * extents.inner_rows},
             values_};
    compact.write(exec, key_ptr_, keys_);
    update_values(exec, A);
  }

  /// Copies new values of the same pattern: one launch, no wait, no allocation.
  void update_values(const Exec& exec, const Matrix& A) const {
    fill_values(exec, "heddle::recipe::fill", A, map_, key_ptr_, keys_, view_.layout, values_);
  }

  const BlocksView<S, O, Layout>& view() const { return view_; }
  std::size_t bytes() const { return arena_.bytes(); }

 private:
  static std::size_t size(std::int64_t count) { return static_cast<std::size_t>(count); }

  Map map_;
  Arena<Space> arena_;
  BlocksView<S, O, Layout> view_;
  std::int64_t* key_ptr_ = nullptr;
  O* keys_ = nullptr;
  S* values_ = nullptr;
};

}  // namespace heddle::recipe
