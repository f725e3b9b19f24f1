// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <string>

#include "../../core/error.hpp"
#include "../../core/multivector.hpp"

namespace heddle::detail::direct {

/// Throws Error unless A x = b makes sense for a square A of `rows` rows: shapes fit, and x is b or
/// has no entry in common with it.
template <class V>
void check_vectors(std::int64_t rows, const Multivector<const V>& b, const Multivector<V>& x) {
  const auto demand = [&](const char* vector, std::int64_t is) {
    if (is == rows) return;
    throw Error(std::string(vector) + " has " + std::to_string(is) + " rows, and A has " +
                    std::to_string(rows),
                "give b and x as many rows as A has");
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

}  // namespace heddle::detail::direct
