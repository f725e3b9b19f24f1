// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../common/product.hpp"
#include "view.hpp"

namespace heddle::detail::csb {

/// y of the panels whose pieces left partial sums, which are added up in the order of the pieces,
/// and then those of mirror images, in the order of their block rows; an item a row of y.
template <class Sweep, class Product, int Vectors>
struct FinishKernel {
  using Acc = typename Product::accumulator_type;

  Sweep sweep;
  Product product;
  int beta;
  const Acc* partials;
  Parts parts;
  const Acc* mirrored;

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
      if (parts.part_ptr) add_parts(panel, local, v, sum);
      product.store(row, v, sum);
    }
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION void add_parts(std::int64_t panel, int local, int vector,
                                             Acc& sum) const {
    for (std::int64_t n = parts.part_ptr[panel]; n < parts.part_ptr[panel + 1]; ++n) {
      const Part& part = parts.part[n];
      const int place = local - part.span.first;
      if (place < 0 || place >= part.span.width) continue;
      for (std::int64_t p = 0; p < part.pieces; ++p) {
        sum += mirrored[(part.first + p * part.span.width + place) * Vectors + vector];
      }
    }
  }
};

}  // namespace heddle::detail::csb
