// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../backends/device.hpp"
#include "../common/scale.hpp"
#include "kernels.hpp"
#include "predict.hpp"

namespace heddle::detail::csr {

/// Lanes a row for csr/subwarp where nobody has looked at the rows: all are taken to be as long as
/// the mean.
template <ExecutionSpace Exec, class Matrix>
int lanes_without_plan(const Exec& exec, const Matrix& A, const Sizes& sizes) {
  if constexpr (backends::has_lanes<Exec>) {
    RowFeatures rows;
    rows.rows = A.rows();
    rows.columns = A.columns();
    rows.nonzeros = static_cast<std::int64_t>(A.nonzeros());
    rows.longest_row = std::llround(rows.mean_row());
    return GpuCosts(rows, backends::describe(exec), sizes, gpu_tuning<backends::Tag<Exec>>)
        .subwarp_lanes();
  } else {
    return 1;
  }
}

/// y = alpha * op(A) * x + beta * y without inspection, sums kept in the type of the vectors.
template <Scalar V, ExecutionSpace Exec, Scalar S, Ordinal O, Offset Off, MemorySpace Space>
void apply_without_plan(const Exec& exec, Op op, V alpha, const CsrMatrix<S, O, Off, Space>& A,
                        const Multivector<const V>& x, V beta, const Multivector<V>& y) {
  using Kernels = csr::Kernels<Exec, S, O, Off, V, V>;
  const auto operands = operands_of(view_of(A), Product<V, V>{conjugates(op), alpha, beta, x, y});
  if (transposes(op)) {
    scale<V, V>(exec, beta, y);
    return Kernels::scatter(exec, operands);
  }
  const Sizes sizes{sizeof(S), sizeof(O), sizeof(Off),
                    sizeof(V), sizeof(V), {x.count, x.vector_stride != 1}};
  Kernels::rows(exec, operands, lanes_without_plan(exec, A, sizes),
                typename Kernels::Variant(WithoutPlan()));
}

}  // namespace heddle::detail::csr
