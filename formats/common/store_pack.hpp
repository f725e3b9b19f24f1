// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../core/types.hpp"

namespace heddle::detail {

/// y of consecutive rows from `row` on, one a lane of the mask, from their sums; beta == 0 never
/// reads y.
template <class Product, class Pack>
KOKKOS_FORCEINLINE_FUNCTION void store_pack(const Product& product, std::int64_t row, int vector,
                                            Pack sum, typename Pack::Mask inside) {
  using Acc = typename Product::accumulator_type;
  const std::int64_t stride = product.y.row_stride;
  auto* to = product.y.data + row * stride + vector * product.y.vector_stride;
  Pack value = Pack::multiply(Pack::all(product.alpha), sum);
  if (product.beta != Acc(0)) {
    const Pack old = stride == 1 ? Pack::load(to, inside) : Pack::strided(to, stride, inside);
    value = Pack::multiply_add(Pack::all(product.beta), old, value);
  }
  if (stride == 1) {
    Pack::store(to, value, inside);
  } else {
    Pack::store_strided(to, stride, value, inside);
  }
}

}  // namespace heddle::detail
