// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../backends/memory.hpp"
#include "../../core/multivector.hpp"

namespace heddle {

namespace detail {

/// Stores y(row, vector) from the row's sum; beta == 0 never reads y.
template <class AnyProduct, class Acc, Ordinal O>
KOKKOS_FORCEINLINE_FUNCTION void store_sum(const AnyProduct& product, O row, int vector, Acc sum) {
  auto& place = product.y(row, vector);
  using V = std::remove_reference_t<decltype(place)>;
  place = V(product.beta == Acc(0) ? product.alpha * sum
                                   : product.alpha * sum + product.beta * Acc(place));
}

/// Stores y of consecutive rows from `row` on, one for each lane of the mask, from their sums; beta
/// == 0 never reads y.
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

/// An entry of the matrix, conjugated if the op conjugates.
template <Scalar S>
KOKKOS_FORCEINLINE_FUNCTION S multiplied(const S& stored, bool conjugate) {
  if constexpr (is_complex<S>) {
    return conjugate ? heddle::conjugate(stored) : stored;
  } else {
    return stored;
  }
}

}  // namespace detail

/// The operation of every SpMV kernel, whatever the format: y = alpha * A * x + beta * y, or with
/// the conjugate of A. Sums are kept in the accumulator type. Small, because every launch copies
/// it.
template <Scalar V, Scalar Acc>
struct Product {
  using vector_type = V;
  using accumulator_type = Acc;

  bool conjugate;
  Acc alpha;
  Acc beta;
  Multivector<const V> x;
  Multivector<V> y;

  /// An entry of the matrix, conjugated if the op conjugates.
  template <Scalar S>
  KOKKOS_FORCEINLINE_FUNCTION S entry(const S& stored) const {
    return detail::multiplied(stored, conjugate);
  }

  /// x(row, vector) if it is wanted, else zero; a vector beyond the last reads the first.
  /// UnitStride is for consecutive rows of x, and saves a multiplication for each entry.
  template <bool UnitStride, class Row>
  KOKKOS_FORCEINLINE_FUNCTION Acc gather(Row row, int vector, bool wanted) const {
    const V* const first = x.data + (vector < x.count ? vector : 0) * x.vector_stride;
    const auto at = static_cast<std::int64_t>(row);
    return Acc(backends::load(UnitStride ? first + at : first + at * x.row_stride, wanted));
  }

  template <Scalar S, Ordinal O>
  KOKKOS_FORCEINLINE_FUNCTION Acc product(S value, O column, int vector) const {
    return Acc(value) * Acc(x(column, vector));
  }
  /// value * x(column, vector) if wanted, else zero times the value, which then is zero too.
  template <Scalar S, Ordinal O>
  KOKKOS_FORCEINLINE_FUNCTION Acc product(S value, O column, int vector, bool wanted) const {
    return Acc(value) * Acc(backends::load(&x(column, vector), wanted));
  }

  /// Stores y(row, vector) from the row's sum; beta == 0 never reads y.
  template <Ordinal O>
  KOKKOS_FORCEINLINE_FUNCTION void store(O row, int vector, Acc sum) const {
    detail::store_sum(*this, row, vector, sum);
  }
};

/// Calls pass(part) for at most `most` vectors of x and y at a time, about as many each time.
/// `part` is the product (or a type derived from it) over those vectors.
template <class AnyProduct, class Pass>
void each_pass(const AnyProduct& product, int most, const Pass& pass) {
  const int passes = ceil_div(product.x.count, most);
  for (int i = 0, first = 0; i < passes; ++i) {
    const int vectors = (product.x.count - first) / (passes - i);
    AnyProduct part = product;
    part.x = product.x.slice(first, vectors);
    part.y = product.y.slice(first, vectors);
    pass(part);
    first += vectors;
  }
}

}  // namespace heddle
