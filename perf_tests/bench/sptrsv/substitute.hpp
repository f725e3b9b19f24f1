// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../../solvers/sptrsv/options.hpp"

namespace heddle::bench {

/// Solves op(T) x = alpha b row by row, by a plain loop on one thread of the host. T is as in
/// SptrsvProblem; b and x have rank 2.
template <class Matrix, class S, class B, class X>
void substitute(const Matrix& T, Triangle triangle, Diagonal diagonal, Op op, S alpha, const B& b,
                const X& x) {
  const auto* const row_ptr = T.row_ptr().data();
  const auto* const col_idx = T.col_idx().data();
  const auto* const values = T.values().data();
  const bool lower = triangle == Triangle::lower, unit = diagonal == Diagonal::unit;
  const bool conjugated = conjugates(op), scatters = transposes(op);
  const auto entry = [&](auto k) { return conjugated ? conjugate(values[k]) : values[k]; };
  const auto rows = static_cast<std::int64_t>(T.rows());
  for (std::size_t v = 0; v < x.extent(1); ++v) {
    if (scatters) {
      for (std::int64_t i = 0; i < rows; ++i) x(i, v) = alpha * b(i, v);
    }
    for (std::int64_t step = 0; step < rows; ++step) {
      const std::int64_t i = lower != scatters ? step : rows - 1 - step;
      // The diagonal is the last entry of a lower row and the first of an upper one.
      const auto begin = row_ptr[i] + (lower ? 0 : 1), end = row_ptr[i + 1] - (lower ? 1 : 0);
      const auto at_diagonal = lower ? end : begin - 1;
      S value = scatters ? x(i, v) : alpha * b(i, v);
      if (!scatters) {
        for (auto k = begin; k < end; ++k) value -= entry(k) * x(col_idx[k], v);
      }
      if (!unit) value /= entry(at_diagonal);
      x(i, v) = value;
      if (scatters) {
        for (auto k = begin; k < end; ++k) x(col_idx[k], v) -= entry(k) * value;
      }
    }
  }
}

}  // namespace heddle::bench
