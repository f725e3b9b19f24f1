// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../backends/cpu_traits.hpp"
#include "../common/owned_executor.hpp"
#include "rest/launches.hpp"
#include "storage.hpp"

namespace heddle::detail::hyb {

/// Runs the scheme hyb: owns a copy of the matrix, in two parts.
template <ExecutionSpace Exec, class Matrix, Scalar V, Scalar Acc>
struct Runs {
  using S = typename Matrix::scalar_type;
  using O = typename Matrix::ordinal_type;
  using Off = typename Matrix::offset_type;
  using Counts = VectorCounts<1, 4, slots::tuning.most_vectors>;

  /// Takes a scheme whose parameters are resolved.
  Runs(const Inspection<Exec, Matrix>& in, const Scheme& resolved, backends::Simd how,
       const Widths& widths)
      : scheme(resolved), simd(how), storage(in.exec, in.A, widths, in.device) {}

  bool has_dot(Op) const { return false; }

  template <int Vectors>
  bool run(const Exec& exec, Op, const Product<V, Acc>& product, const team_sums::Dot<Acc>&) const {
    constexpr int vector_lanes = Vectors < 4 ? Vectors : 4;
    using Rows = slots::Rows<Exec, slots::View<S, O>, Product<V, Acc>, Vectors>;
    const auto collected = storage.rest().collected();
    const slots::RowKernel<Rows, std::remove_const_t<decltype(collected)>> slots{
        Rows{storage.slots(), product}, collected};
    rest::launch<vector_lanes, Vectors / vector_lanes>(exec, storage.rest(), product, slots,
                                                       Rows::rows_per_lane, simd);
    return true;
  }

  Scheme scheme;
  backends::Simd simd;
  Storage<Exec, S, O, Off, Acc> storage;
};

template <ExecutionSpace Exec, class Matrix, Scalar V, Scalar Acc>
using Executor = OwnedExecutor<Exec, Matrix, V, Acc, Runs<Exec, Matrix, V, Acc>>;

}  // namespace heddle::detail::hyb
