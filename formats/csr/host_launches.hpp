// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <heddle/backends/launch.hpp>
#include <heddle/formats/csr/host_kernel.hpp>
#include <heddle/formats/csr/host_vector_columns.hpp>
#include <heddle/formats/csr/transpose.hpp>

namespace heddle::csr {

/// The launches of the CSR kernels on a CPU, where every thread takes one share.
template <ExecutionSpace Exec, Scalar S, Ordinal O, Offset Off, Scalar V, Scalar Acc>
struct HostLaunches {
  using Operands = csr::Operands<S, O, Off, V, Acc>;
  using Table = typename Tiles<Exec, O, Off, Acc>::Table;
  using Matrix = CsrMatrix<S, O, Off, typename Exec::memory_space>;

  /// Columns of x that are served at a time by plain loops, and by vectors if they lie apart.
  static constexpr int plain_columns = 8;
  static constexpr int columns_apart = 8;

  /// csr/adaptive never cuts a row of so few nonzeros.
  static constexpr int short_row = 1024;
  /// What a row costs, in nonzeros: a mispredicted branch or the unused part of a register
  /// (measured: docs/csr.md).
  static constexpr int row_steps = 8;
  /// Whether csr/adaptive looks for hints.
  static constexpr bool uses_row_hints = suits_host_vectors<Operands>;

  /// Whether the matrix is too large for the caches, a few MB a thread.
  static bool streams(const Exec& exec, const Matrix& A) {
    const std::int64_t bytes = static_cast<std::int64_t>(A.nonzeros()) * (sizeof(S) + sizeof(O));
    return bytes / exec.concurrency() > 8'000'000;
  }

  /// Whether to lay so many columns of x that lie apart side by side: if its rows are read often
  /// enough, and oftener where packing them goes through memory. What stays in the caches is worth
  /// packing for vectors only (measured: docs/csr.md).
  static bool packs_columns(const Exec& exec, const Matrix& A, int columns) {
    const std::int64_t bytes = static_cast<std::int64_t>(A.columns()) * columns * sizeof(V);
    const std::int64_t reads = static_cast<std::int64_t>(A.nonzeros()) * std::min(columns, 8);
    if (bytes / exec.concurrency() >= 3'000'000) return reads / 112 >= A.columns();
    const bool vectors =
        suits_host_vectors<Operands> && backends::host_vectors() != backends::HostVectors::none;
    return vectors && reads / 40 >= A.columns();
  }

  static std::int64_t merge_work(const Exec& exec, const Matrix& A) {
    return share_of_work(exec, A);
  }
  static std::int64_t adaptive_work(const Exec& exec, const Matrix& A) {
    return share_of_work(exec, A);
  }

  /// csr/scalar and csr/subwarp=1: equal rows a thread.
  static void subwarp(const Exec& exec, const Operands& operands, int /*width*/) {
    each_pass(operands, columns_a_pass(operands, RowHints()), [&](const Operands& pass) {
      if (pass.x.count == 1) return equal_rows<1>(exec, pass);
      equal_rows<tile_columns<Exec>>(exec, pass);
    });
  }

  /// csr/adaptive and csr/merge: a thread a tile.
  static void tiles(const Exec& exec, const char* label, const Operands& operands,
                    const Table& table, const RowHints& hints) {
    each_pass(operands, columns_a_pass(operands, hints), [&](const Operands& pass) {
      if (pass.x.count == 1) return tile<1>(exec, label, pass, table, hints);
      tile<tile_columns<Exec>>(exec, label, pass, table, hints);
    });
  }

  /// y += alpha * op(A) * x for a transposing op, by atomic additions.
  static void scatter(const Exec& exec, const Operands& operands) {
    backends::launch<backends::Shape<1>>(exec, "heddle::spmv::csr_scatter", operands.rows,
                                         ScatterKernel<Operands>{operands});
  }

 private:
  /// An equal share for every thread, none too small to be worth one.
  static std::int64_t share_of_work(const Exec& exec, const Matrix& A) {
    const std::int64_t work =
        merge_path_steps(A.rows(), static_cast<std::int64_t>(A.nonzeros()), row_steps);
    const std::int64_t threads = exec.concurrency();
    return std::max<std::int64_t>((work + threads - 1) / threads, 512);
  }

  /// Columns of x that one pass over the matrix serves. Columns that lie apart push each other out
  /// of the caches, so they go a few at a time; two of them one by one where the vectors of rows
  /// gain more than a second look at the matrix costs (measured: docs/csr.md).
  static int columns_a_pass(const Operands& operands, const RowHints& hints) {
    if (host_vectors_for(operands) == backends::HostVectors::none) return plain_columns;
    if (operands.x.column_stride == 1) return tile_columns<Exec>;
    const bool rows_gain = hints.runs || hints.ends != RowEnds::foreseen;
    const bool one_by_one = operands.x.count == 2 && uses_row_hints && rows_gain && !hints.streams;
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

  template <int ColumnsAtOnce>
  static void tile(const Exec& exec, const char* label, const Operands& operands,
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
        if (operands.x.column_stride == 1) {
          return launch(HostVectorColumns<Operands, true, ColumnsAtOnce>{});
        }
        return launch(HostVectorColumns<Operands, false, ColumnsAtOnce>{});
      }
    }
    launch(HostPlainRows<Operands, std::min(ColumnsAtOnce, plain_columns)>{});
  }
};

}  // namespace heddle::csr
