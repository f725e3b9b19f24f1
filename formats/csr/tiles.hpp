// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <heddle/backends/launch.hpp>
#include <heddle/core/arena.hpp>
#include <heddle/core/matrix.hpp>
#include <heddle/core/partition.hpp>

namespace heddle::csr {

/// Columns that a tiled kernel takes in one launch; more columns take more launches.
inline constexpr int tile_columns = 8;

/// A CSR matrix cut into tiles of equal work, as kernels see it: plain pointers.
///
/// Tile t runs from cut t to cut t + 1. A row may be cut: its tiles, one after the other, form a
/// chain named by its first tile. Each tile of a chain leaves its part of the sum, and the last to
/// arrive adds the parts in order.
template <Ordinal O, Offset Off, Scalar Acc>
struct TileTable {
  std::int64_t tiles = 0;
  const O* row = nullptr;         ///< tiles + 1: the row of each cut
  const Off* nonzero = nullptr;   ///< tiles + 1: the nonzero of each cut
  const int* chain = nullptr;     ///< tiles + 1: the chain of the row that cut t is inside, or -1
  const int* links = nullptr;     ///< tiles: the tiles of the chain that begins in tile t, or 0
  Acc* part = nullptr;            ///< tiles * 2 * tile_columns: sums of entering and leaving rows
  int* arrived = nullptr;         ///< tiles * tile_columns: tiles of a chain that left their part

  /// Whether the row of cut t is cut, rather than only about to begin.
  KOKKOS_FORCEINLINE_FUNCTION bool cuts_row(const Off* row_ptr, O rows, std::int64_t t) const {
    return row[t] < rows && row_ptr[row[t]] < nonzero[t];
  }
  KOKKOS_FORCEINLINE_FUNCTION Acc& entering_part(std::int64_t t, int c) const {
    return part[(2 * t) * tile_columns + c];
  }
  KOKKOS_FORCEINLINE_FUNCTION Acc& leaving_part(std::int64_t t, int c) const {
    return part[(2 * t + 1) * tile_columns + c];
  }
};

/// Where the cuts fall.
enum class Cutting {
  equal_work,         ///< equal rows plus nonzeros, through rows where it must (csr/merge)
  around_short_rows,  ///< the same, moved to the end of a short row (csr/adaptive)
};

/// Finds the cuts: a thread a cut, each by its own binary search.
template <ExecutionSpace Exec, Ordinal O, Offset Off>
struct CutKernel {
  const Off* row_ptr;
  O rows;
  Off nonzeros;
  std::int64_t tiles;
  std::int64_t tile_work;
  Off short_row;
  bool around_short_rows;
  O* row;
  Off* nonzero;

  KOKKOS_FUNCTION void operator()(std::int64_t t) const {
    const std::int64_t work = static_cast<std::int64_t>(rows) + static_cast<std::int64_t>(nonzeros);
    const std::int64_t steps = t * tile_work < work ? t * tile_work : work;
    Cut<O, Off> cut = merge_path_cut(row_ptr, rows, nonzeros, steps);
    if (around_short_rows) cut = cut_outside_short_rows(row_ptr, rows, cut, short_row);
    row[t] = cut.row;
    nonzero[t] = cut.nonzero;
  }
};

/// Finds the chains once the cuts are known: cuts inside one row are neighbours, so a chain's ends
/// are found by binary search over the rows of the cuts.
template <ExecutionSpace Exec, Ordinal O, Offset Off, Scalar Acc>
struct ChainKernel {
  const Off* row_ptr;
  O rows;
  TileTable<O, Off, Acc> table;
  int* chain;
  int* links;

  KOKKOS_FUNCTION void operator()(std::int64_t t) const {
    if (t == table.tiles) {
      chain[t] = -1;
      return;
    }
    for (int c = 0; c < tile_columns; ++c) table.arrived[t * tile_columns + c] = 0;
    const bool enters = t > 0 && table.cuts_row(row_ptr, rows, t);
    chain[t] = enters ? static_cast<int>(first_cut_in(table.row[t], t) - 1) : -1;
    const O leaving = table.row[t + 1];
    const bool leaves = t + 1 < table.tiles && table.cuts_row(row_ptr, rows, t + 1);
    const bool begins_here = leaves && row_ptr[leaving] >= table.nonzero[t];
    links[t] = begins_here ? static_cast<int>(last_cut_in(leaving, t + 1) - t + 1) : 0;
  }

  /// The first cut inside `row`, which cut t is inside too.
  KOKKOS_FUNCTION std::int64_t first_cut_in(O row, std::int64_t t) const {
    std::int64_t low = 0, high = t;
    while (low < high) {
      const std::int64_t middle = (low + high) / 2;
      const bool before = table.row[middle] < row || table.nonzero[middle] <= row_ptr[row];
      if (before) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }
  KOKKOS_FUNCTION std::int64_t last_cut_in(O row, std::int64_t t) const {
    std::int64_t low = t, high = table.tiles;
    while (low < high) {
      const std::int64_t middle = (low + high + 1) / 2;
      if (table.row[middle] > row) {
        high = middle - 1;
      } else {
        low = middle;
      }
    }
    return low;
  }
};

/// A tile table and the memory it lives in.
template <ExecutionSpace Exec, Ordinal O, Offset Off, Scalar Acc>
class Tiles {
 public:
  using Space = typename Exec::memory_space;

  Tiles() = default;

  /// Cuts A into tiles of `tile_work` rows plus nonzeros, on the device, in the order of `exec`:
  /// one allocation, two launches, no wait.
  template <Scalar S>
  Tiles(const Exec& exec, const CsrMatrix<S, O, Off, Space>& A, std::int64_t tile_work,
        Cutting cutting, Off short_row) {
    const std::int64_t work =
        static_cast<std::int64_t>(A.rows()) + static_cast<std::int64_t>(A.nonzeros());
    const std::int64_t tiles = (work + tile_work - 1) / tile_work;
    const std::size_t n = static_cast<std::size_t>(tiles);
    arena_ = Arena<Space>(
        exec, "heddle::csr::tiles",
        arena_bytes<O, Off, int, int, Acc, int>(n + 1, n + 1, n + 1, n, n * 2 * tile_columns,
                                                n * tile_columns));
    auto row = arena_.template take<O>(n + 1);
    auto nonzero = arena_.template take<Off>(n + 1);
    auto chain = arena_.template take<int>(n + 1);
    auto links = arena_.template take<int>(n);
    auto part = arena_.template take<Acc>(n * 2 * tile_columns);
    auto arrived = arena_.template take<int>(n * tile_columns);
    table_ = {tiles,        row.data(),  nonzero.data(), chain.data(),
              links.data(), part.data(), arrived.data()};
    const Off* row_ptr = A.row_ptr().data();
    using Policy = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>;
    Kokkos::parallel_for(
        "heddle::csr::cut", Policy(exec, 0, tiles + 1),
        CutKernel<Exec, O, Off>{row_ptr, A.rows(), A.nonzeros(), tiles, tile_work, short_row,
                                cutting == Cutting::around_short_rows, row.data(), nonzero.data()});
    Kokkos::parallel_for(
        "heddle::csr::chain", Policy(exec, 0, tiles + 1),
        ChainKernel<Exec, O, Off, Acc>{row_ptr, A.rows(), table_, chain.data(), links.data()});
  }

  const TileTable<O, Off, Acc>& table() const { return table_; }
  std::size_t bytes() const { return arena_.bytes(); }

 private:
  Arena<Space> arena_;
  TileTable<O, Off, Acc> table_;
};

}  // namespace heddle::csr
