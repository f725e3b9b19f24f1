// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../core/multivector.hpp"
#include "../../core/types.hpp"

namespace heddle {

/// y = beta * y; beta == 0 sets y to zero without reading it.
template <Scalar V, Scalar Acc, ExecutionSpace Exec>
void scale(const Exec& exec, Acc beta, const Multivector<V>& y) {
  if (beta == Acc(1)) return;
  const bool clear = beta == Acc(0);
  const std::int64_t rows = y.rows;
  Kokkos::parallel_for(
      "heddle::spmv::scale", range_policy(exec, rows * y.count), KOKKOS_LAMBDA(std::int64_t i) {
        V& place = y(i % rows, static_cast<int>(i / rows));
        place = clear ? V(0) : V(beta * Acc(place));
      });
}

}  // namespace heddle
