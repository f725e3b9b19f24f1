// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>

#include "../../backends/threads_at_once.hpp"
#include "../common/arrays.hpp"
#include "../inspect/recipe/compact.hpp"
#include "inspect_kernels.hpp"
#include "parameters.hpp"

namespace heddle::detail::tiled {

inline auto tiles_recipe() {
  return recipe::tile_rows(tile_size) | recipe::tile_columns(tile_size);
}

/// The arrays of a matrix in tiles, in one allocation in the order that the kernels read: pieces,
/// columns of tiles, tiles, their data, carry-outs; and what update_values reads. The recipe: tile
/// rows, tile columns, compact; each tile a list.
template <ExecutionSpace Exec, Scalar S, Ordinal O, Offset Off, Scalar Acc>
class Storage {
 public:
  using Space = typename Exec::memory_space;
  using Matrix = CsrMatrix<S, O, Off, Space>;

  /// Reads the columns four times and the values once; waits for `exec` at four readbacks and at
  /// the end, when a workspace of an offset and a byte for each nonzero goes. Where a tile row is
  /// long, entries are sorted, in a workspace of three offsets and more a nonzero, and an
  /// offset a nonzero is kept.
  Storage(const Exec& exec, const Matrix& A, const Parameters& parameters, const Device& device) {
    const recipe::Compact<Exec, Matrix, decltype(tiles_recipe())> count(exec, A, tiles_recipe());
    tiles_ = count.keys();
    Arena<Space> work;
    const auto [tile_ptr, tile_col, list_ptr, next, shapes, codes] =
        arrays<Off, O, Off, Off, Tile, unsigned char>(work, exec, "heddle::spmv::tiled_work",
                                                      count.panels() + 1, tiles_, tiles_ + 1,
                                                      tiles_, tiles_, A.nonzeros());
    count.write(exec, tile_ptr, tile_col);
    if (count.has_long_panels()) {
      std::tie(source_) =
          arrays<Off>(source_arena_, exec, "heddle::spmv::tiled_source", A.nonzeros());
      recipe::sort_lists(exec, A, tiles_recipe(), tiles_, tile_ptr, tile_col, list_ptr, source_);
    } else {
      recipe::count_lists(exec, A, tiles_recipe(), tiles_, tile_ptr, tile_col, list_ptr, next);
    }
    recipe::fill_lists(exec, "heddle::spmv::tiled_codes", A, tiles_recipe(), tiles_, tile_ptr,
                       tile_col, list_ptr, next, source_, PutCode{codes});
    Kokkos::parallel_for("heddle::spmv::tiled_shapes", range_policy(exec, tiles_),
                         ShapesKernel<Off>{list_ptr, codes, Rules(), shapes});
    LayoutKernel<Off> layout{tiles_, sizeof(S), shapes, list_ptr, nullptr, nullptr};
    Kokkos::parallel_scan("heddle::spmv::tiled_sizes", range_policy(exec, tiles_ + 1), layout,
                          size_);
    PiecesKernel<O, Off> cut{count.panels(), parameters.piece_tiles(tiles_, device), tile_ptr,
                             nullptr, nullptr};
    Kokkos::parallel_scan("heddle::spmv::tiled_pieces", range_policy(exec, count.panels() + 1), cut,
                          counts_);

    carries_ = {nullptr, tile_size, most_vectors};
    std::tie(piece_, tile_col_, tile_, data_, carries_.sums, cut_tile_rows_, tile_ptr_, list_ptr_,
             next_) =
        arrays<Piece<O>, O, Tile, unsigned char, Acc, CutPanel, Off, Off, Off>(
            arena_, exec, "heddle::spmv::tiled", counts_.pieces + 1, tiles_, tiles_ + 1,
            size_.bytes, counts_.carries * most_vectors * tile_size, counts_.cut,
            count.panels() + 1, tiles_ + 1, tiles_);
    count.write(exec, tile_ptr_, tile_col_);
    layout.tile = tile_;
    layout.list_ptr = list_ptr_;
    cut.piece = piece_;
    cut.cut = cut_tile_rows_;
    Kokkos::parallel_scan("heddle::spmv::tiled_layout", range_policy(exec, tiles_ + 1), layout);
    Kokkos::parallel_scan("heddle::spmv::tiled_cut", range_policy(exec, count.panels() + 1), cut);
    rows_ = A.rows();
    write_indices(exec, codes);
    update_values(exec, A);
  }

  /// New values of the same pattern: at most two launches, no wait.
  void update_values(const Exec& exec, const Matrix& A) const {
    recipe::fill_lists(exec, "heddle::spmv::tiled_values", A, tiles_recipe(), tiles_, tile_ptr_,
                       tile_col_, list_ptr_, next_, source_,
                       PutValue<S, Off>{tile_, list_ptr_, A.values().data(), data_});
  }

  View<S, O> view() const { return {rows_, counts_.pieces, piece_, tile_col_, tile_, data_}; }
  const Carries<Acc>& carries() const { return carries_; }
  /// How many tile rows are cut, and which.
  std::int64_t cut() const { return counts_.cut; }
  const CutPanel* cut_tile_rows() const { return cut_tile_rows_; }
  std::int64_t tiles() const { return tiles_; }
  std::size_t bytes() const { return arena_.bytes() + source_arena_.bytes(); }

  /// Bytes that a pass over the tiles reads, without x and y, and those that each vector adds.
  double read_bytes() const {
    return static_cast<double>(counts_.pieces + 1) * sizeof(Piece<O>) +
           static_cast<double>(tiles_) * (sizeof(O) + sizeof(Tile)) +
           static_cast<double>(size_.bytes - size_.not_read);
  }
  double carried_bytes() const {
    return 2.0 * tile_size * sizeof(Acc) * static_cast<double>(counts_.carries);
  }

  /// Tiles of each layout, in the order of Layout; waits for `exec`.
  std::array<std::int64_t, layouts> tiles_of_layouts(const Exec& exec) const {
    std::array<std::int64_t, layouts> counts{};
    for (int which = 0; which < layouts; ++which) {
      Kokkos::parallel_reduce("heddle::spmv::tiled_layouts", range_policy(exec, tiles_),
                              CountLayout{tile_, which}, counts[static_cast<std::size_t>(which)]);
    }
    return counts;
  }

 private:
  void write_indices(const Exec& exec, const unsigned char* codes) const {
    using Indices = IndicesKernel<S, Off>;
    const Indices indices{tile_, list_ptr_, codes, data_, backends::runs_on_host<Exec>};
    if constexpr (backends::runs_on_host<Exec>) {
      const int shares = backends::threads_at_once(exec);
      backends::launch<backends::Shape<1>>(
          exec, "heddle::spmv::tiled_indices", shares,
          SharesOfIndices<View<S, O>, Indices>{view(), indices, shares});
    } else {
      Kokkos::parallel_for("heddle::spmv::tiled_indices", range_policy(exec, tiles_), indices);
    }
  }

  O rows_ = 0;
  std::int64_t tiles_ = 0;
  DataSize size_;
  PieceCounts counts_;
  Arena<Space> arena_;
  Arena<Space> source_arena_;
  Piece<O>* piece_ = nullptr;
  O* tile_col_ = nullptr;
  Tile* tile_ = nullptr;
  unsigned char* data_ = nullptr;
  Carries<Acc> carries_;
  CutPanel* cut_tile_rows_ = nullptr;
  Off* tile_ptr_ = nullptr;
  Off* list_ptr_ = nullptr;
  Off* next_ = nullptr;
  Off* source_ = nullptr;
};

}  // namespace heddle::detail::tiled
