// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../common/product.hpp"
#include "view.hpp"

namespace heddle::detail::csb {

/// y of the panels whose pieces left partial sums, which are added up in the order of the pieces;
/// an item a row of y.
template <class Sweep, class Product, int Vectors>
struct FinishKernel {
  using Acc = typename Product::accumulator_type;

  Sweep sweep;
  Product product;
  int beta;
  const Acc* partials;

  KOKKOS_FUNCTION void operator()(std::int64_t row) const {
    const std::int64_t panel = row / beta;
    const std::int64_t first = sweep.partial_ptr[panel], last = sweep.partial_ptr[panel + 1];
    if (first == last) return;
    const int local = static_cast<int>(row - panel * beta);
    for (int v = 0; v < product.x.count; ++v) {
      Acc sum = partials[(first * beta + local) * Vectors + v];
      for (std::int64_t p = first + 1; p < last; ++p) {
        sum += partials[(p * beta + local) * Vectors + v];
      }
      product.store(row, v, sum);
    }
  }
};

}  // namespace heddle::detail::csb
