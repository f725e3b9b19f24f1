// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../backends/loops.hpp"
#include "../../core/multivector.hpp"

namespace heddle::detail::triangle {

/// Largest number of right-hand sides that a plan keeps memory for.
inline constexpr int most_room = 64;

/// Throws Error unless op(T) x = b makes sense for a matrix of `rows` rows: shapes fit, and x is b
/// or has no entry in common with it.
template <class V>
void check_right_hand_sides(std::int64_t rows, const Multivector<const V>& b,
                            const Multivector<V>& x) {
  const auto demand = [&](const char* vector, std::int64_t is) {
    if (is == rows) return;
    throw Error(std::string(vector) + " has " + std::to_string(is) + " rows, and T has " +
                    std::to_string(rows),
                "give b and x as many rows as T has");
  };
  demand("b", b.rows);
  demand("x", x.rows);
  if (b.count != x.count) {
    throw Error("b holds " + std::to_string(b.count) + " vectors and x " + std::to_string(x.count),
                "give both the same number of vectors");
  }
  const bool in_place = x.data == b.data && (x.rows < 2 || x.row_stride == b.row_stride) &&
                        (x.count < 2 || x.vector_stride == b.vector_stride);
  if (!in_place && overlap(b, x)) {
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

/// Sets x to 0, whatever it holds.
template <ExecutionSpace Exec, Scalar V>
void clear(const Exec& exec, const Multivector<V>& x) {
  parallel_for(exec, "heddle::triangle::clear_x", x.rows * x.count, ClearVectors<V>{x});
}

}  // namespace heddle::detail::triangle
