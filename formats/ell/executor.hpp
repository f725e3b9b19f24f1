// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <bit>

#include "../../backends/cpu_traits.hpp"
#include "../common/owned_executor.hpp"
#include "kernel.hpp"
#include "storage.hpp"

namespace heddle::detail::ell {

/// Runs the scheme ell: owns a copy of the matrix.
template <ExecutionSpace Exec, class Matrix, Scalar V, Scalar Acc>
struct Runs {
  using S = typename Matrix::scalar_type;
  using O = typename Matrix::ordinal_type;
  using Off = typename Matrix::offset_type;
  using Counts = VectorCounts<1, 4, tuning.most_vectors>;

  /// Takes a scheme whose parameters are resolved.
  Runs(const Inspection<Exec, Matrix>& in, const Scheme& resolved, backends::Simd how, int lanes)
      : scheme(resolved),
        simd(how),
        lane_bits(std::countr_zero(static_cast<unsigned>(lanes))),
        storage(in.exec, in.A, static_cast<int>(in.features.rows().longest_row)) {}

  bool has_dot(Op) const { return false; }

  template <int Vectors>
  bool run(const Exec& exec, Op, const Product<V, Acc>& product, const team_sums::Dot<Acc>&) const {
    constexpr int batch = Vectors == 1 ? tuning.batch : tuning.multivector_batch;
    constexpr bool lanes = backends::has_lanes<Exec>;
    // On a CPU the packs take the place of the batch: their loads are in flight together.
    constexpr int packs = lanes || Vectors > 1 ? 1 : tuning.cpu_packs;
    using Rows = slots::Rows<View<S, O>, Product<V, Acc>, Exec, packs, lanes ? batch : 1, Vectors>;
    static_assert(tuning.row_alignment % Rows::rows_per_lane == 0,
                  "the last packs of rows end in the padding");
    using Shape = backends::Shape<1, tuning.team_threads>;
    const Rows rows{storage.view(), product};
    const auto teams_of = [&](int rows_per_team) {
      return ceil_div<std::int64_t>(rows.A.rows, rows_per_team);
    };
    if constexpr (lanes) {
      if (lane_bits > 0) {
        backends::launch<Shape>(exec, "heddle::spmv::ell",
                                teams_of(tuning.team_threads >> lane_bits),
                                SplitKernel<Rows>{rows, lane_bits});
        return true;
      }
    }
    constexpr int rows_per_team = Rows::rows_per_lane * (lanes ? tuning.team_threads : 1);
    backends::launch_simd<Shape>(exec, "heddle::spmv::ell", teams_of(rows_per_team),
                                 slots::RowKernel<Rows>{rows}, simd);
    return true;
  }

  Scheme scheme;
  backends::Simd simd;
  int lane_bits;
  Storage<Exec, S, O, Off> storage;
};

template <ExecutionSpace Exec, class Matrix, Scalar V, Scalar Acc>
using Executor = OwnedExecutor<Exec, Matrix, V, Acc, Runs<Exec, Matrix, V, Acc>>;

}  // namespace heddle::detail::ell
