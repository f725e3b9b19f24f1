// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <heddle/backends/device.hpp>
#include <heddle/backends/launch.hpp>
#include <heddle/formats/csr/row_hints.hpp>
#include <heddle/formats/csr/subwarp_kernel.hpp>
#include <heddle/formats/csr/tile_columns_kernel.hpp>
#include <heddle/formats/csr/tile_kernel.hpp>
#include <heddle/formats/csr/transpose.hpp>

namespace heddle::csr {

/// The launches of the CSR kernels on a GPU, and the sizes they run at, measured on an H200
/// (docs/performance.md).
template <ExecutionSpace Exec, Scalar S, Ordinal O, Offset Off, Scalar V, Scalar Acc>
struct GpuLaunches {
  using Operands = csr::Operands<S, O, Off, V, Acc>;
  using Table = typename Tiles<Exec, O, Off, Acc>::Table;
  using Matrix = CsrMatrix<S, O, Off, typename Exec::memory_space>;

  static constexpr int subwarp_threads = 256;
  static constexpr int subwarp_teams_resident = 6;
  static constexpr int subwarp_batch = 4;
  /// Columns of x that a lane of csr/subwarp serves at a time, when there are several that lie
  /// apart.
  static constexpr int columns_a_lane = 4;

  static constexpr int tile_threads = 128;
  static constexpr int tile_items = sizeof(Acc) > 8 ? 4 : 8;
  static constexpr int tile_teams_resident = 8;
  /// What 64 KB of scratch hold of teams with nonzeros in theirs.
  static constexpr int tile_columns_teams_resident = 3;
  static constexpr int tile_capacity = tile_threads * tile_items;
  /// What a tile may hold, as it is read from an aligned place before its first nonzero.
  static constexpr int most_tile_work = tile_capacity - tile_alignment;
  /// csr/adaptive never cuts a row of so few nonzeros.
  static constexpr int short_row = tile_capacity * 3 / 16 - tile_alignment;
  /// What a row costs, in nonzeros: its end.
  static constexpr int row_steps = 1;
  static constexpr bool uses_row_hints = false;

  /// Whether to lay columns of x that lie apart side by side.
  static bool packs_columns(const Exec&, const Matrix& A, int /*columns*/) {
    return reads_repay_packing(static_cast<std::int64_t>(A.nonzeros()), A.columns());
  }

  static std::int64_t merge_work(const Exec& exec, const Matrix& A) {
    return share_of_work(exec, A, most_tile_work);
  }
  static std::int64_t adaptive_work(const Exec& exec, const Matrix& A) {
    return share_of_work(exec, A, most_tile_work - short_row);
  }

  /// csr/scalar and csr/subwarp: a subwarp a row, `width` lanes for its nonzeros. Lanes stand side
  /// by side over columns of x that lie so: their loads of a row of x fill whole sectors.
  static void subwarp(const Exec& exec, const Operands& operands, int width) {
    const int columns = operands.x.count;
    if (columns == 1) return subwarp_of_width<1, 1>(exec, operands, width);
    if (operands.x.column_stride != 1) {
      return subwarp_of_width<1, columns_a_lane>(exec, operands, width);
    }
    if (columns <= 4) return subwarp_of_width<4, 1>(exec, operands, width);
    if (columns <= 8) return subwarp_of_width<8, 1>(exec, operands, width);
    if (columns <= 16) return subwarp_of_width<16, 1>(exec, operands, width);
    if (columns <= 32) return subwarp_of_width<16, 2>(exec, operands, width);
    subwarp_of_width<16, 4>(exec, operands, width);
  }

  /// csr/adaptive and csr/merge: a team a tile.
  static void tiles(const Exec& exec, const char* label, const Operands& operands,
                    const Table& table, const RowHints&) {
    each_pass(operands, tile_columns<Exec>, [&](const Operands& pass) {
      const int columns = pass.x.count;
      if (columns == 1) return tile_of_one_column(exec, label, pass, table);
      if (columns <= 4) return tile_of_columns<4, 1>(exec, label, pass, table);
      if (columns <= 8) return tile_of_columns<4, 2>(exec, label, pass, table);
      if (columns <= 16) return tile_of_columns<8, 2>(exec, label, pass, table);
      tile_of_columns<8, 4>(exec, label, pass, table);
    });
  }

  /// y += alpha * op(A) * x for a transposing op, by atomic additions.
  static void scatter(const Exec& exec, const Operands& operands) {
    constexpr int width = 8;
    constexpr int rows_a_team = subwarp_threads / width;
    backends::launch<backends::Shape<width, subwarp_threads>>(
        exec, "heddle::spmv::csr_scatter",
        (std::int64_t{operands.rows} + rows_a_team - 1) / rows_a_team,
        ScatterKernel<Operands>{operands});
  }

 private:
  /// An equal share for every team that is resident; none too small to be worth one, and none
  /// larger than a tile holds.
  static std::int64_t share_of_work(const Exec& exec, const Matrix& A, std::int64_t most) {
    const std::int64_t work =
        merge_path_steps(A.rows(), static_cast<std::int64_t>(A.nonzeros()), row_steps);
    const std::int64_t teams = backends::describe(exec).multiprocessors * tile_teams_resident;
    return std::clamp<std::int64_t>((work + teams - 1) / teams, tile_capacity / 4, most);
  }

  /// `width` lanes for the nonzeros of a row times ColumnLanes for the columns, as far as a warp
  /// goes.
  template <int ColumnLanes, int ColumnsPerLane, int Width = ColumnLanes>
  static void subwarp_of_width(const Exec& exec, const Operands& operands, int width) {
    constexpr int widest = backends::max_subwarp_width<Exec>;
    if constexpr (Width < widest) {
      if (width * ColumnLanes > Width) {
        return subwarp_of_width<ColumnLanes, ColumnsPerLane, 2 * Width>(exec, operands, width);
      }
    }
    constexpr bool one_column = ColumnLanes * ColumnsPerLane == 1;
    using Shape = backends::Shape<Width, subwarp_threads, one_column ? subwarp_teams_resident : 1>;
    constexpr int rows_a_team = subwarp_threads / Width;
    backends::launch<Shape>(
        exec, width == 1 ? "heddle::spmv::csr_scalar" : "heddle::spmv::csr_subwarp",
        (static_cast<std::int64_t>(operands.rows) + rows_a_team - 1) / rows_a_team,
        SubwarpKernel<Operands, ColumnLanes, ColumnsPerLane, subwarp_batch>{operands});
  }

  static void tile_of_one_column(const Exec& exec, const char* label, const Operands& operands,
                                 const Table& table) {
    using Shape =
        backends::Shape<backends::max_subwarp_width<Exec>, tile_threads, tile_teams_resident>;
    using Kernel = TileKernel<Operands, Table, tile_threads, tile_items>;
    backends::launch<Shape>(exec, label, table.tiles, Kernel{operands, table});
  }

  template <int ColumnLanes, int ColumnsPerLane>
  static void tile_of_columns(const Exec& exec, const char* label, const Operands& operands,
                              const Table& table) {
    using Shape = backends::Shape<backends::max_subwarp_width<Exec>, tile_threads,
                                  tile_columns_teams_resident>;
    using Kernel =
        TileColumnsKernel<Operands, Table, tile_threads, tile_items, ColumnLanes, ColumnsPerLane>;
    backends::launch<Shape>(exec, label, table.tiles, Kernel{operands, table});
  }
};

}  // namespace heddle::csr
