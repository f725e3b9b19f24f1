// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdlib>

#include "../../../core/multivector.hpp"

namespace heddle::detail::sptrsv {

/// The first and one past the last address of so many vectors.
template <class T>
std::pair<const T*, const T*> range_of(const Multivector<T>& vectors) {
  if (vectors.rows == 0 || vectors.count == 0) return {vectors.data, vectors.data};
  return {vectors.data, &vectors(vectors.rows - 1, vectors.count - 1) + 1};
}

/// Whether two groups of vectors of the same shape have an entry in common. Where their strides
/// differ, whether their ranges of addresses overlap.
template <class T>
bool overlap(const Multivector<T>& a, const Multivector<T>& b) {
  const auto [a_begin, a_end] = range_of(a);
  const auto [b_begin, b_end] = range_of(b);
  const std::less<const T*> before;
  if (!before(a_begin, b_end) || !before(b_begin, a_end)) return false;
  const bool alike = a.row_stride == b.row_stride && a.vector_stride == b.vector_stride;
  if (!alike || a.row_stride == 0) return true;
  const std::int64_t apart = b_begin - a_begin;
  for (std::int64_t v = 1 - a.count; v < a.count; ++v) {
    const std::int64_t rows_apart = apart - v * a.vector_stride;
    if (rows_apart % a.row_stride == 0 && std::abs(rows_apart / a.row_stride) < a.rows) return true;
  }
  return false;
}

/// Throws Error unless op(T) x = b makes sense for a matrix of so many rows: shapes fit, and x is b
/// or has no entry in common with it.
template <class V>
void check_right_hand_sides(std::int64_t rows, const Multivector<const V>& b,
                            const Multivector<V>& x) {
  const auto demand = [&](const char* vector, std::int64_t is) {
    if (is == rows) return;
    throw Error(std::string(vector) + " has " + std::to_string(is) + " rows, and T has " +
                    std::to_string(rows),
                "give b and x one row a row of T");
  };
  demand("b", b.rows);
  demand("x", x.rows);
  if (b.count != x.count) {
    throw Error("b holds " + std::to_string(b.count) + " vectors and x " + std::to_string(x.count),
                "give both the same number of vectors");
  }
  const Multivector<const V> solution{x.data, x.row_stride, x.vector_stride, x.rows, x.count};
  const bool in_place = x.data == b.data && (x.rows < 2 || x.row_stride == b.row_stride) &&
                        (x.count < 2 || x.vector_stride == b.vector_stride);
  if (!in_place && overlap(b, solution)) {
    throw Error("x overlaps b in part", "let x be b itself, or give it memory of its own");
  }
}

template <Scalar V>
struct ClearVectors {
  Multivector<V> x;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    x(i % x.rows, static_cast<int>(i / x.rows)) = V(0);
  }
};

/// x = 0, whatever it holds.
template <ExecutionSpace Exec, Scalar V>
void clear(const Exec& exec, const Multivector<V>& x) {
  Kokkos::parallel_for("heddle::sptrsv::clear_x", range_policy(exec, x.rows * x.count),
                       ClearVectors<V>{x});
}

}  // namespace heddle::detail::sptrsv
