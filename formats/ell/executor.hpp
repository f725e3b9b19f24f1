// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <bit>

#include "../../backends/cpu_traits.hpp"
#include "../common/owned_executor.hpp"
#include "../common/slots/storage.hpp"
#include "kernel.hpp"
#include "predict.hpp"

namespace heddle::detail::ell {

/// Runs the scheme ell: owns a copy of the matrix.
template <ExecutionSpace Exec, class Matrix, Scalar V, Scalar Acc>
struct Runs {
  using S = typename Matrix::scalar_type;
  using O = typename Matrix::ordinal_type;
  using Off = typename Matrix::offset_type;
  using Counts = VectorCounts<1, 4, slots::tuning.most_vectors>;

  /// Takes a scheme whose parameters are resolved.
  Runs(const Inspection<Exec, Matrix>& in, const Scheme& resolved, const Parameters& parameters)
      : scheme(resolved),
        simd(*parameters.simd),
        lane_bits(std::countr_zero(static_cast<unsigned>(*parameters.lanes))),
        storage(in.exec, in.A, static_cast<int>(in.features.rows().longest_row)) {}

  bool has_dot(Op) const { return false; }

  template <int Vectors>
  bool run(const Exec& exec, Op, const Product<V, Acc>& product, const team_sums::Dot<Acc>&) const {
    using Rows = slots::Rows<Exec, slots::View<S, O>, Product<V, Acc>, Vectors>;
    using Shape = backends::Shape<1, slots::tuning.team_threads>;
    const Rows rows{storage.view(), product};
    const auto teams_of = [&](int rows_per_team) {
      return ceil_div<std::int64_t>(rows.A.rows, rows_per_team);
    };
    if constexpr (backends::has_lanes<Exec>) {
      if (lane_bits > 0) {
        backends::launch<Shape>(exec, "heddle::spmv::ell",
                                teams_of(slots::tuning.team_threads >> lane_bits),
                                SplitKernel<Rows>{rows, lane_bits});
        return true;
      }
    }
    constexpr int threads = backends::has_lanes<Exec> ? slots::tuning.team_threads : 1;
    backends::launch_simd<Shape>(exec, "heddle::spmv::ell", teams_of(Rows::rows_per_lane * threads),
                                 slots::RowKernel<Rows>{rows}, simd);
    return true;
  }

  Scheme scheme;
  backends::Simd simd;
  int lane_bits;
  slots::Storage<Exec, S, O, Off> storage;
};

template <ExecutionSpace Exec, class Matrix, Scalar V, Scalar Acc>
using Executor = OwnedExecutor<Exec, Matrix, V, Acc, Runs<Exec, Matrix, V, Acc>>;

}  // namespace heddle::detail::ell
