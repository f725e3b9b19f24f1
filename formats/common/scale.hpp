// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../backends/loops.hpp"
#include "../../core/multivector.hpp"
#include "../../core/types.hpp"

namespace heddle {

namespace detail {

template <Scalar V, Scalar Acc>
struct ScaleKernel {
  Acc beta;
  Multivector<V> y;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    V& place = y(i % y.rows, static_cast<int>(i / y.rows));
    place = beta == Acc(0) ? V(0) : V(beta * Acc(place));
  }
};

}  // namespace detail

/// y = beta * y; beta == 0 sets y to zero without reading it.
template <Scalar V, Scalar Acc, ExecutionSpace Exec>
void scale(const Exec& exec, Acc beta, const Multivector<V>& y) {
  if (beta == Acc(1)) return;
  detail::parallel_for(exec, "heddle::spmv::scale", std::int64_t{y.rows} * y.count,
                       detail::ScaleKernel<V, Acc>{beta, y});
}

}  // namespace heddle
