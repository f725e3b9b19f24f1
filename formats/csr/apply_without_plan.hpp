// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../backends/device.hpp"
#include "../common/scale.hpp"
#include "../compiled.hpp"
#include "format.hpp"
#include "launches.hpp"
#include "without_plan.hpp"

namespace heddle::detail {
template <class V>
inline constexpr bool is_defined<csr::WithoutPlanKernels<V>> = true;
}  // namespace heddle::detail

namespace heddle::detail::csr {

template <Scalar V, ExecutionSpace Exec, Scalar S, Ordinal O, Offset Off, MemorySpace Space>
void apply_without_plan(const Exec& exec, Op op, V alpha, const CsrMatrix<S, O, Off, Space>& A,
                        const Multivector<const V>& x, V beta, const Multivector<V>& y,
                        RowLengths lengths) {
  if (alpha == V(0)) return scale<V, V>(exec, beta, y);
  using Kernels = csr::Kernels<Exec, S, O, Off, V, V>;
  const auto operands = operands_of(view_of(A), Product<V, V>{conjugates(op), alpha, beta, x, y});
  if (transposes(op)) {
    scale<V, V>(exec, beta, y);
    return Kernels::scatter(exec, operands);
  }
  const typename Kernels::Variant variant{WithoutPlan()};
  const Device device = backends::describe(exec);
  bool searches = lengths == RowLengths::differ;
  int lanes = 1;
  if constexpr (backends::has_lanes<Exec>) {
    const Sizes sizes{sizeof(S), sizeof(O), sizeof(Off),
                      sizeof(V), sizeof(V), {x.count, x.vector_stride != 1}};
    const RowFeatures rows = rows_alike(A);
    const GpuCosts costs(rows, device, sizes, gpu_tuning<backends::Tag<Exec>>);
    lanes = costs.subwarp_lanes();
    searches = searches || costs.searched_merge() < costs.subwarp(lanes);
  }
  if (searches) {
    Kernels::searched_shares(exec, operands, Kernels::share_search(device, A), variant);
  } else {
    Kernels::rows(exec, operands, lanes, variant);
  }
}

}  // namespace heddle::detail::csr
