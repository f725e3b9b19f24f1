// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <heddle/core/matrix.hpp>
#include <heddle/formats/vectors.hpp>

namespace heddle {

/// How a plan applies the transpose of its matrix.
enum class Transpose {
  /// Through a stored transpose, built by the first transposing apply (which then allocates and
  /// waits) and kept.
  on_first_use,
  /// Through a stored transpose, built with the plan. Deterministic; takes as much memory again as
  /// the matrix, and half as much for the way back.
  stored,
  /// Without one, by atomic additions: no memory, but neither deterministic nor fast, and every
  /// addition rounds to the type of the vectors, whatever the accumulator.
  atomics
};

/// What a format's inspector makes and a plan executes. A format derives one class from it.
template <ExecutionSpace Exec, class Matrix, Scalar Vector, Scalar Accumulator>
class SpmvExecutor {
 public:
  virtual ~SpmvExecutor() = default;

  /// y = alpha * op(A) * x + beta * y on `exec`; alpha is not zero and the shapes fit.
  virtual void apply(const Exec& exec, Op op, Accumulator alpha, const Columns<const Vector>& x,
                     Accumulator beta, const Columns<Vector>& y) = 0;
  /// New values of the same pattern.
  virtual void update_values(const Exec& exec, const Matrix& A) = 0;
  /// Device memory that the inspector took, in bytes.
  virtual std::size_t bytes() const = 0;
};

}  // namespace heddle
