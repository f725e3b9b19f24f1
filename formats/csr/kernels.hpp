// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <heddle/backends/device.hpp>
#include <heddle/backends/launch.hpp>
#include <heddle/formats/csr/host_kernel.hpp>
#include <heddle/formats/csr/host_vector_columns.hpp>
#include <heddle/formats/csr/subwarp_kernel.hpp>
#include <heddle/formats/csr/tile_columns_kernel.hpp>
#include <heddle/formats/csr/tile_kernel.hpp>
#include <heddle/formats/csr/transpose.hpp>

namespace heddle::csr {

/// The launches of the CSR kernels, and the sizes they run at. The sizes were measured on an H200
/// (docs/performance.md); CPUs give each thread one share.
template <ExecutionSpace Exec, Scalar S, Ordinal O, Offset Off, Scalar V, Scalar Acc>
struct Kernels {
  using Operands = csr::Operands<S, O, Off, V, Acc>;
  using Table = typename Tiles<Exec, O, Off, Acc>::Table;
  using Matrix = CsrMatrix<S, O, Off, typename Exec::memory_space>;

  /// Columns of x that a lane of csr/subwarp serves at a time, when there are several that lie
  /// apart.
  static constexpr int columns_a_lane = 4;
  static constexpr int subwarp_threads = 256;
  static constexpr int subwarp_teams_resident = 6;
  static constexpr int subwarp_batch = 4;

  /// Columns of x that a CPU serves at a time by plain loops, and by vectors if they lie apart.
  static constexpr int plain_columns = 8;
  static constexpr int columns_apart = 8;

  static constexpr int tile_threads = 128;
  static constexpr int tile_items = sizeof(Acc) > 8 ? 4 : 8;
  static constexpr int tile_teams_resident = 8;
  /// What 64 KB of scratch hold of teams with nonzeros in theirs.
  static constexpr int tile_columns_teams_resident = 3;
  /// Whether csr/adaptive and csr/merge had better lay columns of x that lie apart side by side.
  static constexpr bool gains_by_packing = backends::has_lanes<Exec>;
  static constexpr int tile_capacity = tile_threads * tile_items;
  /// What a tile may hold: on a GPU it is read from an aligned place before its first nonzero.
  static constexpr int most_tile_work = tile_capacity - tile_alignment;
  /// csr/adaptive never cuts a row of so few nonzeros.
  static constexpr int short_row =
      backends::has_lanes<Exec> ? tile_capacity * 3 / 16 - tile_alignment : 1024;

  /// What a row costs, in nonzeros: on a GPU its end, on a CPU a mispredicted branch or the unused
  /// part of a register (measured: docs/csr.md).
  static constexpr int row_steps = backends::has_lanes<Exec> ? 1 : 8;
  /// Whether csr/adaptive looks for hints.
  static constexpr bool uses_row_hints = !backends::has_lanes<Exec> && suits_host_vectors<Operands>;

  /// Whether the matrix is too large for the caches of CPUs, a few MB a thread.
  static bool streams(const Exec& exec, const Matrix& A) {
    const std::int64_t bytes = static_cast<std::int64_t>(A.nonzeros()) * (sizeof(S) + sizeof(O));
    return bytes / exec.concurrency() > 8'000'000;
  }

  static std::int64_t merge_work(const Exec& exec, const Matrix& A) {
    return share_of_work(exec, A, most_tile_work);
  }
  static std::int64_t adaptive_work(const Exec& exec, const Matrix& A) {
    return share_of_work(exec, A, most_tile_work - short_row);
  }

  /// A subwarp a row, `width` lanes for its nonzeros; on a CPU, where `width` is 1, equal rows a
  /// thread.
  static void subwarp(const Exec& exec, const Operands& operands, int width) {
    if constexpr (!backends::has_lanes<Exec>) {
      each_pass(operands, host_columns(operands, RowHints()), [&](const Operands& pass) {
        if (pass.x.count == 1) {
          equal_rows<1>(exec, pass);
        } else {
          equal_rows<tile_columns<Exec>>(exec, pass);
        }
      });
    } else {
      subwarp_of_columns(exec, operands, width);
    }
  }

  /// csr/adaptive and csr/merge: a team, or a thread of a CPU, a tile. `hints` are for CPUs.
  static void tiles(const Exec& exec, const char* label, const Operands& operands,
                    const Table& table, const RowHints& hints) {
    const int most = backends::has_lanes<Exec> ? tile_columns<Exec> : host_columns(operands, hints);
    each_pass(operands, most, [&](const Operands& pass) {
      if constexpr (backends::has_lanes<Exec>) {
        tile_of_columns(exec, label, pass, table);
      } else if (pass.x.count == 1) {
        host_tile<1>(exec, label, pass, table, hints);
      } else {
        host_tile<tile_columns<Exec>>(exec, label, pass, table, hints);
      }
    });
  }

  /// y += alpha * op(A) * x for a transposing op, by atomic additions.
  static void scatter(const Exec& exec, const Operands& operands) {
    constexpr int width = backends::has_lanes<Exec> ? 8 : 1;
    using Shape = backends::Shape<width, subwarp_threads>;
    constexpr int rows_a_team = backends::has_lanes<Exec> ? subwarp_threads / width : 1;
    backends::launch<Shape>(exec, "heddle::spmv::csr_scatter",
                            (std::int64_t{operands.rows} + rows_a_team - 1) / rows_a_team,
                            ScatterKernel<Operands>{operands});
  }

 private:
  /// An equal share for every team that is resident, or every thread of a CPU; none too small to be
  /// worth one, and on a GPU none larger than a tile holds.
  static std::int64_t share_of_work(const Exec& exec, const Matrix& A,
                                    [[maybe_unused]] std::int64_t most) {
    const std::int64_t work =
        merge_path_steps(A.rows(), static_cast<std::int64_t>(A.nonzeros()), row_steps);
    const auto share = [&](std::int64_t workers) { return (work + workers - 1) / workers; };
    if constexpr (backends::has_lanes<Exec>) {
      const std::int64_t multiprocessors = backends::describe(exec).multiprocessors;
      return std::clamp<std::int64_t>(share(multiprocessors * tile_teams_resident),
                                      tile_capacity / 4, most);
    } else {
      return std::max<std::int64_t>(share(exec.concurrency()), 512);
    }
  }

  /// Columns of x that a CPU serves in one pass over the matrix. Columns that lie apart push each
  /// other out of the caches, so they go a few at a time; two of them one by one, unless that
  /// fetched the matrix from memory twice (measured: docs/csr.md).
  static int host_columns(const Operands& operands, const RowHints& hints) {
    if (host_vectors_for(operands) == backends::HostVectors::none) return plain_columns;
    if (has_columns_side_by_side(operands)) return tile_columns<Exec>;
    const bool one_by_one = operands.x.count == 2 && uses_row_hints && !hints.streams;
    return one_by_one ? 1 : columns_apart;
  }

  template <int ColumnsAtOnce>
  static void equal_rows(const Exec& exec, const Operands& operands) {
    const std::int64_t teams = exec.concurrency();
    const std::int64_t rows = operands.rows;
    const std::int64_t rows_a_team = (rows + teams - 1) / teams;
    on_host_rows<ColumnsAtOnce>(operands, RowHints(), [&](const auto& how) {
      backends::launch<backends::Shape<1>>(
          exec, "heddle::spmv::csr_scalar",
          rows_a_team ? (rows + rows_a_team - 1) / rows_a_team : 0,
          HostRowsKernel<Operands, std::decay_t<decltype(how)>>{operands, how, rows_a_team});
    });
  }

  /// Lanes side by side over columns of x that lie so: their loads of a row of x fill whole
  /// sectors.
  static void subwarp_of_columns(const Exec& exec, const Operands& operands, int width) {
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

  static void tile_of_columns(const Exec& exec, const char* label, const Operands& operands,
                              const Table& table) {
    const int columns = operands.x.count;
    if (columns == 1) {
      using Shape =
          backends::Shape<backends::max_subwarp_width<Exec>, tile_threads, tile_teams_resident>;
      using Kernel = TileKernel<Operands, Table, tile_threads, tile_items>;
      backends::launch<Shape>(exec, label, table.tiles, Kernel{operands, table});
    } else if (columns <= 4) {
      tile_over_lanes<4, 1>(exec, label, operands, table);
    } else if (columns <= 8) {
      tile_over_lanes<4, 2>(exec, label, operands, table);
    } else if (columns <= 16) {
      tile_over_lanes<8, 2>(exec, label, operands, table);
    } else {
      tile_over_lanes<8, 4>(exec, label, operands, table);
    }
  }

  template <int ColumnLanes, int ColumnsPerLane>
  static void tile_over_lanes(const Exec& exec, const char* label, const Operands& operands,
                              const Table& table) {
    using Shape = backends::Shape<backends::max_subwarp_width<Exec>, tile_threads,
                                  tile_columns_teams_resident>;
    using Kernel =
        TileColumnsKernel<Operands, Table, tile_threads, tile_items, ColumnLanes, ColumnsPerLane>;
    backends::launch<Shape>(exec, label, table.tiles, Kernel{operands, table});
  }

  template <int ColumnsAtOnce>
  static void host_tile(const Exec& exec, const char* label, const Operands& operands,
                        const Table& table, const RowHints& hints) {
    on_host_rows<ColumnsAtOnce>(operands, hints, [&](const auto& how) {
      backends::launch<backends::Shape<1>>(
          exec, label, table.tiles,
          HostTileKernel<Operands, std::decay_t<decltype(how)>, Table>{operands, how, table});
    });
  }

  /// Calls launch(how) with what computes rows fastest on this processor.
  template <int ColumnsAtOnce, class Launch>
  static void on_host_rows(const Operands& operands, [[maybe_unused]] const RowHints& hints,
                           const Launch& launch) {
    if constexpr (suits_host_vectors<Operands>) {
      using backends::HostVectors;
      const HostVectors vectors = host_vectors_for(operands);
      if constexpr (ColumnsAtOnce == 1) {
        if (vectors == HostVectors::loads) {
          return launch(HostVectorRows<Operands, HostVectors::loads>{hints});
        }
        if (vectors == HostVectors::gathers) {
          return launch(HostVectorRows<Operands, HostVectors::gathers>{hints});
        }
      } else if (vectors != HostVectors::none) {
        if (has_columns_side_by_side(operands)) {
          return launch(HostVectorColumns<Operands, true, ColumnsAtOnce>{});
        }
        return launch(HostVectorColumns<Operands, false, ColumnsAtOnce>{});
      }
    }
    launch(HostPlainRows<Operands, std::min(ColumnsAtOnce, plain_columns)>{});
  }
};

}  // namespace heddle::csr
