// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>

#include "../../backends/launch.hpp"
#include "../../core/scheme.hpp"
#include "../common/compressed_rows/subwarp_kernel.hpp"
#include "../common/finish_kernel.hpp"
#include "../common/team_sums/dot.hpp"
#include "block_kernel.hpp"
#include "host_variant.hpp"
#include "predict.hpp"
#include "scatter_kernel.hpp"
#include "searched_share_kernel.hpp"
#include "share_kernel.hpp"
#include "share_multivector_kernel.hpp"

namespace heddle::detail::csr {

/// A csr scheme has no parameters of its own on a GPU that an inspector resolves.
struct GpuVariant {
  GpuVariant() = default;
  explicit GpuVariant(WithoutPlan) {}
  template <class Inspection>
  GpuVariant(const Inspection&, const Scheme&, Parameters&) {}
  std::size_t bytes() const { return 0; }
};

/// The launches of the CSR kernels on a GPU; their sizes are those of GpuTuning.
template <ExecutionSpace Exec, Scalar S, Ordinal O, Offset Off, Scalar V, Scalar Acc>
struct GpuLaunches {
  using Operands = csr::Operands<S, O, Off, V, Acc>;
  using Table = typename EqualWork<Exec, O, Off, Acc>::Table;
  using BlockTable = RowBlockTable<O, Off>;
  using Matrix = CsrMatrix<S, O, Off, typename Exec::memory_space>;

  using Variant = GpuVariant;
  using Dot = team_sums::Dot<Acc>;

  static constexpr GpuTuning tuning = gpu_tuning<backends::Tag<Exec>>;
  static constexpr int short_row = tuning.short_row(sizeof(Acc));
  /// What a row costs, in nonzeros: its end.
  static constexpr int row_steps = 1;

  /// Whether to lay vectors of x that lie apart side by side.
  static bool repays_packing(const Exec&, const Matrix& A, int /*vectors*/, const Variant&) {
    return reads_repay_packing(static_cast<std::int64_t>(A.nonzeros()), A.columns());
  }

  static std::int64_t share_work(const Device& device, const Matrix& A, Cutting cutting) {
    const std::int64_t work =
        merge_path_steps(A.rows(), static_cast<std::int64_t>(A.nonzeros()), row_steps);
    const std::int64_t teams = device.multiprocessors * tuning.share_teams_resident;
    return tuning.share_work(sizeof(Acc), cutting == Cutting::equal_work, ceil_div(work, teams));
  }

  /// The same for shares that teams search for.
  static ShareSearch share_search(const Device& device, const Matrix& A) {
    ShareSearch search{static_cast<std::int64_t>(A.nonzeros()), 1, row_steps};
    const std::int64_t teams = device.multiprocessors * tuning.search_teams_resident;
    search.share_work = std::clamp<std::int64_t>(ceil_div(search.steps(A.rows()), teams),
                                                 tuning.search_capacity(sizeof(Acc)) / 4,
                                                 tuning.search_work(sizeof(Acc)));
    return search;
  }

  /// Of `vectors` vectors those that one pass over the matrix serves: where a subwarp or team keeps
  /// to its rows for all of them, it finds these in the caches.
  static int vectors_per_pass(int vectors, bool /*apart*/, bool shares, const Variant&) {
    return shares ? vectors_per_launch<Exec> : std::max(1, vectors);
  }

  // Launches that take a Dot say whether there was room for it; if not, nothing was launched.

  /// csr/scalar and csr/subwarp: a subwarp a row, `width` lanes for its nonzeros. Lanes stand side
  /// by side over vectors of x that lie so: their loads of a row of x fill whole sectors.
  static bool rows(const Exec& exec, const Operands& operands, int width, const Variant&,
                   const Dot& dot = {}) {
    const int vectors = operands.x.count;
    if (vectors == 1) return subwarp_of_width<1, 1>(exec, operands, width, dot);
    if (operands.x.vector_stride != 1) {
      return subwarp_of_width<1, tuning.vectors_per_lane>(exec, operands, width);
    }
    if (vectors <= 4) return subwarp_of_width<4, 1>(exec, operands, width);
    if (vectors <= 8) return subwarp_of_width<8, 1>(exec, operands, width);
    if (vectors <= 16) return subwarp_of_width<16, 1>(exec, operands, width);
    if (vectors <= 32) return subwarp_of_width<16, 2>(exec, operands, width);
    return subwarp_of_width<16, 4>(exec, operands, width);
  }

  /// csr/adaptive and csr/merge: a team a share.
  static bool shares(const Exec& exec, const char* label, const Operands& operands,
                     const Table& table, const Variant&, const Dot& dot = {}) {
    if constexpr (Table::waits) {
      if (dot.result) return share_with_dot(exec, label, operands, table, dot);
    }
    each_pass(operands, vectors_per_launch<Exec>, [&](const Operands& pass) {
      const int vectors = pass.x.count;
      if (vectors == 1) return share_of_one_vector(exec, label, pass, table);
      if (vectors <= 4) return share_of_vectors<4, 1>(exec, label, pass, table);
      if (vectors <= 8) return share_of_vectors<4, 2>(exec, label, pass, table);
      if (vectors <= 16) return share_of_vectors<8, 2>(exec, label, pass, table);
      share_of_vectors<8, 4>(exec, label, pass, table);
    });
    return true;
  }

  /// csr/blocks: a team a block.
  static void blocks(const Exec& exec, const Operands& operands, const BlockTable& table,
                     const Variant&) {
    const int vectors = operands.x.count;
    if (vectors == 1) return block<1, 1>(exec, operands, table);
    constexpr int each = tuning.block_vectors_per_lane;
    if (operands.x.vector_stride != 1) return block<1, each>(exec, operands, table);
    if (vectors <= 4 * each) return block<4, each>(exec, operands, table);
    block<16, each>(exec, operands, table);
  }

  /// csr/merge,search=apply: a team a share.
  static bool searched_shares(const Exec& exec, const Operands& operands, const ShareSearch& search,
                              const Variant&, const Dot& dot = {}) {
    if (dot.result) return false;
    each_pass(operands, vectors_per_launch<Exec>, [&](const Operands& pass) {
      const int vectors = pass.x.count;
      if (vectors == 1) return searched_share_of_one_vector(exec, pass, search);
      if (vectors <= 4) return searched_share_of_vectors<4, 1>(exec, pass, search);
      if (vectors <= 8) return searched_share_of_vectors<4, 2>(exec, pass, search);
      searched_share_of_vectors<8, 4>(exec, pass, search);
    });
    return true;
  }

  /// y += alpha * op(A) * x for a transposing op, by atomic additions.
  static void scatter(const Exec& exec, const Operands& operands) {
    constexpr int width = 8;
    constexpr int rows_per_team = tuning.subwarp_threads / width;
    backends::launch<backends::Shape<width, tuning.subwarp_threads>>(
        exec, "heddle::spmv::csr_scatter", ceil_div<std::int64_t>(operands.rows, rows_per_team),
        ScatterKernel<Operands>{operands});
  }

 private:
  /// `width` lanes for the nonzeros of a row times VectorLanes for the vectors, as far as a warp
  /// goes.
  template <int VectorLanes, int VectorsPerLane, int Width = VectorLanes>
  static bool subwarp_of_width(const Exec& exec, const Operands& operands, int width,
                               [[maybe_unused]] const Dot& dot = {}) {
    constexpr int widest = backends::max_subwarp_width<Exec>;
    if constexpr (Width < widest) {
      if (width * VectorLanes > Width) {
        return subwarp_of_width<VectorLanes, VectorsPerLane, 2 * Width>(exec, operands, width, dot);
      }
    }
    constexpr bool one_vector = VectorLanes * VectorsPerLane == 1;
    using Shape = backends::Shape<Width, tuning.subwarp_threads,
                                  one_vector ? tuning.subwarp_teams_resident : 1>;
    constexpr int rows_per_team = tuning.subwarp_threads / Width;
    const char* const label = width == 1 ? "heddle::spmv::csr_scalar" : "heddle::spmv::csr_subwarp";
    const std::int64_t teams = ceil_div<std::int64_t>(operands.rows, rows_per_team);
    const compressed_rows::SubwarpKernel<Operands, VectorLanes, VectorsPerLane,
                                         tuning.subwarp_batch>
        kernel{operands};
    if constexpr (one_vector) {
      if (dot.result) {
        return team_sums::launch_with_dot<Shape>(exec, label, teams, kernel, operands.x, operands.y,
                                                 dot);
      }
    }
    backends::launch<Shape>(exec, label, teams, kernel);
    return true;
  }

  using ShareShape = backends::Shape<backends::max_subwarp_width<Exec>, tuning.share_threads,
                                     tuning.share_teams_resident>;
  using OneVectorKernel =
      ShareKernel<Operands, Table, tuning.share_threads, tuning.share_items(sizeof(Acc))>;

  static void share_of_one_vector(const Exec& exec, const char* label, const Operands& operands,
                                  const Table& table) {
    launch_shares_and_finish<ShareShape>(exec, label, operands, table,
                                         OneVectorKernel{operands, table});
  }

  static bool share_with_dot(const Exec& exec, const char* label, const Operands& operands,
                             const Table& table, const Dot& dot) {
    if (table.shares > dot.most_teams) return false;
    launch_shares<ShareShape>(
        exec, label, table,
        team_sums::DotKernel<OneVectorKernel, V, Acc>{
            {operands, table}, operands.x, operands.y, dot, table.shares, table.shares});
    return true;
  }

  template <int VectorLanes, int VectorsPerLane>
  static void block(const Exec& exec, const Operands& operands, const BlockTable& table) {
    constexpr bool one_vector = VectorLanes * VectorsPerLane == 1;
    using Shape = backends::Shape<backends::max_subwarp_width<Exec>, tuning.block_threads,
                                  one_vector ? tuning.block_teams_resident : 1>;
    constexpr int batch = one_vector ? tuning.block_batch : tuning.block_multivector_batch;
    using Kernel = BlockKernel<Operands, tuning.block_threads, batch, VectorLanes, VectorsPerLane>;
    backends::launch<Shape>(exec, "heddle::spmv::csr_blocks", table.blocks,
                            Kernel{operands, table});
  }

  template <int VectorLanes, int VectorsPerLane>
  static void share_of_vectors(const Exec& exec, const char* label, const Operands& operands,
                               const Table& table) {
    using Shape = backends::Shape<backends::max_subwarp_width<Exec>, tuning.share_threads,
                                  tuning.share_multivector_teams_resident>;
    using Kernel =
        ShareMultivectorKernel<Operands, Table, tuning.share_threads,
                               tuning.share_items(sizeof(Acc)), VectorLanes, VectorsPerLane>;
    launch_shares_and_finish<Shape>(exec, label, operands, table, Kernel{operands, table});
  }

  static void searched_share_of_one_vector(const Exec& exec, const Operands& operands,
                                           const ShareSearch& search) {
    using Shares = ShareKernel<Operands, WholeRows<Acc>, tuning.search_threads,
                               tuning.share_items(sizeof(Acc))>;
    launch_search<Shares, tuning.search_teams_resident>(exec, operands, search);
  }

  template <int VectorLanes, int VectorsPerLane>
  static void searched_share_of_vectors(const Exec& exec, const Operands& operands,
                                        const ShareSearch& search) {
    using Shares =
        ShareMultivectorKernel<Operands, WholeRows<Acc>, tuning.search_threads,
                               tuning.share_items(sizeof(Acc)), VectorLanes, VectorsPerLane>;
    launch_search<Shares, tuning.search_multivector_teams_resident>(exec, operands, search);
  }

  template <class Shares, int TeamsResident>
  static void launch_search(const Exec& exec, const Operands& operands, const ShareSearch& search) {
    using Shape =
        backends::Shape<backends::max_subwarp_width<Exec>, tuning.search_threads, TeamsResident>;
    backends::launch<Shape>(exec, "heddle::spmv::csr_merge_search", search.shares(operands.rows),
                            SearchedShareKernel<Shares>{Shares{operands, {}}, search});
  }
};

}  // namespace heddle::detail::csr
