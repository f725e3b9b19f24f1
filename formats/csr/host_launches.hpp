// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>

#include "../../backends/launch.hpp"
#include "../../backends/threads_at_once.hpp"
#include "../common/finish_kernel.hpp"
#include "host_kernel.hpp"
#include "host_simd_vectors.hpp"
#include "host_variant.hpp"
#include "kept_bytes.hpp"
#include "row_blocks.hpp"
#include "scatter_kernel.hpp"
#include "tuning.hpp"

namespace heddle::detail::csr {

/// The launches of the CSR kernels on a CPU, where every thread takes one share.
template <ExecutionSpace Exec, Scalar S, Ordinal O, Offset Off, Scalar V, Scalar Acc>
struct HostLaunches {
  using Operands = csr::Operands<S, O, Off, V, Acc>;
  using Table = typename EqualWork<Exec, O, Off, Acc>::Table;
  using BlockTable = RowBlockTable<O, Off>;
  using Matrix = CsrMatrix<S, O, Off, typename Exec::memory_space>;
  using Variant = HostVariant<Exec, Operands>;
  using Dot = team_sums::Dot<Acc>;

  static constexpr CpuTuning tuning = cpu_tuning<backends::Host>;
  static constexpr int short_row = tuning.short_row;
  static constexpr int row_steps = tuning.row_steps;

  /// Whether to lay `vectors` vectors of x that lie apart side by side.
  static bool repays_packing(const Exec& exec, const Matrix& A, int vectors,
                             const Variant& variant) {
    return reads_repay_packing(tuning, static_cast<std::int64_t>(A.nonzeros()), A.columns(),
                               vectors, sizeof(V), backends::threads_at_once(exec),
                               variant.hints().simd != backends::Simd::none);
  }

  /// Steps of a share: an equal one for every thread, none too small to be worth one.
  static std::int64_t share_work(const Device& device, const Matrix& A, Cutting) {
    const std::int64_t work =
        merge_path_steps(A.rows(), static_cast<std::int64_t>(A.nonzeros()), row_steps);
    return std::max<std::int64_t>(ceil_div<std::int64_t>(work, device.multiprocessors),
                                  tuning.least_work);
  }

  /// The same for shares that threads search for.
  static ShareSearch share_search(const Device& device, const Matrix& A) {
    return {static_cast<std::int64_t>(A.nonzeros()), share_work(device, A, Cutting::equal_work),
            row_steps};
  }

  /// Of `vectors` vectors those that one pass over the matrix serves.
  static int vectors_per_pass(int vectors, bool apart, bool /*shares*/, const Variant& variant) {
    const backends::Simd simd = suits_simd<Operands> ? variant.hints().simd : backends::Simd::none;
    return vectors_per_pass(vectors, apart, simd, variant.hints());
  }

  // Launches that take a Dot say whether there was room for it; if not, nothing was launched.

  /// csr/scalar: equal rows a thread.
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

  /// csr/blocks: a thread an equal number of blocks.
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
  /// Vectors that lie apart push each other out of the caches, so they go a few at a time.
  static int vectors_per_pass(int vectors, bool apart, backends::Simd simd, const RowHints& hints) {
    if (simd == backends::Simd::none) return tuning.plain_vectors;
    if (!apart) return vectors_per_launch<Exec>;
    return vectors == 2 && hints.two_one_by_one ? 1 : tuning.vectors_apart;
  }
  static int vectors_per_pass(const Operands& operands, const RowHints& hints) {
    return vectors_per_pass(operands.x.count, operands.x.vector_stride != 1,
                            simd_for(operands, hints.simd), hints);
  }

  /// So many teams of whole rows; see HostRowsKernel.
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

  /// Calls launch(how) with what computes rows as the hints say.
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

}  // namespace heddle::detail::csr
