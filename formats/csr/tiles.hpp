// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <heddle/backends/launch.hpp>
#include <heddle/core/arena.hpp>
#include <heddle/core/matrix.hpp>
#include <heddle/core/partition.hpp>
#include <heddle/formats/csr/parts.hpp>

namespace heddle::csr {

/// Columns of x that tiled kernels take in one launch; more columns take more launches. A CPU has
/// few tiles, so that their parts may be large.
template <ExecutionSpace Exec>
inline constexpr int tile_columns = backends::has_lanes<Exec> ? 32 : 64;

/// Where one tile ends and the next begins. Aligned, so that a GPU reads it in one load.
template <Ordinal O, Offset Off>
struct alignas(16) TileEdge {
  Off nonzero;
  O row;
  int chain;  ///< the chain of the row that the edge is inside, or -1
};

/// A CSR matrix cut into tiles of equal work, as kernels see it: plain pointers.
///
/// Tile t runs from edge t to edge t + 1. An edge may be inside a row; the tiles of such a row, one
/// after the other, form a chain, named by its first tile. The tile in which the row ends finishes
/// it: it waits for the sums that the tiles before it leave in `parts`, and adds them in order.
/// Every wait is for a tile of lower index, and teams begin in the order of their index
/// (backends::max_teams_in_order), so the lowest unfinished tile never waits and every wait ends.
template <Ordinal O, Offset Off, Scalar Acc, int Columns>
struct TileTable {
  std::int64_t tiles = 0;
  const TileEdge<O, Off>* edges = nullptr;  ///< tiles + 1
  Parts<Acc, Columns> parts;                ///< tiles: the sum of the row that leaves tile t cut
};

/// Where the cuts fall.
enum class Cutting {
  equal_work,         ///< equal rows plus nonzeros, through rows where it must (csr/merge)
  around_short_rows,  ///< the same, moved to the end of a short row (csr/adaptive)
};

/// Fills a tile table: a thread an edge, each by its own binary search.
template <Ordinal O, Offset Off, Scalar Acc, int Columns>
struct CutKernel {
  const Off* row_ptr;
  O rows;
  Off nonzeros;
  std::int64_t tile_work;
  int row_steps;
  Cutting cutting;
  Off short_row;
  std::int64_t tiles;
  TileEdge<O, Off>* edges;
  Parts<Acc, Columns> parts;

  KOKKOS_FUNCTION void operator()(std::int64_t t) const {
    const std::int64_t work =
        merge_path_steps(rows, static_cast<std::int64_t>(nonzeros), row_steps);
    const std::int64_t steps = t * tile_work < work ? t * tile_work : work;
    Cut<O, Off> cut = merge_path_cut(row_ptr, rows, nonzeros, steps, row_steps);
    if (cutting == Cutting::around_short_rows) {
      cut = cut_outside_short_rows(row_ptr, rows, cut, short_row);
    }
    const bool inside = cut.row < rows && row_ptr[cut.row] < cut.nonzero;
    edges[t] = {cut.nonzero, cut.row, inside ? tile_of_first_step(cut.row) : -1};
    if (t < tiles) parts.clear(t);
  }

  /// The tile in which a row begins: before the row's first step lie the rows and nonzeros above.
  KOKKOS_FUNCTION int tile_of_first_step(O r) const {
    return static_cast<int>(merge_path_steps(r, static_cast<std::int64_t>(row_ptr[r]), row_steps) /
                            tile_work);
  }
};

/// A tile table and the memory it lives in.
template <ExecutionSpace Exec, Ordinal O, Offset Off, Scalar Acc>
class Tiles {
 public:
  using Space = typename Exec::memory_space;
  using Table = TileTable<O, Off, Acc, tile_columns<Exec>>;

  Tiles() = default;

  /// Cuts A into tiles of `tile_work` steps, of which a nonzero is one and a row `row_steps`, on
  /// the device, in the order of `exec`: one allocation, one launch, no wait.
  template <Scalar S>
  Tiles(const Exec& exec, const CsrMatrix<S, O, Off, Space>& A, std::int64_t tile_work,
        int row_steps, Cutting cutting, Off short_row) {
    const std::int64_t work =
        merge_path_steps(A.rows(), static_cast<std::int64_t>(A.nonzeros()), row_steps);
    const std::int64_t tiles = (work + tile_work - 1) / tile_work;
    if (tiles > backends::max_teams_in_order) {
      throw Error("csr/adaptive and csr/merge would cut this matrix into " + std::to_string(tiles) +
                      " tiles, more than wait for each other safely",
                  "take csr/subwarp for so large a matrix");
    }
    const auto n = static_cast<std::size_t>(tiles);
    using Edge = TileEdge<O, Off>;
    using Parts = decltype(Table::parts);
    using Word = typename Parts::Word;
    arena_ = Arena<Space>(exec, "heddle::csr::tiles",
                          arena_bytes<Edge, Word>(n + 1, n * Parts::words_a_tile));
    auto edges = arena_.template take<Edge>(n + 1);
    auto words = arena_.template take<Word>(n * Parts::words_a_tile);
    table_ = {tiles, edges.data(), {words.data()}};
    using Policy = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>;
    Kokkos::parallel_for("heddle::csr::cut", Policy(exec, 0, tiles + 1),
                         CutKernel<O, Off, Acc, tile_columns<Exec>>{
                             A.row_ptr().data(), A.rows(), A.nonzeros(), tile_work, row_steps,
                             cutting, short_row, tiles, edges.data(), table_.parts});
  }

  const Table& table() const { return table_; }
  std::size_t bytes() const { return arena_.bytes(); }

 private:
  Arena<Space> arena_;
  Table table_;
};

}  // namespace heddle::csr
