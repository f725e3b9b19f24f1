// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <type_traits>

#include "../../backends/atomics.hpp"
#include "../../backends/launch.hpp"
#include "../../backends/threads_at_once.hpp"
#include "../../core/scheme.hpp"
#include "../common/compressed_rows/subwarp_kernel.hpp"
#include "../common/dot.hpp"
#include "../common/equal_work.hpp"
#include "block_kernel.hpp"
#include "format.hpp"
#include "host_kernel.hpp"
#include "host_variant.hpp"
#include "operands.hpp"
#include "parameters.hpp"
#include "row_blocks.hpp"
#include "share_kernel.hpp"

namespace heddle::detail::csr {

/// y += alpha * A' * x without a stored transpose: a subwarp a row scatters with atomic additions.
/// Not deterministic. The caller has scaled y by beta.
template <class Operands>
struct ScatterKernel {
  using Scratch = backends::NoScratch;
  using Off = typename Operands::offset_type;
  using Acc = typename Operands::accumulator_type;

  Operands operands;

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Team& team, Scratch&) const {
    const std::int64_t row = team.index() * Team::subwarps + team.subwarp_index();
    if (row >= operands.rows) return;
    const auto end = static_cast<std::int64_t>(operands.row_ptr[row + 1]);
    const auto begin = static_cast<std::int64_t>(operands.row_ptr[row]);
    for (std::int64_t at = begin + team.subwarp().lane(); at < end; at += Team::subwarp_width) {
      const auto k = static_cast<Off>(at);
      const auto value = operands.value(k);
      const auto column = operands.column(k);
      for (int c = 0; c < operands.x.count; ++c) {
        using V = std::remove_cvref_t<decltype(operands.y(0, 0))>;
        const Acc product = operands.alpha * Acc(value) * Acc(operands.x(row, c));
        backends::atomic_add(&operands.y(column, c), V(product));
      }
    }
  }
};

/// The variant of a GPU: an inspector resolves no parameters there.
struct GpuVariant {
  GpuVariant() = default;
  explicit GpuVariant(WithoutPlan) {}
  template <class Inspection>
  GpuVariant(const Inspection&, const Scheme&, Parameters&) {}
  std::size_t bytes() const { return 0; }
};

/// The launches of the CSR kernels on a GPU, with the sizes of GpuTuning.
template <ExecutionSpace Exec, Scalar S, Ordinal O, Offset Off, Scalar V, Scalar Acc>
struct GpuLaunches {
  using Operands = csr::CsrOperands<S, O, Off, V, Acc>;
  using Table = typename EqualWork<Exec, O, Off, Acc>::Table;
  using BlockTable = RowBlockTable<O, Off>;
  using Matrix = CsrMatrix<S, O, Off, typename Exec::memory_space>;

  using Variant = GpuVariant;
  using Dot = team_sums::Dot<Acc>;

  static constexpr GpuTuning tuning = gpu_tuning<backends::Tag<Exec>>;
  static constexpr int short_row = tuning.short_row(sizeof(Acc));
  /// Cost of a row in nonzeros: its end.
  static constexpr int row_steps = 1;

  /// Whether packing column-major vectors of x pays.
  static bool repays_packing(const Exec&, const Matrix& A, int /*vectors*/, const Variant&) {
    return reads_repay_packing(static_cast<std::int64_t>(A.nonzeros()), A.columns());
  }

  static std::int64_t share_work(const Device& device, const Matrix& A, Cutting cutting) {
    const std::int64_t work =
        merge_path_steps(A.rows(), static_cast<std::int64_t>(A.nonzeros()), row_steps);
    const std::int64_t teams = device.multiprocessors * tuning.share_teams_resident;
    return tuning.share_work(sizeof(Acc), cutting == Cutting::equal_work, ceil_div(work, teams));
  }

  /// Shares that teams search for.
  static ShareSearch share_search(const Device& device, const Matrix& A) {
    ShareSearch search{static_cast<std::int64_t>(A.nonzeros()), 1, row_steps};
    const std::int64_t teams = device.multiprocessors * tuning.search_teams_resident;
    search.share_work = std::clamp<std::int64_t>(ceil_div(search.steps(A.rows()), teams),
                                                 tuning.search_capacity(sizeof(Acc)) / 4,
                                                 tuning.search_work(sizeof(Acc)));
    return search;
  }

  /// Vectors that one pass over the matrix serves. With a subwarp or team for each row or block it
  /// is all `vectors`, since their rows are in the caches for later vectors.
  static int vectors_per_pass(int vectors, bool /*apart*/, bool shares, const Variant&) {
    return shares ? vectors_per_launch<Exec> : std::max(1, vectors);
  }

  // Launches with a Dot return whether there was room for it; if not, nothing was launched.

  /// csr/scalar and csr/subwarp: a subwarp a row, `width` lanes for its nonzeros. Row-major vectors
  /// of x have lanes of their own, whose loads of a row of x fill whole sectors.
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
  /// Launches `width` lanes for the nonzeros of a row times VectorLanes for the vectors, up to a
  /// warp.
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

/// The launches of the CSR kernels on a CPU, where every thread has one share.
template <ExecutionSpace Exec, Scalar S, Ordinal O, Offset Off, Scalar V, Scalar Acc>
struct HostLaunches {
  using Operands = csr::CsrOperands<S, O, Off, V, Acc>;
  using Table = typename EqualWork<Exec, O, Off, Acc>::Table;
  using BlockTable = RowBlockTable<O, Off>;
  using Matrix = CsrMatrix<S, O, Off, typename Exec::memory_space>;
  using Variant = HostVariant<Exec, Operands>;
  using Dot = team_sums::Dot<Acc>;

  static constexpr CpuTuning tuning = cpu_tuning<backends::Host>;
  static constexpr int short_row = tuning.short_row;
  static constexpr int row_steps = tuning.row_steps;

  /// Whether packing `vectors` column-major vectors of x pays.
  static bool repays_packing(const Exec& exec, const Matrix& A, int vectors,
                             const Variant& variant) {
    return reads_repay_packing(tuning, static_cast<std::int64_t>(A.nonzeros()), A.columns(),
                               vectors, sizeof(V), backends::threads_at_once(exec),
                               variant.hints().simd != backends::Simd::none);
  }

  /// Steps of a share: an equal number for every thread, but not too few to be worth it.
  static std::int64_t share_work(const Device& device, const Matrix& A, Cutting) {
    const std::int64_t work =
        merge_path_steps(A.rows(), static_cast<std::int64_t>(A.nonzeros()), row_steps);
    return std::max<std::int64_t>(ceil_div<std::int64_t>(work, device.multiprocessors),
                                  tuning.least_work);
  }

  /// Shares that threads search for.
  static ShareSearch share_search(const Device& device, const Matrix& A) {
    return {static_cast<std::int64_t>(A.nonzeros()), share_work(device, A, Cutting::equal_work),
            row_steps};
  }

  /// Vectors that one pass over the matrix serves.
  static int vectors_per_pass(int vectors, bool apart, bool /*shares*/, const Variant& variant) {
    const backends::Simd simd = suits_simd<Operands> ? variant.hints().simd : backends::Simd::none;
    return vectors_per_pass(vectors, apart, simd, variant.hints());
  }

  // Launches with a Dot return whether there was room for it; if not, nothing was launched.

  /// csr/scalar: an equal number of rows for each thread.
  static bool rows(const Exec& exec, const Operands& operands, int /*width*/,
                   const Variant& variant, const Dot& dot = {}) {
    const auto rows_per_team =
        std::max<std::int64_t>(1, ceil_div<std::int64_t>(operands.rows, exec.concurrency()));
    return whole_rows(exec, "heddle::spmv::csr_scalar", operands, variant,
                      ceil_div<std::int64_t>(operands.rows, rows_per_team), rows_per_team, nullptr,
                      ShareSearch(), dot);
  }

  /// csr/merge,search=apply: a thread a share.
  static bool searched_shares(const Exec& exec, const Operands& operands, const ShareSearch& search,
                              const Variant& variant, const Dot& dot = {}) {
    return whole_rows(exec, "heddle::spmv::csr_merge_search", operands, variant,
                      search.shares(operands.rows), 0, nullptr, search, dot);
  }

  /// csr/blocks: an equal number of blocks for each thread.
  static void blocks(const Exec& exec, const Operands& operands, const BlockTable& table,
                     const Variant& variant) {
    whole_rows(exec, "heddle::spmv::csr_blocks", operands, variant, table.blocks, 0, table.first,
               ShareSearch(), Dot());
  }

  /// csr/adaptive and csr/merge: a thread a share.
  static bool shares(const Exec& exec, const char* label, const Operands& operands,
                     const Table& table, const Variant& variant, const Dot& dot = {}) {
    if (dot.result && table.shares > dot.most_teams) return false;
    const RowHints& hints = variant.hints();
    each_pass(operands, vectors_per_pass(operands, hints), [&](const Operands& pass) {
      if (pass.x.count == 1) return share<1>(exec, label, pass, table, hints, dot);
      share<vectors_per_launch<Exec>>(exec, label, pass, table, hints, dot);
    });
    return true;
  }

  /// y += alpha * op(A) * x for a transposing op, by atomic additions.
  static void scatter(const Exec& exec, const Operands& operands) {
    backends::launch<backends::Shape<1>>(exec, "heddle::spmv::csr_scatter", operands.rows,
                                         ScatterKernel<Operands>{operands});
  }

 private:
  /// Column-major vectors evict each other from the caches, so a pass serves few of them.
  static int vectors_per_pass(int vectors, bool apart, backends::Simd simd, const RowHints& hints) {
    if (simd == backends::Simd::none) return tuning.plain_vectors;
    if (!apart) return vectors_per_launch<Exec>;
    return vectors == 2 && hints.two_one_by_one ? 1 : tuning.vectors_apart;
  }
  static int vectors_per_pass(const Operands& operands, const RowHints& hints) {
    return vectors_per_pass(operands.x.count, operands.x.vector_stride != 1,
                            simd_for(operands, hints.simd), hints);
  }

  /// Launches `teams` teams of whole rows; see HostRowsKernel.
  static bool whole_rows(const Exec& exec, const char* label, const Operands& operands,
                         const Variant& variant, std::int64_t teams, std::int64_t rows_per_team,
                         const O* first, const ShareSearch& search, const Dot& dot) {
    if (dot.result && teams > dot.most_teams) return false;
    const RowHints& hints = variant.hints();
    each_pass(operands, vectors_per_pass(operands, hints), [&](const Operands& pass) {
      const auto launch = [&](const auto& how) {
        backends::launch<backends::Shape<1>>(
            exec, label, teams,
            HostRowsKernel<Operands, std::decay_t<decltype(how)>>{pass, how, rows_per_team, first,
                                                                  search, dot, teams});
      };
      if (pass.x.count == 1) return on_host_rows<1>(pass, hints, launch);
      on_host_rows<vectors_per_launch<Exec>>(pass, hints, launch);
    });
    return true;
  }

  template <int VectorsAtOnce>
  static void share(const Exec& exec, const char* label, const Operands& operands,
                    const Table& table, const RowHints& hints, const Dot& dot) {
    on_host_rows<VectorsAtOnce>(operands, hints, [&](const auto& how) {
      launch_shares_and_finish<backends::Shape<1>>(
          exec, label, operands, table,
          HostShareKernel<Operands, std::decay_t<decltype(how)>, Table>{operands, how, table, dot});
    });
  }

  /// Calls launch(how) with the row kernel that the hints select.
  template <int VectorsAtOnce, class Launch>
  static void on_host_rows(const Operands& operands, [[maybe_unused]] const RowHints& hints,
                           const Launch& launch) {
    if constexpr (suits_simd<Operands> && backends::runs_on_host<Exec>) {
      using backends::Simd;
      const Simd simd = simd_for(operands, hints.simd);
      if constexpr (VectorsAtOnce == 1) {
        if (simd == Simd::loads) return launch(HostSimdRows<Operands, Simd::loads>{hints});
        if (simd == Simd::gathers) return launch(HostSimdRows<Operands, Simd::gathers>{hints});
      } else if (simd != Simd::none) {
        if (operands.x.vector_stride == 1) {
          return launch(HostSimdVectors<Operands, true, VectorsAtOnce>{});
        }
        return launch(HostSimdVectors<Operands, false, VectorsAtOnce>{});
      }
    }
    launch(
        compressed_rows::HostPlainRows<Operands, std::min(VectorsAtOnce, tuning.plain_vectors)>{});
  }
};

/// The launches of the CSR kernels in an execution space.
template <ExecutionSpace Exec, Scalar S, Ordinal O, Offset Off, Scalar V, Scalar Acc>
using Kernels = std::conditional_t<backends::has_lanes<Exec>, GpuLaunches<Exec, S, O, Off, V, Acc>,
                                   HostLaunches<Exec, S, O, Off, V, Acc>>;

}  // namespace heddle::detail::csr
